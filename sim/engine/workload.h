/* A workload: what the CTAs of one kernel do, stage by stage. The scenario reader fills it from
 * YAML, the record reader from a row of measurements. */
#ifndef TMA_ENGINE_WORKLOAD_H
#define TMA_ENGINE_WORKLOAD_H

#include "banks/consumer.h"
#include "base/api.h"
#include "memory/machine.h"
#include "placement/operation.h"

TMA_API_BEGIN

enum {
    TMA_MAX_STAGE_OPERATIONS = 8,
    TMA_MAX_CONSUMERS = 8,
    TMA_MAX_TENSOR_MAPS = 8,
    TMA_MAX_CLUSTER = 16,
    TMA_MAX_CLUSTER_DEPTH = 64 /* slots of a CTA that has multicast loads */
};

/* Which tile operation number i of CTA c touches, of `grid` CTAs that do `iterations` each. Of a
 * multicast load, c and grid count clusters: it brings one tile for all of a cluster. */
enum tma_walk_order {
    TMA_WALK_GRID_STRIDED, /* t = i * grid + c */
    TMA_WALK_BLOCKED,      /* t = c * iterations + i */
    TMA_WALK_SAME,         /* t = i: every CTA the same tiles */
    TMA_WALK_FIXED,        /* t = c: always the CTA's own tile */
};

/* Coordinate d = start[d] + (t mod tiles[d]) * step[d], then t = t div tiles[d], for d = 0, 1, ...
 */
struct tma_walk {
    enum tma_walk_order order;
    int32_t start[TMA_MAX_RANK];  /* elements */
    uint32_t tiles[TMA_MAX_RANK]; /* at least 1 */
    int32_t step[TMA_MAX_RANK];   /* elements */
};

/* The tensor maps of a kernel that one entry of a workload's stands for: they differ in their
 * address alone. A walk that has been to all tiles of one goes on to the next. */
struct tma_map_array {
    bool global;          /* the maps themselves are in global memory; else they are parameters */
    uint32_t count;       /* 0 is 1 */
    uint64_t pitch_bytes; /* from the tensor of one to that of the next */
};

struct tma_stage_operation {
    uint32_t map; /* index into the workload's tensor maps */
    struct tma_operation
        operation; /* coordinates come from the walk; shared_address is the offset in the stage;
                      a cta_mask makes it one load of the cluster, issued by its lowest rank */
    struct tma_walk walk;
};

struct tma_workload {
    struct tma_tensor_map maps[TMA_MAX_TENSOR_MAPS];
    struct tma_map_array arrays[TMA_MAX_TENSOR_MAPS]; /* by map */
    uint32_t map_count;

    uint32_t cta_count;    /* CTAs of the grid */
    uint32_t cluster_ctas; /* of a cluster: 1, 2, 4, 8 or 16, a divisor of cta_count; 0 is 1 */
    uint32_t
        sm_count; /* SMs that they may use, one CTA on an SM at a time; more CTAs than SMs wait */
    uint32_t iterations; /* stages that each CTA fills, all slots together */

    uint32_t depth;       /* pipeline slots of a CTA: slot s does iterations s, s + depth, ... */
    uint32_t stage_bytes; /* shared memory from one slot to the next */
    uint32_t shared_base_bytes; /* shared-memory address of the first stage */
    uint64_t expect_bytes; /* expect_tx of each stage's mbarrier; what its operations complete, if
                              right. A CTA that a multicast load leaves out expects so much less. */

    struct tma_stage_operation operations[TMA_MAX_STAGE_OPERATIONS];
    uint32_t operation_count;
    struct tma_consumer consumers[TMA_MAX_CONSUMERS];
    uint32_t consumer_count;

    bool cold; /* L2 holds nothing of the tensors; else the same kernel ran just before */
};

/* The tile of operation `index` of a stage, as it lies in pipeline slot `slot`. Fails as
 * tma_rows_begin does. */
enum tma_error_code tma_workload_tile(const struct tma_workload *workload, uint32_t slot,
                                      uint32_t index, struct tma_tile *tile,
                                      struct tma_error *error);

/* The coordinates of an operation of a stage in iteration `iteration` of CTA `cta`. */
void tma_walk_coordinates(const struct tma_stage_operation *stage,
                          const struct tma_workload *workload, uint32_t cta, uint32_t iteration,
                          int32_t coordinates[TMA_MAX_RANK]);

/* The SMs that the workload's CTAs run on: CTA i of the first ones on sms[i]; gives their number.
 * Those of a cluster are of one GPC. */
uint32_t tma_workload_place(const struct tma_machine *machine, const struct tma_workload *workload,
                            uint32_t sms[TMA_MAX_SMS]);

static inline uint32_t tma_cluster_ctas(const struct tma_workload *workload) {
    return workload->cluster_ctas > 0 ? workload->cluster_ctas : 1;
}

/* CTAs that work on the same tile of an operation: those of a cluster, if it is multicast. */
static inline uint32_t tma_ctas_sharing(const struct tma_stage_operation *stage,
                                        const struct tma_workload *workload) {
    return stage->operation.cta_mask != 0 ? tma_cluster_ctas(workload) : 1;
}

/* Whether the CTA of that rank in its cluster issues the operation; whether what it loads arrives
 * there. */
static inline bool tma_rank_issues(const struct tma_stage_operation *stage, uint32_t rank) {
    uint32_t mask = stage->operation.cta_mask;
    return mask == 0 || (mask & -mask) == 1u << rank;
}

static inline bool tma_rank_receives(const struct tma_stage_operation *stage, uint32_t rank) {
    uint32_t mask = stage->operation.cta_mask;
    return mask == 0 || (mask & 1u << rank) != 0;
}

static inline uint32_t tma_array_maps(const struct tma_map_array *array) {
    return array->count > 0 ? array->count : 1;
}

/* The number of a map of an array among all of the workload's, from 1. */
uint32_t tma_workload_descriptor(const struct tma_workload *workload, uint32_t array,
                                 uint32_t index);

/* Where a workload's tensor maps lie: just below all tensors, as long as there is room. (L2 keeps
 * shorter tags of lines that are close to each other.) */
uint64_t tma_workload_descriptor_address(const struct tma_workload *workload);

/* Which map of its array an operation has in iteration `iteration` of CTA `cta`; and that map. */
uint32_t tma_walk_map_index(const struct tma_stage_operation *stage,
                            const struct tma_workload *workload, uint32_t cta, uint32_t iteration);
struct tma_tensor_map tma_walk_map(const struct tma_stage_operation *stage,
                                   const struct tma_workload *workload, uint32_t cta,
                                   uint32_t iteration);

/* How many tiles an operation's walk can come to, up to UINT64_MAX; and which of them iteration
 * `iteration` of CTA `cta` comes to: a number below that. */
uint64_t tma_walk_tiles(const struct tma_stage_operation *stage,
                        const struct tma_workload *workload);
uint64_t tma_walk_tile(const struct tma_stage_operation *stage, const struct tma_workload *workload,
                       uint32_t cta, uint32_t iteration);

TMA_API_END

#endif
