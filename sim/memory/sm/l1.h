/* The L1 cache of an SM: lines of 128 bytes, valid by sectors of 32. It has what shared memory
 * leaves of the SM's storage. It writes through, and allocates lines for loads alone. Internal to
 * sm/. */
#pragma once

#include "memory/core/core.h"

struct tma_l1_line {
    uint64_t line;
    uint32_t chain;        /* the next one whose address has the same hash, or TMA_NONE */
    uint32_t newer, older; /* in its set, by last use; the set itself stands between the oldest and
                              the newest */
    uint32_t first, last;  /* accesses that wait for its sectors (lsu.c): a list */
    uint8_t valid;         /* sectors */
    uint8_t pending;       /* sectors that were requested and have not arrived */
    bool keep;             /* evict_last: another line goes first, once */
};

/* All of it is allocated when the SM looks up its first line. */
struct tma_l1 {
    struct tma_l1_line *lines; /* owned: those of all sets, then one that stands for each set */
    uint32_t *buckets;         /* owned: the first line of each hash */
    uint32_t *used;            /* owned: ways of each set that have a line */
    uint32_t bucket_bits;
    uint32_t sets, ways;
};

/* Gives the cache `bytes` bytes, or a set at least, in sets of `ways` lines. False when out of
 * memory. */
bool tma_l1_create(struct tma_l1 *l1, uint64_t bytes, uint32_t ways);
void tma_l1_free(struct tma_l1 *l1);

static inline bool tma_l1_exists(const struct tma_l1 *l1) {
    return l1->lines != NULL;
}

static inline uint32_t *tma_l1_bucket(const struct tma_l1 *l1, uint64_t line) {
    return &l1->buckets[line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - l1->bucket_bits)];
}

/* The number of a line in the cache, or TMA_NONE. */
uint32_t tma_l1_find(const struct tma_l1 *l1, uint64_t line);

/* Fetches what finding a line begins with into the caches of the host. */
static inline void tma_l1_prefetch(const struct tma_l1 *l1, uint64_t line) {
    if (tma_l1_exists(l1))
        __builtin_prefetch(tma_l1_bucket(l1, line), 1);
}

/* Makes the line the last victim of its set, or the first. */
void tma_l1_use(struct tma_l1 *l1, uint32_t number, bool evict_first);

/* Allocates a line that the cache lacks, without valid sectors, as the last victim of its set. Its
 * victim is the line of the set that was not used for longest, of those that wait for nothing.
 * TMA_NONE: there is none. */
uint32_t tma_l1_allocate(struct tma_l1 *l1, uint64_t line);

/* No sector is valid any longer. What is pending arrives, and is valid then. */
void tma_l1_invalidate(struct tma_l1 *l1);
