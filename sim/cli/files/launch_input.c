#include "cli/files/launch_input.h"

#include <string.h>
#include <sys/stat.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "cli/files/config_files.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "scenario/extend.h"
#include "scenario/text_file.h"

bool cli_is_launch_records(const char *path) {
    const char *name = cli_file_name(path), *end = strrchr(name, '.');
    return end != NULL && strcmp(end, ".jsonl") == 0;
}

bool cli_is_launch(const char *path, struct tma_error *unreadable) {
    struct cli_launch_file file = {0};
    struct tma_error error;
    if (cli_is_launch_records(path))
        return true;
    bool read = tma_text_read(path, &file.text, &file.length, &error) == TMA_OK;
    bool is_launch = read && tma_launch_recognize(file.text, file.length);
    bool is_path =
        strpbrk(path, "/.") != NULL && strcmp(path, "-") != 0; /* else a library's name */
    if (!read && is_path && unreadable != NULL && unreadable->text[0] == '\0')
        tma_fail(unreadable, error.code, "%s %s", cli_file_name(path), error.text);
    cli_launch_file_free(&file);
    return is_launch;
}

bool cli_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool cli_launch_file_read(const char *path, struct cli_launch_file *file) {
    struct tma_error error;
    *file = (struct cli_launch_file){.path = path, .records = cli_is_launch_records(path)};
    size_t limit = file->records ? TMA_LIMIT_RECORD_FILE_BYTES : TMA_LIMIT_TEXT_BYTES;
    if (tma_text_read_up_to(path, limit, &file->text, &file->length, &error) == TMA_OK)
        return true;
    return cli_error("%s %s", cli_file_name(path), error.text);
}

void cli_launch_file_free(struct cli_launch_file *file) {
    tma_release(file->text);
    *file = (struct cli_launch_file){0};
}

const char *cli_launch_next(const struct cli_launch_file *file, size_t *at, unsigned *line,
                            size_t *length) {
    while (*at < file->length) {
        const char *start = file->text + *at;
        const char *end = memchr(start, '\n', file->length - *at);
        *length = end == NULL ? file->length - *at : (size_t)(end - start);
        *at += *length + 1;
        ++*line;
        if (strspn(start, " \t\r") < *length)
            return start;
    }
    return NULL;
}

/* Finds the record by its label, or the only one. The list, which is empty, becomes that of the
 * record. */
static bool read_record(const struct cli_launch_file *file, const char *label,
                        struct tma_launch *launch, struct tma_diagnostics *list) {
    size_t at = 0, length, found = 0;
    unsigned line = 0;
    const char *text;
    char first[200] = "";
    while ((text = cli_launch_next(file, &at, &line, &length)) != NULL) {
        struct tma_launch candidate;
        struct tma_diagnostics errors = tma_diagnostics_empty();
        bool good = tma_launch_read_record(text, length, file->path, line, &candidate, &errors);
        bool wanted =
            label == NULL || (candidate.name != NULL && strcmp(candidate.name, label) == 0);
        if (first[0] == '\0' && candidate.name != NULL)
            snprintf(first, sizeof first, "%.*s", tma_text_cut(candidate.name, 190),
                     candidate.name);
        bool last = wanted && (label != NULL || !good);
        found += wanted;
        if (last || (wanted && found == 1)) {
            tma_launch_free(launch);
            tma_diagnostics_free(list);
            *launch = candidate;
            *list = errors;
        } else {
            tma_launch_free(&candidate);
            tma_diagnostics_free(&errors);
        }
        if (last)
            return good;
    }
    struct tma_location whole = {.file = file->path};
    if (label != NULL)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, whole,
                     "no record has the label \"%.*s\"; the first one is \"%s\"",
                     tma_text_cut(label, 200), label, first);
    else if (found != 1)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, whole,
                     "the file has %zu records; expected --launch LABEL, such as \"%s\"", found,
                     first);
    return found == 1 && label == NULL;
}

bool cli_launch_read(const struct cli_launch_file *file, const char *label,
                     const struct cli_list *settings, struct tma_launch *launch,
                     struct tma_diagnostics *list) {
    *launch = (struct tma_launch){0};
    if (file->records)
        return read_record(file, label, launch, list) &&
               tma_launch_choose_machine(launch, settings->items, settings->count, list);
    if (label == NULL)
        return tma_launch_read(file->text, file->length, file->path, settings->items,
                               settings->count, launch, list);
    return tma_diagnose(list, TMA_ERROR_ARGUMENT, (struct tma_location){.file = file->path},
                        "--launch is for files of records (.jsonl); this is a launch file");
}

bool cli_launch_machine(const struct tma_launch *launch, struct tma_machine *machine) {
    if (launch->gpu == NULL || strpbrk(launch->gpu, "/.") == NULL)
        return cli_machine_read_set(launch->gpu, launch->gpu_settings, launch->gpu_setting_count,
                                    machine);
    char *path = tma_path_beside(launch->gpu_at.file, launch->gpu);
    bool good = path != NULL && cli_machine_read_set(path, launch->gpu_settings,
                                                     launch->gpu_setting_count, machine);
    if (path == NULL)
        cli_error("out of memory");
    tma_release(path);
    return good;
}
