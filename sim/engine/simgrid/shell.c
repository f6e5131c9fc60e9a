/* The module libtmasim-engine.so: runs the actors of the library as SimGrid actors. This file knows
 * nothing of the model. A SimGrid actor steps its state machine, waits for what the step returned,
 * and steps it again.
 *
 * Cycle c of a run is SimGrid's time epoch + c. Cycles are whole numbers, so at epoch + c + 0.5
 * everything of cycle c has happened, however many scheduling rounds SimGrid took for it. */
#define _GNU_SOURCE /* memfd_create, on_exit */

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/engine_module.h"

/* SimGrid, started once in a process: the only state that outlives a run. One second of its time is
 * one cycle of the SM clock, so whole cycles are exact up to 2^53, and half ones up to 2^52. */

/* SimGrid 3.32 reads platforms only from files. The model needs nothing of the platform but one
 * host that its actors live on. */
static const char platform_xml[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\"><zone id=\"gpu\" routing=\"Full\">"
    "<host id=\"gpu\" speed=\"1f\"/></zone></platform>\n";

static sg_host_t only_host; /* NULL before the start */

static enum tma_error_code load_platform(const char **text) {
    int file = memfd_create("tmasim-platform", MFD_CLOEXEC);
    size_t size = sizeof platform_xml - 1;
    if (file < 0 || write(file, platform_xml, size) != (ssize_t)size) {
        if (file >= 0)
            close(file);
        *text = "no memory file for SimGrid's platform";
        return TMA_ERROR_MEMORY;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    /* SimGrid aborts if it cannot open the file. */
    enum tma_error_code code = access(path, R_OK) == 0 ? TMA_OK : TMA_ERROR_FILE;
    if (code == TMA_OK)
        simgrid_load_platform(path);
    else
        *text = "cannot read /proc/self/fd, from where SimGrid reads its platform";
    close(file);
    return code;
}

/* SimGrid installs handlers of its own for these signals: one of SIGINT that ends the process, and
 * one of bad addresses that prints. Signals belong to the program that uses the library, so its own
 * handlers are put back. */
static const int signals[] = {SIGINT, SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static void initialise_quietly(int *count, char **vector) {
    struct sigaction before[SIGNALS];
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], NULL, &before[i]);
    simgrid_init(count, vector);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

/* Gives SimGrid arguments of its own, which it keeps, and pins every option that can change
 * results. */
static void initialise(void) {
    static char arguments[][40] = {
        "tmasim",
        "--cfg=surf/precision:1e-9",
        "--cfg=cpu/optim:Lazy",
        "--cfg=contexts/factory:raw",
        "--cfg=contexts/stack-size:256",
        "--cfg=contexts/guard-size:1", /* pages below each stack that nothing may touch */
        "--log=root.thresh:error",
        "--log=no_loc",
    };
    enum { COUNT = sizeof arguments / sizeof arguments[0] };
    static char *vector[COUNT + 1];
    int count = COUNT;
    for (int i = 0; i < COUNT; i++)
        vector[i] = arguments[i];
    initialise_quietly(&count, vector);
}

/* Starts SimGrid if that was not done yet. Where it fails, *text is a constant string that says
 * why. */
static enum tma_error_code platform_start(const char **text) {
    static bool initialised;
    if (only_host != NULL)
        return TMA_OK;
    if (!initialised)
        initialise();
    initialised = true;
    enum tma_error_code code = load_platform(text);
    if (code == TMA_OK)
        only_host = sg_host_by_name("gpu");
    return code;
}

/* The one host, on which all actors live. After platform_start. */
static sg_host_t platform_host(void) {
    return only_host;
}

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
    uint32_t actor_count;
    uint32_t *signalled; /* ring: actors that steps have signalled, and that still wait */
    uint32_t first_signalled, signalled_count;
    bool in_simgrid;  /* SimGrid's code runs, and not that of an actor */
    bool broken;      /* SimGrid aborted, and cannot run again */
    sigjmp_buf abort; /* where to go on if SimGrid aborts */
    struct sigaction previous;
    void (*new_handler)(void), (*terminate)(void);
} shell = {.reserved = ATOMIC_FLAG_INIT};

/* SimGrid aborts when memory runs out. That must not end the process, so the abort leads back to
 * the function that called SimGrid. An abort of the library's own code, and a signal that another
 * process sent, go to the handler that was there before.
 */
static void handle_abort(int number, siginfo_t *info, void *context) {
    (void)context;
    if (shell.in_simgrid && info->si_code == SI_TKILL)
        siglongjmp(shell.abort, 1);
    sigaction(number, &shell.previous, NULL);
    raise(number); /* blocked until this handler returns */
}

/* std::set_new_handler and std::set_terminate of C++. SimGrid has to stop where its memory runs
 * out: if it passed the exception on to an actor, it could wait for ever. Its own function for
 * exceptions that are not caught prints a stack, which says nothing to a user. */
extern void (*set_new_handler(void (*)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");
extern void (*set_terminate(void (*)(void)))(void) __asm__("_ZSt13set_terminatePFvvE");

static void catch_aborts(void) {
    /* With the application's own stack for handlers, if it has one: those of actors are small. */
    struct sigaction action = {.sa_sigaction = handle_abort, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGABRT, &action, &shell.previous);
    shell.new_handler = set_new_handler(abort);
    shell.terminate = set_terminate(abort);
    shell.in_simgrid = true;
}

/* The status with which the process ends. */
static int exit_status;

static void end_process(int number) {
    (void)number;
    _exit(exit_status);
}

/* After it has aborted, SimGrid aborts once more when the process destroys it. The process then
 * ends with its own status all the same, and its output is written. */
static void prepare_end(int status, void *unused) {
    struct sigaction action = {.sa_handler = end_process};
    (void)unused;
    exit_status = status;
    fflush(NULL);
    set_terminate(abort);
    sigaction(SIGABRT, &action, NULL);
}

static void leave_aborts(bool aborted) {
    shell.in_simgrid = false;
    sigaction(SIGABRT, &shell.previous, NULL);
    set_new_handler(shell.new_handler);
    set_terminate(shell.terminate);
    if (aborted && !shell.broken)
        on_exit(prepare_end, NULL);
    shell.broken |= aborted;
}

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

/* Wakes the actors that the step has signalled. To release a semaphore lets other actors run, so it
 * has to wait until the step has done all that it does. */
static void wake_signalled(void) {
    while (shell.signalled_count > 0) {
        uint32_t actor = shell.signalled[shell.first_signalled];
        shell.first_signalled = (shell.first_signalled + 1) % shell.actor_count;
        shell.signalled_count--;
        sg_sem_release(shell.actors[actor].signal);
    }
}

static void run_actor(int argc, char **argv) {
    (void)argc;
    (void)argv;
    const struct shell_actor *actor = sg_actor_self_get_data();
    struct tma_wait wait;
    do {
        uint64_t now = current_cycle();
        shell.in_simgrid = false;
        wait = shell.core->step(shell.context, actor->number, now);
        shell.in_simgrid = true;
        wake_signalled();
    } while (wait_for(actor, wait));
}

static void start_actor(struct shell_actor *actor) {
    char name[TMA_ACTOR_NAME_BYTES];
    unsigned stack_kib = shell.core->describe(shell.context, actor->number, name);
    actor->signal = sg_sem_init(0);
    sg_actor_t started = sg_actor_init(name, platform_host());
    sg_actor_set_stacksize(started, stack_kib);
    sg_actor_set_data(started, actor);
    sg_actor_start(started, run_actor, 0, NULL);
}

static const char abort_text[] =
    "SimGrid has aborted, as it does when memory runs out; this process cannot simulate any more";

static enum tma_error_code start_platform(const char **text) {
    if (shell.broken) {
        *text = abort_text;
        return TMA_ERROR_MEMORY;
    }
    catch_aborts();
    if (sigsetjmp(shell.abort, 1) != 0) {
        leave_aborts(true);
        *text = abort_text;
        return TMA_ERROR_MEMORY;
    }
    enum tma_error_code code = platform_start(text);
    leave_aborts(false);
    return code;
}

static enum tma_error_code reserve(const char **text) {
    if (atomic_flag_test_and_set(&shell.reserved)) {
        *text = "a simulation is running in this process, which can run one at a time";
        return TMA_ERROR_UNSUPPORTED;
    }
    enum tma_error_code code = start_platform(text);
    if (code != TMA_OK)
        atomic_flag_clear(&shell.reserved);
    return code;
}

static void release(void) {
    atomic_flag_clear(&shell.reserved);
}

static void run_simgrid(uint32_t count) {
    shell.epoch = ceil(simgrid_get_clock());
    for (uint32_t i = 0; i < count; i++) {
        shell.actors[i].number = i;
        start_actor(&shell.actors[i]);
    }
    simgrid_run();
    for (uint32_t i = 0; i < count; i++)
        sg_sem_destroy(shell.actors[i].signal);
}

static bool run(const struct tma_engine_core *core, void *context, uint32_t count) {
    shell.actors = core->allocate(count, sizeof *shell.actors);
    shell.signalled = core->allocate(count, sizeof *shell.signalled);
    shell.actor_count = count;
    shell.first_signalled = shell.signalled_count = 0;
    if (shell.actors == NULL || shell.signalled == NULL) {
        core->release(shell.actors);
        core->release(shell.signalled);
        return false;
    }
    shell.core = core;
    shell.context = context;
    catch_aborts();
    bool aborted = sigsetjmp(shell.abort, 1) != 0;
    if (!aborted)
        run_simgrid(count);
    leave_aborts(aborted);
    shell.core->release(shell.actors);
    shell.core->release(shell.signalled);
    return !aborted;
}

static void signal_actor(uint32_t actor) {
    uint32_t last = shell.first_signalled + shell.signalled_count++;
    shell.signalled[last % shell.actor_count] = actor;
}

__attribute__((visibility("default"))) extern const struct tma_engine_module tma_engine_module;

const struct tma_engine_module tma_engine_module = {
    .version = TMA_VERSION,
    .reserve = reserve,
    .release = release,
    .run = run,
    .signal = signal_actor,
};
