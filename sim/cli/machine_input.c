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

/* The folder of the running command, with a slash at its end; "" where it is not known. */
static void command_folder(char *folder, size_t size) {
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
}

static bool find_machine(char *path, size_t size) {
    char folder[PATH_MAX];
    command_folder(folder, sizeof folder);
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
