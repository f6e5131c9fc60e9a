#include "memory/l2.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static size_t set_count(const struct tma_l2 *l2) {
    return (size_t)l2->partitions * l2->slices * l2->slice_sets;
}

/* The rest of a set is written before it is read. */
static void empty_set(struct tma_l2_set *set) {
    memset(set->low_tags, UINT8_MAX, sizeof set->low_tags); /* TMA_L2_EMPTY */
    set->valid = set->asked = 0;
    set->order = UINT64_C(0x0123456789abcdef); /* as if its ways had been taken one by one */
    set->waiting = set->filling = set->passing = set->dirty = 0;
}

enum tma_error_code tma_l2_create(struct tma_l2 *l2, const struct tma_machine *machine,
                                  struct tma_error *error) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    uint64_t slice_bytes = machine->l2.capacity_bytes / machine->l2.slices;
    *l2 = (struct tma_l2){.partitions = machine->l2.partitions,
                          .slices = slices,
                          .slice_sets = (uint32_t)(slice_bytes / TMA_LINE_BYTES / machine->l2.ways),
                          .ways = machine->l2.ways,
                          .all_ways = (1u << machine->l2.ways) - 1,
                          .dealing = tma_dealing_of(machine),
                          .high_tag = TMA_L2_NO_TAGS};
    l2->per_set = tma_divisor_of(l2->slice_sets);
    assert(l2->ways >= 1 && l2->ways <= TMA_L2_MAX_WAYS && l2->slice_sets >= 1);
    l2->sets = tma_resize_aligned(NULL, 0, set_count(l2) * sizeof *l2->sets);
    if (l2->sets == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %zu L2 sets", set_count(l2));
    for (size_t i = 0; i < set_count(l2); i++)
        empty_set(&l2->sets[i]);
    return TMA_OK;
}

void tma_l2_free(struct tma_l2 *l2) {
    free(l2->sets);
    *l2 = (struct tma_l2){0};
}

/* Halves of eight tags, which the host compares at once. (What the compilers make of a loop over
 * them takes several times as many instructions, of which this is the busiest place.) */
typedef uint16_t eight __attribute__((vector_size(16)));

static const eight way_bits[TMA_L2_MAX_WAYS / 8] = {
    {1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7},
    {1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15},
};

/* Bit per way that has this half of a tag. */
static inline uint32_t ways_with(const uint16_t halves[TMA_L2_MAX_WAYS], uint16_t half) {
    eight equal = {0};
    for (int i = 0; i < TMA_L2_MAX_WAYS / 8; i++) {
        eight tags;
        memcpy(&tags, &halves[8 * i], sizeof tags);
        equal |= (eight)(tags == half) & way_bits[i];
    }
    uint64_t words[2];
    memcpy(words, &equal, sizeof words);
    return (uint32_t)((words[0] | words[1]) * UINT64_C(0x0001000100010001) >> 48); /* their sum */
}

/* Bit per way that has a tag, which may be TMA_L2_EMPTY. */
static inline uint32_t ways_of(const struct tma_l2 *l2, const struct tma_l2_set *set,
                               uint32_t tag) {
    uint32_t ways = ways_with(set->low_tags, (uint16_t)tag);
    if (l2->high_tag == TMA_L2_MIXED && ways != 0)
        ways &= ways_with(set->high_tags, (uint16_t)(tag >> 16));
    return ways & l2->all_ways;
}

static bool is_low_empty(uint32_t tag) {
    return (uint16_t)tag == (uint16_t)TMA_L2_EMPTY;
}

/* Where high halves are not kept, all are the same, and no low one is that of an empty way. */
static inline bool is_foreign(const struct tma_l2 *l2, uint32_t tag) {
    return l2->high_tag != TMA_L2_MIXED && (l2->high_tag != tag >> 16 || is_low_empty(tag));
}

static inline int find(const struct tma_l2 *l2, const struct tma_l2_set *set, uint32_t tag) {
    if (is_foreign(l2, tag))
        return -1;
    uint32_t ways = ways_of(l2, set, tag);
    return ways == 0 ? -1 : __builtin_ctz(ways);
}

int tma_l2_find(const struct tma_l2 *l2, const struct tma_l2_set *set, uint32_t tag) {
    return find(l2, set, tag);
}

