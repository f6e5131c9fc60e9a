#include <string.h>

#include "placement/bytes.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = TMA_CHUNK_BYTES };

/* Two chunks: what one wide register holds. */
typedef uint64_t chunk_pair __attribute__((vector_size(2 * CHUNK_BYTES)));
enum { PAIR_BYTES = sizeof(chunk_pair) };

/* Each path is called with constants, and becomes a loop of its own; the entry points exist once
 * for every x86-64, and once for those with registers of 32 bytes. */
#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* A run of whole rows between two buffers. */
struct row_copy {
    uint32_t address; /* of the first row in shared memory, before the swizzle */
    uint8_t *shared;  /* where it would lie without a swizzle */
    uint8_t *global;
    uint64_t global_step_bytes;
    uint32_t row_bytes, pitch_bytes, rows;
    uint32_t lines, atom_bytes; /* of the swizzle */
};

INLINE void move_pair(bool in, bool swap, uint8_t *shared, uint8_t *global) {
    chunk_pair pair;
    memcpy(&pair, in ? global : shared, PAIR_BYTES);
    if (swap)
        pair = __builtin_shufflevector(pair, pair, 2, 3, 0, 1);
    memcpy(in ? shared : global, &pair, PAIR_BYTES);
}

INLINE void move_chunk(bool in, uint8_t *shared, uint8_t *global) {
    memcpy(in ? shared : global, in ? global : shared, CHUNK_BYTES);
}

/* Rows that lie end to end in shared memory. */
INLINE void copy_plain(const struct row_copy *copy, bool in, uint32_t bytes) {
    uint8_t *shared = copy->shared, *global = copy->global;
    for (uint32_t i = 0; i < copy->rows; i++) {
        uint32_t at = 0;
        for (; at + PAIR_BYTES <= bytes; at += PAIR_BYTES)
            move_pair(in, false, shared + at, global + at);
        if (at < bytes)
            move_chunk(in, shared + at, global + at);
        shared += bytes;
        global += copy->global_step_bytes;
    }
}

/* One row in a line, `flip` XORed into the addresses of its chunks. */
INLINE void copy_row(bool in, bool swap, uint32_t flip, uint8_t *line, uint32_t place,
                     uint8_t *global, uint32_t bytes) {
    uint32_t at = 0;
    uint32_t pair_flip = flip & ~(uint32_t)CHUNK_BYTES;
    for (; at + PAIR_BYTES <= bytes; at += PAIR_BYTES)
        move_pair(in, swap, line + ((place + at) ^ pair_flip), global + at);
    if (at < bytes)
        move_chunk(in, line + ((place + at) ^ flip), global + at);
}

/* Rows that lie in one line each: what the swizzle XORs into the addresses of a row's chunks is the
 * same for all of them. */
INLINE void copy_swizzled(const struct row_copy *copy, bool in) {
    uint8_t *shared = copy->shared, *global = copy->global;
    uint32_t address = copy->address;
    for (uint32_t i = 0; i < copy->rows; i++) {
        uint32_t place = address % LINE_BYTES;
        uint32_t flip = address / LINE_BYTES % copy->lines * copy->atom_bytes;
        if (flip & CHUNK_BYTES)
            copy_row(in, true, flip, shared - place, place, global, copy->row_bytes);
        else
            copy_row(in, false, flip, shared - place, place, global, copy->row_bytes);
        address += copy->pitch_bytes;
        shared += copy->pitch_bytes;
        global += copy->global_step_bytes;
    }
}

/* A row that fills its line: as copy_row, unrolled. */
INLINE void copy_line(bool in, bool swap, uint32_t flip, uint8_t *line, uint8_t *global) {
    uint32_t pair_flip = flip & ~(uint32_t)CHUNK_BYTES;
    move_pair(in, swap, line + pair_flip, global);
    move_pair(in, swap, line + (PAIR_BYTES ^ pair_flip), global + PAIR_BYTES);
    move_pair(in, swap, line + (2 * PAIR_BYTES ^ pair_flip), global + 2 * PAIR_BYTES);
    move_pair(in, swap, line + (3 * PAIR_BYTES ^ pair_flip), global + 3 * PAIR_BYTES);
}

/* Rows that fill their lines, 128-byte swizzle: each of the pattern's eight lines has its own code,
 * with nothing left to compute. The first row enters it where it lies. */
INLINE void copy_whole_lines(const struct row_copy *copy, bool in) {
    uint8_t *global = copy->global;
    uint32_t number = copy->address / LINE_BYTES % 8, left = copy->rows;
    uint8_t *pattern = copy->shared - number * LINE_BYTES;
#define PATTERN_LINE(n)                                                                            \
    case n:                                                                                        \
        copy_line(in, n % 2 == 1, n * CHUNK_BYTES, pattern + n * LINE_BYTES, global);              \
        if (--left == 0)                                                                           \
            return;                                                                                \
        global += copy->global_step_bytes;                                                         \
        __attribute__((fallthrough));
    for (;; number = 0, pattern += 8 * LINE_BYTES)
        switch (number) {
            PATTERN_LINE(0)
            PATTERN_LINE(1)
            PATTERN_LINE(2)
            PATTERN_LINE(3)
            PATTERN_LINE(4)
            PATTERN_LINE(5)
            PATTERN_LINE(6)
            PATTERN_LINE(7)
        default:
            break;
        }
#undef PATTERN_LINE
}

INLINE void copy_rows(const struct row_copy *copy, bool in) {
    if (copy->atom_bytes == 0 && copy->row_bytes == CHUNK_BYTES)
        copy_plain(copy, in, CHUNK_BYTES);
    else if (copy->atom_bytes == 0)
        copy_plain(copy, in, copy->row_bytes);
    else if (copy->row_bytes == LINE_BYTES && copy->lines == 8)
        copy_whole_lines(copy, in);
    else
        copy_swizzled(copy, in);
}

INLINE bool copy_run(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                     const struct tma_row_run *run, bool in) {
    const struct tma_row *row = &run->first;
    uint32_t pitch = run->shared_step_bytes;
    bool in_lines = pitch == LINE_BYTES || pitch == LINE_BYTES / 2 || pitch == LINE_BYTES / 4;
    if (!transfer->verbatim || row->data_bytes == 0 || row->before_bytes + row->after_bytes > 0)
        return false;
    if (transfer->swizzle->atom_bytes != 0 && (transfer->swizzle->flips_8b || !in_lines))
        return false;
    const struct row_copy copy = {
        .address = row->shared_address,
        .shared = shared->bytes + (row->shared_address - shared->address),
        .global = transfer->global->bytes + (row->global_address - transfer->global->address),
        .global_step_bytes = run->global_step_bytes,
        .row_bytes = row->data_bytes,
        .pitch_bytes = pitch,
        .rows = run->rows,
        .lines = transfer->swizzle->lines,
        .atom_bytes = transfer->swizzle->atom_bytes,
    };
    copy_rows(&copy, in);
    return true;
}

WIDE bool tma_copy_in(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                      const struct tma_row_run *run) {
    return shared->undefined == NULL && copy_run(transfer, shared, run, true);
}

WIDE bool tma_copy_out(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                       const struct tma_row_run *run) {
    return copy_run(transfer, shared, run, false);
}
