#include "report/pattern.h"

#include <inttypes.h>

#include "report/json_writer.h"

/* What <Y0, Y1, Y2> count in each pattern. */
static const char *const meanings[][3] = {
    [TMA_THREAD_RAKED] = {"warps", "rows of a warp in one iteration", "iterations"},
    [TMA_WARP_RAKED] = {"warps", "iterations", "rows of a warp in one iteration"},
    [TMA_BLOCK_RAKED] = {"iterations", "warps", "rows of a warp in one iteration"},
};

static struct tma_tile_owner owner_at(const struct tma_tile_distribution *distribution, uint32_t y,
                                      uint32_t vector) {
    struct tma_tile_element at = {y, vector * distribution->x[0]};
    return tma_distribution_owner(distribution, at);
}

static void write_tuples(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    const uint32_t *x = distribution->x, *y = distribution->y;
    const char *const *meaning = meanings[pattern->raking];
    fprintf(out,
            "pattern       %s: BlockSize %" PRIu32 ", YPerTile %" PRIu32 ", XPerTile %" PRIu32
            ", VecSize %" PRIu32 ", WarpSize %" PRIu32 ", wave groups %" PRIu32 "\n",
            tma_name_of(&tma_raking_names, (int)pattern->raking), pattern->block_size,
            pattern->y_per_tile, pattern->x_per_tile, pattern->vec_size, pattern->warp_size,
            pattern->wave_groups);
    fprintf(out,
            "<X0, X1>      <%" PRIu32 ", %" PRIu32 ">: elements that a thread takes at once, "
            "threads of a row\n",
            x[0], x[1]);
    fprintf(out, "<Y0, Y1, Y2>  <%" PRIu32 ", %" PRIu32 ", %" PRIu32 ">: %s, %s, %s\n", y[0], y[1],
            y[2], meaning[0], meaning[1], meaning[2]);
}

static int digits(uint32_t value) {
    int count = 1;
    for (; value >= 10; value /= 10)
        count++;
    return count;
}

/* A line for each row of the tile: thread numbers, each over X0 elements. */
static void write_text(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t x0 = distribution->x[0], x1 = distribution->x[1];
    int most = digits(pattern->block_size > pattern->x_per_tile ? pattern->block_size
                                                                : pattern->x_per_tile);
    write_tuples(distribution, out);
    if (pattern->wave_groups > 1)
        fprintf(out,
                "wave groups   each takes the whole tile: thread t of the first is followed by t + "
                "%" PRIu32 "\n",
                pattern->block_size / pattern->wave_groups);
    fprintf(out, "\n%6s %5s %5s  thread at x =\n%20s", "y", "iter", "warp", "");
    for (uint32_t vector = 0; vector < x1; vector++)
        fprintf(out, "%*" PRIu32, most + 1, vector * x0);
    fputc('\n', out);
    for (uint32_t y = 0; y < pattern->y_per_tile; y++) {
        struct tma_tile_owner first = owner_at(distribution, y, 0);
        fprintf(out, "%6" PRIu32 " %5" PRIu32 " %5" PRIu32 "  ", y, first.element / x0,
                first.thread / pattern->warp_size);
        for (uint32_t vector = 0; vector < x1; vector++)
            fprintf(out, "%*" PRIu32, most + 1, owner_at(distribution, y, vector).thread);
        fputc('\n', out);
    }
}

static void write_list(struct tma_json *json, const char *key, const uint32_t *values,
                       size_t count) {
    tma_json_begin_list(json, key);
    for (size_t i = 0; i < count; i++)
        tma_json_unsigned(json, NULL, values[i]);
    tma_json_end_array(json);
}

/* The first thread of a wave group. */
static uint32_t first_thread(const struct tma_tile_pattern *pattern, uint32_t group) {
    return group * (pattern->block_size / pattern->wave_groups);
}

/* A list for each row of the tile: the threads of its vectors. */
static void write_group(const struct tma_tile_distribution *distribution, uint32_t group,
                        struct tma_json *json) {
    uint32_t first = first_thread(&distribution->pattern, group);
    tma_json_begin_array(json, NULL);
    for (uint32_t y = 0; y < distribution->pattern.y_per_tile; y++) {
        tma_json_begin_list(json, NULL);
        for (uint32_t vector = 0; vector < distribution->x[1]; vector++)
            tma_json_unsigned(json, NULL, first + owner_at(distribution, y, vector).thread);
        tma_json_end_array(json);
    }
    tma_json_end_array(json);
}

static void write_json(const struct tma_tile_distribution *distribution, FILE *out) {
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
        write_group(distribution, group, &json);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

/* One line for each wave group and element of the tile. */
static void write_csv(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint64_t elements = (uint64_t)pattern->y_per_tile * pattern->x_per_tile;
    fputs("wave_group,y,x,thread,element\n", out);
    for (uint64_t i = 0; i < elements * pattern->wave_groups; i++) {
        uint32_t group = (uint32_t)(i / elements);
        struct tma_tile_element at = {(uint32_t)(i % elements / pattern->x_per_tile),
                                      (uint32_t)(i % pattern->x_per_tile)};
        struct tma_tile_owner owner = tma_distribution_owner(distribution, at);
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", group, at.y,
                at.x, first_thread(pattern, group) + owner.thread, owner.element);
    }
}

static void (*const writers[])(const struct tma_tile_distribution *,
                               FILE *) = {write_text, write_json, write_csv};

static const struct tma_name format_items[] = {{"text", 0}, {"json", 1}, {"csv", 2}};

const struct tma_names tma_pattern_format_names = {"format", format_items,
                                                   sizeof format_items / sizeof format_items[0]};

void tma_pattern_write(const struct tma_tile_distribution *distribution, int format, FILE *out) {
    writers[format](distribution, out);
}
