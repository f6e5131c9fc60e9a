/* What long work needs of the program that it runs in: worker processes, and somebody who hears how
 * far it is and may end it. */
#pragma once

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "workers/pool.h"

struct tma_progress {
    uint64_t total, done; /* tasks */
    uint64_t total_work;  /* in any unit, for the time that is left */
    uint64_t done_work;
    uint64_t cycles; /* simulated so far; 0: none are known */
};

struct tma_host {
    void *context;
    /* Creates the pool of workers, for the caller to free. NULL when out of memory. */
    struct tma_workers *(*workers)(void *context, const struct tma_worker_code *code);
    /* Called ten times a second or more often. False: the work ends, with what is done. */
    bool (*look)(void *context, const struct tma_progress *progress);
    /* Hears of something that the work copes with. */
    void (*note)(void *context, const char *text);
};

/* Work for a host: the first member of the context of a batch (pool.h). */
struct tma_host_work {
    const struct tma_host *host;
    struct tma_progress progress;
};

/* Whether it may go on. */
static inline bool tma_host_goes_on(const struct tma_host_work *work) {
    return work->host->look(work->host->context, &work->progress);
}

/* For tma_batch.note, of tasks that note the cycles which they have simulated; and for its lost. */
static inline void tma_host_work_note(void *context, size_t number, const void *bytes,
                                      size_t size) {
    struct tma_host_work *work = context;
    uint64_t cycles;
    (void)number;
    assert(size == sizeof cycles);
    memcpy(&cycles, bytes, size);
    work->progress.cycles += cycles;
}

static inline void tma_host_work_lost(void *context, unsigned server, const char *reason) {
    const struct tma_host_work *work = context;
    char text[TMA_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "rank %u does no more rows: %s", server, reason);
    work->host->note(work->host->context, text);
}
