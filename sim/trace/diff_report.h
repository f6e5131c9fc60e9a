/* The result of a comparison of two traces, and its report. Internal to sim/trace. */
#ifndef TMA_TRACE_DIFF_REPORT_H
#define TMA_TRACE_DIFF_REPORT_H

#include "trace/reader.h"

enum tma_trace_difference {
    TMA_DIFFERENCE_NONE,
    TMA_DIFFERENCE_CHANGED, /* both traces have the event, with different numbers */
    TMA_DIFFERENCE_ONLY_FIRST,
    TMA_DIFFERENCE_ONLY_SECOND,
    TMA_DIFFERENCE_COUNT
};

/* An event and where its trace has it. */
struct tma_placed_event {
    struct tma_event event;
    uint64_t line; /* from 1; 0: the trace lacks the event */
};

/* Index 0 is the first trace, 1 the second. */
struct tma_trace_comparison {
    struct tma_trace_reader readers[2];
    struct tma_trace_tolerance tolerance;
    uint64_t counts[TMA_EVENT_KIND_COUNT][TMA_DIFFERENCE_COUNT];
    struct tma_placed_event divergence[2]; /* the earliest difference; both lines are 0 if none */
    bool overflowed; /* too many events were pending: some changed events were counted as two */
};

/* Writes the report to `out`. Returns whether the traces differ. Check `out` for write errors with
 * ferror(). */
enum tma_trace_verdict tma_trace_comparison_print(const struct tma_trace_comparison *comparison,
                                                  FILE *out);

#endif
