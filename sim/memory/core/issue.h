/* An operation that an SM issues: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, and
 * prefetches; and copies without a map. */
#ifndef TMA_MEMORY_CORE_ISSUE_H
#define TMA_MEMORY_CORE_ISSUE_H

#include "placement/rows.h"
#include "tensormap/tensormap.h"

struct tma_issue {
    uint64_t cycle; /* of the instruction; no earlier than the last advance less issue_cycles */
    uint64_t tag;   /* the issuer's own; returned with the completion */
    uint32_t sm;
    enum tma_direction direction;
    uint32_t warp; /* stores and reductions: the warp of the SM that issues the operation */
    const struct tma_tensor_map *map;
    uint32_t descriptor; /* the map's number among those of the kernel, up to TMA_MAX_DESCRIPTORS;
                            0: the SM has the map, and no fetch takes time */
    const struct tma_row_stream *rows; /* before the first row; copied */
    const struct tma_operation_size *size;
    uint32_t policy; /* of L2 (l2_hint.h); 0: none */
    /* Multicast: further SMs of the same GPC that get the data, each with its own completion. */
    const uint32_t *copies;
    uint32_t copy_count;
    /* Of stores: the bytes go to the shared memory of the SM `peer` of the same GPC, where they
     * complete as those of a load. */
    bool distant;
    uint32_t peer;
};

#endif
