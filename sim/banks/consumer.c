#include "banks/consumer.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "banks/lane_map.h"

/* Writes the names of the lane maps that a family of instructions can use. */
static void list_maps(enum tma_instruction_family family, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < tma_lane_map_names.count && length < size; i++) {
        const struct tma_name *item = &tma_lane_map_names.items[i];
        if (tma_find_lane_map((enum tma_lane_map)item->value)->family == family)
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "" : ", ", item->name);
    }
}

static enum tma_error_code check_family(const struct lane_plan *plan, const struct lane_map *map,
                                        struct tma_error *error) {
    enum tma_instruction_family family = plan->instruction->family;
    char allowed[100];
    list_maps(family, allowed, sizeof allowed);
    if (map == NULL || map->family != family)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s with lane map %s; allowed: %s",
                        plan->instruction->name,
                        tma_name_of(&tma_lane_map_names, (int)plan->consumer->lanes), allowed);
    if (plan->consumer->transposed && family != TMA_FAMILY_MATRIX)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s cannot be transposed: only ldmatrix and stmatrix have .trans",
                        plan->instruction->name);
    return TMA_OK;
}

static enum tma_error_code check_alignment(const struct lane_plan *plan, struct tma_error *error) {
    const struct tma_tile *tile = plan->tile;
    uint32_t bytes = plan->instruction->lane_bytes;
    const struct {
        const char *what;
        uint32_t value;
    } aligned[] = {{"the tile's shared-memory address", tile->shared_address},
                   {"the row pitch", tile->pitch_bytes}};
    for (unsigned i = 0; i < 2; i++)
        if (aligned[i].value % bytes != 0)
            return tma_fail(error, TMA_ERROR_FAULT,
                            "%s needs addresses that are multiples of %u, but %s is %u: hardware "
                            "stops the kernel (misaligned address)",
                            plan->instruction->name, bytes, aligned[i].what, aligned[i].value);
    return TMA_OK;
}

static enum tma_error_code check_width(const struct lane_plan *plan, struct tma_error *error) {
    const struct tma_tile *tile = plan->tile;
    uint32_t bytes = plan->instruction->lane_bytes;
    if (tile->rows == 0 || tile->row_bytes == 0 || tile->pitch_bytes < tile->row_bytes)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "not a tile: %u rows of %u bytes, %u bytes from row to row", tile->rows,
                        tile->row_bytes, tile->pitch_bytes);
    if (tile->row_bytes < bytes)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s takes %u bytes a lane: wider than the tile's rows of %u bytes",
                        plan->instruction->name, bytes, tile->row_bytes);
    if (tile->row_bytes % bytes != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s takes %u bytes a lane, but the tile's rows of %u bytes are no multiple "
                        "of that: the last lane of a row would leave the tile",
                        plan->instruction->name, bytes, tile->row_bytes);
    return TMA_OK;
}

static enum tma_error_code make_plan(const struct tma_consumer *consumer,
                                     const struct tma_tile *tile, struct lane_plan *plan,
                                     struct tma_error *error) {
    const struct lane_map *map = tma_find_lane_map(consumer->lanes);
    *plan = (struct lane_plan){.consumer = consumer,
                               .instruction = tma_shared_instruction_info(consumer->instruction),
                               .tile = tile};
    enum tma_error_code code = check_family(plan, map, error);
    if (code == TMA_OK)
        code = check_width(plan, error);
    if (code == TMA_OK)
        code = check_alignment(plan, error);
    if (code != TMA_OK)
        return code;
    plan->row_vectors = tile->row_bytes / plan->instruction->lane_bytes;
    return map->plan(plan, error);
}

enum tma_error_code tma_consumer_check(const struct tma_consumer *consumer,
                                       const struct tma_tile *tile, struct tma_error *error) {
    struct lane_plan plan;
    return make_plan(consumer, tile, &plan, error);
}

static void fill_access(const struct lane_plan *plan, const struct lane_map *map, uint32_t index,
                        struct tma_warp_access *access) {
    uint32_t bytes = plan->instruction->lane_bytes;
    access->lane_mask = 0;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
        struct lane_place place;
        access->address[lane] = 0;
        if (!map->place(plan, index, lane, &place))
            continue;
        /* Round down: one swizzle mode exchanges the 8-byte halves of a chunk, but the address of a
         * 16-byte vector is still that of its chunk. */
        access->address[lane] =
            tma_tile_address(plan->tile, place.row, place.vector * bytes) & ~(bytes - 1);
        access->lane_mask |= 1U << lane;
    }
}

void tma_consumer_visit(const struct tma_consumer *consumer, const struct tma_tile *tile,
                        tma_access_visitor visit, void *context) {
    struct lane_plan plan;
    enum tma_error_code code = make_plan(consumer, tile, &plan, NULL);
    assert(code == TMA_OK);
    (void)code;
    const struct lane_map *map = tma_find_lane_map(consumer->lanes);
    struct tma_warp_access access = {.instruction = consumer->instruction};
    for (uint32_t index = 0; index < plan.instructions; index++) {
        fill_access(&plan, map, index, &access);
        if (!visit(context, index, &access))
            return;
    }
}

static bool add_access(void *context, uint64_t index, const struct tma_warp_access *access) {
    struct tma_consumer_report *report = context;
    struct tma_bank_report banks = tma_bank_conflicts(access);
    uint32_t lanes = (uint32_t)__builtin_popcount(access->lane_mask);
    report->instructions++;
    report->wavefronts += banks.wavefronts;
    report->ideal_wavefronts += banks.ideal_wavefronts;
    report->bytes += lanes * tma_shared_instruction_info(access->instruction)->lane_bytes;
    report->banks_used |= banks.banks_used;
    if (banks.ways > report->worst.ways) {
        report->worst_index = index;
        report->worst_access = *access;
        report->worst = banks;
    }
    return true;
}

struct tma_consumer_report tma_consumer_measure(const struct tma_consumer *consumer,
                                                const struct tma_tile *tile) {
    struct tma_consumer_report report = {0};
    tma_consumer_visit(consumer, tile, add_access, &report);
    return report;
}
