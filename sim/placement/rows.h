/* The row stream: the rows of an operation, in the order in which the TMA unit walks them. The
 * functional core copies these rows, and the timing model times them (docs/architecture.md, "One
 * generator, two consumers").
 *
 *     struct tma_row_stream rows;
 *     const struct tma_row_run *run;
 *     if (tma_rows_begin(&rows, &map, &operation, &size, &error) == TMA_OK)
 *         while ((run = tma_rows_next_run(&rows)) != NULL)
 *             for (uint32_t i = 0; i < run->rows; i++)
 *                 use(tma_run_row(run, i));
 *
 * The stream is an iterator over a few integers: it allocates nothing and never reads the tensor.
 */
#pragma once

#include "base/api.h"
#include "placement/operation.h"
#include "placement/swizzle.h"
#include "placement/traversal.h"

TMA_API_BEGIN

/* A row: bytes that lie end to end in global memory, and in shared memory before swizzling. It
 * consists of `before` bytes of out-of-bounds fill, `data` bytes of the tensor and `after` bytes of
 * fill. Sizes are bytes of shared memory; data_global_bytes is smaller than data_bytes for padded
 * sub-byte types only. */
struct tma_row {
    /* Byte address of the first data byte. For a row that is all fill: the address at which the row
     * would begin, modulo 2^64. */
    uint64_t global_address;
    uint32_t shared_address;           /* byte address of the row's first byte, before swizzling */
    uint32_t before_bytes;             /* fill for negative coordinates of dimension 0 */
    uint32_t data_bytes;               /* bytes inside the tensor; 0: the row is all fill */
    uint32_t after_bytes;              /* fill past the end of dimension 0; all of a fill row */
    uint32_t data_global_bytes;        /* size of the data in global memory */
    int64_t coordinates[TMA_MAX_RANK]; /* elements; of the row's first element, fill included */
};

/* A run of rows with the same sizes at equal distances. Row i is `first` with i times the steps
 * added to its addresses and to its coordinate in `dimension`; tma_run_row computes it. */
struct tma_row_run {
    struct tma_row first;
    uint32_t rows;              /* at least 1 */
    uint32_t shared_step_bytes; /* distance of two rows in shared memory */
    uint64_t global_step_bytes; /* distance of two rows in global memory, modulo 2^64 */
    uint32_t dimension;         /* the dimension in which the rows' coordinates differ */
    int64_t coordinate_step;    /* elements, in that dimension */
};

/* One pass along the fastest axis: rows ahead of the tensor, inside it and past it. */
struct tma_axis_pass {
    uint32_t rows[3];
};

/* A stream may be copied: the copy continues on its own. All members are private to rows.c. */
struct tma_row_stream {
    struct tma_traversal traversal; /* the positions of its axes move */
    struct tma_row_run run;         /* the current run */
    uint32_t taken;                 /* rows of the current run that were handed out */
    struct tma_axis_pass pass;      /* rows that are left of the current pass */
    struct tma_axis_pass full_pass; /* a pass from the axis's first element on */
    uint64_t global_address;        /* of the next row's first element, fill included, mod 2^64 */
    uint32_t shared_address;        /* of the next row */
    uint32_t rows_left;             /* without halo rows */
    uint32_t group_rows_left;       /* until the next halo */
    uint32_t halo_rows_left;        /* of the current halo */
    uint32_t outside;               /* bit k is set while slower axis k is out of bounds */
};

/* The size of an operation, known before its first row. */
struct tma_operation_size {
    uint32_t rows;
    uint32_t row_bytes;       /* one row in shared memory: fill counts, padding does not */
    uint32_t row_pitch_bytes; /* distance of two rows in shared memory */
    /* All rows, fill included, as packed as global memory has them: the padding that some sub-byte
     * types have in shared memory is not moved. */
    uint32_t moved_bytes;
    uint32_t row_moved_bytes; /* one row of these */
    /* Bytes that a load completes on the mbarrier, of each CTA of a multicast: moved_bytes. 0 for
     * every other direction. */
    uint32_t transaction_bytes;
    uint32_t shared_footprint_bytes; /* from the first to past the last byte of the box in shared
                                        memory */
};

/* Checks the operation against the map and positions the stream before the first row. The map must
 * be one that tma_tensor_map_check accepts. size may be NULL. Fails as tma_operation_check does:
 *   TMA_ERROR_TENSOR_MAP  the map is too wrong to be walked at all
 *   TMA_ERROR_ARGUMENT    the map's kind does not have the operation
 *   TMA_ERROR_FAULT       hardware stops the kernel: an unaligned coordinate 0, a base outside the
 *                         im2col box, a negative coordinate of a store
 * The error names the argument, its value and its range. */
enum tma_error_code tma_rows_begin(struct tma_row_stream *stream, const struct tma_tensor_map *map,
                                   const struct tma_operation *operation,
                                   struct tma_operation_size *size, struct tma_error *error);

/* Bytes without a tensor map, a multiple of 16: a map whose rows lie end to end, and whose one box
 * has all of them. */
struct tma_tensor_map tma_map_of_bytes(uint64_t address, uint32_t bytes);

/* Gives an operation coordinates that are inside its box, where that has one: sizes and places in
 * shared memory do not depend on coordinates, but im2col faults at 0. */
void tma_go_inside_box(const struct tma_tensor_map *map, struct tma_operation *operation);

/* The moved_bytes of an operation, wherever its coordinates are. The map has the operation's access
 * mode. 0 for a map that cannot be walked. */
uint32_t tma_moved_bytes(const struct tma_tensor_map *map, const struct tma_operation *operation);

/* Returns the next run of rows, as long as possible; NULL after the last row. The run belongs to
 * the stream and is valid until the next call with this stream. After tma_rows_next has handed out
 * some rows of a run, this returns the rest of that run. */
const struct tma_row_run *tma_rows_next_run(struct tma_row_stream *stream);

/* Bytes of a store's row that lie behind the end of dimension 0. A store clips at 16 bytes, not at
 * an element, and overwrites them. 0 for a load. */
uint32_t tma_row_overwritten_bytes(const struct tma_tensor_map *map,
                                   const struct tma_operation *operation,
                                   const struct tma_row *row);

/* Row `index` of a run, 0 to run->rows - 1. */
static inline struct tma_row tma_run_row(const struct tma_row_run *run, uint32_t index) {
    struct tma_row row = run->first;
    row.global_address += index * run->global_step_bytes;
    row.shared_address += index * run->shared_step_bytes;
    row.coordinates[run->dimension] += index * run->coordinate_step;
    return row;
}

/* Copies the next row; false after the last row. */
bool tma_rows_next(struct tma_row_stream *stream, struct tma_row *row);

TMA_API_END
