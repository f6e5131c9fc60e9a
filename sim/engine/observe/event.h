/* The events of a run: one struct each, in the order of cycle, SM, CTA, slot, kind and figures. The
 * order does not depend on how the run was simulated. */
#pragma once

#include <stdint.h>

#include "base/api.h"

TMA_API_BEGIN

enum { TMA_EVENT_FIGURES = 4 };

/* kind, its word in a trace, and the names of its figures (at most 4). The first figure says which
 * event of its kind this is in its CTA and slot; a comparison of traces aligns them by it.
 *   op      number of the operation in its CTA, from 0; in its role, if the kernel has roles
 *   map     index of its tensor map in the workload
 *   number  of the tensor map among all of the workload's, from 1 (its arrays have several)
 *   phase   number of the mbarrier's phase, from 0
 * The slot of an event of a role is the role. */
#define TMA_EVENTS(X)                                                                              \
    X(TMA_EVENT_CTA_START, "cta_start", "", "", "", "")                                            \
    X(TMA_EVENT_ISSUE, "issue", "op", "map", "", "")                                               \
    X(TMA_EVENT_TENSORMAP, "tensormap", "op", "number", "cycles", "")                              \
    X(TMA_EVENT_ROWS, "rows", "op", "rows", "requests", "oob_rows")                                \
    X(TMA_EVENT_L2_FILL, "l2_fill", "op", "fills", "sectors", "misses")                            \
    X(TMA_EVENT_ARRIVAL, "arrival", "op", "bytes", "latency", "")                                  \
    X(TMA_EVENT_MBARRIER, "mbarrier", "phase", "bytes", "", "")                                    \
    X(TMA_EVENT_CONSUME, "consume", "consumer", "instructions", "wavefronts", "excess")            \
    X(TMA_EVENT_CTA_END, "cta_end", "cycles", "", "", "")

enum tma_event_kind {
#define TMA_EVENT_ENUM(name, word, a, b, c, d) name,
    TMA_EVENTS(TMA_EVENT_ENUM)
#undef TMA_EVENT_ENUM
        TMA_EVENT_KIND_COUNT
};

struct tma_event {
    uint64_t cycle;
    uint32_t sm, cta, slot;
    enum tma_event_kind kind;
    uint64_t figures[TMA_EVENT_FIGURES]; /* those without a name are 0 */
};

/* The word of a kind in a trace. */
const char *tma_event_word(enum tma_event_kind kind);

/* The name of a kind's figure number `index`, from 0; "" past the last. */
const char *tma_event_figure(enum tma_event_kind kind, unsigned index);

/* Gets the events of a run, one call each. The event is valid during the call. */
struct tma_event_sink {
    void (*event)(void *context, const struct tma_event *event);
    void *context;
};

TMA_API_END
