#include "base/allocation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Only tests write it, before they use the library: threads that read it need no lock. */
bool (*tma_allocation_fails)(void);

static bool fails(void) {
    if (tma_allocation_fails == NULL || !tma_allocation_fails())
        return false;
    errno = ENOMEM;
    return true;
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
    return tma_copy_bytes(text, strlen(text));
}

char *tma_copy_bytes(const char *text, size_t length) {
    char *copy = tma_allocate(length + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

FILE *tma_open_text(char **text, size_t *length) {
    return fails() ? NULL : open_memstream(text, length);
}

bool tma_close_text(FILE *stream, char **text) {
    bool good = ferror(stream) == 0;
    good = fclose(stream) == 0 && good;
    if (!good) {
        free(*text);
        *text = NULL;
    }
    return *text != NULL;
}

void tma_release(void *block) {
    free(block);
}
