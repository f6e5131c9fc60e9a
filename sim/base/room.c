#include "base/room.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 256 };

void *tma_make_room(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return items;
    size_t larger = *capacity == 0 ? FIRST_CAPACITY : 2 * *capacity;
    void *moved = realloc(items, larger * size);
    if (moved != NULL)
        *capacity = larger;
    return moved;
}
