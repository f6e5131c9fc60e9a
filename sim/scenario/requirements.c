#include "scenario/requirements.h"

#include <stdio.h>

#include "scenario/parameters.h"
#include "scenario/scenario_reader.h"

enum { MAX_REASON = 159 };

struct requirement {
    const struct tma_yaml_node *that;
    char why[MAX_REASON + 1];
};

static const struct tma_key keys[] = {
    TMA_PLAIN_KEY("that", EXPRESSION, TMA_REQUIRED, offsetof(struct requirement, that),
                  "a condition of the parameters, such as `BM % 64 == 0`"),
    TMA_TEXT_KEY("why", CHARS, MAX_REASON, TMA_REQUIRED, offsetof(struct requirement, why),
                 "the reason, for the error where the condition does not hold"),
};

const struct tma_schema tma_requirement_schema = {keys, sizeof keys / sizeof keys[0]};

static void check_requirement(const struct tma_yaml_node *node, unsigned index,
                              struct tma_diagnostics *errors) {
    char context[TMA_PATH_BYTES];
    struct requirement requirement = {0};
    int64_t holds;
    snprintf(context, sizeof context, "requires.%u", index);
    if (!tma_schema_read(&tma_requirement_schema, node, context, &requirement, errors))
        return;
    snprintf(context, sizeof context, "requires.%u.that", index);
    if (tma_expression_number(requirement.that, &tma_unit_none, context, &holds, errors) &&
        holds == 0)
        tma_diagnose(errors, TMA_ERROR_ARGUMENT, requirement.that->at, "%.160s does not hold: %s",
                     requirement.that->text, requirement.why);
}

void tma_check_requirements(const struct tma_yaml_node *list, struct tma_diagnostics *errors) {
    unsigned index = 0;
    for (const struct tma_yaml_node *node = list->first; node != NULL; node = node->next)
        check_requirement(node, index++, errors);
}
