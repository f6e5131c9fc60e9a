#include "memory/l2.h"

#include <assert.h>
#include <stdlib.h>

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
    l2->sets = malloc(set_count(l2) * sizeof *l2->sets);
    if (l2->sets == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %zu L2 sets", set_count(l2));
    tma_l2_flush(l2);
    return TMA_OK;
}

void tma_l2_free(struct tma_l2 *l2) {
    free(l2->sets);
    *l2 = (struct tma_l2){0};
}

void tma_l2_flush(struct tma_l2 *l2) {
    struct tma_l2_set empty = {0};
    for (uint32_t way = 0; way < TMA_L2_MAX_WAYS; way++)
        empty.lines[way] = TMA_L2_EMPTY;
    for (size_t i = 0; i < set_count(l2); i++)
        l2->sets[i] = empty;
    l2->evictions = 0;
    l2->unused_sectors = 0;
}

struct tma_l2_set *tma_l2_set(struct tma_l2 *l2, uint32_t partition,
                              const struct tma_place *place) {
    /* A group has one line in each slice of each partition, hence two in a slice with its copies.
     */
    uint64_t number = place->group * l2->partitions + (place->home != partition);
    size_t slice = (size_t)partition * l2->slices + place->slice;
    return &l2->sets[slice * l2->slice_sets + number % l2->slice_sets];
}

int tma_l2_find(const struct tma_l2 *l2, const struct tma_l2_set *set, uint64_t line) {
    for (uint32_t way = 0; way < l2->ways; way++)
        if (set->lines[way] == line)
            return (int)way;
    return -1;
}

/* Sectors of a way that were fetched and never asked for. */
static unsigned unused(const struct tma_l2_set *set, uint32_t way) {
    return (unsigned)__builtin_popcount((unsigned)(set->valid[way] & ~set->asked[way]));
}

/* -1 where somebody waits for every way. */
static int choose_victim(const struct tma_l2 *l2, const struct tma_l2_set *set) {
    uint32_t all = (1u << l2->ways) - 1;
    uint32_t candidates = all & ~(uint32_t)(set->referenced | set->waiting);
    if (candidates == 0)
        candidates = all & ~(uint32_t)set->waiting;
    return candidates == 0 ? -1 : __builtin_ctz(candidates);
}

int tma_l2_claim(struct tma_l2 *l2, struct tma_l2_set *set, uint64_t line) {
    int way = tma_l2_find(l2, set, line);
    if (way >= 0)
        return way;
    way = tma_l2_find(l2, set, TMA_L2_EMPTY);
    if (way < 0) {
        way = choose_victim(l2, set);
        if (way < 0)
            return -1;
        l2->evictions++;
        l2->unused_sectors += unused(set, (uint32_t)way);
    }
    set->lines[way] = line;
    set->ready[way] = 0;
    set->valid[way] = set->asked[way] = 0;
    return way;
}

void tma_l2_touch(const struct tma_l2 *l2, struct tma_l2_set *set, int way) {
    set->referenced = (uint16_t)(set->referenced | 1u << way);
    if (set->referenced == (1u << l2->ways) - 1)
        set->referenced = (uint16_t)(1u << way);
}

uint64_t tma_l2_count_unused(const struct tma_l2 *l2) {
    uint64_t sectors = 0;
    for (size_t i = 0; i < set_count(l2); i++)
        for (uint32_t way = 0; way < l2->ways; way++)
            sectors += unused(&l2->sets[i], way);
    return sectors;
}

void tma_l2_settle(struct tma_l2 *l2) {
    for (size_t i = 0; i < set_count(l2); i++) {
        l2->sets[i].waiting = 0;
        for (uint32_t way = 0; way < l2->ways; way++) {
            l2->sets[i].ready[way] = 0;
            l2->sets[i].asked[way] = l2->sets[i].valid[way];
        }
    }
    l2->evictions = 0;
    l2->unused_sectors = 0;
}
