#include "cli/files/config_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/array.h"
#include "cli/files/output.h"
#include "cli/help/situations.h"
#include "cli/messages.h"
#include "scenario/config_path.h"
#include "scenario/machine_file.h"

bool cli_config_find(const char *name, struct cli_config_path *path) {
    return tma_config_find(name, path->text);
}

bool cli_config_resolve(const char *operand, const char *const *folders,
                        struct cli_config_path *path) {
    int length = snprintf(path->text, sizeof path->text, "%s", operand);
    if (length > 0 && (size_t)length < sizeof path->text && access(path->text, R_OK) == 0)
        return true;
    return tma_config_find_word(operand, folders, path->text);
}

bool cli_config_is_layout(const char *operand) {
    return strpbrk(operand, "(<:") != NULL || strncmp(operand, "Layout_", 7) == 0;
}

bool cli_config_may_exist(const char *operand, const char *const *folders, const char *what) {
    struct tma_suggestion suggestion = {.wanted = operand};
    const char *list = strcmp(what, "machine") == 0 ? "tmasim machines" : "tmasim kernels";
    char word[TMA_MAX_SUGGESTION];
    if (tma_config_word_of(operand, folders, word))
        return cli_error(
            "%s: cannot be read: there is no such file; did you mean \"%s\", a %s that belongs "
            "to tmasim?",
            operand, word, what);
    /* Numbers and CuTe's layouts name no file. */
    size_t digits = strspn(operand, "0123456789abcdefABCDEF");
    if (strpbrk(operand, "/.") != NULL || cli_config_is_layout(operand) ||
        strcmp(operand, "-") == 0 || (operand[0] >= '0' && operand[0] <= '9') ||
        (digits == strlen(operand) && digits > 8) || access(operand, F_OK) == 0)
        return true;
    struct cli_config_path folder;
    if (!cli_config_find(folders[0], &folder))
        return cli_error("\"%s\" is no file, and configs/%s is not near the command, nor where "
                         "TMASIM_PATH says, so that no %s has a name",
                         operand, folders[0], what);
    tma_config_suggest(&suggestion, folders);
    if (cli_situation_has(operand))
        cli_error(
            "\"%s\" is neither a file nor a %s that belongs to tmasim; tmasim help %s says what "
            "to do then",
            operand, what, operand);
    else if (suggestion.best[0] != '\0')
        cli_error("\"%s\" is neither a file nor a %s that belongs to tmasim; did you mean \"%s\"?",
                  operand, what, suggestion.best);
    else
        cli_error("\"%s\" is neither a file nor a %s that belongs to tmasim; %s lists those",
                  operand, what, list);
    return false;
}

static const char *const scenario_folders[] = {"kernels", "scenarios", NULL};

bool cli_scenario_may_exist(const char *operand) {
    return cli_config_may_exist(operand, scenario_folders, "scenario");
}

bool cli_scenario_find(const char *operand, struct cli_config_path *path) {
    return cli_config_resolve(operand, scenario_folders, path);
}

bool cli_scenario_find_other(const char *operand, const struct cli_config_path *found,
                             struct cli_config_path *other) {
    if (strcmp(operand, found->text) == 0)
        return false;
    for (const char *const *folder = scenario_folders; *folder != NULL; folder++) {
        const char *const one[] = {*folder, NULL};
        if (tma_config_find_word(operand, one, other->text) &&
            strcmp(found->text, other->text) != 0)
            return true;
    }
    return false;
}

static const char extension[] = ".yaml";

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct cli_config_names *names, const char *file) {
    size_t length = strlen(file), tail = sizeof extension - 1;
    if (length <= tail || file[0] == '.' || strcmp(file + length - tail, extension) != 0)
        return true;
    char *name = TMA_GROW(names->items, names->count, names->capacity) ? tma_copy_text(file) : NULL;
    if (name == NULL)
        return false;
    name[length - tail] = '\0';
    names->items[names->count++] = name;
    return true;
}

bool cli_config_names_read(const char *folder, struct cli_config_names *names) {
    DIR *directory = opendir(folder);
    bool good = directory != NULL;
    if (!good)
        cli_error("%s: cannot be read: %s", folder, strerror(errno));
    for (struct dirent *entry; good && (entry = readdir(directory)) != NULL;)
        if (!add_name(names, entry->d_name))
            good = cli_error("out of memory");
    if (directory != NULL)
        closedir(directory);
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    return good;
}

void cli_config_names_free(struct cli_config_names *names) {
    for (size_t i = 0; i < names->count; i++)
        tma_release(names->items[i]);
    tma_release(names->items);
}

int cli_config_list(const struct cli_options *options, const char *name, cli_config_lister *list) {
    struct cli_config_path folder = {0};
    struct cli_output output;
    struct cli_config_names names = {0};
    bool good = false;
    if (!cli_config_find(name, &folder))
        cli_error("configs/%s is not near the command, nor where TMASIM_PATH says", name);
    else if (cli_config_names_read(folder.text, &names) &&
             cli_output_open(&output, options->output)) {
        good = list(options, folder.text, &names, output.file);
        good = cli_output_close(&output, good) && good;
    }
    cli_config_names_free(&names);
    return good ? CLI_OK : CLI_ERROR;
}

static const char *const folders[] = {"gpus", NULL};

bool cli_machine_read(const char *path, struct tma_machine *machine) {
    return cli_machine_read_set(path, NULL, 0, machine);
}

bool cli_machine_read_set(const char *path, char *const *settings, size_t count,
                          struct tma_machine *machine) {
    struct cli_config_path found = {0};
    if (path == NULL && !cli_config_find("gpus/h200.yaml", &found))
        return cli_error(
            "configs/gpus/h200.yaml is not near the command, nor where TMASIM_PATH says; --gpu "
            "FILE names a machine file");
    if (path == NULL || cli_config_resolve(path, folders, &found))
        path = found.text;
    else if (!cli_config_may_exist(path, folders, "machine"))
        return false;
    struct tma_diagnostics list = {0};
    bool good = tma_machine_read_set(path, settings, count, machine, &list);
    tma_diagnostics_sort(&list);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    return good;
}
