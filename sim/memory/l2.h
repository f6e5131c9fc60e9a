/* L2 tags: set-associative, 128-byte lines of four 32-byte sectors. Each partition holds its own
 * lines, and copies of lines of the other one that its SMs have read or stored to. */
#ifndef TMA_MEMORY_L2_H
#define TMA_MEMORY_L2_H

#include <stdbool.h>

#include "base/array.h"
#include "memory/address.h"

enum {
    TMA_L2_MAX_WAYS = 16,
    TMA_SECTORS = TMA_LINE_BYTES / TMA_SECTOR_BYTES,
    TMA_ALL_SECTORS = 15
};

/* The set that a line belongs to in a partition, and its tag there. */
struct tma_l2_index {
    uint32_t set;
    uint32_t tag;
};

/* Sectors of all ways: bit masks, of four bits each. */
typedef uint64_t tma_l2_masks;

/* A hit touches the first of the host's cache lines alone: the model's own time goes into waiting
 * for its memory. That is why a tag is kept in halves. */
struct tma_l2_set {
    _Alignas(TMA_HOST_LINE_BYTES) uint16_t low_tags[TMA_L2_MAX_WAYS]; /* low halves of tags */
    tma_l2_masks valid; /* sectors that are there or on their way */
    tma_l2_masks asked; /* sectors that somebody asked for */
    uint64_t order;     /* of the ways, four bits each: the one used last in the lowest */
    uint16_t waiting;   /* bit per way: on its way from the other partition */
    uint16_t filling;   /* bit per way: on its way from DRAM, or it was lately */
    uint16_t passing;   /* bit per way: only the other partition, which has a copy, has read it */
    uint16_t dirty;     /* bit per way: DRAM does not have all of it */

    /* By way. While the data is on its way from the other partition, the first of the requests that
     * wait for it; while it is on its way from DRAM, the cycle at which it is there (its low 32
     * bits); else nothing. */
    _Alignas(TMA_HOST_LINE_BYTES) uint32_t ready[TMA_L2_MAX_WAYS];

    tma_l2_masks dirty_sectors; /* that DRAM does not have, of the ways that are dirty */
    uint16_t lent; /* bit per way: the last write was a store from the other partition, which has a
                      copy */
    uint16_t high_tags[TMA_L2_MAX_WAYS]; /* where tags differ in their high halves: see tma_l2 */
};

/* The tag of an empty way. */
#define TMA_L2_EMPTY UINT32_MAX

/* What a way has of some masks, and the masks in which it has `sectors` and no other has any. */
static inline uint32_t tma_l2_sectors(tma_l2_masks masks, int way) {
    return (uint32_t)(masks >> (TMA_SECTORS * way)) & TMA_ALL_SECTORS;
}

static inline tma_l2_masks tma_l2_of_way(int way, uint32_t sectors) {
    return (tma_l2_masks)sectors << (TMA_SECTORS * way);
}

/* What left the cache and has to be written to DRAM. */
struct tma_l2_victim {
    uint32_t tag;
    uint32_t sectors; /* bit mask; 0: nothing */
};

struct tma_l2 {
    struct tma_l2_set *sets; /* owned: partitions x slices of one x sets of a slice */
    uint32_t partitions, slices, slice_sets, ways;
    struct tma_dealing dealing; /* of lines to slices */
    struct tma_divisor per_set; /* slice_sets */
    uint32_t all_ways;          /* bit per way */
    /* All tags have this high half, and sets need not keep it; or TMA_L2_MIXED, and they do. */
    uint32_t high_tag;
    bool full; /* lines were left until a set had no way for another */
    uint64_t evictions;
    uint64_t unused_sectors; /* fetched, and not asked for until now */
};

enum tma_error_code tma_l2_create(struct tma_l2 *l2, const struct tma_machine *machine,
                                  struct tma_error *error);
void tma_l2_free(struct tma_l2 *l2);

enum { TMA_L2_MIXED = UINT16_MAX + 1, TMA_L2_NO_TAGS };

/* Where each turn of the groups around the sets begins: so that lines at no distance meet in one
 * set more often than by chance. */
static inline uint32_t tma_l2_first_set(const struct tma_l2 *l2, uint64_t turn) {
    uint32_t hash = (uint32_t)turn * UINT32_C(0x9e3779b9);
    return (uint32_t)((uint64_t)hash * l2->slice_sets >> 32);
}

