#include "memory/l2.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

static size_t set_count(const struct tma_l2 *l2) {
    return (size_t)l2->partitions * l2->slices * l2->slice_sets;
}

enum tma_error_code tma_l2_create(struct tma_l2 *l2, const struct tma_machine *machine,
                                  struct tma_error *error) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    uint64_t slice_bytes = machine->l2.capacity_bytes / machine->l2.slices;
    *l2 = (struct tma_l2){.partitions = machine->l2.partitions,
                          .slices = slices,
                          .slice_sets = (uint32_t)(slice_bytes / TMA_LINE_BYTES / machine->l2.ways),
                          .ways = machine->l2.ways};
    assert(l2->ways >= 1 && l2->ways <= TMA_L2_MAX_WAYS && l2->slice_sets >= 1);
    l2->sets = tma_resize_lines(NULL, 0, set_count(l2) * sizeof *l2->sets);
    if (l2->sets == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %zu L2 sets", set_count(l2));
    struct tma_l2_set empty = {0};
    for (uint32_t way = 0; way < TMA_L2_MAX_WAYS; way++)
        empty.tags[way] = TMA_L2_EMPTY;
    for (size_t i = 0; i < set_count(l2); i++)
        l2->sets[i] = empty;
    return TMA_OK;
}

void tma_l2_free(struct tma_l2 *l2) {
    free(l2->sets);
    *l2 = (struct tma_l2){0};
}

static uint32_t all_ways(const struct tma_l2 *l2) {
    return (1u << l2->ways) - 1;
}

/* Four tags, which the host compares at once. (What the compilers make of a loop over all tags
 * takes three times as many instructions, of which this is the busiest place.) */
typedef uint32_t quarter __attribute__((vector_size(16)));

static const quarter way_bits[TMA_L2_MAX_WAYS / 4] = {
    {1u << 0, 1u << 1, 1u << 2, 1u << 3},
    {1u << 4, 1u << 5, 1u << 6, 1u << 7},
    {1u << 8, 1u << 9, 1u << 10, 1u << 11},
    {1u << 12, 1u << 13, 1u << 14, 1u << 15},
};

/* Bit per way: its tag has `bits` under `mask`. */
static uint32_t ways_with(const struct tma_l2_set *set, uint32_t mask, uint32_t bits) {
    quarter equal = {0};
    for (uint32_t i = 0; i < TMA_L2_MAX_WAYS / 4; i++) {
        quarter tags;
        memcpy(&tags, &set->tags[4 * i], sizeof tags);
        equal |= (quarter)((tags & mask) == bits) & way_bits[i];
    }
    uint64_t halves[2];
    memcpy(halves, &equal, sizeof halves);
    uint64_t ways = halves[0] | halves[1];
    return (uint32_t)(ways | ways >> 32);
}

int tma_l2_find(const struct tma_l2 *l2, const struct tma_l2_set *set, uint32_t tag) {
    uint32_t ways = ways_with(set, UINT32_MAX, tag) & all_ways(l2);
    return ways == 0 ? -1 : __builtin_ctz(ways);
}

static uint32_t copies_of(const struct tma_l2 *l2, const struct tma_l2_set *set) {
    return l2->partitions == 1 ? 0 : ways_with(set, 1, 1);
}

/* Of some ways, the first that was not used lately, or else the first; -1: of none. */
static int first_rested(const struct tma_l2_set *set, uint32_t ways) {
    uint32_t rested = ways & ~(uint32_t)set->referenced;
    uint32_t candidates = rested != 0 ? rested : ways;
    return candidates == 0 ? -1 : __builtin_ctz(candidates);
}

/* A copy before a line that is at home; -1 where somebody waits for every way. */
static int choose_victim(const struct tma_l2 *l2, const struct tma_l2_set *set) {
    uint32_t free = all_ways(l2) & ~(uint32_t)set->waiting, copies = copies_of(l2, set) & free;
    return first_rested(set, copies != 0 ? copies : free);
}

