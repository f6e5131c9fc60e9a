#include "engine/operation_set.h"

#include "base/allocation.h"
#include "memory/core/random.h"

bool tma_operation_set_create(struct tma_operation_set *set, size_t operations) {
    set->capacity = 1024;
    while (set->capacity < 2 * operations)
        set->capacity *= 2;
    set->items = tma_allocate(set->capacity, sizeof *set->items);
    return set->items != NULL;
}

void tma_operation_set_free(struct tma_operation_set *set) {
    tma_release(set->items);
    set->items = NULL;
}

static uint64_t key_of(uint32_t map, uint32_t map_index, const struct tma_operation *operation) {
    uint64_t key =
        tma_mix64((uint64_t)map << 40 | (uint64_t)map_index << 8 | (uint64_t)operation->direction);
    for (int d = 0; d < TMA_MAX_RANK; d++)
        key = tma_mix64(key ^ (uint32_t)operation->coordinates[d]);
    for (int d = 0; d < 3; d++)
        key = tma_mix64(key ^ operation->im2col_offsets[d]);
    return key | 1;
}

struct tma_set_operation *tma_operation_set_find(struct tma_operation_set *set, uint32_t map,
                                                 uint32_t map_index,
                                                 const struct tma_operation *operation) {
    uint64_t key = key_of(map, map_index, operation);
    size_t at = (size_t)(key >> 1) & (set->capacity - 1);
    while (set->items[at].key != 0 && set->items[at].key != key)
        at = (at + 1) & (set->capacity - 1);
    set->items[at].key = key;
    return &set->items[at];
}
