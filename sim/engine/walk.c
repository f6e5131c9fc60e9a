#include "engine/workload.h"

static uint64_t tile_number(const struct tma_stage_operation *stage,
                            const struct tma_workload *workload, uint32_t cta, uint32_t iteration) {
    uint32_t sharing = tma_ctas_sharing(stage, workload);
    switch (stage->walk.order) {
    case TMA_WALK_GRID_STRIDED:
        return (uint64_t)iteration * (workload->cta_count / sharing) + cta / sharing;
    case TMA_WALK_BLOCKED:
        return (uint64_t)(cta / sharing) * workload->iterations + iteration;
    case TMA_WALK_SAME:
        return iteration;
    case TMA_WALK_FIXED:
        return cta / sharing;
    }
    return 0;
}

void tma_walk_coordinates(const struct tma_stage_operation *stage,
                          const struct tma_workload *workload, uint32_t cta, uint32_t iteration,
                          int32_t coordinates[TMA_MAX_RANK]) {
    const struct tma_walk *walk = &stage->walk;
    uint64_t tile = tile_number(stage, workload, cta, iteration);
    for (int d = 0; d < TMA_MAX_RANK; d++) {
        uint64_t count = walk->tiles[d];
        /* The sum wraps at 32 bits, as the instruction's coordinates do. */
        coordinates[d] = (int32_t)((uint32_t)walk->start[d] +
                                   (uint32_t)(tile % count) * (uint32_t)walk->step[d]);
        tile /= count;
    }
}

uint64_t tma_walk_tiles(const struct tma_walk *walk) {
    uint64_t tiles = 1;
    for (int d = 0; d < TMA_MAX_RANK; d++)
        if (tiles > UINT64_MAX / walk->tiles[d])
            return UINT64_MAX;
        else
            tiles *= walk->tiles[d];
    return tiles;
}

uint64_t tma_walk_tile(const struct tma_stage_operation *stage, const struct tma_workload *workload,
                       uint32_t cta, uint32_t iteration) {
    return tile_number(stage, workload, cta, iteration) % tma_walk_tiles(&stage->walk);
}
