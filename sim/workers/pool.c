#define _GNU_SOURCE /* sched_getaffinity, memfd_create */
#include "workers/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/allocation.h"
#include "workers/frame.h"
#include "workers/worker.h"

enum {
    MOST_JOBS = 1024,
    QUEUED_TASKS = 2, /* that a worker has: the one that it does, and the next */
    IDLE_MS = 100,    /* between calls of a batch's `idle` */
    SHORT_TASK_US = 10000,
    READ_BYTES = 1 << 16,
    REASON_BYTES = 512,
    NO_CHANNEL = -1,
};

/* Bytes that grow. */
struct buffer {
    char *bytes; /* owned */
    size_t size, capacity;
    size_t done; /* of these bytes, from the start, that were sent or taken */
};

/* A worker, or the place of one where `channel` is NO_CHANNEL. */
struct worker {
    pid_t process;
    int channel;                /* a socket to the worker */
    int messages;               /* the file that the worker prints to */
    size_t tasks[QUEUED_TASKS]; /* numbers; the worker does the first */
    size_t task_count;
    uint64_t started_us;   /* when it got the first of them, or became free for it */
    bool quick;            /* its last task was short: the next should wait for it */
    struct buffer out, in; /* frames that are not sent or not complete */
};

/* The outcome of a task, until it is taken. */
struct outcome {
    bool done;
    char *bytes; /* owned */
    size_t size;
    char *messages; /* owned, or NULL */
    char *failure;  /* owned, or NULL */
};

struct tma_workers {
    struct tma_worker_code code;
    struct worker *items; /* owned */
    unsigned count;
    struct pollfd *polls; /* owned; one for each worker */
};

/* A batch while it runs. */
struct running_batch {
    struct tma_workers *pool;
    const struct tma_batch *batch;
    struct outcome *outcomes; /* owned; by number */
    size_t *order;            /* owned; the numbers in the order in which the tasks start */
    size_t next;              /* in `order` */
    size_t *again;            /* owned; numbers of tasks that a dead worker had not begun */
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

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static bool reserve(struct buffer *buffer, size_t size) {
    if (buffer->capacity - buffer->size >= size)
        return true;
    size_t capacity = 2 * buffer->capacity + size;
    char *grown = tma_resize(buffer->bytes, capacity, 1);
    if (grown == NULL)
        return false;
    buffer->bytes = grown;
    buffer->capacity = capacity;
    return true;
}

static bool append(struct buffer *buffer, const void *bytes, size_t size) {
    if (!reserve(buffer, size))
        return false;
    if (size > 0)
        memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}

/* Forgets the bytes that are done. */
static void compact(struct buffer *buffer) {
    if (buffer->done > 0)
        memmove(buffer->bytes, buffer->bytes + buffer->done, buffer->size - buffer->done);
    buffer->size -= buffer->done;
    buffer->done = 0;
}

static void free_buffer(struct buffer *buffer) {
    tma_release(buffer->bytes);
    *buffer = (struct buffer){0};
}

/* A child has the descriptors of all workers. */
static void close_others(const struct tma_workers *pool) {
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->items[i].channel != NO_CHANNEL) {
            close(pool->items[i].channel);
            close(pool->items[i].messages);
        }
}

/* Starts a worker in a free place. On failure, errno says why. */
static bool start(struct tma_workers *pool, struct worker *worker) {
    int channels[2], messages = memfd_create("tmasim-messages", MFD_CLOEXEC);
    if (messages < 0)
        return false;
    if (fcntl(messages, F_SETFL, O_APPEND) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) != 0) {
        close(messages);
        return false;
    }
    /* A worker that ends by exit() writes what it inherited in the buffers of streams. */
    fflush(NULL);
    pid_t parent = getpid(), process = fork();
    if (process == 0) {
        close_others(pool);
        close(channels[0]);
        tma_worker_live(&pool->code, channels[1], messages, parent);
    }
    int error = errno;
    close(channels[1]);
    if (process < 0) {
        close(channels[0]);
        close(messages);
        errno = error;
        return false;
    }
    *worker = (struct worker){.process = process, .channel = channels[0], .messages = messages};
    return true;
}

/* Waits for the end of a worker and frees its place. Returns its status, as waitpid gives it. */
static int finish(struct worker *worker) {
    int status = 0;
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
        ;
    close(worker->channel);
    close(worker->messages);
    free_buffer(&worker->out);
    free_buffer(&worker->in);
    *worker = (struct worker){.channel = NO_CHANNEL};
    return status;
}

static void fail_memory(struct running_batch *run) {
    run->code = tma_fail(run->error, TMA_ERROR_MEMORY, "out of memory");
}

/* Stores an outcome. Takes ownership of `failure`. */
static void store(struct running_batch *run, size_t number, const char *bytes, size_t size,
                  const char *messages, size_t message_bytes, char *failure) {
    struct outcome *outcome = &run->outcomes[number];
    *outcome = (struct outcome){.done = true, .size = size, .failure = failure};
    outcome->bytes = tma_allocate(1, size + 1);
    outcome->messages = tma_copy_bytes(messages, message_bytes);
    run->done++;
    run->done_cost += run->batch->tasks[number].cost;
    if (outcome->bytes == NULL || outcome->messages == NULL)
        fail_memory(run);
    else if (size > 0)
        memcpy(outcome->bytes, bytes, size);
}

