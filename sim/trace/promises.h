/* What every trace promises: the order of its events, which events come in pairs, and totals
 * (docs/trace-format.md). Internal to sim/trace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

/* An mbarrier of a CTA that runs. */
struct tma_promised_barrier {
    uint32_t slot;
    uint64_t phases;
};

/* A CTA that runs, or an operation in flight: from its issue to its rows and its arrival. */
struct tma_promised_part {
    uint32_t cta, slot;
    uint64_t operation; /* UINT64_MAX: the CTA */
    uint64_t begin_cycle;
    bool is_used;
    bool has_rows, has_arrived;            /* an operation */
    bool has_ended;                        /* a CTA, in this cycle */
    uint64_t arrived_bytes, phase_bytes;   /* a CTA */
    struct tma_promised_barrier *barriers; /* a CTA: owned */
    size_t barrier_count, barrier_capacity;
};

/* Memory grows with what is in flight at once, not with the trace. */
struct tma_trace_promises {
    bool has_copies; /* loads arrive at other CTAs of a cluster, too */
    struct tma_event last;
    struct tma_promised_part *parts; /* owned: a hash table with linear probing */
    size_t count, capacity;
    uint32_t *ended; /* owned: CTAs that end in the cycle of `last` */
    size_t ended_count, ended_capacity;
    bool lacks_memory;
    char broken[160];
};

/* `fields` are those of the header, which say whether a load is a multicast. */
void tma_trace_promises_begin(struct tma_trace_promises *promises,
                              const struct tma_trace_field *fields, size_t count);

/* Takes the next event. Returns which promise it breaks; NULL: none. Out of memory, lacks_memory is
 * set, and this and all later answers are NULL. */
const char *tma_trace_promises_take(struct tma_trace_promises *promises,
                                    const struct tma_event *event);

/* After the last event of a trace that dropped none: the same for what has not ended. */
const char *tma_trace_promises_end(struct tma_trace_promises *promises);

void tma_trace_promises_free(struct tma_trace_promises *promises);
