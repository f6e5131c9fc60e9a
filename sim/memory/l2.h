/* L2 tags: set-associative, 128-byte lines of four 32-byte sectors. Each partition holds its own
 * lines, and copies of lines of the other one that its SMs have read. */
#ifndef TMA_MEMORY_L2_H
#define TMA_MEMORY_L2_H

#include <stdbool.h>

#include "memory/address.h"

enum {
    TMA_L2_MAX_WAYS = 16,
    TMA_SECTORS = TMA_LINE_BYTES / TMA_SECTOR_BYTES,
    TMA_ALL_SECTORS = 15
};

struct tma_l2_set {
    uint64_t lines[TMA_L2_MAX_WAYS]; /* line number, or TMA_L2_EMPTY */
    /* By way: the cycle from which the data is there; while it is on its way from the other
     * partition, the first of the requests that wait for it. */
    uint64_t ready[TMA_L2_MAX_WAYS];
    uint8_t valid[TMA_L2_MAX_WAYS]; /* by way: bit per sector that is there or on its way */
    uint8_t asked[TMA_L2_MAX_WAYS]; /* by way: bit per sector that somebody asked for */
    uint16_t referenced;            /* bit per way: used since the last time that all were */
    uint16_t waiting;               /* bit per way: on its way from the other partition */
};

#define TMA_L2_EMPTY UINT64_MAX

struct tma_l2 {
    struct tma_l2_set *sets; /* owned: partitions x slices of one x sets of a slice */
    uint32_t partitions, slices, slice_sets, ways;
    uint64_t evictions;
    uint64_t unused_sectors; /* of lines that left: fetched, and never asked for */
};

enum tma_error_code tma_l2_create(struct tma_l2 *l2, const struct tma_machine *machine,
                                  struct tma_error *error);
void tma_l2_free(struct tma_l2 *l2);

/* Empties it. */
void tma_l2_flush(struct tma_l2 *l2);

/* The set of a line in a partition. */
struct tma_l2_set *tma_l2_set(struct tma_l2 *l2, uint32_t partition, const struct tma_place *place);

/* The way that holds the line, or -1. */
int tma_l2_find(const struct tma_l2 *l2, const struct tma_l2_set *set, uint64_t line);

/* The way that holds the line, after taking one for it (with no valid sector) where none did: an
 * empty one, else the first that was not referenced lately and that nobody waits for; -1 where all
 * are waited for. */
int tma_l2_claim(struct tma_l2 *l2, struct tma_l2_set *set, uint64_t line);

/* Notes that a way was used: it will not be replaced soon. */
void tma_l2_touch(const struct tma_l2 *l2, struct tma_l2_set *set, int way);

/* Sectors that were fetched and never asked for, of all lines that are in it now. */
uint64_t tma_l2_count_unused(const struct tma_l2 *l2);

/* Forgets who asked for what and until when data is on its way: a new run starts on what is here.
 */
void tma_l2_settle(struct tma_l2 *l2);

#endif
