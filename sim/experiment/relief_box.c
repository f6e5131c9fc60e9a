/* Larger boxes need fewer operations for the same bytes. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"

/* The tiles of the walk lie side by side in dimension d, and their number is even, as is that of
 * the stages: so half as many tiles of twice the size are the same bytes. */
static bool can_double(const struct tma_workload *workload, uint32_t d) {
    const struct tma_stage_operation *stage = &workload->operations[0];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    return workload->operation_count == 1 && map->kind == TMA_MAP_TILED && d < map->rank &&
           stage->operation.access == TMA_ACCESS_TILE && stage->walk.order != TMA_WALK_FIXED &&
           stage->walk.tiles[d] % 2 == 0 && stage->walk.step[d] > 0 &&
           (uint32_t)stage->walk.step[d] == map->box_dim[d] * map->element_strides[d] &&
           map->element_strides[d] == 1 && workload->iterations % 2 == 0;
}

/* Halves the pipeline's depth where shared memory has no room for as many larger stages. */
static bool double_box(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    struct tma_stage_operation *stage = &workload->operations[0];
    struct tma_tensor_map *map = &workload->maps[stage->map];
    uint32_t d = relieved->variant, before = workload->depth;
    if (!can_double(workload, d))
        return false;
    map->box_dim[d] *= 2;
    stage->walk.step[d] *= 2;
    stage->walk.tiles[d] /= 2;
    workload->iterations /= 2;
    workload->stage_bytes *= 2;
    workload->expect_bytes *= 2;
    if (workload->depth > workload->iterations)
        workload->depth = workload->iterations;
    if (!tma_pipeline_is_legal(&relieved->machine, workload) && before > 1) {
        workload->depth = before / 2;
        snprintf(relieved->change, sizeof relieved->change,
                 "%u elements instead of %u in dimension %u, and depth %u instead of %u,",
                 map->box_dim[d], map->box_dim[d] / 2, d, workload->depth, before);
    } else {
        snprintf(relieved->change, sizeof relieved->change,
                 "%u elements instead of %u in dimension %u, in half as many stages,",
                 map->box_dim[d], map->box_dim[d] / 2, d);
    }
    return tma_pipeline_is_legal(&relieved->machine, workload);
}

const struct tma_relief tma_relief_box = {
    .key = "box", .name = "box", .advice = true, .variants = 2, .apply = double_box};
