/* How an operation walks the tensor: its axes from the fastest to the slowest, and what one row is.
 * Every mode is described in this one form, which the row stream steps through and which the
 * queries invert in constant time. */
#ifndef TMA_PLACEMENT_TRAVERSAL_H
#define TMA_PLACEMENT_TRAVERSAL_H

#include "base/api.h"
#include "placement/operation.h"

TMA_API_BEGIN

/* The walk goes from `position` to at most `last` in strides, then back to `first` with one stride
 * along the next axis. Only an im2col walk has a position that is not `first` at its start. */
struct tma_axis {
    int64_t position; /* elements */
    int64_t first, last;
    int64_t stride;
    int64_t size;         /* of the tensor: [0, size) is inside */
    uint64_t pitch_bytes; /* global memory, from one element to the next */
    uint32_t dimension;
};

struct tma_traversal {
    struct tma_axis axes[TMA_MAX_RANK]; /* fastest first; at least one */
    uint32_t axis_count;
    uint32_t rows;        /* halo rows not counted */
    uint32_t row_bytes;   /* shared memory, fill included */
    uint32_t pitch_bytes; /* shared memory, from row to row */
    /* Of a row that lies inside the tensor on every axis. */
    uint32_t before_bytes, data_bytes, after_bytes, data_global_bytes;
    int64_t before_global_bytes;
    uint64_t global_address; /* of the first row's first element, modulo 2^64 */
    uint32_t shared_address;
    int64_t coordinates[TMA_MAX_RANK]; /* of the first row's first element */
    uint32_t group_rows;               /* rows between halos; 0 where there is no halo */
    uint32_t halo_rows;                /* after each group */
    bool gather;                       /* axis 0 takes the four rows of gather4 */
    int64_t gather_rows[4];
};

/* Describes an operation that tma_operation_check accepts. Cannot fail; constant time. */
void tma_traverse(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                  const struct tma_operation *operation);

TMA_API_END

#endif
