/* The row stream: an operation as the rows that the hardware walks, in its order. The functional
 * core copies what the stream says, and the timing model times the same stream (README, "How it
 * works").
 *
 * The stream is an iterator over a few integers: it allocates nothing and never touches the tensor.
 */
#ifndef TMA_PLACEMENT_ROWS_H
#define TMA_PLACEMENT_ROWS_H

#include "placement/operation.h"

/* A row is a run of bytes that lie end to end in global memory, and in shared memory before
 * swizzling: `before` bytes of out-of-bounds fill, `data` bytes of the tensor, `after` bytes of
 * fill. Sub-byte types with padding count shared-memory bytes here; data_global_bytes are the
 * packed ones. */
struct tma_row {
    uint64_t global_address; /* byte address of the first data byte; where data_bytes is 0, of the
                                place where the row would begin, reduced modulo 2^64 */
    uint32_t shared_address; /* byte address of the row's first byte, before the swizzle */
    uint32_t before_bytes;   /* fill ahead of the data (negative coordinate in dimension 0) */
    uint32_t data_bytes;     /* bytes inside the tensor; 0 for a row that is all fill */
    uint32_t after_bytes;    /* fill past the data (past the end of dimension 0) */
    uint32_t data_global_bytes;        /* as data_bytes, in global memory */
    int32_t coordinates[TMA_MAX_RANK]; /* of the row's first element, fill included */
};

/* Private state; copy it freely. */
struct tma_row_stream {
    const struct tma_tensor_map *map; /* borrowed */
    struct tma_operation operation;
    uint64_t global_address; /* of the current row's element 0 of the box, modulo 2^64 */
    uint32_t shared_address;
    uint32_t pitch_bytes; /* shared memory from a row to the next */
    uint32_t row_bytes;   /* shared-memory bytes of a row */
    uint32_t rows_left;
    uint32_t counts[TMA_MAX_RANK];   /* steps in each dimension */
    uint32_t position[TMA_MAX_RANK]; /* current step in each dimension */
    int64_t coordinates[TMA_MAX_RANK];
    uint32_t outside;                             /* bit d: dimension d is out of bounds now */
    uint32_t clip_before_bytes, clip_after_bytes; /* dimension 0's part that is out of bounds */
    int64_t steps[TMA_MAX_RANK];                  /* global bytes from one step to the next */
    int64_t rewinds[TMA_MAX_RANK];                /* global bytes back to the dimension's start */
};

/* What is known of an operation before its first row. */
struct tma_operation_size {
    uint32_t rows;
    uint32_t row_bytes;              /* of one row in shared memory, fill included, padding not */
    uint32_t row_pitch_bytes;        /* from row to row in shared memory */
    uint32_t transaction_bytes;      /* what completes on the mbarrier */
    uint32_t shared_footprint_bytes; /* from the first to past the last byte of the box in shared
                                        memory */
};

/* Checks the operation against the map (which must be one that the rules accept) and positions the
 * stream before the first row. Fails with TMA_ERROR_ARGUMENT where the map's kind does not have the
 * operation, or with TMA_ERROR_FAULT where hardware stops the kernel: an unaligned coordinate 0, a
 * base outside the im2col box, a negative store coordinate. The error says which argument, its
 * value and its range. size may be NULL. */
enum tma_error_code tma_rows_begin(struct tma_row_stream *stream, const struct tma_tensor_map *map,
                                   const struct tma_operation *operation,
                                   struct tma_operation_size *size, struct tma_error *error);

/* Gives the next row and true, or false after the last. */
bool tma_rows_next(struct tma_row_stream *stream, struct tma_row *row);

/* The shared-memory address at which the byte at `address` before the swizzle lies. The swizzle
 * acts on the absolute address: 16-byte chunk bits are XORed with the number of the 128-byte line
 * (PTX ISA 5.5.7). */
uint32_t tma_swizzle_address(enum tma_swizzle swizzle, uint32_t address);

#endif
