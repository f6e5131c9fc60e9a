#define _GNU_SOURCE /* madvise, fopencookie */
#include "base/allocation.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Only tests write it, before they use the library: threads that read it need no lock. */
bool (*tma_allocation_fails)(void);

static bool fails(void) {
    if (tma_allocation_fails == NULL || !tma_allocation_fails())
        return false;
    errno = ENOMEM;
    return true;
}

/* What is read in no order is found faster where pages are large: the TLB has few entries. */
static void advise(void *block, size_t bytes) {
    enum { LARGE_BYTES = 4 << 20 /* has an aligned page of 2 MiB, for sure */ };
    if (block == NULL || bytes < LARGE_BYTES)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)block + page - 1) / page * page, end = (uintptr_t)block + bytes;
    (void)madvise((void *)begin, (end - begin) / page * page, MADV_HUGEPAGE);
}

void *tma_allocate(size_t count, size_t size) {
    bool empty = count == 0 || size == 0;
    void *block = fails() ? NULL : calloc(empty ? 1 : count, empty ? 1 : size);
    advise(block, count * size);
    return block;
}

void *tma_allocate_aligned(size_t alignment, size_t bytes) {
    return fails() ? NULL : aligned_alloc(alignment, bytes);
}

struct arena_piece {
    struct arena_piece *before;
    size_t used, bytes;
};

enum { ARENA_UNIT = 64, ARENA_FIRST = 64 << 10, ARENA_MOST = 32 << 20 };
#ifdef __SANITIZE_ADDRESS__
enum { ARENA_SHARES = false /* each block is a piece, so that its ends are watched */ };
#else
enum { ARENA_SHARES = true };
#endif
_Static_assert(sizeof(struct arena_piece) <= ARENA_UNIT, "the head of a piece is one unit");

static size_t in_units(size_t bytes) {
    return (bytes + ARENA_UNIT - 1) / ARENA_UNIT * ARENA_UNIT;
}

void *tma_arena_take(struct tma_arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    struct arena_piece *piece = arena->last;
    bytes = in_units(bytes);
    if (piece == NULL || piece->bytes - piece->used < bytes) {
        size_t more = piece == NULL ? ARENA_FIRST : 2 * piece->bytes;
        more = more > ARENA_MOST ? ARENA_MOST : more;
        more = !ARENA_SHARES || more < bytes + 2 * ARENA_UNIT ? bytes + 2 * ARENA_UNIT : more;
        piece = tma_allocate(more, 1);
        if (piece == NULL)
            return NULL;
        size_t head = in_units((uintptr_t)piece + sizeof *piece) - (uintptr_t)piece;
        *piece = (struct arena_piece){.before = arena->last, .used = head, .bytes = more};
        arena->last = piece;
    }
    void *block = (char *)piece + piece->used;
    piece->used += bytes;
    return block;
}

void tma_arena_free(struct tma_arena *arena) {
    for (struct arena_piece *piece = arena->last, *before; piece != NULL; piece = before) {
        before = piece->before;
        tma_release(piece);
    }
    arena->last = NULL;
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

/* A stream into memory. That of open_memstream() does not remember that a single character found no
 * room: its text lacks it, and ferror() does not tell. */
struct text_stream {
    char **text, *bytes;
    size_t *length, count, room;
};

static ssize_t write_text(void *cookie, const char *bytes, size_t count) {
    struct text_stream *stream = cookie;
    if (count >= stream->room - stream->count) { /* room for the 0 behind it, too */
        size_t room = 2 * (stream->room + count);
        char *grown = realloc(stream->bytes, room);
        if (grown == NULL)
            return 0;
        stream->bytes = grown;
        stream->room = room;
    }
    memcpy(stream->bytes + stream->count, bytes, count);
    stream->count += count;
    return (ssize_t)count;
}

static int close_text(void *cookie) {
    struct text_stream *stream = cookie;
    if (stream->bytes == NULL)
        stream->bytes = malloc(1);
    if (stream->bytes != NULL)
        stream->bytes[stream->count] = '\0';
    *stream->text = stream->bytes;
    *stream->length = stream->count;
    free(stream);
    return 0;
}

FILE *tma_open_text(char **text, size_t *length) {
    const cookie_io_functions_t functions = {.write = write_text, .close = close_text};
    struct text_stream *stream = fails() ? NULL : calloc(1, sizeof *stream);
    FILE *file = NULL;
    if (stream == NULL)
        return NULL;
    *stream = (struct text_stream){.text = text, .length = length};
    if ((file = fopencookie(stream, "w", functions)) == NULL)
        free(stream);
    return file;
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

void tma_release_all(void *const *blocks, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
}
