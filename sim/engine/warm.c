/* What the same kernel, run just before, leaves in L2: the lines of its operations in the order of
 * iterations. Only the last ones matter: those that come to all tiles (or to twice what L2 holds) a
 * few times over, since SMs of either partition read a tile by turns, and each leaves a copy. */
#include "engine/simulation.h"

enum { PASSES = 6 };

static uint64_t distinct_tiles(const struct tma_walk *walk) {
    uint64_t tiles = 1;
    for (int d = 0; d < TMA_MAX_RANK; d++)
        if (tiles > UINT64_MAX / walk->tiles[d])
            return UINT64_MAX;
        else
            tiles *= walk->tiles[d];
    return tiles;
}

/* How many of the last iterations to go through, for one operation of the stage. */
static uint32_t iterations_that_matter(const struct simulation *simulation,
                                       const struct tma_stage_operation *stage, uint64_t bytes) {
    const struct tma_workload *workload = simulation->workload;
    uint64_t fits = 2 * simulation->machine->l2.capacity_bytes / (bytes > 0 ? bytes : 1) + 1;
    uint64_t tiles = distinct_tiles(&stage->walk);
    uint64_t operations = PASSES * (tiles < fits ? tiles : fits);
    uint32_t sharing = stage->operation.cta_mask != 0 ? tma_cluster_ctas(workload) : 1;
    uint64_t per_iteration = stage->walk.order == TMA_WALK_SAME ? 1 : workload->cta_count / sharing;
    uint64_t iterations = operations / per_iteration + 1;
    return iterations < workload->iterations ? (uint32_t)iterations : workload->iterations;
}

static void warm_operation(struct simulation *simulation, const struct tma_stage_operation *stage,
                           uint32_t cta, uint32_t iteration) {
    const struct tma_workload *workload = simulation->workload;
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    if (!tma_rank_issues(stage, cta % tma_cluster_ctas(workload)))
        return;
    tma_walk_coordinates(stage, workload, cta, iteration, operation.coordinates);
    if (tma_rows_begin(&rows, &workload->maps[stage->map], &operation, NULL, NULL) == TMA_OK)
        tma_memory_warm(simulation->memory, simulation->sms[cta % simulation->sm_count].number,
                        &rows);
}

void tma_warm_up(struct simulation *simulation) {
    const struct tma_workload *workload = simulation->workload;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        struct tma_operation first = stage->operation;
        struct tma_row_stream rows;
        struct tma_operation_size size;
        tma_walk_coordinates(stage, workload, 0, 0, first.coordinates);
        if (tma_rows_begin(&rows, &workload->maps[stage->map], &first, &size, NULL) != TMA_OK)
            continue;
        uint32_t count = iterations_that_matter(simulation, stage, size.moved_bytes);
        for (uint32_t iteration = workload->iterations - count; iteration < workload->iterations;
             iteration++)
            for (uint32_t cta = 0; cta < workload->cta_count; cta++)
                warm_operation(simulation, stage, cta, iteration);
    }
}