static uint32_t tag_of(const struct tma_l2 *l2, const struct tma_l2_set *set, int way) {
    uint32_t high = l2->high_tag == TMA_L2_MIXED ? set->high_tags[way] : l2->high_tag;
    return high << 16 | set->low_tags[way];
}

/* From now on, sets keep high halves of tags. */
static void mix_tags(struct tma_l2 *l2) {
    for (size_t i = 0; i < set_count(l2); i++) {
        struct tma_l2_set *set = &l2->sets[i];
        for (uint32_t way = 0; way < TMA_L2_MAX_WAYS; way++)
            set->high_tags[way] =
                (uint16_t)(is_low_empty(set->low_tags[way]) ? TMA_L2_EMPTY : l2->high_tag);
    }
    l2->high_tag = TMA_L2_MIXED;
}

static void put_tag(const struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t tag) {
    set->low_tags[way] = (uint16_t)tag;
    if (l2->high_tag == TMA_L2_MIXED)
        set->high_tags[way] = (uint16_t)(tag >> 16);
}

static void mix_tags_for(struct tma_l2 *l2, uint32_t tag) {
    if (l2->high_tag == TMA_L2_NO_TAGS)
        l2->high_tag = tag >> 16;
    if (is_foreign(l2, tag))
        mix_tags(l2);
}

/* Sectors of a way that DRAM does not have. */
static uint32_t dirty_sectors(const struct tma_l2_set *set, int way) {
    return (set->dirty & 1u << way) == 0 ? 0 : tma_l2_sectors(set->dirty_sectors, way);
}

/* Nothing is known of the way's sectors any more. */
static void clear_way(struct tma_l2_set *set, int way) {
    tma_l2_masks others = ~tma_l2_of_way(way, TMA_ALL_SECTORS);
    set->valid &= others;
    set->asked &= others;
    set->filling = (uint16_t)(set->filling & ~(1u << way));
    set->dirty = (uint16_t)(set->dirty & ~(1u << way));
    set->lent = (uint16_t)(set->lent & ~(1u << way));
}

/* Of some ways, the one whose last use is longest ago; -1: of none. */
static int rested_way(const struct tma_l2_set *set, uint32_t ways) {
    for (int i = TMA_L2_MAX_WAYS - 1; i >= 0; i--) {
        int way = (int)(set->order >> (4 * i) & 15u);
        if ((ways & 1u << way) != 0)
            return way;
    }
    return -1;
}

/* -1 where somebody waits for every way. */
static int choose_victim(const struct tma_l2 *l2, const struct tma_l2_set *set) {
    uint32_t free = l2->all_ways & ~(uint32_t)set->waiting, passing = set->passing & free;
    return rested_way(set, passing != 0 ? passing : free);
}

/* The way's line is there for an SM of this partition, unless it is still passing. */
static void keep(struct tma_l2_set *set, int way, bool passing) {
    set->passing = (uint16_t)(set->passing & ~((uint32_t)!passing << way));
}

/* Takes a way for a line that the set does not have. */
__attribute__((noinline)) static int take_way(struct tma_l2 *l2, struct tma_l2_set *set,
                                              uint32_t tag, bool passing,
                                              struct tma_l2_victim *victim) {
    uint32_t empty = ways_of(l2, set, TMA_L2_EMPTY);
    int way = empty != 0 ? __builtin_ctz(empty) : choose_victim(l2, set);
    if (way < 0)
        return -1;
    if (empty == 0) {
        l2->evictions++;
        *victim = (struct tma_l2_victim){tag_of(l2, set, way), dirty_sectors(set, way)};
    }
    mix_tags_for(l2, tag);
    put_tag(l2, set, way, tag);
    clear_way(set, way);
    set->passing = (uint16_t)(set->passing | 1u << way);
    keep(set, way, passing);
    return way;
}

int tma_l2_claim(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag, bool passing,
                 struct tma_l2_victim *victim) {
    *victim = (struct tma_l2_victim){0};
    int way = find(l2, set, tag);
    if (way < 0)
        return take_way(l2, set, tag, passing, victim);
    keep(set, way, passing);
    return way;
}

/* The way was used last: it goes to the front of the order. */
static void touch(struct tma_l2_set *set, int way) {
    const uint64_t each = UINT64_C(0x1111111111111111);
    uint64_t differs = set->order ^ each * (uint64_t)way;
    int at = __builtin_ctzll((differs - each) & ~differs & each << 3) & ~3; /* of its four bits */
    uint64_t before = (UINT64_C(1) << at) - 1, behind = ~before << 3 << 1;
    set->order = (set->order & behind) | (set->order & before) << 4 | (uint64_t)way;
}

