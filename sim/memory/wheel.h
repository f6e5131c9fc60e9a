/* A calendar of what happens when: a ring of buckets, one for each cycle, each a list in order of
 * insertion. Entries are numbers of the user's; what they mean is the user's business. */
#ifndef TMA_MEMORY_WHEEL_H
#define TMA_MEMORY_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

enum { TMA_WHEEL_CYCLES = 1 << 14, TMA_NONE = UINT32_MAX };

struct tma_wheel {
    uint32_t *heads; /* owned: first entry of each bucket, or TMA_NONE */
    uint32_t *tails;
    uint64_t *due;  /* owned: by entry */
    uint32_t *next; /* owned: by entry */
    uint32_t capacity;
    uint64_t count; /* entries in the calendar */
};

bool tma_wheel_create(struct tma_wheel *wheel);
void tma_wheel_free(struct tma_wheel *wheel);

/* Makes room for entries 0 to capacity - 1; false when out of memory. */
bool tma_wheel_reserve(struct tma_wheel *wheel, uint32_t capacity);

/* Puts an entry at a cycle that is not in the past. Those further off than the ring is long go
 * round again. */
static inline void tma_wheel_put(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle) {
    uint32_t bucket = (uint32_t)cycle & (TMA_WHEEL_CYCLES - 1);
    wheel->due[entry] = cycle;
    wheel->next[entry] = TMA_NONE;
    if (wheel->heads[bucket] == TMA_NONE)
        wheel->heads[bucket] = entry;
    else
        wheel->next[wheel->tails[bucket]] = entry;
    wheel->tails[bucket] = entry;
    wheel->count++;
}

/* Takes what is due at `cycle` out of the calendar, as a list through wheel->next. Call it for
 * every cycle in turn. */
uint32_t tma_wheel_take(struct tma_wheel *wheel, uint64_t cycle);

#endif
