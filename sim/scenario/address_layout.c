/* Chooses the addresses that the scenario leaves open. */
#include "base/numbers.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "tensormap/defaults.h"

/* cudaMalloc places large allocations at such addresses, at multiples of 2 MiB. */
static const uint64_t first_address = 0x7f0000000000;
static const uint64_t allocation_bytes = 2u << 20;

/* A swizzle pattern starts at the tile's first byte only with this alignment. */
enum { TILE_ALIGNMENT_BYTES = 1024 };

/* Returns the distance from the tensor's first byte to the end of its last one, with dimension 0
 * dense. */
static uint64_t extent_bytes(const struct tma_tensor_map *map) {
    uint64_t bytes = tma_map_row_bytes(map);
    for (uint32_t d = 1; d < map->rank; d++)
        bytes += (map->global_dim[d] - 1) * map->global_strides[d - 1];
    return bytes;
}

void tma_assign_map_addresses(struct tma_scenario_reader *reader) {
    struct tma_workload *workload = &reader->scenario->workload;
    uint64_t next = first_address;
    uint32_t order[TMA_MAX_TENSOR_MAPS];
    for (uint32_t i = 0; i < workload->map_count; i++)
        order[i] = i;
    for (uint32_t i = 0; i < workload->map_count; i++)
        order[workload->map_places[i]] = i;
    for (uint32_t place = 0; place < workload->map_count; place++) {
        uint32_t i = order[place];
        struct tma_tensor_map *map = &workload->maps[i];
        struct tma_map_array *array = &workload->arrays[i];
        if (!reader->map_valid[i])
            continue;
        array->pitch_bytes = tma_round_up(extent_bytes(map), TMA_LINE_BYTES);
        if (map->global_address != TMA_AUTO_ADDRESS)
            continue;
        map->global_address = next;
        next = tma_round_up(next + array->count * array->pitch_bytes, allocation_bytes);
    }
}

void tma_assign_stage_offsets(struct tma_scenario_reader *reader) {
    struct tma_workload *workload = &reader->scenario->workload;
    uint64_t end = 0, expected = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        struct tma_operation *operation = &workload->operations[i].operation;
        if (!reader->size_known[i])
            continue;
        if (operation->shared_address == TMA_AUTO_OFFSET)
            operation->shared_address = (uint32_t)tma_round_up(end, TILE_ALIGNMENT_BYTES);
        uint64_t tile_end = operation->shared_address + reader->sizes[i].shared_footprint_bytes;
        end = tile_end > end ? tile_end : end;
        expected += reader->sizes[i].transaction_bytes;
    }
    if (workload->stage_bytes == TMA_AUTO_STAGE)
        workload->stage_bytes = (uint32_t)tma_round_up(end, TILE_ALIGNMENT_BYTES);
    if (workload->expect_bytes == TMA_AUTO_EXPECT)
        workload->expect_bytes = expected;
}
