#include "scenario/swizzle_phase.h"

#include <inttypes.h>
#include <stdio.h>

#include "placement/rows.h"
#include "scenario/kernel_program.h"

bool tma_swizzle_phase_text(const char *map_name, const struct tma_tensor_map *map,
                            uint32_t address, char text[TMA_PHASE_TEXT_BYTES]) {
    uint32_t period = tma_swizzle_pattern_bytes(map->swizzle);
    uint32_t lines = tma_swizzle_base_offset(map->swizzle, address);
    if (lines == 0)
        return false;
    snprintf(
        text, TMA_PHASE_TEXT_BYTES,
        "the tile of %s lies at 0x%" PRIx32 ", which is no multiple of %" PRIu32
        " bytes, the period of swizzle %s: hardware swizzles the absolute address, so code that "
        "counts lines from the tile's first byte finds other elements there. Align the tile "
        "to %" PRIu32 " bytes, or count from address 0 (base offset %" PRIu32
        " of a matrix descriptor)",
        map_name, address, period, tma_name_of(&tma_swizzle_names, (int)map->swizzle), period,
        lines);
    return true;
}

/* Does an operation before this one of the same stage end where this one begins? */
static bool continues(const struct tma_workload *workload, uint32_t index) {
    const struct tma_stage_operation *stage = &workload->operations[index];
    for (uint32_t i = 0; i < index; i++) {
        const struct tma_stage_operation *before = &workload->operations[i];
        struct tma_operation first = before->operation;
        struct tma_row_stream rows;
        struct tma_operation_size size;
        tma_walk_coordinates(before, workload, 0, 0, first.coordinates);
        if (before->map == stage->map &&
            tma_rows_begin(&rows, &workload->maps[stage->map], &first, &size, NULL) == TMA_OK &&
            first.shared_address + size.shared_footprint_bytes == stage->operation.shared_address)
            return true;
    }
    return false;
}

/* Looks at `stages` tiles from an address on. */
static bool find(const struct tma_scenario *scenario, uint32_t map, uint32_t address,
                 uint32_t stages, uint32_t stage_bytes, char text[TMA_PHASE_TEXT_BYTES]) {
    for (uint32_t s = 0; s < stages; s++)
        if (tma_swizzle_phase_text(scenario->map_names[map], &scenario->workload.maps[map],
                                   address + s * stage_bytes, text))
            return true;
    return false;
}

static bool find_in_kernel(const struct tma_scenario *scenario, uint32_t map,
                           char text[TMA_PHASE_TEXT_BYTES]) {
    const struct tma_kernel *kernel = &scenario->program->kernel;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind != TMA_STATEMENT_OPERATION || statement->map != map ||
            statement->operation.direction == TMA_PREFETCH)
            continue;
        bool ring = statement->ring != TMA_NO_RING;
        uint32_t base = ring ? kernel->rings[statement->ring].shared_offset
                             : kernel->buffers[statement->buffer].shared_offset;
        if (find(scenario, map, base + statement->operation.shared_address,
                 ring ? kernel->rings[statement->ring].depth : 1,
                 ring ? kernel->rings[statement->ring].stage_bytes : 0, text))
            return true;
    }
    return false;
}

bool tma_swizzle_phase_find(const struct tma_scenario *scenario, uint32_t map,
                            char text[TMA_PHASE_TEXT_BYTES]) {
    const struct tma_workload *workload = &scenario->workload;
    if (scenario->program != NULL)
        return find_in_kernel(scenario, map, text);
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        if (stage->map == map && stage->operation.direction != TMA_PREFETCH &&
            !continues(workload, i) &&
            find(scenario, map, workload->shared_base_bytes + stage->operation.shared_address,
                 workload->depth, workload->stage_bytes, text))
            return true;
    }
    return false;
}
