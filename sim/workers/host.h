/* What long work needs of the program that it runs in: worker processes, and somebody who hears how
 * far it is and may end it. */
#ifndef TMA_WORKERS_HOST_H
#define TMA_WORKERS_HOST_H

#include <stdio.h>

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

/* Whether the work may go on. */
static inline bool tma_host_goes_on(const struct tma_host *host,
                                    const struct tma_progress *progress) {
    return host->look(host->context, progress);
}

/* For tma_batch.lost. */
static inline void tma_host_note_lost(const struct tma_host *host, unsigned server,
                                      const char *reason) {
    char text[TMA_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "rank %u does no more rows: %s", server, reason);
    host->note(host->context, text);
}

#endif
