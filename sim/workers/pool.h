/* Worker processes: independent tasks run on all cores. The pool knows nothing of what a task does.
 *
 * A worker is a fork of the process: it has what the process had in memory when the worker started,
 * and what it changes there is its own. It gets tasks as numbers with bytes, and replies with
 * bytes. Outcomes come in the order of the tasks, however many workers there are. If a worker dies,
 * its task has that as its outcome, and the rest goes on with another worker.
 *
 * The process must not have an engine that runs (engine/slots/run.h) when it calls tma_workers_run:
 * each worker loads an engine of its own. No other thread may hold a lock that tasks need. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tma_workers;
struct tma_reply;

struct tma_task {
    const void *bytes; /* the input of the task, for the worker; may be NULL where `size` is 0 */
    size_t size;
    uint64_t cost; /* in any unit: costly tasks start first; equal ones in their order */
};

/* What became of a task. All pointers are valid until `take` returns. */
struct tma_task_outcome {
    const void *bytes; /* what the task appended to its reply; aligned for any type */
    size_t size;
    const char *messages; /* what the task printed, at least its last 16 KiB; "" if nothing */
    const char *failure;  /* NULL; else why there are no bytes: how the worker died, with the last
                             line that it printed, or that memory ran out */
};

/* What workers do. In a worker, `work` does one task: it appends the reply. It has `context` as it
 * was when the worker started, and keeps what it changed there for its next tasks. What it prints
 * becomes the outcome's messages. Its standard input is empty. */
struct tma_worker_code {
    void (*work)(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply);
    void *context;
};

/* Tasks that run together, and who gets their outcomes, in the calling process. `note`, `idle`
 * and `lost` may be NULL. */
struct tma_batch {
    const struct tma_task *tasks;
    size_t count;
    void *context;
    /* Takes the outcome of each task, in the order of the tasks. False ends the batch at once. */
    bool (*take)(void *context, size_t number, const struct tma_task_outcome *outcome);
    /* Takes a note that a running task sent. Notes of several tasks come in any order. */
    void (*note)(void *context, size_t number, const void *bytes, size_t size);
    /* Called ten times a second or more often, with the number of tasks whose outcome the pool
     * has, and the sum of their costs. False ends the batch: `take` gets the outcomes that the pool
     * has, in order, and not those that are missing. */
    bool (*idle)(void *context, size_t done, uint64_t done_cost);
    /* Hears that the pool has lost a server, the first that joined being number 1, and why. Others
     * do its tasks. */
    void (*lost)(void *context, unsigned server, const char *reason);
};

/* Returns the number of cores that this process may use; at least 1. */
unsigned tma_workers_cores(void);

/* Creates a pool of at most `jobs` workers, at least 1. No worker starts before it has a task.
 * Returns NULL when out of memory. */
struct tma_workers *tma_workers_create(unsigned jobs, const struct tma_worker_code *code);

/* Adds a server (workers/server.h), which may be on another machine, and does tasks as workers do.
 * The pool owns the channel, a stream socket, and gives up a server that leaves it. The server must
 * have the same key: a text of at most 16 characters that says what the tasks are about. False when
 * out of memory. */
bool tma_workers_join(struct tma_workers *workers, int channel, const char *key);

/* Runs a batch to its end, or until a function of the batch returns false: then the pool kills the
 * workers that have a task. A pool can run many batches, one after the other; its workers stay.
 * Fails with TMA_ERROR_MEMORY, or with TMA_ERROR_UNSUPPORTED if the system allows no worker. */
enum tma_error_code tma_workers_run(struct tma_workers *workers, const struct tma_batch *batch,
                                    struct tma_error *error);

/* Ends all workers and frees the pool. NULL is allowed. */
void tma_workers_free(struct tma_workers *workers);

/* For `work`: appends bytes to the reply. When memory runs out, the task fails for that. */
void tma_reply_append(struct tma_reply *reply, const void *bytes, size_t size);

/* For `work`: sends bytes at once, to the batch's `note`. */
void tma_reply_note(struct tma_reply *reply, const void *bytes, size_t size);
