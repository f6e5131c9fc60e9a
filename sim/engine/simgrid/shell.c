/* The module libtmasim-engine.so: runs the actors of the library as SimGrid actors. This file knows
 * nothing of the model. A SimGrid actor steps its state machine, waits for what the step returned,
 * and steps it again.
 *
 * Cycle c of a run is SimGrid's time epoch + c. Cycles are whole numbers, so at epoch + c + 0.5
 * everything of cycle c has happened, however many scheduling rounds SimGrid took for it. */
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>
#include <stdatomic.h>

#include "engine/engine_module.h"
#include "engine/simgrid/platform.h"

/* The part of a cycle after which it is at its end. */
#define CYCLE_END 0.5

struct shell_actor {
    uint32_t number;
    sg_sem_t signal;
};

/* The run that has the engine: SimGrid itself is one for the process. */
static struct {
    atomic_flag reserved;
    const struct tma_engine_core *core;
    void *context;
    double epoch; /* SimGrid's time of cycle 0 */
    struct shell_actor *actors;
} shell = {.reserved = ATOMIC_FLAG_INIT};

/* The cycle of the run. The first steps come before cycle 0 if SimGrid's time was not whole. */
static uint64_t current_cycle(void) {
    double cycles = simgrid_get_clock() - shell.epoch;
    return cycles <= 0 ? 0 : (uint64_t)(cycles + CYCLE_END / 2);
}

/* Waits; false if the actor has ended. */
static bool wait_for(const struct shell_actor *actor, struct tma_wait wait) {
    switch (wait.kind) {
    case TMA_WAIT_SIGNAL:
        sg_sem_acquire(actor->signal);
        return true;
    case TMA_WAIT_CYCLE:
        sg_actor_sleep_until(shell.epoch + (double)wait.cycle);
        return true;
    case TMA_WAIT_CYCLE_END:
        sg_actor_sleep_until(shell.epoch + (double)wait.cycle + CYCLE_END);
        return true;
    case TMA_WAIT_NOTHING:
        break;
    }
    return false;
}

static void run_actor(int argc, char **argv) {
    (void)argc;
    (void)argv;
    const struct shell_actor *actor = sg_actor_self_get_data();
    struct tma_wait wait;
    do
        wait = shell.core->step(shell.context, actor->number, current_cycle());
    while (wait_for(actor, wait));
}

static void start_actor(struct shell_actor *actor) {
    char name[TMA_ACTOR_NAME_BYTES];
    unsigned stack_kib = shell.core->describe(shell.context, actor->number, name);
    actor->signal = sg_sem_init(0);
    sg_actor_t started = sg_actor_init(name, tma_platform_host());
    sg_actor_set_stacksize(started, stack_kib);
    sg_actor_set_data(started, actor);
    sg_actor_start(started, run_actor, 0, NULL);
}

static enum tma_error_code reserve(const char **text) {
    if (atomic_flag_test_and_set(&shell.reserved)) {
        *text = "a simulation is running in this process, which can run one at a time";
        return TMA_ERROR_UNSUPPORTED;
    }
    enum tma_error_code code = tma_platform_start(text);
    if (code != TMA_OK)
        atomic_flag_clear(&shell.reserved);
    return code;
}

static void release(void) {
    atomic_flag_clear(&shell.reserved);
}

static bool run(const struct tma_engine_core *core, void *context, uint32_t count) {
    shell.actors = core->allocate(count, sizeof *shell.actors);
    if (shell.actors == NULL)
        return false;
    shell.core = core;
    shell.context = context;
    shell.epoch = ceil(simgrid_get_clock());
    for (uint32_t i = 0; i < count; i++) {
        shell.actors[i].number = i;
        start_actor(&shell.actors[i]);
    }
    simgrid_run();
    for (uint32_t i = 0; i < count; i++)
        sg_sem_destroy(shell.actors[i].signal);
    core->release(shell.actors);
    return true;
}

static void signal_actor(uint32_t actor) {
    sg_sem_release(shell.actors[actor].signal);
}

__attribute__((visibility("default"))) extern const struct tma_engine_module tma_engine_module;

const struct tma_engine_module tma_engine_module = {
    .version = TMA_VERSION,
    .reserve = reserve,
    .release = release,
    .run = run,
    .signal = signal_actor,
};
