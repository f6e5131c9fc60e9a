#include "cli/machine_input.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/messages.h"
#include "scenario/machine_file.h"

/* Relative to the folder of the command: in the build tree (build/VARIANT), then as installed
 * (PREFIX/bin). */
static const char *const places[] = {"../../configs/gpus/h200.yaml",
                                     "../share/tmasim/configs/gpus/h200.yaml"};

/* Finds the h200.yaml that belongs to the running command. */
static bool find_machine(char *path, size_t size) {
    char folder[PATH_MAX];
    ssize_t folder_length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[folder_length < 0 ? 0 : folder_length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int length = snprintf(path, size, "%s%s", folder, places[i]);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool cli_machine_read(const char *path, struct tma_machine *machine) {
    char found[PATH_MAX];
    if (path == NULL) {
        if (!find_machine(found, sizeof found)) {
            cli_error(
                "cannot find configs/gpus/h200.yaml near the command; name a machine file with "
                "--gpu FILE");
            return false;
        }
        path = found;
    }
    struct tma_diagnostics list = {0};
    bool good = tma_machine_read(path, machine, &list);
    tma_diagnostics_sort(&list);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    return good;
}
