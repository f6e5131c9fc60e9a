/* L2 tags: set-associative, with lines of 128 bytes in four sectors. Each partition holds the lines
 * whose home it is, and copies of lines of the other partition that its SMs have read or stored. */
#pragma once

#include <stdbool.h>

#include "base/array.h"
#include "base/error.h"
#include "memory/core/address_map.h"
#include "memory/core/event_queue.h"
#include "memory/core/packet.h"
#include "memory/core/sectors.h"
#include "memory/l2/replacement.h"

/* Sectors of all ways of a set: four bits for each way. */
typedef uint64_t tma_sector_masks;

/* The fill of a way: while it is pending, what it waits for; while the way is filling, when the
 * data is present. Otherwise meaningless. */
union tma_l2_fill {
    struct {
        uint32_t newest : TMA_PACKET_BITS; /* the packet that waits for it since last, or TMA_NONE's
                                              lowest bits */
        uint32_t awaited : 4;              /* at home: sectors that DRAM has not served */
    } pending;
    uint32_t ready_cycle; /* its lowest bits */
};

/* A hit touches only the first of the host's cache lines, and a fill the first two, as most of the
 * model's own time goes into waiting for the host's memory. That is why tags are split into halves.
 */
struct tma_l2_set {
    _Alignas(TMA_HOST_LINE_BYTES) uint16_t low_tags[TMA_L2_MAX_WAYS]; /* low halves of the tags */
    tma_sector_masks valid;     /* sectors that are present or pending */
    tma_sector_masks requested; /* sectors that a request asked for */
    uint64_t replacement;       /* state of the replacement policy */
    uint16_t pending;           /* bit per way: a fill is pending; packets may wait for it */
    uint16_t filling;           /* bit per way: DRAM has served a fill, which may be under way */
    uint16_t dirty;             /* bit per way: some sectors differ from DRAM */

    _Alignas(TMA_HOST_LINE_BYTES) union tma_l2_fill fills[TMA_L2_MAX_WAYS]; /* by way */

    uint16_t high_tags[TMA_L2_MAX_WAYS]; /* high halves of the tags, if they differ: see
                                            tma_l2_tags.high_tag */
};

/* The sectors that masks have for a way; and masks that have `sectors` for one way alone. */
static inline uint32_t tma_sectors_of_way(tma_sector_masks masks, int way) {
    return (uint32_t)(masks >> (TMA_SECTORS * way)) & TMA_ALL_SECTORS;
}

static inline tma_sector_masks tma_way_mask(int way, uint32_t sectors) {
    return (tma_sector_masks)sectors << (TMA_SECTORS * way);
}

/* A line, or part of it, that has to be written to DRAM. */
struct tma_l2_victim {
    uint32_t tag;
    uint32_t sectors; /* dirty ones; 0: nothing to write */
};

struct tma_l2_tags {
    struct tma_l2_set *sets; /* owned: partitions x slices of one x sets of a slice */
    /* Apart from the sets, in tables that the host's caches hold. Owned, by set:
     * remote_copies: a bit per way: the last write was a store of the other partition, which
     * therefore holds a copy; dirty_sectors: of the dirty ways: sectors that differ from DRAM. */
    uint16_t *remote_copies;
    tma_sector_masks *dirty_sectors;
    /* Owned, by set: ways whose lines go first, and ways whose lines are to stay. Both are 0 until
     * an access has had a hint: `hinted`. */
    struct tma_l2_priorities {
        uint16_t first, last;
    } * priorities;
    bool hinted;
    uint32_t kept_permille; /* of the ways, those whose lines stay */
    size_t set_count;
    uint32_t ways;
    uint32_t all_ways; /* bit per way */
    const struct tma_replacement_policy *policy;
    /* The high half that all tags share, so that sets need not store it; TMA_L2_NO_TAGS before the
     * first tag; TMA_L2_MIXED once tags differ in it, and sets store it. */
    uint32_t high_tag;
    /* Tags that sets can hold: those from first_tag to first_tag + tag_span. While sets store only
     * low halves, all tags share one high half, and no low half equals that of an empty way.
     * (Before the first tag, the range is that of tag 0, which no set holds.) */
    uint32_t first_tag, tag_span;
    bool full;           /* tma_tags_preload has filled the last way of a set */
    uint64_t empty_ways; /* of all sets: a full cache need not look for them */
    uint64_t evictions;
    uint64_t unused_sectors; /* filled, and not requested since */
};

enum { TMA_L2_MIXED = UINT16_MAX + 1, TMA_L2_NO_TAGS };

/* The memory that the tags of a machine take, in bytes. */
uint64_t tma_tags_bytes(const struct tma_machine *machine);

/* Fails with TMA_ERROR_MEMORY. */
enum tma_error_code tma_tags_create(struct tma_l2_tags *tags, const struct tma_machine *machine,
                                    struct tma_error *error);
void tma_tags_free(struct tma_l2_tags *tags);

/* The way that holds a line, or -1. */
int tma_tags_find(const struct tma_l2_tags *tags, const struct tma_l2_set *set, uint32_t tag);

/* The way that holds a line. If the set does not hold the line, allocates one without valid
 * sectors: an empty way, else a victim. Ways with a pending fill are never victims; -1 where all
 * ways have one. *victim is the line that has to be written back. */
int tma_tags_allocate(struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag,
                      struct tma_l2_victim *victim);

