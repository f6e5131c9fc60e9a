/* A member of a crew: a worker, or a server on the other side of a channel. Internal to
 * sim/workers. */
#pragma once

#include <sys/types.h>

#include "base/digest.h"
#include "workers/frames.h"
#include "workers/worker.h"

enum { TMA_NO_CHANNEL = -1, TMA_MOST_JOBS = 1024 };

/* The place of one is free where `channel` is TMA_NO_CHANNEL. */
struct tma_member {
    pid_t process; /* of a worker */
    int channel;   /* a socket to the member */
    int messages;  /* the file that a worker prints to */
    size_t jobs;   /* that it does at once; 0: a server that has not said it */
    size_t *tasks; /* owned; numbers: a worker does the first; room for twice its jobs */
    size_t task_count;
    uint64_t started_us;               /* when it got the first of them, or became free for it */
    bool quick;                        /* its last task was short: the next should wait for it */
    struct tma_channel_buffer out, in; /* frames that are not sent or not complete */
    unsigned server;                   /* its number, from 1; 0: a worker */
    char key[TMA_DIGEST_TEXT_BYTES];   /* of a server */
};

/* Starts a worker in a free place of `members`, of which it closes the channels. On failure, errno
 * says why. */
bool tma_member_start(struct tma_member *member, struct tma_member *members, size_t count,
                      const struct tma_worker_code *code);

/* Says how many tasks a member does at once. False when out of memory. */
bool tma_member_set_jobs(struct tma_member *member, size_t jobs);

/* Kills a worker that lives, and frees the place of a member. */
void tma_member_remove(struct tma_member *member);

/* The end of a worker; the texts have a zero behind them. */
struct tma_last_words {
    char reason[512]; /* how it ended, and the last line that it printed */
    char messages[TMA_MESSAGE_BYTES];
    size_t length;
};

/* The same for a worker, with what it said. */
void tma_member_bury(struct tma_member *member, struct tma_last_words *words);
