/* Every allocation of the library and of the command. scripts/check-structure forbids malloc() and
 * its relatives elsewhere, so that a test can make each allocation fail in turn.
 *
 * The blocks are those of malloc(): a caller of the public interface frees what it owns with
 * free(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns a block of `count` times `size` zero bytes; NULL when out of memory, or if the product
 * exceeds what a size_t holds. A block of no bytes is not NULL. */
void *tma_allocate(size_t count, size_t size) __attribute__((malloc, warn_unused_result));

/* The same for `bytes` bytes at a multiple of `alignment`, a power of two. The bytes are not
 * cleared. */
void *tma_allocate_aligned(size_t alignment, size_t bytes)
    __attribute__((malloc, warn_unused_result));

/* Blocks that are freed together. They lie side by side, in few pieces, which have large pages
 * where the system gives them. */
struct tma_arena {
    void *last; /* a piece; NULL: empty */
};

/* As tma_allocate, at a multiple of 64 bytes. */
void *tma_arena_take(struct tma_arena *arena, size_t count, size_t size)
    __attribute__((malloc, warn_unused_result));
void tma_arena_free(struct tma_arena *arena);

/* Gives a block, which may be NULL, a size of `count` times `size` bytes. The block may move. New
 * bytes are not cleared. Returns NULL when out of memory, or if the product exceeds what a size_t
 * holds; `block` is then unchanged. */
void *tma_resize(void *block, size_t count, size_t size) __attribute__((warn_unused_result));

/* Copies a text, or its first `length` bytes, which it must have. NULL when out of memory. */
char *tma_copy_text(const char *text) __attribute__((malloc, warn_unused_result));
char *tma_copy_bytes(const char *text, size_t length) __attribute__((malloc, warn_unused_result));

/* Opens a stream that writes to memory, as open_memstream() does: when it is closed, *text is a
 * block. NULL when out of memory. */
FILE *tma_open_text(char **text, size_t *length) __attribute__((warn_unused_result));

/* Closes it. False when out of memory, now or at an earlier write: *text is NULL then. fclose()
 * alone does not tell. */
bool tma_close_text(FILE *stream, char **text) __attribute__((warn_unused_result));

/* Frees a block, which may be NULL. */
void tma_release(void *block);

/* The same of several: TMA_RELEASE(first, second). */
void tma_release_all(void *const *blocks, size_t count);
#define TMA_RELEASE(...)                                                                           \
    tma_release_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* For tests: NULL, or a function that every allocation calls first. If it returns true, the
 * allocation fails. */
extern bool (*tma_allocation_fails)(void);
