/* A crew does tasks. Its members are workers, which are forks of this process, and servers
 * (workers/server.h), each with a crew of its own, perhaps on another machine. A crew replaces
 * workers that die, and not servers. Internal to sim/workers. */
#pragma once

#include <poll.h>

#include "workers/pool.h"

struct tma_crew;

struct tma_crew_task {
    size_t number;
    const void *bytes;
    size_t size;
};

/* What became of a task; a text that is no reply has a zero behind it only in `failure`. */
struct tma_crew_result {
    size_t number;
    const char *bytes;
    size_t size;
    const char *messages; /* what it printed */
    size_t message_bytes;
    const char *failure; /* NULL; else why there is no reply */
};

/* Where the tasks of a crew come from, and who hears of them. Nothing that a function gets is valid
 * after it returns. False: memory has run out. */
struct tma_crew_owner {
    void *context;
    bool (*is_pending)(void *context);                       /* there are tasks to do */
    void (*next)(void *context, struct tma_crew_task *task); /* takes one of them */
    bool (*again)(void *context, size_t number); /* it is pending again: its member has gone */
    bool (*result)(void *context, const struct tma_crew_result *result);
    bool (*note)(void *context, size_t number, const void *bytes, size_t size);
    void (*lost)(void *context, unsigned server, const char *reason); /* the first is number 1 */
};

/* Creates a crew of at most `jobs` workers, at least 1. Returns NULL when out of memory. */
struct tma_crew *tma_crew_create(unsigned jobs, const struct tma_worker_code *code);

/* Takes in a server; the crew owns the channel. */
bool tma_crew_join(struct tma_crew *crew, int channel, const char *key);

/* Gives tasks to members that are free, and starts the workers that are missing. Fails with
 * TMA_ERROR_MEMORY, or with TMA_ERROR_UNSUPPORTED if no worker can start and there is no server. */
enum tma_error_code tma_crew_fill(struct tma_crew *crew, const struct tma_crew_owner *owner,
                                  struct tma_error *error);

/* Waits until a member has something, which it gives to the owner, or until `further`, which may be
 * NULL, is ready, or for a time; -1: for any time. False when out of memory. */
bool tma_crew_wait(struct tma_crew *crew, const struct tma_crew_owner *owner,
                   struct pollfd *further, int timeout_ms);

/* Gets rid of members that have tasks, whose results nothing waits for any more. */
void tma_crew_stop(struct tma_crew *crew);

/* Returns how many workers the crew may have. */
unsigned tma_crew_jobs(const struct tma_crew *crew);

/* Ends all members. NULL is allowed. */
void tma_crew_free(struct tma_crew *crew);
