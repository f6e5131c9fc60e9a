/* A calendar of what happens when: a ring of buckets, one for each cycle, each a list in order of
 * insertion. Entries are numbers of the user's; what they mean is the user's business. */
#ifndef TMA_MEMORY_WHEEL_H
#define TMA_MEMORY_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TMA_WHEEL_CYCLES = 1 << 12,
    TMA_WHEEL_CHUNK = 15,
    TMA_WHEEL_AHEAD = 32,
    TMA_NONE = UINT32_MAX
};

/* Part of a bucket: one line of the host's cache. */
struct tma_wheel_chunk {
    uint32_t entries[TMA_WHEEL_CHUNK];
    uint32_t next;
};

/* `end` says where the next entry goes, so that nothing has to be read from there: the number of
 * the last chunk, and how many of its entries are taken, as quotient and remainder of 16. */
struct tma_wheel_bucket {
    uint32_t first; /* chunk, or TMA_NONE */
    uint32_t end;
};

/* An entry that is further off than the ring is long. */
struct tma_wheel_far {
    uint64_t cycle;
    uint32_t entry;
};

struct tma_wheel {
    uint64_t now;   /* buckets are those of this cycle and the ones that follow it */
    uint64_t count; /* entries in the calendar */
    bool out_of_memory;
    struct tma_wheel_bucket buckets[TMA_WHEEL_CYCLES];
    struct tma_wheel_chunk *chunks; /* owned */
    size_t chunk_count;
    uint32_t free_chunk;
    struct tma_wheel_far *far; /* owned: in order of insertion */
    size_t far_count, far_capacity;
    uint32_t *due; /* owned: what tma_wheel_take gave */
    size_t due_capacity;
};

void tma_wheel_init(struct tma_wheel *wheel);
void tma_wheel_free(struct tma_wheel *wheel);

/* Puts an entry at a cycle that is not before `now`. Sets out_of_memory where it can't. */
void tma_wheel_put(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle);

/* Takes what is due at cycle `now` out of the calendar, gives how many entries that are (*due, in
 * order of insertion, until the next call), and moves on to the next cycle. Behind them stand the
 * first of those that are due then, as far as they are known: *known entries in all. */
uint32_t tma_wheel_take(struct tma_wheel *wheel, const uint32_t **due, uint32_t *known);

/* Moves on to `cycle` at once. Nothing may be due before. */
void tma_wheel_skip(struct tma_wheel *wheel, uint64_t cycle);

#endif