/* A plain hit: the set holds these sectors of a line, requests have asked for all of them before,
 * and no fill of the way is pending, or was lately. Takes the access of an SM of this partition and
 * returns true. Otherwise changes nothing: then tma_tags_allocate and tma_tags_access, or
 * tma_tags_access_copy, have to take the access. For a plain hit these two would do the same, at
 * the home of the line and in a copy: no way is allocated, nothing becomes requested or used for
 * the first time, and the data is present at once. */
bool tma_tags_hit(const struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag,
                  uint32_t sectors);

/* An access with a hint, or none, has touched a way: its line changes its priority. */
void tma_tags_set_priority(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                           enum tma_l2_hint hint);

static inline void tma_tags_hint(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                                 enum tma_l2_hint hint) {
    if (tags->hinted || hint != TMA_L2_HINT_NONE)
        tma_tags_set_priority(tags, set, way, hint);
}

/* Marks sectors as requested, so that they do not count as fetched in vain. */
void tma_tags_mark_requested(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                             uint32_t sectors);

/* A request accesses sectors of a way. Returns the sectors that the way lacks. */
uint32_t tma_tags_access(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                         uint32_t sectors);

/* The same for a copy of a line from the other partition. The home counts which of the fetched
 * sectors are used. *first: the copy's partition has not requested some of these sectors before. */
uint32_t tma_tags_access_copy(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                              uint32_t sectors, bool *first);

/* The home is asked for sectors of a copy: a fill is pending. */
void tma_tags_begin_copy(struct tma_l2_set *set, int way, uint32_t sectors);

/* DRAM is asked for sectors of a way: a fill is pending. */
void tma_tags_begin_fill(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                         uint32_t sectors);

/* The end of a fill is known: the sectors are present at `cycle`. Returns the packets that wait for
 * the way, the newest first: a list, or TMA_NONE as long as DRAM has not served other sectors of
 * the way. */
uint32_t tma_tags_end_fill(struct tma_l2_set *set, int way, uint32_t sectors, uint64_t cycle);

/* A write stores sectors of a way, which become dirty. */
void tma_tags_write(struct tma_l2_tags *tags, struct tma_l2_set *set, int way, uint32_t sectors);

/* After a write to `way`: where more than `most` ways of the set are dirty, another one becomes
 * clean and stays. Returns what has to be written back. */
struct tma_l2_victim tma_tags_clean(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                                    uint32_t most);

/* A store leaves sectors in a copy. */
void tma_tags_fill_copy(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                        uint32_t sectors);

/* Invalidates a line, if the set holds it and no fill of it is pending. */
void tma_tags_invalidate(struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag);

/* The cycle from which the data of a way is present: `now`, or later during a fill from DRAM. */
uint64_t tma_tags_ready_cycle(struct tma_l2_set *set, int way, uint64_t now);

/* The sectors of a set's dirty ways that differ from DRAM. */
static inline tma_sector_masks *tma_tags_dirty_sectors(const struct tma_l2_tags *tags,
                                                       const struct tma_l2_set *set) {
    return &tags->dirty_sectors[set - tags->sets];
}

/* The bits of a set: see tma_l2_tags.remote_copies. */
static inline uint16_t *tma_tags_remote_copies(const struct tma_l2_tags *tags,
                                               const struct tma_l2_set *set) {
    return &tags->remote_copies[set - tags->sets];
}

/* Notes whether the last write was a store of the other partition. */
static inline void tma_tags_set_remote_copy(const struct tma_l2_tags *tags,
                                            const struct tma_l2_set *set, int way,
                                            bool remote_copy) {
    uint16_t *copies = tma_tags_remote_copies(tags, set);
    *copies = (uint16_t)((*copies & ~(1u << way)) | (uint32_t)remote_copy << way);
}

/* The packet that came last of those that wait for the pending fill of a way, or TMA_NONE. */
static inline uint32_t tma_tags_waiting(const struct tma_l2_set *set, int way) {
    uint32_t newest = set->fills[way].pending.newest;
    return newest == TMA_PACKET_MASK ? TMA_NONE : newest;
}

/* A packet waits for the pending fill of a way. Returns the one that waited before it, or TMA_NONE.
 */
static inline uint32_t tma_tags_wait(struct tma_l2_set *set, int way, uint32_t packet) {
    uint32_t before = tma_tags_waiting(set, way);
    set->fills[way].pending.newest = packet & TMA_PACKET_MASK;
    return before;
}

/* Warm start: places sectors into a way, as if they had been present and requested for long.
 * Returns the way. *missed: the set did not hold the line. As long as no set is full there is no
 * eviction, and to place a line twice has no effect.
 */
int tma_tags_preload(struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag,
                     uint32_t sectors, bool *missed);

/* Forgets fills that ended before `now`. Call it at least once in 2^31 cycles, as sets keep cycles
 * modulo 2^32. */
void tma_tags_age(struct tma_l2_tags *tags, uint64_t now);

/* Prefetches into the host's caches what a hit in a set needs. */
__attribute__((always_inline)) static inline void tma_tags_prefetch(const struct tma_l2_tags *tags,
                                                                    uint32_t set) {
    __builtin_prefetch(&tags->sets[set], 1);
    if (tags->high_tag == TMA_L2_MIXED)
        __builtin_prefetch(tags->sets[set].high_tags);
}

/* Prefetches what a fill of a set needs besides. */
__attribute__((always_inline)) static inline void
tma_tags_prefetch_fill(const struct tma_l2_tags *tags, uint32_t set) {
    __builtin_prefetch(tags->sets[set].fills, 1);
}
