/* The row stream: an operation as the rows that the hardware walks, in its order. The functional
 * core copies what the stream says, and the timing model times the same stream (README, "How it
 * works").
 *
 * The stream is an iterator over a few integers: it allocates nothing and never touches the tensor.
 */
#ifndef TMA_PLACEMENT_ROWS_H
#define TMA_PLACEMENT_ROWS_H

#include "base/api.h"
#include "placement/operation.h"
#include "placement/swizzle.h"
#include "placement/traversal.h"

TMA_API_BEGIN

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
    uint32_t after_bytes;    /* fill past the data (past the end of dimension 0), or all of it */
    uint32_t data_global_bytes;        /* as data_bytes, in global memory */
    int64_t coordinates[TMA_MAX_RANK]; /* of the row's first element, fill included */
};

/* Rows that differ in their place alone: row i is `first` with i times the steps added. */
struct tma_row_run {
    struct tma_row first;
    uint32_t rows;
    uint32_t shared_step_bytes;
    uint64_t global_step_bytes; /* modulo 2^64 */
    uint32_t dimension;         /* the dimension along which the rows follow each other */
    int64_t coordinate_step;    /* elements, in that dimension */
};

/* A line is one pass along the fastest axis: rows ahead of the tensor, inside it and past it. */
struct tma_line {
    uint32_t rows[3];
};

/* Private state; copy it freely. */
struct tma_row_stream {
    struct tma_traversal traversal; /* its axes' positions move */
    struct tma_row_run run;         /* the current one */
    uint32_t taken;                 /* rows of it that were given */
    struct tma_line line;           /* what is left of the current line */
    struct tma_line full_line;
    uint64_t global_address; /* of the next row's first element, fill included, modulo 2^64 */
    uint32_t shared_address; /* of the next row */
    uint32_t rows_left;      /* halo rows not counted */
    uint32_t group_rows_left;
    uint32_t halo_rows_left;
    uint32_t outside; /* bit k: slower axis k is out of bounds now */
};

/* What is known of an operation before its first row. */
struct tma_operation_size {
    uint32_t rows;
    uint32_t row_bytes;              /* of one row in shared memory, fill included, padding not */
    uint32_t row_pitch_bytes;        /* from row to row in shared memory */
    uint32_t moved_bytes;            /* of all rows, in shared memory, fill included */
    uint32_t transaction_bytes;      /* what a load completes on the mbarrier (of each CTA of a
                                        multicast): moved_bytes; 0 for all else */
    uint32_t shared_footprint_bytes; /* from the first to past the last byte of the box in shared
                                        memory */
};

/* Checks the operation against the map (which must be one that the rules accept; one so wrong that
 * it has no walk is TMA_ERROR_TENSOR_MAP) and positions the stream before the first row. Fails with
 * TMA_ERROR_ARGUMENT where the map's kind does not have the operation, or with TMA_ERROR_FAULT
 * where hardware stops the kernel: an unaligned coordinate 0, a base outside the im2col box, a
 * negative store coordinate. The error says which argument, its value and its range. size may be
 * NULL. */
enum tma_error_code tma_rows_begin(struct tma_row_stream *stream, const struct tma_tensor_map *map,
                                   const struct tma_operation *operation,
                                   struct tma_operation_size *size, struct tma_error *error);

/* Gives the next row and true, or false after the last. */
bool tma_rows_next(struct tma_row_stream *stream, struct tma_row *row);

/* Gives as many of the next rows at once as differ in their place alone, or NULL after the last.
 * The run is the stream's: it is valid until the next call. */
const struct tma_row_run *tma_rows_next_run(struct tma_row_stream *stream);

/* Takes those of the rows to come that differ from the last one given in their place alone, as
 * stream->run says, and gives how many. */
uint32_t tma_rows_take_run(struct tma_row_stream *stream);

TMA_API_END

#endif