int tma_l2_claim(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag,
                 struct tma_l2_victim *victim) {
    *victim = (struct tma_l2_victim){0};
    int way = tma_l2_find(l2, set, tag);
    if (way >= 0)
        return way;
    way = tma_l2_find(l2, set, TMA_L2_EMPTY);
    if (way < 0) {
        way = choose_victim(l2, set);
        if (way < 0)
            return -1;
        l2->evictions++;
        *victim = (struct tma_l2_victim){set->tags[way], set->dirty[way]};
    }
    set->tags[way] = tag;
    set->valid[way] = set->asked[way] = set->dirty[way] = 0;
    set->filling = (uint16_t)(set->filling & ~(1u << way));
    return way;
}

static void touch(const struct tma_l2 *l2, struct tma_l2_set *set, int way) {
    set->referenced = (uint16_t)(set->referenced | 1u << way);
    if (set->referenced == all_ways(l2))
        set->referenced = (uint16_t)(1u << way);
}

void tma_l2_note(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    uint32_t first_asked = sectors & set->valid[way] & ~(uint32_t)set->asked[way];
    l2->unused_sectors -= tma_sector_count(first_asked);
    set->asked[way] = (uint8_t)(set->asked[way] | sectors);
}

uint32_t tma_l2_ask(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    touch(l2, set, way);
    tma_l2_note(l2, set, way, sectors);
    return sectors & ~(uint32_t)set->valid[way];
}

uint32_t tma_l2_ask_copy(const struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors,
                         bool *first) {
    touch(l2, set, way);
    *first = (sectors & ~(uint32_t)set->asked[way]) != 0;
    set->asked[way] = (uint8_t)(set->asked[way] | sectors);
    return sectors & ~(uint32_t)set->valid[way];
}

void tma_l2_fill(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors,
                 uint64_t cycle) {
    uint32_t later = (uint32_t)cycle;
    bool filling = (set->filling & 1u << way) != 0;
    l2->unused_sectors += tma_sector_count(sectors & ~(uint32_t)set->asked[way]);
    set->valid[way] = (uint8_t)(set->valid[way] | sectors);
    set->filling = (uint16_t)(set->filling | 1u << way);
    if (!filling || (int32_t)(later - set->ready[way]) > 0)
        set->ready[way] = later;
}

void tma_l2_write(struct tma_l2 *l2, struct tma_l2_set *set, int way, uint32_t sectors) {
    tma_l2_ask(l2, set, way, sectors);
    set->valid[way] = (uint8_t)(set->valid[way] | sectors);
    set->dirty[way] = (uint8_t)(set->dirty[way] | sectors);
}

struct tma_l2_victim tma_l2_clean(struct tma_l2_set *set, int way, uint32_t most) {
    uint32_t dirty = 0;
    for (uint32_t i = 0; i < TMA_L2_MAX_WAYS; i++)
        dirty |= (uint32_t)(set->dirty[i] != 0) << i;
    uint32_t others = dirty & ~(1u << way);
    if ((uint32_t)__builtin_popcount(dirty) <= most || others == 0)
        return (struct tma_l2_victim){0};
    int cleaned = first_rested(set, others);
    struct tma_l2_victim victim = {set->tags[cleaned], set->dirty[cleaned]};
    set->dirty[cleaned] = 0;
    return victim;
}

void tma_l2_drop(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag) {
    int way = tma_l2_find(l2, set, tag);
    if (way < 0 || (set->waiting & 1u << way) != 0)
        return;
    set->tags[way] = TMA_L2_EMPTY;
    set->valid[way] = set->asked[way] = set->dirty[way] = 0;
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

void tma_l2_leave(struct tma_l2 *l2, struct tma_l2_set *set, uint32_t tag, uint32_t sectors) {
    uint64_t evictions = l2->evictions;
    struct tma_l2_victim victim;
    int way = tma_l2_claim(l2, set, tag, &victim);
    l2->evictions = evictions;
    l2->full = l2->full || (uint32_t)way == l2->ways - 1; /* empty ways are taken in order */
    touch(l2, set, way);
    set->valid[way] = (uint8_t)(set->valid[way] | sectors);
    set->asked[way] = (uint8_t)(set->asked[way] | sectors);
}

void tma_l2_age(struct tma_l2 *l2, uint64_t now) {
    for (size_t i = 0; i < set_count(l2); i++)
        for (uint32_t way = 0; l2->sets[i].filling != 0 && way < l2->ways; way++)
            tma_l2_ready(&l2->sets[i], (int)way, now);
}
