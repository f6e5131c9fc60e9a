/* A workload: what the CTAs of one kernel do, stage by stage. The scenario reader makes it from
 * YAML, the record reader from a row of measurements. */
#pragma once

#include "banks/consumer.h"
#include "base/api.h"
#include "memory/machine.h"
#include "placement/operation.h"

TMA_API_BEGIN

enum {
    TMA_MAX_STAGE_OPERATIONS = 8,
    TMA_MAX_CONSUMERS = 8,
    TMA_MAX_TENSOR_MAPS = 32, /* of a scenario */
    TMA_MAX_CLUSTER = 16,
    TMA_MAX_CLUSTER_DEPTH = 64 /* slots of a CTA that has multicast loads */
};

/* Which tile t an operation touches in iteration i of CTA c, in a grid of `grid` CTAs that do
 * `iterations` each. A multicast load brings one tile for all of a cluster: for it, c and grid
 * count clusters. */
enum tma_walk_order {
    TMA_WALK_GRID_STRIDED, /* t = i * grid + c */
    TMA_WALK_BLOCKED,      /* t = c * iterations + i */
    TMA_WALK_SAME,         /* t = i: every CTA the same tiles */
    TMA_WALK_FIXED,        /* t = c: always the CTA's own tile */
};

/* The coordinates of tile t: for d = 0, 1, ..., coordinate d is start[d] + (t mod tiles[d]) *
 * step[d]; then t becomes t div tiles[d]. */
struct tma_walk {
    enum tma_walk_order order;
    int32_t start[TMA_MAX_RANK];  /* elements */
    uint32_t tiles[TMA_MAX_RANK]; /* at least 1 */
    int32_t step[TMA_MAX_RANK];   /* elements */
    /* CTAs with consecutive numbers that walk as one, though each of them loads; 0 means 1. Not for
     * multicast loads, where the CTAs of a cluster do. */
    uint32_t ctas_per_walker;
};

/* What an experiment makes of the wavefronts that consumers take. */
enum tma_wavefronts {
    TMA_WAVEFRONTS_MEASURED,     /* as the banks give them */
    TMA_WAVEFRONTS_TENTH_FASTER, /* 10 for each 11 of those */
    TMA_WAVEFRONTS_IDEAL         /* without bank conflicts */
};

/* One tensor map of a workload stands for `count` maps of the kernel, which differ only in their
 * global address. After the last tile of one map a walk continues with the first tile of the next
 * map. */
struct tma_map_array {
    bool global;          /* the maps lie in global memory; else they are kernel parameters */
    uint32_t count;       /* 0 means 1 */
    uint64_t pitch_bytes; /* from the tensor of one map to that of the next */
};

/* An operation that each stage has. */
struct tma_stage_operation {
    uint32_t map; /* index into the workload's tensor maps */
    /* Its coordinates come from the walk. shared_address is the offset in the stage. With a
     * cta_mask it is one load for the cluster, issued by the lowest rank of the mask. */
    struct tma_operation operation;
    struct tma_walk walk;
};

/* The instructions of a kernel between the end of a wait and the slot's next operation. The
 * machine's turnarounds hold for the kernel of their records; another kernel may have more of them
 * or fewer. */
struct tma_loop_code {
    int32_t more_cycles;  /* than tma.turnaround or tma.store_turnaround; negative: so many less */
    uint32_t cta0_cycles; /* besides these, what only the grid's first CTA takes */
};

struct tma_workload {
    struct tma_tensor_map maps[TMA_MAX_TENSOR_MAPS];
    struct tma_map_array arrays[TMA_MAX_TENSOR_MAPS]; /* by map */
    /* By map: where it stands among the names. Descriptors lie in memory in this order, and where
     * it is the same, in that of `maps`. So the order in which a scenario lists its maps decides
     * nothing. */
    uint8_t map_places[TMA_MAX_TENSOR_MAPS];
    uint32_t map_count;

    uint32_t cta_count;    /* CTAs of the grid */
    uint32_t cluster_ctas; /* of a cluster: 1, 2, 4, 8 or 16, a divisor of cta_count; 0 means 1 */
    uint32_t sm_count;     /* SMs that CTAs may use. An SM runs one CTA at a time; others wait. */
    uint32_t iterations;   /* stages that each CTA fills, with all its slots together */

    uint32_t depth;       /* pipeline slots of a CTA: slot s does iterations s, s + depth, ... */
    uint32_t stage_bytes; /* shared memory from one slot to the next */
    uint32_t shared_base_bytes; /* shared-memory address of the first stage */
    /* expect_tx of each stage's mbarrier. In a correct kernel, the stage's operations complete this
     * many bytes. A CTA that is not in the mask of a multicast load expects that load's bytes less.
     */
    uint64_t expect_bytes;

