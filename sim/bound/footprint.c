#include "bound/footprint.h"

#include "bound/cover.h"
#include "tensormap/types.h"

/* The elements inside the tensor. */
static uint64_t clip(const struct tma_cover *cover, uint64_t size) {
    int64_t end = cover->first + cover->span, limit = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    if (cover->first >= 0 && end <= limit)
        return (uint64_t)cover->covered;
    if (cover->covered < cover->span)
        return 0;
    int64_t first = cover->first < 0 ? 0 : cover->first;
    end = end < limit ? end : limit;
    return end > first ? (uint64_t)(end - first) : 0;
}

static uint64_t load_bytes(const struct tma_work_walk *walk, uint32_t role, uint32_t index) {
    const struct tma_statement *load = &walk->kernel->statements[index];
    const struct tma_tensor_map *map = &walk->kernel->maps[load->map];
    struct tma_loop_ranges ranges = {.count = 0};
    uint64_t used = 0, elements = 1;
    if (load->operation.access != TMA_ACCESS_TILE || load->lanes.rows != NULL ||
        load->lanes.active != 0 || map->kind != TMA_MAP_TILED ||
        map->interleave != TMA_INTERLEAVE_NONE || !tma_find_ranges(walk, role, index, &ranges))
        return 0;
    for (uint32_t d = 0; d < map->rank; d++) {
        struct tma_cover cover;
        if (map->element_strides[d] != 1 ||
            !tma_cover_dimension(walk, &ranges, &load->coordinates[d], map->box_dim[d], &used,
                                 &cover))
            return 0;
        uint64_t inside = clip(&cover, map->global_dim[d]);
        if (inside == 0 || elements > UINT64_MAX / inside / 16)
            return 0;
        elements *= inside;
    }
    return elements * tma_type_info(map->data_type)->global_bits / 8;
}

/* Past the last byte of a tensor; UINT64_MAX where rows or planes overlap, or several tensors are
 * meant. */
static uint64_t tensor_end(const struct tma_kernel *kernel, uint32_t index) {
    const struct tma_tensor_map *map = &kernel->maps[index];
    uint64_t extent = map->global_dim[0] * tma_type_info(map->data_type)->global_bits / 8;
    if (kernel->arrays[index].count > 1)
        return UINT64_MAX;
    for (uint32_t d = 1; d < map->rank; d++) {
        if (map->global_strides[d - 1] < extent)
            return UINT64_MAX;
        extent = map->global_strides[d - 1] * map->global_dim[d];
    }
    return map->global_address + extent;
}

static bool overlap(const struct tma_kernel *kernel, uint32_t a, uint32_t b) {
    return kernel->maps[a].global_address < tensor_end(kernel, b) &&
           kernel->maps[b].global_address < tensor_end(kernel, a);
}

uint64_t tma_footprint_bytes(const struct tma_work_walk *walk) {
    const struct tma_kernel *kernel = walk->kernel;
    uint64_t bytes[TMA_MAX_TENSOR_MAPS] = {0}, sum = 0;
    bool written[TMA_MAX_TENSOR_MAPS] = {false};
    for (uint32_t role = 0; role < kernel->role_count; role++)
        for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
            const struct tma_statement *statement = &kernel->statements[i];
            if (statement->kind != TMA_STATEMENT_OPERATION)
                continue;
            if (statement->operation.direction != TMA_LOAD) {
                written[statement->map] |= tma_writes_tensor(statement->operation.direction);
                continue;
            }
            uint64_t loaded = load_bytes(walk, role, i);
            if (loaded > bytes[statement->map])
                bytes[statement->map] = loaded;
        }
    for (uint32_t m = 0; m < kernel->map_count; m++) {
        bool counts = !written[m] && tensor_end(kernel, m) != UINT64_MAX;
        for (uint32_t other = 0; other < kernel->map_count && counts; other++)
            if (other < m ? bytes[other] > 0 || written[other] : other > m && written[other])
                counts = !overlap(kernel, m, other);
        if (counts)
            sum += bytes[m];
    }
    return sum;
}
