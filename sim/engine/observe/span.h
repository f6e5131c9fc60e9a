/* What the parts of a run do from cycle to cycle, as spans: for pictures of a run. Spans of one
 * kind, CTA and slot do not overlap, except for those of TMA operations. They come in no order. */
#ifndef TMA_ENGINE_SPAN_H
#define TMA_ENGINE_SPAN_H

#include <stdint.h>

#include "base/api.h"

TMA_API_BEGIN

enum tma_span_kind {
    TMA_SPAN_CTA,       /* from the start of a CTA to its end; slot and cause are 0 */
    TMA_SPAN_SLOT,      /* of a pipeline slot: the cause is an enum tma_cause */
    TMA_SPAN_ROLE,      /* of a role, whose number is the slot: an enum tma_role_cause */
    TMA_SPAN_OPERATION, /* a TMA unit works on an operation of a slot or role; its cause is the
                           enum tma_direction */
};

struct tma_span {
    enum tma_span_kind kind;
    uint32_t sm, cta, slot;
    uint32_t cause;
    uint64_t start_cycle, end_cycle;
    uint64_t bytes; /* of operations: that they moved */
};

/* Gets the spans of a run, one call each. The span is valid during the call. */
struct tma_span_sink {
    void (*span)(void *context, const struct tma_span *span);
    void (*restart)(void *context); /* may be NULL; the run begins again: drops all spans */
    void *context;
};

TMA_API_END

#endif
