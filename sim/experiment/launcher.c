#include "experiment/launcher.h"

#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "workers/pool.h"

struct tma_launcher {
    const struct tma_experiment_subject *subject;
    const struct tma_result *before;
    struct tma_workers *workers; /* owned; NULL: launches run in this process */
    size_t ordered;              /* launches of all calls */
};

/* A call of tma_launcher_run. */
struct running {
    struct tma_launcher *launcher;
    const struct tma_launch_order *orders;
    struct tma_launch_outcome *outcomes;
    size_t done;     /* launches of earlier calls */
    uint64_t cycles; /* simulated, that the observer does not know of */
    struct tma_error *error;
    enum tma_error_code code;
};

static enum tma_error_code out_of_memory(struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

bool tma_relieved_copy(const struct tma_experiment_subject *subject,
                       const struct tma_result *before, uint32_t variant,
                       struct tma_relieved *relieved) {
    *relieved = (struct tma_relieved){.machine = *subject->machine,
                                      .workload = subject->kind->copy(subject->workload),
                                      .before = before,
                                      .map_names = subject->map_names,
                                      .variant = variant,
                                      .work = 1,
                                      .whole_work = 1};
    return relieved->workload != NULL;
}

static uint64_t tensor_bytes(const struct tma_result *result) {
    const struct tma_counters *counters = &result->counters;
    return counters->tensor_bytes + counters->stored_bytes + counters->reduced_bytes +
           counters->prefetched_bytes;
}

/* Whether the relieved workload moves the bytes of its part of the work. Edges of a tensor make
 * CTAs differ a little. */
static bool moves_its_part(const struct tma_relieved *relieved, const struct tma_result *result) {
    double part = (double)relieved->work / relieved->whole_work;
    double wanted = part * (double)tensor_bytes(relieved->before);
    if (relieved->work == relieved->whole_work)
        return tensor_bytes(result) == tensor_bytes(relieved->before);
    return fabs((double)tensor_bytes(result) - wanted) <= 0.01 * wanted;
}

/* Returns the simulated cycles; 0 where the launch fails. */
static uint64_t run_relieved(const struct tma_launcher *launcher, struct tma_relieved *relieved,
                             const struct tma_launch_order *order,
                             struct tma_launch_outcome *outcome) {
    const struct tma_workload_kind *kind = launcher->subject->kind;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    uint64_t cycles = 0;
    if (result == NULL) {
        out_of_memory(&outcome->error);
        return 0;
    }
    relieved->machine.topology.seed = order->seed;
    outcome->error.code =
        kind->run(&relieved->machine, relieved->workload, result, &outcome->error);
    if (outcome->error.code == TMA_OK && order->relief != NULL && !moves_its_part(relieved, result))
        tma_fail(&outcome->error, TMA_ERROR_UNSUPPORTED, "the relief changes the bytes that move");
    if (outcome->error.code == TMA_OK)
        cycles = result->cycles;
    outcome->cycles = (cycles * relieved->whole_work + relieved->work - 1) / relieved->work;
    tma_release(result);
    return cycles;
}

static uint64_t launch(const struct tma_launcher *launcher, const struct tma_launch_order *order,
                       struct tma_launch_outcome *outcome) {
    const struct tma_experiment_subject *subject = launcher->subject;
    struct tma_relieved relieved;
    uint64_t cycles = 0;
    *outcome = (struct tma_launch_outcome){0};
    if (!tma_relieved_copy(subject, launcher->before, order->variant, &relieved)) {
        out_of_memory(&outcome->error);
        return 0;
    }
    if (order->relief == NULL || order->relief->apply(&relieved))
        cycles = run_relieved(launcher, &relieved, order, outcome);
    else
        tma_fail(&outcome->error, TMA_ERROR_UNSUPPORTED, "the relief does not apply");
    subject->kind->release(relieved.workload);
    return cycles;
}

/* Lack of memory or of the engine says nothing about the relief: it ends all launches. */
static void look_at(struct running *run, const struct tma_launch_outcome *outcome) {
    enum tma_error_code code = outcome->error.code;
    if (code == TMA_ERROR_MEMORY || code == TMA_ERROR_FILE)
        run->code = tma_fail(run->error, code, "%s", outcome->error.text);
}

static void tell(struct running *run, size_t done) {
    const struct tma_launcher *launcher = run->launcher;
    const struct tma_experiment_observer *observer = launcher->subject->observer;
    if (observer != NULL)
        observer->progressed(observer->context, run->cycles, run->done + done, launcher->ordered);
    run->cycles = 0;
}

static void run_here(struct running *run, size_t count) {
    for (size_t i = 0; i < count && run->code == TMA_OK; i++) {
        run->cycles = launch(run->launcher, &run->orders[i], &run->outcomes[i]);
        look_at(run, &run->outcomes[i]);
        tell(run, i + 1);
    }
}

/* In a worker. The pointers in an order are good there: it is a fork. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    struct tma_launch_order order;
    struct tma_launch_outcome outcome;
    (void)number;
    memcpy(&order, bytes, size);
    uint64_t cycles = launch(context, &order, &outcome);
    tma_reply_note(reply, &cycles, sizeof cycles);
    tma_reply_append(reply, &outcome, sizeof outcome);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct running *run = context;
    if (outcome->failure != NULL) {
        run->code = tma_fail(run->error, TMA_ERROR_MEMORY, "%.400s", outcome->failure);
        return false;
    }
    memcpy(&run->outcomes[number], outcome->bytes, outcome->size);
    look_at(run, &run->outcomes[number]);
    return run->code == TMA_OK;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct running *run = context;
    uint64_t cycles;
    (void)number;
    memcpy(&cycles, bytes, size);
    run->cycles += cycles;
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    (void)done_cost;
    tell(context, done);
    return true;
}

static void run_in_workers(struct running *run, size_t count) {
    struct tma_task *tasks = tma_allocate(count, sizeof *tasks);
    const struct tma_batch batch = {
        .tasks = tasks, .count = count, .context = run, .take = take, .note = note, .idle = idle};
    if (tasks == NULL) {
        run->code = out_of_memory(run->error);
        return;
    }
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tma_task){&run->orders[i], sizeof run->orders[i], 1};
    enum tma_error_code code = tma_workers_run(run->launcher->workers, &batch, run->error);
    if (run->code == TMA_OK)
        run->code = code;
    tma_release(tasks);
}

struct tma_launcher *tma_launcher_create(const struct tma_experiment_subject *subject,
                                         const struct tma_result *before) {
    struct tma_launcher *launcher = tma_allocate(1, sizeof *launcher);
    if (launcher == NULL)
        return NULL;
    *launcher = (struct tma_launcher){.subject = subject, .before = before};
    const struct tma_worker_code code = {work, launcher};
    if (subject->jobs > 1) {
        launcher->workers = tma_workers_create(subject->jobs, &code);
        if (launcher->workers == NULL) {
            tma_release(launcher);
            return NULL;
        }
    }
    return launcher;
}

enum tma_error_code tma_launcher_run(struct tma_launcher *launcher,
                                     const struct tma_launch_order *orders, size_t count,
                                     struct tma_launch_outcome *outcomes, struct tma_error *error) {
    struct running run = {.launcher = launcher,
                          .orders = orders,
                          .outcomes = outcomes,
                          .done = launcher->ordered,
                          .error = error};
    if (count == 0)
        return TMA_OK;
    launcher->ordered += count;
    if (launcher->workers == NULL)
        run_here(&run, count);
    else
        run_in_workers(&run, count);
    return run.code;
}

void tma_launcher_free(struct tma_launcher *launcher) {
    if (launcher != NULL)
        tma_workers_free(launcher->workers);
    tma_release(launcher);
}
