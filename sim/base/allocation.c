#include "base/allocation.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Written by tests only, which are the only users that count. So threads that use the library need
 * no lock. */
static struct {
    bool armed;
    uint64_t count, fail_at;
} test;

static bool fails(void) {
    return test.armed && ++test.count == test.fail_at;
}

void tma_allocation_fail_at(uint64_t n) {
    test.armed = true;
    test.count = 0;
    test.fail_at = n;
}

uint64_t tma_allocation_count(void) {
    return test.count;
}

void *tma_allocate(size_t count, size_t size) {
    bool empty = count == 0 || size == 0;
    return fails() ? NULL : calloc(empty ? 1 : count, empty ? 1 : size);
}

void *tma_allocate_aligned(size_t alignment, size_t bytes) {
    return fails() ? NULL : aligned_alloc(alignment, bytes);
}

void *tma_resize(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || fails())
        return NULL;
    return realloc(block, bytes == 0 ? 1 : bytes);
}

char *tma_copy_text(const char *text) {
    return fails() ? NULL : strdup(text);
}

char *tma_copy_bytes(const char *text, size_t length) {
    return fails() ? NULL : strndup(text, length);
}

FILE *tma_open_text(char **text, size_t *length) {
    return fails() ? NULL : open_memstream(text, length);
}

void tma_release(void *block) {
    free(block);
}
