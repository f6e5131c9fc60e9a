/* The rules of operations, for readers: tma_operation_check and tma_operation_architecture_check
 * apply them. */
#pragma once

#include "base/api.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

struct tma_operation_rule {
    const char *id;         /* "halo_range" */
    const char *operations; /* the operations that it applies to */
    const char *condition;  /* what must hold */
    unsigned architectures; /* bits of enum tma_architecture */
    const char *source;     /* the document, or the records that show it */
    enum tma_basis basis;
    enum tma_error_code code; /* with which a broken rule is refused */
};

extern const struct tma_operation_rule tma_operation_rules[];
extern const size_t tma_operation_rule_count;

TMA_API_END
