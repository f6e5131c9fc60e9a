#include <string.h>

#include "placement/bytes.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = TMA_CHUNK_BYTES };

/* Two 16-byte chunks: the content of one wide register. */
typedef uint64_t chunk_pair __attribute__((vector_size(2 * CHUNK_BYTES)));
enum { PAIR_BYTES = sizeof(chunk_pair) };

/* Every caller passes constants, so that the compiler specialises each path. */
#define INLINE static inline __attribute__((always_inline))

/* A run of whole rows between two buffers. */
struct row_copy {
    uint32_t address; /* of the first row in shared memory, before swizzling */
    uint8_t *shared;  /* the buffer's byte for that address */
    uint8_t *global;
    uint64_t global_step_bytes;
    uint32_t row_bytes, pitch_bytes, rows;
    uint32_t lines, atom_bytes; /* of the swizzle */
};

INLINE void get_pair(chunk_pair *pair, bool swap, const uint8_t *from) {
    memcpy(pair, from, PAIR_BYTES);
    if (swap)
        *pair = __builtin_shufflevector(*pair, *pair, 2, 3, 0, 1);
}

INLINE void move_pair(bool in, bool swap, uint8_t *shared, uint8_t *global) {
    chunk_pair pair;
    get_pair(&pair, swap, in ? global : shared);
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

/* Copies one row that lies in one 128-byte line. `flip` is XORed into its chunks' addresses. */
INLINE void copy_row(bool in, bool swap, uint32_t flip, uint8_t *line, uint32_t place,
                     uint8_t *global, uint32_t bytes) {
    uint32_t at = 0;
    uint32_t pair_flip = flip & ~(uint32_t)CHUNK_BYTES;
    for (; at + PAIR_BYTES <= bytes; at += PAIR_BYTES)
        move_pair(in, swap, line + ((place + at) ^ pair_flip), global + at);
    if (at < bytes)
        move_chunk(in, line + ((place + at) ^ flip), global + at);
}

/* Rows that lie in one 128-byte line each: the swizzle XORs the same value into the addresses of
 * all chunks of a row. */
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

/* copy_row for a row that fills its line, unrolled. It reads everything before it writes anything:
 * a processor stalls a read whose offset in its page equals that of a pending write (4K
 * aliasing). */
INLINE void copy_line(bool in, bool swap, uint32_t flip, uint8_t *line, uint8_t *global) {
    uint8_t *shared = line + (flip & 0x60), *shared_1 = line + ((flip & 0x60) ^ 0x20),
            *shared_2 = line + ((flip & 0x60) ^ 0x40), *shared_3 = line + ((flip & 0x60) ^ 0x60);
    chunk_pair pair, pair_1, pair_2, pair_3;
    get_pair(&pair, swap, in ? global : shared);
    get_pair(&pair_1, swap, in ? global + 0x20 : shared_1);
    get_pair(&pair_2, swap, in ? global + 0x40 : shared_2);
    get_pair(&pair_3, swap, in ? global + 0x60 : shared_3);
    memcpy(in ? shared : global, &pair, PAIR_BYTES);
    memcpy(in ? shared_1 : global + 0x20, &pair_1, PAIR_BYTES);
    memcpy(in ? shared_2 : global + 0x40, &pair_2, PAIR_BYTES);
    memcpy(in ? shared_3 : global + 0x60, &pair_3, PAIR_BYTES);
}

/* Rows that fill their lines, 128-byte swizzle: each of the pattern's eight lines has its own code
 * with constant addresses. The first row's line selects the entry. */
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

INLINE bool copy_run(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                     const struct tma_row_run *run, bool in) {
    const struct tma_row *row = &run->first;
    uint32_t pitch = run->shared_step_bytes;
    bool in_lines = pitch == LINE_BYTES || pitch == LINE_BYTES / 2 || pitch == LINE_BYTES / 4;
    if (!execution->verbatim || row->data_bytes == 0 || row->before_bytes + row->after_bytes > 0)
        return false;
    if (execution->swizzle->atom_bytes != 0 && (execution->swizzle->flips_8b || !in_lines))
        return false;
    const struct row_copy copy = {
        .address = row->shared_address,
        .shared = shared->bytes + (row->shared_address - shared->address),
        .global = execution->global->bytes + (row->global_address - execution->global->address),
        .global_step_bytes = run->global_step_bytes,
        .row_bytes = row->data_bytes,
        .pitch_bytes = pitch,
        .rows = run->rows,
        .lines = execution->swizzle->lines,
        .atom_bytes = execution->swizzle->atom_bytes,
    };
    copy_rows(&copy, in);
    return true;
}

static bool copy_narrow(const struct tma_execution *execution,
                        const struct tma_shared_memory *shared, const struct tma_row_run *run,
                        bool in) {
    return in ? copy_run(execution, shared, run, true) : copy_run(execution, shared, run, false);
}

/* The same code compiled for processors whose registers hold a pair of chunks. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool copy_wide(const struct tma_execution *execution,
                                                      const struct tma_shared_memory *shared,
                                                      const struct tma_row_run *run, bool in) {
    return in ? copy_run(execution, shared, run, true) : copy_run(execution, shared, run, false);
}

static bool has_wide_registers(void) {
    return __builtin_cpu_supports("avx2");
}
#else
#define copy_wide            copy_narrow
#define has_wide_registers() false
#endif

bool tma_copy_narrow;

static bool copy(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                 const struct tma_row_run *run, bool in) {
    return has_wide_registers() && !tma_copy_narrow ? copy_wide(execution, shared, run, in)
                                                    : copy_narrow(execution, shared, run, in);
}

bool tma_copy_in(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                 const struct tma_row_run *run) {
    return shared->undefined == NULL && copy(execution, shared, run, true);
}

bool tma_copy_out(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                  const struct tma_row_run *run) {
    return copy(execution, shared, run, false);
}
