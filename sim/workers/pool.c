#define _GNU_SOURCE /* sched_getaffinity */
#include "workers/pool.h"

#include <sched.h>
#include <string.h>

#include "base/allocation.h"
#include "workers/crew.h"

enum { IDLE_MS = 100 }; /* between calls of a batch's `idle` */

/* The outcome of a task, until it is taken. */
struct outcome {
    bool done;
    char *bytes; /* owned */
    size_t size;
    char *messages; /* owned, or NULL */
    char *failure;  /* owned, or NULL */
};

struct tma_workers {
    struct tma_crew *crew; /* owned */
};

/* A batch while it runs. */
struct running_batch {
    struct tma_workers *pool;
    const struct tma_batch *batch;
    struct outcome *outcomes; /* owned; by number */
    size_t *order;            /* owned; the numbers in the order in which the tasks start */
    size_t next;              /* in `order` */
    size_t *again;            /* owned; numbers of tasks that a member which has gone did not do */
    size_t again_count;
    size_t done, taken; /* outcomes that are there, and those that `take` got */
    uint64_t done_cost; /* of the outcomes that are there */
    bool stopped;       /* by `take` */
    bool ended;         /* by `idle` */
    enum tma_error_code code;
    struct tma_error *error;
};

unsigned tma_workers_cores(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return count > 0 ? (unsigned)count : 1;
}

static void fail_memory(struct running_batch *run) {
    run->code = tma_fail(run->error, TMA_ERROR_MEMORY, "out of memory");
}

static bool is_pending(void *context) {
    const struct running_batch *run = context;
    return run->again_count > 0 || run->next < run->batch->count;
}

static void give_next(void *context, struct tma_crew_task *task) {
    struct running_batch *run = context;
    size_t number = run->again_count > 0 ? run->again[--run->again_count] : run->order[run->next++];
    const struct tma_task *given = &run->batch->tasks[number];
    *task = (struct tma_crew_task){number, given->bytes, given->size};
}

static bool give_again(void *context, size_t number) {
    struct running_batch *run = context;
    run->again[run->again_count++] = number;
    return true;
}

static bool pass_note(void *context, size_t number, const void *bytes, size_t size) {
    const struct tma_batch *batch = ((const struct running_batch *)context)->batch;
    if (batch->note != NULL)
        batch->note(batch->context, number, bytes, size);
    return true;
}

static void pass_lost(void *context, unsigned server, const char *reason) {
    const struct tma_batch *batch = ((const struct running_batch *)context)->batch;
    if (batch->lost != NULL)
        batch->lost(batch->context, server, reason);
}

static bool store(void *context, const struct tma_crew_result *result) {
    struct running_batch *run = context;
    struct outcome *outcome = &run->outcomes[result->number];
    *outcome = (struct outcome){.done = true, .size = result->size};
    run->done++;
    run->done_cost += run->batch->tasks[result->number].cost;
    outcome->bytes = tma_allocate(1, result->size + 1);
    outcome->messages = tma_copy_bytes(result->messages, result->message_bytes);
    if (result->failure != NULL)
        outcome->failure = tma_copy_text(result->failure);
    if (outcome->bytes != NULL && result->size > 0)
        memcpy(outcome->bytes, result->bytes, result->size);
    return outcome->bytes != NULL && outcome->messages != NULL &&
           (result->failure == NULL || outcome->failure != NULL);
}

/* Gives an outcome to the batch. */
static void deliver(struct running_batch *run, size_t number) {
    struct outcome *from = &run->outcomes[number];
    struct tma_task_outcome outcome = {from->bytes, from->size, from->messages, from->failure};
    run->stopped = !run->batch->take(run->batch->context, number, &outcome);
    TMA_RELEASE(from->bytes, from->messages, from->failure);
    *from = (struct outcome){0};
}

/* Gives the outcomes that are next to the batch; if it has ended, all that are there. */
static void deliver_all(struct running_batch *run) {
    size_t count = run->batch->count;
    for (; run->taken < count && !run->stopped && run->code == TMA_OK; run->taken++) {
        if (run->outcomes[run->taken].done)
            deliver(run, run->taken);
        else if (!run->ended)
            return;
    }
}

static void go(struct running_batch *run) {
    const struct tma_batch *batch = run->batch;
    struct tma_crew *crew = run->pool->crew;
    const struct tma_crew_owner owner = {.context = run,
                                         .is_pending = is_pending,
                                         .next = give_next,
                                         .again = give_again,
                                         .result = store,
                                         .note = pass_note,
                                         .lost = pass_lost};
    int timeout_ms = batch->idle == NULL ? -1 : IDLE_MS;
    while (run->taken < batch->count && !run->stopped && run->code == TMA_OK) {
        run->code = tma_crew_fill(crew, &owner, run->error);
        if (run->code == TMA_OK && run->done < batch->count &&
            !tma_crew_wait(crew, &owner, NULL, timeout_ms))
            fail_memory(run);
        if (batch->idle != NULL && run->code == TMA_OK)
            run->ended = !batch->idle(batch->context, run->done, run->done_cost);
        deliver_all(run);
    }
}

/* Sorts by cost, the largest first; merge sort keeps the order of equal ones. */
static void sort_by_cost(const struct tma_task *tasks, size_t *order, size_t *scratch,
                         size_t count) {
    if (count < 2)
        return;
    size_t half = count / 2;
    sort_by_cost(tasks, order, scratch, half);
    sort_by_cost(tasks, order + half, scratch, count - half);
    memcpy(scratch, order, count * sizeof *order);
    for (size_t i = 0, a = 0, b = half; i < count; i++)
        order[i] = b == count || (a < half && tasks[scratch[a]].cost >= tasks[scratch[b]].cost)
                       ? scratch[a++]
                       : scratch[b++];
}

static bool create_run(struct running_batch *run) {
    size_t count = run->batch->count;
    run->outcomes = tma_allocate(count + 1, sizeof *run->outcomes);
    run->order = tma_allocate(count + 1, sizeof *run->order);
    run->again = tma_allocate(count + 1, sizeof *run->again);
    if (run->outcomes == NULL || run->order == NULL || run->again == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        run->order[i] = i;
    sort_by_cost(run->batch->tasks, run->order, run->again, count);
    return true;
}

static void free_run(struct running_batch *run) {
    for (size_t i = 0; run->outcomes != NULL && i < run->batch->count; i++) {
        TMA_RELEASE(run->outcomes[i].bytes, run->outcomes[i].messages, run->outcomes[i].failure);
    }
    TMA_RELEASE(run->outcomes, run->order, run->again);
}

struct tma_workers *tma_workers_create(unsigned jobs, const struct tma_worker_code *code) {
    struct tma_workers *pool = tma_allocate(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->crew = tma_crew_create(jobs, code);
    if (pool->crew != NULL)
        return pool;
    tma_workers_free(pool);
    return NULL;
}

bool tma_workers_join(struct tma_workers *workers, int channel, const char *key) {
    return tma_crew_join(workers->crew, channel, key);
}

enum tma_error_code tma_workers_run(struct tma_workers *workers, const struct tma_batch *batch,
                                    struct tma_error *error) {
    struct running_batch run = {.pool = workers, .batch = batch, .error = error};
    if (create_run(&run))
        go(&run);
    else
        fail_memory(&run);
    tma_crew_stop(workers->crew);
    free_run(&run);
    return run.code;
}

void tma_workers_free(struct tma_workers *workers) {
    if (workers == NULL)
        return;
    tma_crew_free(workers->crew);
    tma_release(workers);
}
