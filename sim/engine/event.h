/* What happens in a run, one struct an event, in the stable order (cycle, SM, sequence number). */
#ifndef TMA_ENGINE_EVENT_H
#define TMA_ENGINE_EVENT_H

#include <stdint.h>

#include "base/api.h"

TMA_API_BEGIN

enum { TMA_EVENT_FIGURES = 4 };

/* kind, its word in a trace, and the names of its figures (at most 4). The first figure says which
 * event of its kind this is in its CTA and slot (op: number of the operation in the CTA, phase:
 * number of the mbarrier's phase, both from 0): traces are aligned by it when they are compared. */
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
    uint64_t figures[TMA_EVENT_FIGURES]; /* as many as the kind has names */
};

/* The word of a kind, and the name of its figure ("" past the last). */
const char *tma_event_word(enum tma_event_kind kind);
const char *tma_event_figure(enum tma_event_kind kind, unsigned index);

struct tma_event_sink {
    void (*event)(void *context, const struct tma_event *event);
    void *context;
};

TMA_API_END

#endif
