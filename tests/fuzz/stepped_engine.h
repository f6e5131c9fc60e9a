/* The engine with a plain clock in the place of SimGrid: the same state machines of CTAs, slots and
 * roles and the same memory system, stepped in the order of the actors' numbers.
 *
 * By events, the clock goes from one cycle in which an actor is due to the next one. Stepped, it
 * stops in each cycle, steps the memory actor there, and lets the memory system's time pass one
 * cycle at a time. No wait is left out and nothing is looked ahead for, so that a run has to end in
 * the same cycles as with the engine of events.
 *
 * The linker puts these functions in the place of the library's (--wrap, in the Makefile). */
#pragma once

#include "engine/module.h"
#include "fuzz.h"
#include "memory/system.h"

/* What moves the actors of the next runs. */
static enum engine_clock { CLOCK_OF_SIMGRID, CLOCK_OF_EVENTS, CLOCK_OF_CYCLES } engine_clock;

/* The order in which a plain clock steps actors of one cycle: by number, or the other way round. */
static bool is_backwards;

struct stepped_actor {
    struct tma_wait wait;
    bool signalled;
};

static struct {
    const struct tma_engine_core *core;
    void *context;
    struct stepped_actor *actors;
    uint32_t count, memory_actor;
    uint64_t cycle;
    bool at_end; /* everything else of the cycle has happened */
    bool any_signalled;
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

static inline void step_actor(uint32_t number) {
    struct stepped_actor *actor = &stepped.actors[number];
    actor->signalled = false;
    actor->wait = stepped.core->step(stepped.context, number, stepped.cycle);
}

/* Steps actors until none is due at this time. */
static inline void step_due(void) {
    bool stepped_one = true;
    while (stepped_one) {
        stepped_one = false;
        stepped.any_signalled = false;
        for (uint32_t i = 0; i < stepped.count; i++) {
            uint32_t number = is_backwards ? stepped.count - 1 - i : i;
            if (is_due(&stepped.actors[number])) {
                step_actor(number);
                stepped_one = true;
            }
        }
        stepped_one = stepped_one || stepped.any_signalled;
    }
}

/* The earliest cycle that an actor waits for; UINT64_MAX if none does. */
static inline uint64_t next_cycle(void) {
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < stepped.count; i++) {
        const struct tma_wait *wait = &stepped.actors[i].wait;
        bool is_timed = wait->kind == TMA_WAIT_CYCLE || wait->kind == TMA_WAIT_CYCLE_END;
        if (is_timed && wait->cycle < next)
            next = wait->cycle;
    }
    return next;
}

/* Everything that happens in the cycle. */
static inline void step_cycle(void) {
    stepped.at_end = false;
    step_due();
    stepped.at_end = true;
    step_due();
}

/* Steps the memory actor in each cycle up to `end`, or until it wakes another actor. */
static inline void step_memory_until(uint64_t end) {
    const struct stepped_actor *memory = &stepped.actors[stepped.memory_actor];
    stepped.at_end = stepped.any_signalled = false;
    while (memory->wait.kind == TMA_WAIT_CYCLE) {
        step_actor(stepped.memory_actor);
        if (stepped.any_signalled || stepped.cycle >= end)
            break;
        stepped.cycle++;
    }
}

static inline bool step_run(const struct tma_engine_core *core, void *context, uint32_t count) {
    stepped.core = core;
    stepped.context = context;
    stepped.count = count;
    stepped.memory_actor = count;
    stepped.actors = calloc(count, sizeof *stepped.actors);
    FUZZ_ASSERT(stepped.actors != NULL);
    for (uint32_t i = 0; i < count; i++) {
        char name[TMA_ACTOR_NAME_BYTES];
        core->describe(context, i, name);
        if (strcmp(name, "memory") == 0)
            stepped.memory_actor = i;
        stepped.actors[i].wait = tma_wait_cycle(0);
    }
    FUZZ_ASSERT(stepped.memory_actor < count);
    stepped.cycle = 0;
    for (uint64_t next = 0; next != UINT64_MAX; next = next_cycle()) {
        if (engine_clock == CLOCK_OF_CYCLES)
            step_memory_until(next);
        else if (next > stepped.cycle)
            stepped.cycle = next;
        step_cycle();
        stepped.cycle++;
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
    stepped.actors[actor].signalled = stepped.any_signalled = true;
}

enum tma_error_code __real_tma_module_load(const struct tma_engine_module **module,
                                           struct tma_error *error);
bool __real_tma_memory_advance(struct tma_memory *memory, uint64_t until);
bool __real_tma_memory_drain(struct tma_memory *memory);

enum tma_error_code __wrap_tma_module_load(const struct tma_engine_module **module,
                                           struct tma_error *error);
enum tma_error_code __wrap_tma_module_load(const struct tma_engine_module **module,
                                           struct tma_error *error) {
    static const struct tma_engine_module plain_clock = {.version = TMA_VERSION,
                                                         .reserve = step_reserve,
                                                         .release = step_release,
                                                         .run = step_run,
                                                         .signal = step_signal};
    if (engine_clock == CLOCK_OF_SIMGRID)
        return __real_tma_module_load(module, error);
    *module = &plain_clock;
    return TMA_OK;
}

bool __wrap_tma_memory_advance(struct tma_memory *memory, uint64_t until);
bool __wrap_tma_memory_advance(struct tma_memory *memory, uint64_t until) {
    if (engine_clock != CLOCK_OF_CYCLES)
        return __real_tma_memory_advance(memory, until);
    for (uint64_t cycle = tma_memory_now(memory) + 1; cycle <= until; cycle++) {
        if (!__real_tma_memory_advance(memory, cycle))
            return false;
        FUZZ_ASSERT(tma_memory_now(memory) == cycle);
    }
    return true;
}

bool __wrap_tma_memory_drain(struct tma_memory *memory);
bool __wrap_tma_memory_drain(struct tma_memory *memory) {
    while (engine_clock == CLOCK_OF_CYCLES && !tma_memory_is_drained(memory))
        if (!__real_tma_memory_advance(memory, tma_memory_now(memory) + 1))
            return false;
    return __real_tma_memory_drain(memory);
}
