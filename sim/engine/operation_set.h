/* A set of TMA operations, told apart by tensor map, direction and coordinates, each with a bit
 * mask of who did it. */
#ifndef TMA_ENGINE_OPERATION_SET_H
#define TMA_ENGINE_OPERATION_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "placement/operation.h"

struct tma_set_operation {
    uint64_t key; /* 0: free */
    uint8_t mask; /* 0: new */
};

struct tma_operation_set {
    struct tma_set_operation *items; /* owned */
    size_t capacity;
};

/* Makes room for so many operations. False when out of memory. */
bool tma_operation_set_create(struct tma_operation_set *set, size_t operations);
void tma_operation_set_free(struct tma_operation_set *set);

/* The entry of an operation on map number `map_index` of array `map`. */
struct tma_set_operation *tma_operation_set_find(struct tma_operation_set *set, uint32_t map,
                                                 uint32_t map_index,
                                                 const struct tma_operation *operation);

#endif
