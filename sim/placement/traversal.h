/* How an operation walks the tensor: its axes from the fastest to the slowest, and the size of one
 * row. This one form describes every access mode. The row stream (rows.h) steps through it, and the
 * queries of locate.h invert it in constant time. Internal to this folder. */
#pragma once

#include "base/api.h"
#include "placement/operation.h"

TMA_API_BEGIN

/* One axis of the walk. The walk goes from `position` to at most `last` in strides, then back to
 * `first` and one stride along the next slower axis. Only an im2col walk starts at a position other
 * than `first`. */
struct tma_axis {
    int64_t position;     /* elements */
    int64_t first, last;  /* elements */
    int64_t stride;       /* elements */
    int64_t size;         /* elements; positions in [0, size) are inside the tensor */
    uint64_t pitch_bytes; /* distance of two elements in global memory */
    uint32_t dimension;   /* of the tensor */
};

struct tma_traversal {
    struct tma_axis axes[TMA_MAX_RANK]; /* fastest first; at least one */
    uint32_t axis_count;
    uint32_t rows;            /* without halo rows */
    uint32_t row_bytes;       /* in shared memory, fill included */
    uint32_t row_moved_bytes; /* of these, without the padding of sub-byte types */
    uint32_t pitch_bytes;     /* distance of two rows in shared memory */
    /* The parts of a row that lies inside the tensor on every axis; see struct tma_row. */
    uint32_t before_bytes, data_bytes, after_bytes, data_global_bytes;
    int64_t before_global_bytes;
    uint64_t global_address;           /* of the first row's first element, modulo 2^64 */
    uint32_t shared_address;           /* of the first row */
    int64_t coordinates[TMA_MAX_RANK]; /* of the first row's first element */
    uint32_t group_rows;               /* rows from one halo to the next; 0: no halos */
    uint32_t halo_rows;                /* rows of the halo after each group */
    bool gather;                       /* axis 0 takes the four positions of gather_rows */
    int64_t gather_rows[4];            /* coordinates in dimension 1 */
};

/* Describes an operation that tma_operation_check accepts. Cannot fail. */
void tma_traverse(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                  const struct tma_operation *operation);

TMA_API_END