/* Where to look for a line in a partition. */
static inline struct tma_l2_index tma_l2_index(const struct tma_l2 *l2, uint32_t partition,
                                               const struct tma_place *place) {
    /* A group has one line in each slice of each partition, which has a copy of another one's. */
    uint64_t tag = tma_divide(place->group, &l2->per_set);
    uint32_t slice = partition * l2->slices + place->slice;
    uint32_t set = tma_l2_first_set(l2, tag) + (uint32_t)(place->group - tag * l2->slice_sets);
    return (struct tma_l2_index){
        .set = slice * l2->slice_sets + (set < l2->slice_sets ? set : set - l2->slice_sets),
        .tag = (uint32_t)(tag * l2->partitions + (place->home != partition)),
    };
}

/* Where to look for the copy of a line, of two partitions. */
static inline struct tma_l2_index tma_l2_copy_index(const struct tma_l2 *l2,
                                                    const struct tma_place *place) {
    return tma_l2_index(l2, 1u - place->home, place);
}

/* The way that holds the line, or -1. */
int tma_l2_find(const struct tma_l2 *l2, const struct tma_l2_set *set, uint32_t tag);

/* The number of the group of the line that a set of a partition's slice has under a tag. */
static inline uint64_t tma_l2_group(const struct tma_l2 *l2, struct tma_l2_index index) {
    uint64_t turn = index.tag / l2->partitions;
    uint32_t set = index.set % l2->slice_sets + l2->slice_sets - tma_l2_first_set(l2, turn);
    return turn * l2->slice_sets + set % l2->slice_sets;
}

/* The way that holds the line, after taking one for it (with no valid sector) where none did: an
 * empty one, else one that is passing, else any, of these the one whose last use is longest ago and
 * that nobody waits for; -1 where all are waited for. *victim is what that drove out.
 * passing: the line is claimed for a copy in the other partition, and not for an SM of this one. */
int tma_l2_claim(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag, bool passing,
                 struct tma_l2_victim *victim);

/* Notes that these sectors were not fetched in vain. */
void tma_l2_note(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors);

/* Notes that a way was used, and is asked for these sectors; gives those that it does not have. */
uint32_t tma_l2_ask(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors);

/* As tma_l2_ask, of a copy, whose sectors were fetched for its home: *first says whether any of
 * them was not asked for here before. */
uint32_t tma_l2_ask_copy(struct tma_l2_set *set, int way, uint32_t sectors, bool *first);

/* Notes that sectors come from DRAM, and are there at `cycle`. */
void tma_l2_fill(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors,
                 uint64_t cycle);

/* Notes that sectors were written: they are there, and DRAM does not have them. */
void tma_l2_write(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors);

/* After a write into `way`: where more than `most` ways of the set are dirty, another one is
 * written to DRAM, and stays. */
struct tma_l2_victim tma_l2_clean(const struct tma_l2 *l2, struct tma_l2_set *set, int way,
                                  uint32_t most);

/* Notes that sectors were written in the other partition, of whose line this way has a copy. */
void tma_l2_copy(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors);

/* Forgets a line that nobody waits for, if it is there. */
void tma_l2_drop(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag);

/* The cycle from which a way's data is there: `now`, or later while it is being filled. */
uint64_t tma_l2_ready(struct tma_l2_set *set, int way, uint64_t now);

/* Notes whether what was written last was a store from the other partition. */
static inline void tma_l2_lend(struct tma_l2_set *set, int way, bool lent) {
    set->lent = (uint16_t)((set->lent & ~(1u << way)) | (uint32_t)lent << way);
}

/* Leaves sectors in a way, which it gives, as if they had been there for long, and had been asked
 * for. Until a set is full, nothing is driven out, and to leave a line again changes nothing. */
int tma_l2_leave(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag, bool passing,
                 uint32_t sectors);

/* Forgets which lines were being filled before `now`. Call it at least once in 2^31 cycles: cycles
 * are kept modulo 2^32. */
void tma_l2_age(struct tma_l2 *l2, uint64_t now);

/* Fetches what a hit in a set will need into the host's caches. */
__attribute__((always_inline)) static inline void tma_l2_prefetch(const struct tma_l2 *l2,
                                                                  uint32_t set) {
    __builtin_prefetch(&l2->sets[set], 1);
    if (l2->high_tag == TMA_L2_MIXED)
        __builtin_prefetch(l2->sets[set].high_tags);
}

/* Bit per sector of a line that the bytes from `first` to `last` of it touch. */
static inline uint32_t tma_sector_mask(uint32_t first, uint32_t last) {
    return (2u << last / TMA_SECTOR_BYTES) - (1u << first / TMA_SECTOR_BYTES);
}

/* How many bits a mask of sectors has. */
static inline uint32_t tma_sector_count(uint32_t sectors) {
    return (uint32_t)(UINT64_C(0x4332322132212110) >> (4 * sectors)) & 15u;
}

#endif