void tma_l2_note(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    uint32_t first_asked = sectors & tma_l2_sectors(set->valid & ~set->asked, way);
    l2->unused_sectors -= tma_sector_count(first_asked);
    set->asked |= tma_l2_of_way(way, sectors);
}

uint32_t tma_l2_ask(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    touch(set, way);
    tma_l2_note(l2, set, way, sectors);
    return sectors & ~tma_l2_sectors(set->valid, way);
}

uint32_t tma_l2_ask_copy(struct tma_l2_set *set, int way, uint32_t sectors, bool *first) {
    touch(set, way);
    *first = (sectors & ~tma_l2_sectors(set->asked, way)) != 0;
    set->asked |= tma_l2_of_way(way, sectors);
    return sectors & ~tma_l2_sectors(set->valid, way);
}

void tma_l2_fill(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors,
                 uint64_t cycle) {
    uint32_t later = (uint32_t)cycle;
    bool filling = (set->filling & 1u << way) != 0;
    l2->unused_sectors += tma_sector_count(sectors & ~tma_l2_sectors(set->asked, way));
    set->valid |= tma_l2_of_way(way, sectors);
    set->filling = (uint16_t)(set->filling | 1u << way);
    if (!filling || (int32_t)(later - set->ready[way]) > 0)
        set->ready[way] = later;
}

void tma_l2_write(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    tma_l2_ask(l2, set, way, sectors);
    set->valid |= tma_l2_of_way(way, sectors);
    set->dirty_sectors = (set->dirty_sectors & ~tma_l2_of_way(way, TMA_ALL_SECTORS)) |
                         tma_l2_of_way(way, dirty_sectors(set, way) | sectors);
    set->dirty = (uint16_t)(set->dirty | 1u << way);
}

struct tma_l2_victim tma_l2_clean(const struct tma_l2 *l2, struct tma_l2_set *set, int way,
                                  uint32_t most) {
    uint32_t others = set->dirty & ~(1u << way);
    if ((uint32_t)__builtin_popcount(set->dirty) <= most || others == 0)
        return (struct tma_l2_victim){0};
    int cleaned = rested_way(set, others);
    struct tma_l2_victim victim = {tag_of(l2, set, cleaned), dirty_sectors(set, cleaned)};
    set->dirty = (uint16_t)(set->dirty & ~(1u << cleaned));
    return victim;
}

void tma_l2_copy(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    tma_l2_ask(l2, set, way, sectors);
    set->valid |= tma_l2_of_way(way, sectors);
}

void tma_l2_drop(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag) {
    int way = tma_l2_find(l2, set, tag);
    if (way < 0 || (set->waiting & 1u << way) != 0)
        return;
    put_tag(l2, set, way, TMA_L2_EMPTY);
    clear_way(set, way);
}

uint64_t tma_l2_ready(struct tma_l2_set *set, int way, uint64_t now) {
    if ((set->filling & 1u << way) == 0)
        return now;
    int32_t wait = (int32_t)(set->ready[way] - (uint32_t)now);
    if (wait > 0)
        return now + (uint32_t)wait;
    set->filling = (uint16_t)(set->filling & ~(1u << way));
    return now;
}

int tma_l2_leave(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag, bool passing,
                 uint32_t sectors) {
    int way = find(l2, set, tag);
    if (way < 0) {
        uint64_t evictions = l2->evictions;
        struct tma_l2_victim victim;
        way = take_way(l2, set, tag, passing, &victim);
        l2->evictions = evictions;
        l2->full = l2->full || (uint32_t)way == l2->ways - 1; /* empty ways are taken in order */
    }
    keep(set, way, passing);
    if (l2->full) /* until then, the order is that in which ways are taken */
        touch(set, way);
    set->valid |= tma_l2_of_way(way, sectors);
    set->asked |= tma_l2_of_way(way, sectors);
    return way;
}

void tma_l2_age(struct tma_l2 *l2, uint64_t now) {
    for (size_t i = 0; i < set_count(l2); i++)
        for (uint32_t way = 0; l2->sets[i].filling != 0 && way < l2->ways; way++)
            tma_l2_ready(&l2->sets[i], (int)way, now);
}