    struct tma_stage_operation operations[TMA_MAX_STAGE_OPERATIONS];
    uint32_t operation_count;
    struct tma_consumer consumers[TMA_MAX_CONSUMERS];
    uint32_t consumer_count;
    enum tma_wavefronts wavefronts;
    struct tma_loop_code loop_code;

    bool cold;     /* another kernel has just emptied L2; else the same kernel ran just before */
    bool profiled; /* if cold: a profiler has emptied all caches, and DRAM was idle */
};

/* Gives the tile of operation `index` of a stage as it lies in pipeline slot `slot`. Fails as
 * tma_rows_begin does. */
enum tma_error_code tma_workload_tile(const struct tma_workload *workload, uint32_t slot,
                                      uint32_t index, struct tma_tile *tile,
                                      struct tma_error *error);

/* Writes the coordinates of an operation in iteration `iteration` of CTA `cta`. */
void tma_walk_coordinates(const struct tma_stage_operation *stage,
                          const struct tma_workload *workload, uint32_t cta, uint32_t iteration,
                          int32_t coordinates[TMA_MAX_RANK]);

/* Writes the SMs that the workload's CTAs run on: the grid's CTA i begins on sms[i]. The SMs of a
 * cluster are side by side, and of one GPC. Gives their number. */
uint32_t tma_workload_place(const struct tma_machine *machine, const struct tma_workload *workload,
                            uint32_t sms[TMA_MAX_SMS]);

/* CTAs of a cluster; without clusters, 1. */
static inline uint32_t tma_cluster_ctas(const struct tma_workload *workload) {
    return workload->cluster_ctas > 0 ? workload->cluster_ctas : 1;
}

/* CTAs that walk the same tiles of an operation: all of the cluster if it is multicast. */
static inline uint32_t tma_ctas_sharing(const struct tma_stage_operation *stage,
                                        const struct tma_workload *workload) {
    if (stage->operation.cta_mask != 0)
        return tma_cluster_ctas(workload);
    return stage->walk.ctas_per_walker > 0 ? stage->walk.ctas_per_walker : 1;
}

/* Whether the CTA of that rank in its cluster issues the operation. */
static inline bool tma_rank_issues(const struct tma_stage_operation *stage, uint32_t rank) {
    uint32_t mask = stage->operation.cta_mask;
    return mask == 0 || (mask & -mask) == 1u << rank;
}

/* Whether what the operation loads arrives at the CTA of that rank. */
static inline bool tma_rank_receives(const struct tma_stage_operation *stage, uint32_t rank) {
    uint32_t mask = stage->operation.cta_mask;
    return mask == 0 || (mask & 1u << rank) != 0;
}

/* Tensor maps of the kernel that an array has. */
static inline uint32_t tma_array_maps(const struct tma_map_array *array) {
    return array->count > 0 ? array->count : 1;
}

/* The number of map `index` of array `array` among the tensor maps of `count` arrays, from 1, in
 * the order of their places (tma_workload.map_places). `array` may be `count`: all maps come
 * before. */
uint32_t tma_descriptor_number(const struct tma_map_array *arrays, const uint8_t *places,
                               uint32_t count, uint32_t array, uint32_t index);

/* The same, of the workload's maps. */
uint32_t tma_workload_descriptor(const struct tma_workload *workload, uint32_t array,
                                 uint32_t index);

/* The address from which `count` descriptors of these maps lie: just below all tensors if there is
 * room, since the tags of L2 are shorter for lines that are close to each other. */
uint64_t tma_descriptor_address(const struct tma_tensor_map *maps, uint32_t map_count,
                                uint32_t count);

/* The index, in its array, of the tensor map that an operation has in iteration `iteration` of CTA
 * `cta`. */
uint32_t tma_walk_map_index(const struct tma_stage_operation *stage,
                            const struct tma_workload *workload, uint32_t cta, uint32_t iteration);

/* That tensor map. */
struct tma_tensor_map tma_walk_map(const struct tma_stage_operation *stage,
                                   const struct tma_workload *workload, uint32_t cta,
                                   uint32_t iteration);

/* The number of tiles in an operation's walk over all maps of its array; at most UINT64_MAX. */
uint64_t tma_walk_tiles(const struct tma_stage_operation *stage,
                        const struct tma_workload *workload);

/* How many tiles all CTAs together go through, of a walk that has no end. */
uint64_t tma_walk_length(const struct tma_stage_operation *stage,
                         const struct tma_workload *workload);

/* The tile of iteration `iteration` of CTA `cta`, as a number below tma_walk_tiles.
 */
uint64_t tma_walk_tile(const struct tma_stage_operation *stage, const struct tma_workload *workload,
                       uint32_t cta, uint32_t iteration);

TMA_API_END
