/* What the parts of a run do from cycle to cycle, as spans: for pictures of a run. Spans of one
 * kind, CTA and slot do not overlap, except for those of TMA operations and pipes. They come in no
 * order. */
#pragma once

#include <stdint.h>

#include "base/api.h"

TMA_API_BEGIN

enum tma_span_kind {
    TMA_SPAN_CTA,       /* from the start of a CTA to its end; slot and cause are 0 */
    TMA_SPAN_SLOT,      /* of a pipeline slot: the cause is an enum tma_cause */
    TMA_SPAN_ROLE,      /* of a role, whose number is the slot: an enum tma_role_cause */
    TMA_SPAN_OPERATION, /* a TMA unit works on an operation of a slot or role; its cause is the
                           enum tma_direction */
    TMA_SPAN_TENSOR,    /* the tensor cores of an SM compute a product of a role; no cause */
    TMA_SPAN_PIPES,     /* the pipes of an SM have instructions of a role; no cause */
    TMA_SPAN_KIND_COUNT
};

enum { TMA_SPAN_VARIABLES = 3, TMA_NO_SPAN_STAGE = UINT32_MAX };

/* The innermost loop variables at a statement of a role, innermost first. */
struct tma_loop_values {
    uint32_t count;
    uint8_t variables[TMA_SPAN_VARIABLES]; /* numbers */
    int64_t values[TMA_SPAN_VARIABLES];
};

/* Where in the program of a role a span belongs. */
struct tma_span_place {
    uint32_t statement; /* 1 + its index in the kernel; 0: none, as of slots */
    uint32_t stage;     /* of the statement's ring, or TMA_NO_SPAN_STAGE */
    struct tma_loop_values loops;
};

struct tma_span {
    enum tma_span_kind kind;
    uint32_t sm, cta, slot;
    uint32_t cause;
    uint64_t start_cycle, end_cycle;
    uint64_t bytes; /* of operations: that they moved */
    struct tma_span_place place;
};

/* Gets the spans of a run, one call each. The span is valid during the call. */
struct tma_span_sink {
    void (*span)(void *context, const struct tma_span *span);
    void (*restart)(void *context); /* may be NULL; the run begins again: drops all spans */
    void *context;
};

TMA_API_END
