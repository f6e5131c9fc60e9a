#include "cli/machine_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/complain.h"
#include "scenario/machine_file.h"

/* From the folder of the command: as built (build/VARIANT), and as installed (PREFIX/bin). */
static const char *const places[] = {"../../configs/gpus/h200.yaml",
                                     "../share/tmasim/configs/gpus/h200.yaml"};

/* The folder of the running command, with its slash; "" where that is not known. */
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
            cli_complain("configs/gpus/h200.yaml is not beside the command: name a machine with "
                         "--gpu FILE");
            return false;
        }
        path = found;
    }
    struct tma_diagnostics list = {0};
    bool good = tma_machine_read(path, machine, &list);
    tma_diagnostics_sort(&list);
    cli_complain_all(&list);
    tma_diagnostics_free(&list);
    return good;
}
