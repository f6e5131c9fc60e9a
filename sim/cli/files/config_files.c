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

bool cli_config_is_layout(const char *operand) {
    return strpbrk(operand, "(<:") != NULL || strncmp(operand, "Layout_", 7) == 0;
}

bool cli_config_may_exist(const char *operand, const char *const *folders, const char *what) {
    struct tma_suggestion suggestion = {.wanted = operand};
    const char *list = strcmp(what, "machine") == 0 ? "tmasim machines" : "tmasim kernels";
    char word[TMA_MAX_SUGGESTION];
    if (tma_config_word_of(operand, folders, word)) {
        cli_error(
            "%s: cannot be read: there is no such file; did you mean \"%s\", a %s that belongs "
            "to tmasim?",
            operand, word, what);
        return false;
    }
    /* Numbers and CuTe's layouts name no file. */
    size_t digits = strspn(operand, "0123456789abcdefABCDEF");
    if (strpbrk(operand, "/.") != NULL || cli_config_is_layout(operand) ||
        strcmp(operand, "-") == 0 || (operand[0] >= '0' && operand[0] <= '9') ||
        (digits == strlen(operand) && digits > 8) || access(operand, F_OK) == 0)
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
