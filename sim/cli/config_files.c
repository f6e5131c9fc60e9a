#include "cli/config_files.h"

#include <stdio.h>
#include <unistd.h>

#include "scenario/config_path.h"

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

bool cli_scenario_find(const char *operand, struct cli_config_path *path) {
    static const char *const folders[] = {"kernels", "scenarios", NULL};
    return cli_config_resolve(operand, folders, path);
}
