#include "cli/config_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Relative to the folder of the command: in the build tree (build/VARIANT), then as installed
 * (PREFIX/bin). */
static const char *const places[] = {"../../configs", "../share/tmasim/configs"};

static bool join(struct cli_config_path *path, const char *a, const char *b, const char *c,
                 const char *d) {
    /* cppcheck-suppress ctuuninitvar; snprintf writes it */
    int length = snprintf(path->text, sizeof path->text, "%s%s%s%s", a, b, c, d);
    return length > 0 && (size_t)length < sizeof path->text && access(path->text, R_OK) == 0;
}

bool cli_config_find(const char *name, struct cli_config_path *path) {
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (join(path, folder, places[i], "/", name))
            return true;
    return false;
}

bool cli_config_resolve(const char *operand, const char *const *folders,
                        struct cli_config_path *path) {
    char name[NAME_MAX];
    if (join(path, operand, "", "", ""))
        return true;
    if (strpbrk(operand, "/.") != NULL)
        return false;
    for (; *folders != NULL; folders++) {
        int length = snprintf(name, sizeof name, "%s/%s.yaml", *folders, operand);
        if (length > 0 && (size_t)length < sizeof name && cli_config_find(name, path))
            return true;
    }
    return false;
}

bool cli_scenario_find(const char *operand, struct cli_config_path *path) {
    static const char *const folders[] = {"kernels", "scenarios", NULL};
    return cli_config_resolve(operand, folders, path);
}
