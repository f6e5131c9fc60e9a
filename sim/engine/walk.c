#include "banks/operation_tile.h"
#include "engine/workload.h"
#include "memory/core/address_map.h"
#include "memory/system.h"
#include "memory/topology.h"

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

static uint64_t saturating_product(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Tiles of one tensor. */
static uint64_t tensor_tiles(const struct tma_walk *walk) {
    uint64_t tiles = 1;
    for (int d = 0; d < TMA_MAX_RANK; d++)
        tiles = saturating_product(tiles, walk->tiles[d]);
    return tiles;
}

static uint32_t map_count(const struct tma_stage_operation *stage,
                          const struct tma_workload *workload) {
    return tma_array_maps(&workload->arrays[stage->map]);
}

uint32_t tma_descriptor_number(const struct tma_map_array *arrays, const uint8_t *places,
                               uint32_t count, uint32_t array, uint32_t index) {
    uint32_t number = 1 + index;
    for (uint32_t i = 0; i < count; i++)
        if (array == count || places[i] < places[array] ||
            (i < array && places[i] == places[array]))
            number += tma_array_maps(&arrays[i]);
    return number;
}

uint32_t tma_workload_descriptor(const struct tma_workload *workload, uint32_t array,
                                 uint32_t index) {
    return tma_descriptor_number(workload->arrays, workload->map_places, workload->map_count, array,
                                 index);
}

uint64_t tma_descriptor_address(const struct tma_tensor_map *maps, uint32_t map_count,
                                uint32_t count) {
    uint64_t bytes = (uint64_t)count * TMA_LINE_BYTES, lowest = UINT64_MAX;
    for (uint32_t i = 0; i < map_count; i++)
        if (maps[i].global_address < lowest)
            lowest = maps[i].global_address;
    if (lowest < bytes + TMA_LINE_BYTES || lowest > TMA_L2_ADDRESS_LIMIT)
        return tma_default_descriptor_line() * TMA_LINE_BYTES;
    return (lowest - bytes) / TMA_LINE_BYTES * TMA_LINE_BYTES;
}

uint32_t tma_walk_map_index(const struct tma_stage_operation *stage,
                            const struct tma_workload *workload, uint32_t cta, uint32_t iteration) {
    uint32_t count = map_count(stage, workload);
    if (count == 1)
        return 0;
    uint64_t tile = tile_number(stage, workload, cta, iteration);
    return (uint32_t)(tile / tensor_tiles(&stage->walk) % count);
}

struct tma_tensor_map tma_walk_map(const struct tma_stage_operation *stage,
                                   const struct tma_workload *workload, uint32_t cta,
                                   uint32_t iteration) {
    struct tma_tensor_map map = workload->maps[stage->map];
    map.global_address += workload->arrays[stage->map].pitch_bytes *
                          tma_walk_map_index(stage, workload, cta, iteration);
    return map;
}

uint64_t tma_walk_tiles(const struct tma_stage_operation *stage,
                        const struct tma_workload *workload) {
    return saturating_product(tensor_tiles(&stage->walk), map_count(stage, workload));
}

uint64_t tma_walk_length(const struct tma_stage_operation *stage,
                         const struct tma_workload *workload) {
    return tile_number(stage, workload, workload->cta_count - 1, workload->iterations - 1) + 1;
}

uint64_t tma_walk_tile(const struct tma_stage_operation *stage, const struct tma_workload *workload,
                       uint32_t cta, uint32_t iteration) {
    return tile_number(stage, workload, cta, iteration) % tma_walk_tiles(stage, workload);
}

enum tma_error_code tma_workload_tile(const struct tma_workload *workload, uint32_t slot,
                                      uint32_t index, struct tma_tile *tile,
                                      struct tma_error *error) {
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    struct tma_operation operation = stage->operation;
    tma_walk_coordinates(stage, workload, 0, 0, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes + slot * workload->stage_bytes;
    return tma_operation_tile(map, &operation, tile, error);
}

uint32_t tma_workload_place(const struct tma_machine *machine, const struct tma_workload *workload,
                            uint32_t sms[TMA_MAX_SMS]) {
    uint32_t ctas = tma_cluster_ctas(workload);
    uint32_t count =
        workload->cta_count < workload->sm_count ? workload->cta_count : workload->sm_count;
    if (ctas > 1)
        return ctas * tma_machine_place_clusters(machine, ctas, count / ctas, sms);
    tma_machine_place(machine, count, sms);
    return count;
}
