/* What a comparison of two traces found, and how it is told. Internal to sim/trace. */
#ifndef TMA_TRACE_COMPARISON_H
#define TMA_TRACE_COMPARISON_H

#include "trace/reader.h"

enum tma_trace_difference {
    TMA_DIFFERENCE_NONE,
    TMA_DIFFERENCE_CHANGED, /* both traces have the event, with other numbers */
    TMA_DIFFERENCE_ONLY_FIRST,
    TMA_DIFFERENCE_ONLY_SECOND,
    TMA_DIFFERENCE_COUNT
};

/* An event and the number of its line; line 0: the file does not have it. */
struct tma_placed_event {
    struct tma_event event;
    uint64_t line;
};

/* Index 0 is the first trace, 1 the second. */
struct tma_comparison {
    struct tma_trace_reader readers[2];
    struct tma_trace_tolerance tolerance;
    uint64_t counts[TMA_EVENT_KIND_COUNT][TMA_DIFFERENCE_COUNT];
    struct tma_placed_event divergence[2]; /* the first one; both lines 0 where there is none */
    bool overflowed; /* too much had to wait: some counterparts were counted as two events */
};

/* Writes what was found, and gives the verdict. */
enum tma_trace_verdict tma_comparison_tell(const struct tma_comparison *comparison, FILE *out);

#endif
