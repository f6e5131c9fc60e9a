/* An operation that an SM issues: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, and
 * prefetches; and copies without a map. */
#pragma once

#include <stdint.h>

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
    uint32_t policy;         /* of L2 (packet.h); 0: none */
    uint32_t shared_address; /* of the tile, in the shared memory of the SM */
    /* Multicast: further SMs of the same GPC that get the data, each with its own completion. */
    const uint32_t *copies;
    uint32_t copy_count;
    /* Of stores: the bytes go to the shared memory of the SM `peer` of the same GPC, where they
     * complete as those of a load. */
    bool distant;
    uint32_t peer;
};

/* The completion of an operation on an mbarrier, with the times at which it passed each point. */

enum {
    TMA_DESCRIPTOR_CYCLES_BITS = 30,
    TMA_DESCRIPTOR_CYCLES_MASK = (1 << TMA_DESCRIPTOR_CYCLES_BITS) - 1
};

/* Times are in cycles. */
struct tma_completion {
    uint64_t cycle;      /* its bytes complete on the mbarrier */
    uint64_t tag;        /* of the issuer */
    uint32_t sm;         /* whose shared memory has the bytes */
    uint32_t copied : 1; /* multicast: that SM is not the one that issued it */
    uint32_t writes : 1; /* a store or a reduction */
    uint32_t descriptor_cycles
        : TMA_DESCRIPTOR_CYCLES_BITS; /* wait for the tensor map, before the start */
    uint32_t bytes;                   /* complete_tx */
    uint32_t tensor_bytes;            /* of these, bytes of the tensor; the rest is fill */
    uint32_t rows, rows_out_of_bounds;
    uint32_t requests;            /* by row and 128-byte line */
    uint32_t miss_sectors;        /* that L2 did not hold */
    uint32_t fills, fill_sectors; /* from DRAM, on this operation's behalf */
    uint64_t issue_cycle;         /* of the instruction */
    uint64_t start_cycle;         /* the TMA unit begins with it */
    uint64_t rows_cycle;          /* its last request leaves the TMA unit */
    uint64_t fill_cycle;          /* its last fill reaches L2; 0 without fills */
    uint64_t arrival_cycle;       /* its last data is in shared memory */
    /* A read: when the request that arrived last left the TMA unit, and where it spent its time.
     * A write: rows_cycle; and for how long the TMA unit could make no request because of writes in
     * flight, by where these were. */
    uint64_t sent_cycle;
    uint32_t crossbar_cycles, crossbar_wait_cycles, l2_cycles, dram_cycles;
    /* Prefetches, stores and reductions complete before L2 is done with them. Where the caller
     * wants reports of late fills: the number of the report that says what L2 fetched, in the place
     * of the figures here; 0: there is none. */
    uint64_t late_fills;
};

/* What L2 has fetched for an operation that had completed before. */
struct tma_late_fills {
    uint64_t number; /* tma_completion.late_fills */
    uint64_t cycle;  /* the last fill reaches L2 */
    uint32_t fills, fill_sectors, miss_sectors;
};
