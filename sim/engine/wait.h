/* What a state machine of the engine waits for: each step of one returns this. */
#ifndef TMA_ENGINE_WAIT_H
#define TMA_ENGINE_WAIT_H

#include <stdint.h>

enum tma_wait_kind {
    TMA_WAIT_SIGNAL,    /* until another state machine signals it */
    TMA_WAIT_CYCLE,     /* until `cycle` begins */
    TMA_WAIT_CYCLE_END, /* until everything that happens in `cycle` has happened */
    TMA_WAIT_NOTHING    /* it has ended: it takes no further step in this run */
};

struct tma_wait {
    enum tma_wait_kind kind;
    uint64_t cycle; /* of the run; 0 with TMA_WAIT_SIGNAL and TMA_WAIT_NOTHING */
};

static inline struct tma_wait tma_wait_signal(void) {
    return (struct tma_wait){TMA_WAIT_SIGNAL, 0};
}

static inline struct tma_wait tma_wait_cycle(uint64_t cycle) {
    return (struct tma_wait){TMA_WAIT_CYCLE, cycle};
}

static inline struct tma_wait tma_wait_cycle_end(uint64_t cycle) {
    return (struct tma_wait){TMA_WAIT_CYCLE_END, cycle};
}

static inline struct tma_wait tma_wait_nothing(void) {
    return (struct tma_wait){TMA_WAIT_NOTHING, 0};
}

#endif
