#include "base/room.h"

#include <stdlib.h>
#include <string.h>

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

void *tma_resize_lines(void *block, size_t used_bytes, size_t bytes) {
    void *resized = aligned_alloc(TMA_HOST_LINE_BYTES, bytes);
    if (resized == NULL)
        return NULL;
    if (used_bytes > 0)
        memcpy(resized, block, used_bytes);
    free(block);
    return resized;
}
