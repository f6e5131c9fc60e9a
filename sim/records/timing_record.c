#include "records/timing_record.h"

#include <stdlib.h>

#include "placement/rows.h"

/* Address of the tensor. Records do not state one, and none depends on it. */
static const uint64_t tensor_address = UINT64_C(0x7f0000000000);

enum { MAX_VALUE = 256 };

/* Parses the integers of a word into `values`. Values that the word lacks are `fallback`. Returns
 * false if there is no such word. */
static bool read_list(const char *words, const char *key, int64_t *values, size_t count,
                      int64_t fallback) {
    char text[MAX_VALUE];
    for (size_t i = 0; i < count; i++)
        values[i] = fallback;
    return tma_find_key_value(words, key, text, sizeof text) &&
           tma_parse_list(text, values, count) > 0;
}

static int64_t read_number(const char *words, const char *key, int64_t fallback) {
    int64_t value;
    read_list(words, key, &value, 1, fallback);
    return value;
}

static void read_array32(const char *words, const char *key, uint32_t *to, size_t count,
                         uint32_t fallback) {
    int64_t values[TMA_MAX_RANK];
    read_list(words, key, values, count, fallback);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)values[i];
}

static void read_array64(const char *words, const char *key, uint64_t *to, size_t count,
                         uint64_t fallback) {
    int64_t values[TMA_MAX_RANK];
    read_list(words, key, values, count, (int64_t)fallback);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint64_t)values[i];
}

static void read_map(const char *words, struct tma_tensor_map *map) {
    *map = (struct tma_tensor_map){
        .kind = read_number(words, "mode", 0) == 0 ? TMA_MAP_TILED : TMA_MAP_IM2COL,
        .data_type = (enum tma_data_type)read_number(words, "dtype", 0),
        .rank = (uint32_t)read_number(words, "rank", 0),
        .global_address = tensor_address,
        .channels_per_pixel = (uint32_t)read_number(words, "cpp", 0),
        .pixels_per_column = (uint32_t)read_number(words, "ppc", 0),
        .interleave = (enum tma_interleave)read_number(words, "interleave", 0),
        .swizzle = (enum tma_swizzle)read_number(words, "swizzle", 0),
        .l2_promotion = (enum tma_l2_promotion)read_number(words, "l2", 0),
    };
    read_array64(words, "dim", map->global_dim, TMA_MAX_RANK, 1);
    read_array64(words, "stride", map->global_strides, TMA_MAX_RANK - 1, 0);
    read_array32(words, "box", map->box_dim, TMA_MAX_RANK, 1);
    read_array32(words, "estride", map->element_strides, TMA_MAX_RANK, 1);
    read_array32(words, "lower", (uint32_t *)map->lower_corner, 3, 0);
    read_array32(words, "upper", (uint32_t *)map->upper_corner, 3, 0);
}

static void read_operation(const char *words, struct tma_stage_operation *stage) {
    bool tiled = read_number(words, "mode", 0) == 0;
    int64_t offsets[3];
    *stage = (struct tma_stage_operation){
        .operation = {.direction = (enum tma_direction)read_number(words, "op", 0),
                      .access = tiled ? TMA_ACCESS_TILE : TMA_ACCESS_IM2COL,
                      .reduction = TMA_REDUCE_ADD},
        .walk = {.order = (enum tma_walk_order)read_number(words, "order", 0)},
    };
    read_list(words, "off", offsets, 3, 0);
    for (int i = 0; i < 3; i++)
        stage->operation.im2col_offsets[i] = (uint16_t)offsets[i];
    read_array32(words, "start", (uint32_t *)stage->walk.start, TMA_MAX_RANK, 0);
    read_array32(words, "nt", stage->walk.tiles, TMA_MAX_RANK, 1);
    read_array32(words, "step", (uint32_t *)stage->walk.step, TMA_MAX_RANK, 0);
}

enum tma_error_code tma_timing_record_read(const struct tma_tsv *records, size_t row,
                                           const struct tma_machine *machine,
                                           struct tma_workload *workload, struct tma_error *error) {
    const char *words = tma_tsv_cell(records, row, "scenario");
    *workload = (struct tma_workload){
        .map_count = 1,
        .cta_count = (uint32_t)read_number(words, "grid", 0),
        .sm_count = machine->sm_count,
        .iterations = (uint32_t)read_number(words, "iters", 0),
        .depth = (uint32_t)read_number(words, "depth", 0),
        .stage_bytes = (uint32_t)read_number(words, "stage", 0),
        .operation_count = 1,
        .cold = read_number(words, "cold", 0) != 0,
    };
    read_map(words, &workload->maps[0]);
    read_operation(words, &workload->operations[0]);
    /* Only loads complete bytes on an mbarrier. */
    if (workload->operations[0].operation.direction == TMA_LOAD)
        workload->expect_bytes = (uint64_t)read_number(words, "tx", 0);
    if (workload->cta_count == 0 || workload->iterations == 0 || workload->depth == 0 ||
        workload->maps[0].rank == 0 || workload->maps[0].rank > TMA_MAX_RANK)
        return tma_fail(
            error, TMA_ERROR_SYNTAX,
            "the scenario column has no valid grid, iters, depth or rank; expected 1 or "
            "more, and a rank of at most 5");
    for (int d = 0; d < TMA_MAX_RANK; d++)
        if (workload->operations[0].walk.tiles[d] == 0)
            return tma_fail(error, TMA_ERROR_SYNTAX,
                            "the scenario column has an nt of 0; expected 1 or more");
    return TMA_OK;
}
