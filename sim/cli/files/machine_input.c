#include "cli/files/machine_input.h"

#include "cli/files/config_files.h"
#include "cli/messages.h"
#include "scenario/machine_file.h"

static const char *const folders[] = {"gpus", NULL};

bool cli_machine_read(const char *path, struct tma_machine *machine) {
    return cli_machine_read_set(path, NULL, 0, machine);
}

bool cli_machine_read_set(const char *path, char *const *settings, size_t count,
                          struct tma_machine *machine) {
    struct cli_config_path found = {0};
    if (path == NULL && !cli_config_find("gpus/h200.yaml", &found)) {
        cli_error("cannot find configs/gpus/h200.yaml near the command; name a machine file with "
                  "--gpu FILE");
        return false;
    }
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
