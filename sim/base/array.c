#define _DEFAULT_SOURCE /* madvise */
#include "base/array.h"

#include <string.h>
#include <sys/mman.h>

#include "base/allocation.h"
#include "base/fuzzing.h"

enum { FIRST_CAPACITY = TMA_UNLESS_FUZZING(256, 16) };

bool tma_array_grow(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    size_t larger = *capacity == 0 ? FIRST_CAPACITY : 2 * *capacity;
    void *moved;
    memcpy(&moved, items, sizeof moved); /* a pointer of any type */
    moved = tma_resize(moved, larger, size);
    if (moved == NULL)
        return false;
    memcpy(items, &moved, sizeof moved);
    *capacity = larger;
    return true;
}

/* Large blocks use huge pages where the host supports them. With small pages, nearly every access
 * to the pools and L2 sets misses the host's TLB, which slows the timing model by 3 % to 15 %. */
enum { HUGE_PAGE_BYTES = 2 << 20 };

static void *allocate(size_t bytes) {
    if (bytes < HUGE_PAGE_BYTES)
        return tma_allocate_aligned(TMA_HOST_LINE_BYTES, bytes);
    size_t pages = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES;
    void *block = tma_allocate_aligned(HUGE_PAGE_BYTES, pages * HUGE_PAGE_BYTES);
#ifdef MADV_HUGEPAGE
    if (block != NULL)
        madvise(block, pages * HUGE_PAGE_BYTES, MADV_HUGEPAGE);
#endif
    return block;
}

void *tma_resize_aligned(void *block, size_t used_bytes, size_t bytes) {
    void *resized = allocate(bytes);
    if (resized == NULL)
        return NULL;
    if (used_bytes > 0)
        memcpy(resized, block, used_bytes);
    tma_release(block);
    return resized;
}

void *tma_allocate_lines(size_t count, size_t size) {
    void *block = tma_resize_aligned(NULL, 0, count * size);
    return block == NULL ? NULL : memset(block, 0, count * size);
}
