/* Addresses that the scenario leaves open. */
#include "scenario/scenario_reader.h"

/* Where cudaMalloc puts large allocations, and how far apart. */
static const uint64_t first_address = 0x7f0000000000;
static const uint64_t allocation_bytes = 2u << 20;

/* What a swizzle needs for its pattern to start at the tile's first byte. */
enum { TILE_ALIGNMENT_BYTES = 1024 };

static uint64_t round_up(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/* From the tensor's first to past its last byte, dimension 0 taken as dense. */
static uint64_t extent_bytes(const struct tma_tensor_map *map) {
    uint64_t bytes = tma_map_row_bytes(map);
    for (uint32_t d = 1; d < map->rank; d++)
        bytes += (map->global_dim[d] - 1) * map->global_strides[d - 1];
    return bytes;
}

void tma_assign_map_addresses(struct tma_scenario_reader *reading) {
    struct tma_workload *workload = &reading->scenario->workload;
    uint64_t next = first_address;
    for (uint32_t i = 0; i < workload->map_count; i++) {
        struct tma_tensor_map *map = &workload->maps[i];
        struct tma_map_array *array = &workload->arrays[i];
        if (!reading->map_good[i])
            continue;
        array->pitch_bytes = round_up(extent_bytes(map), TMA_LINE_BYTES);
        if (map->global_address != TMA_AUTO_ADDRESS)
            continue;
        map->global_address = next;
        next = round_up(next + array->count * array->pitch_bytes, allocation_bytes);
    }
}

void tma_assign_stage_offsets(struct tma_scenario_reader *reading) {
    struct tma_workload *workload = &reading->scenario->workload;
    uint64_t end = 0, expected = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        struct tma_operation *operation = &workload->operations[i].operation;
        if (!reading->sized[i])
            continue;
        if (operation->shared_address == TMA_AUTO_OFFSET)
            operation->shared_address = (uint32_t)round_up(end, TILE_ALIGNMENT_BYTES);
        uint64_t past = operation->shared_address + reading->sizes[i].shared_footprint_bytes;
        end = past > end ? past : end;
        expected += reading->sizes[i].transaction_bytes;
    }
    if (workload->stage_bytes == TMA_AUTO_STAGE)
        workload->stage_bytes = (uint32_t)round_up(end, TILE_ALIGNMENT_BYTES);
    if (workload->expect_bytes == TMA_AUTO_EXPECT)
        workload->expect_bytes = expected;
}
