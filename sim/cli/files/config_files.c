#include "cli/files/config_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/help/situations.h"
#include "cli/messages.h"
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

bool cli_config_may_exist(const char *operand, const char *const *folders, const char *what) {
    struct tma_suggestion suggestion = {.wanted = operand};
    if (strpbrk(operand, "/.(<:") != NULL || strcmp(operand, "-") == 0 ||
        strncmp(operand, "0x", 2) == 0 || access(operand, F_OK) == 0)
        return true;
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
        cli_error("\"%s\" is neither a file nor a %s that belongs to tmasim", operand, what);
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
