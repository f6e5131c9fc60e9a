/* The engine, advanced cycle by cycle: the same state machines of CTAs, slots and roles and the
 * same memory system, but a plain clock in the place of SimGrid. It stops in each cycle, steps the
 * actors that are due in the order of their numbers, and lets the memory system's time pass one
 * cycle at a time. No wait is left out and nothing is looked ahead for, so that a run has to end in
 * the same cycles as with the engine of events.
 *
 * The linker puts these functions in the place of the library's (--wrap, in the Makefile). */
#ifndef TMA_TESTS_STEPPED_ENGINE_H
#define TMA_TESTS_STEPPED_ENGINE_H

#include "engine/module.h"
#include "fuzz.h"
#include "memory/system.h"

/* Whether the next runs are stepped. */
static bool is_stepped;

struct stepped_actor {
    struct tma_wait wait;
    bool signalled;
};

static struct {
    struct stepped_actor *actors;
    uint64_t cycle;
    bool at_end; /* everything else of the cycle has happened */
} stepped;

static inline bool is_due(const struct stepped_actor *actor) {
    switch (actor->wait.kind) {
    case TMA_WAIT_SIGNAL:
        return actor->signalled;
    case TMA_WAIT_CYCLE:
        return actor->wait.cycle <= stepped.cycle;
    case TMA_WAIT_CYCLE_END:
        return actor->wait.cycle < stepped.cycle ||
               (actor->wait.cycle == stepped.cycle && stepped.at_end);
    case TMA_WAIT_NOTHING:
        break;
    }
    return false;
}

static inline void step_actor(const struct tma_engine_core *core, void *context, uint32_t number) {
    struct stepped_actor *actor = &stepped.actors[number];
    actor->signalled = false;
    actor->wait = core->step(context, number, stepped.cycle);
}

/* Steps actors until none is due at this time. */
static inline void step_due(const struct tma_engine_core *core, void *context, uint32_t count) {
    bool stepped_one = true;
    while (stepped_one) {
        stepped_one = false;
        for (uint32_t i = 0; i < count; i++)
            if (is_due(&stepped.actors[i])) {
                step_actor(core, context, i);
                stepped_one = true;
            }
    }
}

/* Whether an actor waits for a time, which will come. */
static inline bool goes_on(uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (stepped.actors[i].wait.kind == TMA_WAIT_CYCLE ||
            stepped.actors[i].wait.kind == TMA_WAIT_CYCLE_END)
            return true;
    return false;
}

static inline bool step_run(const struct tma_engine_core *core, void *context, uint32_t count) {
    stepped.actors = calloc(count, sizeof *stepped.actors);
    FUZZ_ASSERT(stepped.actors != NULL);
    for (uint32_t i = 0; i < count; i++) {
        char name[TMA_ACTOR_NAME_BYTES];
        core->describe(context, i, name);
        stepped.actors[i].wait = tma_wait_cycle(0);
    }
    for (stepped.cycle = 0; goes_on(count); stepped.cycle++) {
        stepped.at_end = false;
        step_due(core, context, count);
        stepped.at_end = true;
        step_due(core, context, count);
    }
    free(stepped.actors);
    return true;
}

static inline enum tma_error_code step_reserve(const char **text) {
    (void)text;
    return TMA_OK;
}

static inline void step_release(void) {}

static inline void step_signal(uint32_t actor) {
    FUZZ_ASSERT(stepped.actors[actor].wait.kind == TMA_WAIT_SIGNAL);
    FUZZ_ASSERT(!stepped.actors[actor].signalled);
    stepped.actors[actor].signalled = true;
}

enum tma_error_code __real_tma_module_load(const struct tma_engine_module **module,
                                           struct tma_error *error);
bool __real_tma_memory_advance(struct tma_memory *memory, uint64_t until);

enum tma_error_code __wrap_tma_module_load(const struct tma_engine_module **module,
                                           struct tma_error *error);
enum tma_error_code __wrap_tma_module_load(const struct tma_engine_module **module,
                                           struct tma_error *error) {
    static const struct tma_engine_module plain_clock = {.version = TMA_VERSION,
                                                         .reserve = step_reserve,
                                                         .release = step_release,
                                                         .run = step_run,
                                                         .signal = step_signal};
    if (!is_stepped)
        return __real_tma_module_load(module, error);
    *module = &plain_clock;
    return TMA_OK;
}

bool __wrap_tma_memory_advance(struct tma_memory *memory, uint64_t until);
bool __wrap_tma_memory_advance(struct tma_memory *memory, uint64_t until) {
    if (!is_stepped)
        return __real_tma_memory_advance(memory, until);
    for (uint64_t cycle = tma_memory_now(memory) + 1; cycle <= until; cycle++) {
        if (!__real_tma_memory_advance(memory, cycle))
            return false;
        FUZZ_ASSERT(tma_memory_now(memory) == cycle);
    }
    return true;
}

bool __wrap_tma_memory_drain(struct tma_memory *memory);
bool __real_tma_memory_drain(struct tma_memory *memory);
bool __wrap_tma_memory_drain(struct tma_memory *memory) {
    while (is_stepped && !tma_memory_is_drained(memory))
        if (!__real_tma_memory_advance(memory, tma_memory_now(memory) + 1))
            return false;
    return __real_tma_memory_drain(memory);
}

#endif
