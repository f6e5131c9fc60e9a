#include "cli/files/config_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "cli/files/config_files.h"
#include "cli/files/output.h"
#include "cli/messages.h"

static const char extension[] = ".yaml";

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct cli_config_names *names, const char *file) {
    size_t length = strlen(file), tail = sizeof extension - 1;
    if (length <= tail || file[0] == '.' || strcmp(file + length - tail, extension) != 0)
        return true;
    char **items = tma_array_grow(names->items, names->count, &names->capacity, sizeof *items);
    char *name = items == NULL ? NULL : tma_copy_text(file);
    if (items != NULL)
        names->items = items;
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
        if (!add_name(names, entry->d_name)) {
            cli_error("out of memory");
            good = false;
        }
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
        cli_error("cannot find configs/%s near the command", name);
    else if (cli_config_names_read(folder.text, &names) &&
             cli_output_open(&output, options->output)) {
        good = list(options, folder.text, &names, output.file);
        good = cli_output_close(&output, good) && good;
    }
    cli_config_names_free(&names);
    return good ? CLI_OK : CLI_ERROR;
}
