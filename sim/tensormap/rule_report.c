/* How rules report violations. */
#include "tensormap/rule_context.h"

void tma_report(struct tma_rule_context *context, enum tma_field field, size_t index,
                enum tma_relation relation, int64_t bound, int64_t nearest) {
    if (context->count < context->capacity)
        context->violations[context->count] =
            (struct tma_violation){.rule = context->rule,
                                   .field = field,
                                   .index = tma_field_info(field)->is_list ? (int)index : -1,
                                   .value = tma_field_value(context->map, field, index),
                                   .relation = relation,
                                   .bound = bound,
                                   .nearest = nearest};
    context->count++;
}

void tma_report_range(struct tma_rule_context *context, enum tma_field field, int64_t least,
                      int64_t most) {
    for (size_t i = 0; i < tma_field_count(context->map, field); i++) {
        int64_t value = tma_field_value(context->map, field, i);
        if (value < least)
            tma_report(context, field, i, TMA_AT_LEAST, least, least);
        else if (value > most)
            tma_report(context, field, i, TMA_AT_MOST, most, most);
    }
}
