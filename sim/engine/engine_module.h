/* The interface between the library and libtmasim-engine.so, the only object that is linked with
 * SimGrid. Each side gives the other a table of function pointers, so neither needs a symbol of the
 * other: the library loads the module when a run begins (module.h), and works where the module is
 * missing as long as nothing is simulated.
 *
 * The library has the model: state machines, which it numbers from 0 and calls actors. The module
 * has the clock: it steps each actor when what the actor waits for has come. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/version.h"

/* What a state machine of the engine waits for. Each of its steps returns this. */

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

/* Longest name of an actor, with its terminating zero. SimGrid shows names in its own messages. */
enum { TMA_ACTOR_NAME_BYTES = 32 };

/* What the library gives to the module. `context` is that of the call of tma_engine_module.run. */
struct tma_engine_core {
    /* Takes the transitions of an actor that are due at cycle `now` of the run, and returns what it
     * waits for next. */
    struct tma_wait (*step)(void *context, uint32_t actor, uint64_t now);
    /* Writes the name of an actor, and returns the size of the stack that its steps need, in KiB.
     */
    unsigned (*describe)(void *context, uint32_t actor, char name[TMA_ACTOR_NAME_BYTES]);
    /* Allocation, as in base/allocation.h. */
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *block);
};

/* What the module gives to the library. */
struct tma_engine_module {
    const char *version; /* TMA_VERSION of the module: both sides have to have the same */

    /* Reserves the engine for one run, and starts SimGrid the first time in a process. Fails with
     * TMA_ERROR_UNSUPPORTED while another run has the engine, with TMA_ERROR_MEMORY, or with
     * TMA_ERROR_FILE where there is no /proc; *text says why, as a constant string. */
    enum tma_error_code (*reserve)(const char **text);

    /* Gives the engine free again. */
    void (*release)(void);

    /* Runs actors 0 to count - 1 from cycle 0 until all have ended, or all that are left wait for a
     * signal. False when out of memory. SimGrid cannot go on where it had no memory itself: after
     * that, every `reserve` fails with TMA_ERROR_MEMORY. */
    bool (*run)(const struct tma_engine_core *core, void *context, uint32_t count);

    /* Wakes an actor that waits for a signal. The actor takes its next step in the same cycle,
     * after the step that calls this function. Only steps call it, once for each such wait. */
    void (*signal)(uint32_t actor);
};

/* The name of the module's only symbol, a struct tma_engine_module. */
#define TMA_ENGINE_MODULE_SYMBOL "tma_engine_module"
