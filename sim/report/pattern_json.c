#include "report/json_writer.h"
#include "report/pattern_formats.h"

static void write_list(struct tma_json *json, const char *key, const uint32_t *values,
                       size_t count) {
    tma_json_begin_list(json, key);
    for (size_t i = 0; i < count; i++)
        tma_json_unsigned(json, NULL, values[i]);
    tma_json_end_array(json);
}

/* Writes a list for each row of the tile: the threads of one wave group. */
static void write_group(const struct tma_tile_distribution *distribution, uint32_t first_thread,
                        struct tma_json *json) {
    tma_json_begin_array(json, NULL);
    for (uint32_t y = 0; y < distribution->pattern.y_per_tile; y++) {
        tma_json_begin_list(json, NULL);
        for (uint32_t vector = 0; vector < distribution->x[1]; vector++) {
            struct tma_tile_element first = {y, vector * distribution->x[0]};
            struct tma_tile_owner owner = tma_distribution_owner(distribution, first);
            tma_json_unsigned(json, NULL, first_thread + owner.thread);
        }
        tma_json_end_array(json);
    }
    tma_json_end_array(json);
}

void tma_pattern_write_json(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "pattern", tma_name_of(&tma_raking_names, (int)pattern->raking));
    tma_json_unsigned(&json, "block_size", pattern->block_size);
    tma_json_unsigned(&json, "y_per_tile", pattern->y_per_tile);
    tma_json_unsigned(&json, "x_per_tile", pattern->x_per_tile);
    tma_json_unsigned(&json, "vec_size", pattern->vec_size);
    tma_json_unsigned(&json, "warp_size", pattern->warp_size);
    tma_json_unsigned(&json, "wave_groups", pattern->wave_groups);
    write_list(&json, "x", distribution->x, 2);
    write_list(&json, "y", distribution->y, 3);
    tma_json_unsigned(&json, "warps", distribution->warps);
    tma_json_unsigned(&json, "warp_rows", distribution->warp_rows);
    tma_json_unsigned(&json, "iterations", distribution->iterations);
    tma_json_begin_array(&json, "threads");
    for (uint32_t group = 0; group < pattern->wave_groups; group++)
        write_group(distribution, group * (pattern->block_size / pattern->wave_groups), &json);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}