/* Returns the last line of a text that has no newline behind it, cut to 200 characters. */
static const char *last_line(char *text, size_t length) {
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *newline = strrchr(text, '\n');
    const char *line = newline == NULL ? text : newline + 1;
    size_t size = strlen(line);
    return size > 200 ? line + size - 200 : line;
}

/* Says how a worker ended; the caller frees it. NULL when out of memory. */
static char *reason_of(int status, char *messages, size_t length) {
    char text[REASON_BYTES];
    int at = 0;
    if (WIFSIGNALED(status))
        at = snprintf(text, sizeof text, "the worker process ended by signal %d (%s)",
                      WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        at = snprintf(text, sizeof text, "the worker process ended with exit status %d",
                      WEXITSTATUS(status));
    const char *line = last_line(messages, length);
    if (line[0] != '\0')
        snprintf(text + at, sizeof text - (size_t)at, ": %s", line);
    return tma_copy_text(text);
}

/* A worker has died: its first task has that as its outcome, and others get the rest. */
static void bury(struct running_batch *run, struct worker *worker) {
    char messages[TMA_MESSAGE_BYTES];
    size_t first = worker->tasks[0], count = worker->task_count;
    kill(worker->process, SIGKILL); /* in case that it closed its channel and lives */
    for (size_t i = 1; i < count; i++)
        run->again[run->again_count++] = worker->tasks[i];
    size_t length = tma_read_messages(worker->messages, messages);
    int status = finish(worker);
    if (count == 0)
        return;
    char *whole = tma_copy_bytes(messages, length), *reason = reason_of(status, messages, length);
    if (whole == NULL || reason == NULL)
        fail_memory(run);
    store(run, first, NULL, 0, whole == NULL ? "" : whole, length, reason);
    tma_release(whole);
}

/* Takes one complete frame of a worker. */
static void take_frame(struct running_batch *run, struct worker *worker,
                       const struct tma_frame *frame, const char *bytes) {
    const struct tma_batch *batch = run->batch;
    if (frame->kind == TMA_FRAME_NOTE) {
        if (batch->note != NULL)
            batch->note(batch->context, frame->number, bytes, frame->bytes);
        return;
    }
    char *failure = NULL;
    if (frame->kind == TMA_FRAME_FAILED) {
        failure = tma_copy_text("the worker process ran out of memory");
        if (failure == NULL)
            fail_memory(run);
    }
    store(run, frame->number, bytes, frame->bytes, bytes + frame->bytes, frame->message_bytes,
          failure);
    uint64_t now = now_us();
    worker->quick = now - worker->started_us < SHORT_TASK_US;
    worker->started_us = now;
    worker->task_count--;
    memmove(worker->tasks, worker->tasks + 1, worker->task_count * sizeof worker->tasks[0]);
}

/* A worker that has damaged its memory may send anything. */
static bool is_valid(const struct worker *worker, const struct tma_frame *frame) {
    return worker->task_count > 0 && frame->number == worker->tasks[0] &&
           frame->kind >= TMA_FRAME_NOTE && frame->kind <= TMA_FRAME_FAILED &&
           frame->bytes < SIZE_MAX / 4 && frame->message_bytes < TMA_MESSAGE_BYTES;
}

static void take_frames(struct running_batch *run, struct worker *worker) {
    struct buffer *in = &worker->in;
    struct tma_frame frame;
    while (in->size - in->done >= sizeof frame) {
        memcpy(&frame, in->bytes + in->done, sizeof frame);
        if (!is_valid(worker, &frame)) {
            bury(run, worker);
            return;
        }
        size_t whole = sizeof frame + frame.bytes + frame.message_bytes;
        if (in->size - in->done < whole)
            break;
        take_frame(run, worker, &frame, in->bytes + in->done + sizeof frame);
        in->done += whole;
    }
    compact(in);
}

/* Reads what a worker has sent. */
static void receive(struct running_batch *run, struct worker *worker) {
    if (!reserve(&worker->in, READ_BYTES)) {
        fail_memory(run);
        return;
    }
    ssize_t got = recv(worker->channel, worker->in.bytes + worker->in.size,
                       worker->in.capacity - worker->in.size, MSG_DONTWAIT);
    if (got > 0) {
        worker->in.size += (size_t)got;
        take_frames(run, worker);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        bury(run, worker);
    }
}

/* Sends what the worker's channel has room for. A worker that has gone is found by receive(). */
static void send_some(struct worker *worker) {
    struct buffer *out = &worker->out;
    while (out->done < out->size) {
        ssize_t sent = send(worker->channel, out->bytes + out->done, out->size - out->done,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            break;
        out->done += (size_t)sent;
    }
    compact(out);
}

static bool is_pending(const struct running_batch *run) {
    return run->again_count > 0 || run->next < run->batch->count;
}

static void give(struct running_batch *run, struct worker *worker) {
    size_t number = run->again_count > 0 ? run->again[--run->again_count] : run->order[run->next++];
    const struct tma_task *task = &run->batch->tasks[number];
    struct tma_frame frame = {.kind = TMA_FRAME_TASK, .number = number, .bytes = task->size};
    if (worker->task_count == 0)
        worker->started_us = now_us();
    worker->tasks[worker->task_count++] = number;
    if (!append(&worker->out, &frame, sizeof frame) ||
        !append(&worker->out, task->bytes, task->size))
        fail_memory(run);
    send_some(worker);
}

/* Gives each worker a task, and a second one to workers whose tasks are short. Starts the workers
 * that are missing. */
static void give_tasks(struct running_batch *run) {
    struct tma_workers *pool = run->pool;
    unsigned alive = 0;
    int error = 0;
    for (unsigned i = 0; i < pool->count && is_pending(run) && run->code == TMA_OK; i++) {
        struct worker *worker = &pool->items[i];
        if (worker->channel == NO_CHANNEL && !start(pool, worker)) {
            error = errno;
            continue;
        }
        alive++;
        size_t most = worker->quick ? QUEUED_TASKS : 1;
        while (is_pending(run) && worker->task_count < most && run->code == TMA_OK)
            give(run, worker);
    }
    if (alive == 0 && error != 0 && is_pending(run))
        run->code = tma_fail(run->error, TMA_ERROR_UNSUPPORTED, "cannot start a worker process: %s",
                             strerror(error));
}

/* Gives an outcome to the batch. */
static void deliver(struct running_batch *run, size_t number) {
    struct outcome *from = &run->outcomes[number];
    struct tma_task_outcome outcome = {from->bytes, from->size, from->messages, from->failure};
    run->stopped = !run->batch->take(run->batch->context, number, &outcome);
    tma_release(from->bytes);
    tma_release(from->messages);
    tma_release(from->failure);
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

/* Waits until a worker has something, or it is time for `idle`. */
static void wait_for_workers(struct running_batch *run) {
    struct tma_workers *pool = run->pool;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct worker *worker = &pool->items[i];
        short wanted = worker->out.size > 0 ? POLLIN | POLLOUT : POLLIN;
        pool->polls[i] = (struct pollfd){.fd = worker->channel, .events = wanted};
    }
    int ready = poll(pool->polls, pool->count, run->batch->idle == NULL ? -1 : IDLE_MS);
    for (unsigned i = 0; ready > 0 && i < pool->count && run->code == TMA_OK; i++) {
        struct worker *worker = &pool->items[i];
        if ((pool->polls[i].revents & POLLOUT) != 0)
            send_some(worker);
        if ((pool->polls[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
            receive(run, worker);
    }
}

static void go(struct running_batch *run) {
    const struct tma_batch *batch = run->batch;
    while (run->taken < batch->count && !run->stopped && run->code == TMA_OK) {
        give_tasks(run);
        if (run->code == TMA_OK && run->done < batch->count)
            wait_for_workers(run);
        if (batch->idle != NULL && run->code == TMA_OK)
            run->ended = !batch->idle(batch->context, run->done, run->done_cost);
        deliver_all(run);
    }
}

/* Ends the workers that have a task that nothing waits for any more. */
static void kill_busy(struct tma_workers *pool) {
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->items[i].channel != NO_CHANNEL && pool->items[i].task_count > 0) {
            kill(pool->items[i].process, SIGKILL);
            finish(&pool->items[i]);
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
        tma_release(run->outcomes[i].bytes);
        tma_release(run->outcomes[i].messages);
        tma_release(run->outcomes[i].failure);
    }
    tma_release(run->outcomes);
    tma_release(run->order);
    tma_release(run->again);
}

struct tma_workers *tma_workers_create(unsigned jobs, const struct tma_worker_code *code) {
    struct tma_workers *pool = tma_allocate(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->code = *code;
    pool->count = jobs < 1 ? 1 : jobs > MOST_JOBS ? MOST_JOBS : jobs;
    pool->items = tma_allocate(pool->count, sizeof *pool->items);
    pool->polls = tma_allocate(pool->count, sizeof *pool->polls);
    for (unsigned i = 0; pool->items != NULL && i < pool->count; i++)
        pool->items[i].channel = NO_CHANNEL;
    if (pool->items != NULL && pool->polls != NULL)
        return pool;
    tma_workers_free(pool);
    return NULL;
}

enum tma_error_code tma_workers_run(struct tma_workers *workers, const struct tma_batch *batch,
                                    struct tma_error *error) {
    struct running_batch run = {.pool = workers, .batch = batch, .error = error};
    if (create_run(&run))
        go(&run);
    else
        fail_memory(&run);
    kill_busy(workers);
    free_run(&run);
    return run.code;
}

void tma_workers_free(struct tma_workers *workers) {
    if (workers == NULL)
        return;
    for (unsigned i = 0; workers->items != NULL && i < workers->count; i++)
        if (workers->items[i].channel != NO_CHANNEL) {
            shutdown(workers->items[i].channel, SHUT_RDWR);
            finish(&workers->items[i]);
        }
    tma_release(workers->items);
    tma_release(workers->polls);
    tma_release(workers);
}
