#include "workers/server.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/digest.h"
#include "workers/crew.h"
#include "workers/frames.h"

/* A task, until its result is there. */
struct held_task {
    size_t number, size;
    char *bytes; /* owned */
    bool given;  /* to a worker */
};

struct server {
    int channel;
    struct tma_crew *crew;   /* owned */
    struct held_task *tasks; /* owned */
    size_t count, capacity;
    bool ended; /* the pool has gone */
};

static void write_frame(struct server *server, const struct tma_frame *frame, const void *bytes,
                        const void *messages) {
    if (!tma_frame_write(server->channel, frame, sizeof *frame) ||
        !tma_frame_write(server->channel, bytes, frame->bytes) ||
        !tma_frame_write(server->channel, messages, frame->message_bytes))
        server->ended = true;
}

/* The first task that no worker has, or NULL. */
static struct held_task *find_waiting(const struct server *server) {
    for (size_t i = 0; i < server->count; i++)
        if (!server->tasks[i].given)
            return &server->tasks[i];
    return NULL;
}

static struct held_task *find_task(const struct server *server, size_t number) {
    size_t at = 0;
    while (server->tasks[at].number != number)
        at++;
    return &server->tasks[at];
}

static bool is_pending(void *context) {
    return find_waiting(context) != NULL;
}

static void give_next(void *context, struct tma_crew_task *task) {
    struct held_task *held = find_waiting(context);
    held->given = true;
    *task = (struct tma_crew_task){held->number, held->bytes, held->size};
}

static bool give_again(void *context, size_t number) {
    find_task(context, number)->given = false;
    return true;
}

static bool pass_note(void *context, size_t number, const void *bytes, size_t size) {
    struct tma_frame frame = {.kind = TMA_FRAME_NOTE, .number = number, .bytes = size};
    write_frame(context, &frame, bytes, NULL);
    return true;
}

static bool pass_result(void *context, const struct tma_crew_result *result) {
    struct server *server = context;
    struct held_task *held = find_task(server, result->number);
    bool failed = result->failure != NULL;
    struct tma_frame frame = {.kind = failed ? TMA_FRAME_FAILED : TMA_FRAME_DONE,
                              .number = result->number,
                              .bytes = failed ? strlen(result->failure) + 1 : result->size,
                              .message_bytes = result->message_bytes};
    write_frame(server, &frame, failed ? result->failure : result->bytes, result->messages);
    tma_release(held->bytes);
    *held = server->tasks[--server->count];
    return true;
}

/* Takes a task in. False when out of memory. */
static bool take_task(struct server *server) {
    struct tma_frame frame;
    if (!tma_frame_read(server->channel, &frame, sizeof frame)) {
        server->ended = true;
        return true;
    }
    char *bytes = TMA_GROW(server->tasks, server->count, server->capacity)
                      ? tma_allocate(1, frame.bytes + 1)
                      : NULL;
    if (bytes == NULL)
        return false;
    server->tasks[server->count++] =
        (struct held_task){.number = frame.number, .size = frame.bytes, .bytes = bytes};
    server->ended = !tma_frame_read(server->channel, bytes, frame.bytes);
    return true;
}

/* Tells the pool what the server is. False if the pool has gone, or is about something else. */
static bool greet(struct server *server, const char *key) {
    char own[TMA_DIGEST_TEXT_BYTES] = "", other[TMA_DIGEST_TEXT_BYTES];
    struct tma_frame hello;
    if (!tma_frame_read(server->channel, &hello, sizeof hello) || hello.bytes != sizeof other ||
        !tma_frame_read(server->channel, other, sizeof other))
        return false;
    snprintf(own, sizeof own, "%s", key);
    hello.number = tma_crew_jobs(server->crew);
    write_frame(server, &hello, own, NULL);
    return !server->ended && memcmp(own, other, strlen(own) + 1) == 0;
}

static enum tma_error_code go(struct server *server, struct tma_error *error) {
    const struct tma_crew_owner owner = {.context = server,
                                         .is_pending = is_pending,
                                         .next = give_next,
                                         .again = give_again,
                                         .result = pass_result,
                                         .note = pass_note};
    enum tma_error_code code = TMA_OK;
    while (!server->ended && code == TMA_OK) {
        struct pollfd pool = {.fd = server->channel, .events = POLLIN};
        code = tma_crew_fill(server->crew, &owner, error);
        if (code != TMA_OK)
            break;
        if (!tma_crew_wait(server->crew, &owner, &pool, -1) ||
            (pool.revents != 0 && !take_task(server)))
            code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    return code;
}

enum tma_error_code tma_workers_serve(int channel, unsigned jobs,
                                      const struct tma_worker_code *code, const char *key,
                                      struct tma_error *error) {
    struct server server = {.channel = channel, .crew = tma_crew_create(jobs, code)};
    if (server.crew == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code result = TMA_OK;
    if (greet(&server, key))
        result = go(&server, error);
    tma_crew_stop(server.crew);
    tma_crew_free(server.crew);
    for (size_t i = 0; i < server.count; i++)
        tma_release(server.tasks[i].bytes);
    tma_release(server.tasks);
    return result;
}
