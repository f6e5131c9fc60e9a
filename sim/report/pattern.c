#include "report/pattern.h"

#include <inttypes.h>

#include "base/numbers.h"
#include "report/format_table.h"
#include "report/json_writer.h"
#include "report/svg.h"

/* The meaning of <Y0, Y1, Y2> in each pattern. */
static const char *const meanings[][3] = {
    [TMA_THREAD_RAKED] = {"warps", "rows per warp and iteration", "iterations"},
    [TMA_WARP_RAKED] = {"warps", "iterations", "rows per warp and iteration"},
    [TMA_BLOCK_RAKED] = {"iterations", "warps", "rows per warp and iteration"},
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
            "<X0, X1>      <%" PRIu32 ", %" PRIu32 ">: elements that a thread accesses at "
            "once, threads per row\n",
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

/* One line for each row of the tile, with one thread number for every X0 elements. */
static void pattern_text(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t x0 = distribution->x[0], x1 = distribution->x[1];
    int width = digits(pattern->block_size > pattern->x_per_tile ? pattern->block_size
                                                                 : pattern->x_per_tile);
    write_tuples(distribution, out);
    if (pattern->wave_groups > 1)
        fprintf(out,
                "wave groups   each covers the whole tile: thread t + %" PRIu32
                " * g of group g has the elements of thread t\n",
                pattern->block_size / pattern->wave_groups);
    fprintf(out, "\n%6s %5s %5s  thread at x =\n%20s", "y", "iter", "warp", "");
    for (uint32_t vector = 0; vector < x1; vector++)
        fprintf(out, "%*" PRIu32, width + 1, vector * x0);
    fputc('\n', out);
    for (uint32_t y = 0; y < pattern->y_per_tile; y++) {
        struct tma_tile_owner first = owner_at(distribution, y, 0);
        fprintf(out, "%6" PRIu32 " %5" PRIu32 " %5" PRIu32 "  ", y, first.element / x0,
                first.thread / pattern->warp_size);
        for (uint32_t vector = 0; vector < x1; vector++)
            fprintf(out, "%*" PRIu32, width + 1, owner_at(distribution, y, vector).thread);
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

static void pattern_json(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "pattern", tma_name_of(&tma_raking_names, (int)pattern->raking));
    TMA_JSON_COUNTS(&json, pattern, block_size, y_per_tile, x_per_tile, vec_size);
    TMA_JSON_COUNTS(&json, pattern, warp_size, wave_groups);
    write_list(&json, "x", distribution->x, 2);
    write_list(&json, "y", distribution->y, 3);
    TMA_JSON_COUNTS(&json, distribution, warps, warp_rows, iterations);
    tma_json_begin_array(&json, "threads");
    for (uint32_t group = 0; group < pattern->wave_groups; group++)
        write_group(distribution, group * (pattern->block_size / pattern->wave_groups), &json);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

/* CSV: one line for each wave group and element of the tile. */
static void pattern_csv(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t group_threads = pattern->block_size / pattern->wave_groups;
    uint64_t elements = (uint64_t)pattern->y_per_tile * pattern->x_per_tile;
    fputs("wave_group,y,x,thread,element\n", out);
    for (uint64_t i = 0; i < elements * pattern->wave_groups; i++) {
        uint32_t group = (uint32_t)(i / elements);
        struct tma_tile_element at = {(uint32_t)(i % elements / pattern->x_per_tile),
                                      (uint32_t)(i % pattern->x_per_tile)};
        struct tma_tile_owner owner = tma_distribution_owner(distribution, at);
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", group, at.y,
                at.x, group * group_threads + owner.thread, owner.element);
    }
}

/* An SVG drawing of a tile distribution: a cell for each vector of the tile, with the thread that
 * takes it, in the colour of its warp. */

enum {
    MAX_ROWS = 128,
    MAX_VECTORS = 32,
    CELL_WIDTH = 34,
    ROW_LABEL_WIDTH = 96,
    HEAD_HEIGHT = 132,
    PAGE_WIDTH = 860,
    LEGEND_CELL_WIDTH = 76
};

static void write_legend(const struct tma_tile_distribution *distribution, int y, FILE *out) {
    uint32_t warps = tma_least(distribution->warps, TMA_SVG_COLOURS);
    for (uint32_t warp = 0; warp < warps; warp++) {
        char text[32];
        snprintf(text, sizeof text, "warp %" PRIu32, warp);
        tma_svg_cell((struct tma_svg_box){TMA_SVG_MARGIN + (int)warp * (LEGEND_CELL_WIDTH + 4), y,
                                          LEGEND_CELL_WIDTH, TMA_SVG_CELL_HEIGHT},
                     tma_svg_colour_class(warp), text, NULL, out);
    }
    if (distribution->warps > warps)
        tma_svg_text(out, TMA_SVG_MARGIN + TMA_SVG_LEGEND_WIDTH, y + 13, "note",
                     "%" PRIu32 " more warps, in the same colours", distribution->warps - warps);
}

static void write_head(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    const uint32_t *x = distribution->x, *y = distribution->y;
    tma_svg_text(out, TMA_SVG_MARGIN, 24, "heading",
                 "%s: %" PRIu32 " threads on %" PRIu32 " x %" PRIu32 " elements",
                 tma_name_of(&tma_raking_names, (int)pattern->raking),
                 pattern->block_size / pattern->wave_groups, pattern->y_per_tile,
                 pattern->x_per_tile);
    tma_svg_text(out, TMA_SVG_MARGIN, 44, "",
                 "<X0, X1> = <%" PRIu32 ", %" PRIu32 ">, <Y0, Y1, Y2> = <%" PRIu32 ", %" PRIu32
                 ", %" PRIu32 ">; a cell is the %" PRIu32
                 " elements that a thread accesses at once",
                 x[0], x[1], y[0], y[1], y[2], x[0]);
    if (pattern->wave_groups > 1)
        tma_svg_text(out, TMA_SVG_MARGIN, 61, "",
                     "each of %" PRIu32 " wave groups covers the whole tile: thread t + %" PRIu32
                     " * g of group g has the elements of thread t",
                     pattern->wave_groups, pattern->block_size / pattern->wave_groups);
    write_legend(distribution, 72, out);
}

static void write_row(const struct tma_tile_distribution *distribution, uint32_t y, int top,
                      uint32_t vectors, FILE *out) {
    struct tma_tile_owner first = owner_at(distribution, y, 0);
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, top + 13, "row", "y %" PRIu32 ", pass %" PRIu32, y,
                 first.element / distribution->x[0]);
    for (uint32_t vector = 0; vector < vectors; vector++) {
        struct tma_tile_owner owner = owner_at(distribution, y, vector);
        uint32_t warp = owner.thread / distribution->pattern.warp_size;
        char text[12], hint[160];
        snprintf(text, sizeof text, "%" PRIu32, owner.thread);
        snprintf(hint, sizeof hint,
                 "thread %" PRIu32 " (warp %" PRIu32 "), pass %" PRIu32 ": row %" PRIu32
                 ", elements %" PRIu32 " to %" PRIu32,
                 owner.thread, warp, owner.element / distribution->x[0], y,
                 vector * distribution->x[0], (vector + 1) * distribution->x[0] - 1);
        tma_svg_cell((struct tma_svg_box){ROW_LABEL_WIDTH + (int)vector * CELL_WIDTH, top,
                                          CELL_WIDTH - 1, TMA_SVG_CELL_HEIGHT - 1},
                     tma_svg_colour_class(warp), text, hint, out);
    }
}

static void pattern_svg(const struct tma_tile_distribution *distribution, FILE *out) {
    uint32_t rows = tma_least(distribution->pattern.y_per_tile, MAX_ROWS);
    uint32_t vectors = tma_least(distribution->x[1], MAX_VECTORS);
    int width = TMA_SVG_MARGIN + ROW_LABEL_WIDTH + (int)vectors * CELL_WIDTH + TMA_SVG_MARGIN;
    int bottom = HEAD_HEIGHT + (int)rows * TMA_SVG_CELL_HEIGHT;
    tma_svg_begin(width > PAGE_WIDTH ? width : PAGE_WIDTH, bottom + 2 * TMA_SVG_MARGIN,
                  "threads of a tile distribution", out);
    write_head(distribution, out);
    tma_svg_begin_group(TMA_SVG_MARGIN, 0, out);
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, HEAD_HEIGHT - 6, "row", "x");
    for (uint32_t vector = 0; vector < vectors; vector++)
        tma_svg_text(out, ROW_LABEL_WIDTH + (int)vector * CELL_WIDTH + CELL_WIDTH / 2,
                     HEAD_HEIGHT - 6, "head", "%" PRIu32, vector * distribution->x[0]);
    for (uint32_t y = 0; y < rows; y++)
        write_row(distribution, y, HEAD_HEIGHT + (int)y * TMA_SVG_CELL_HEIGHT, vectors, out);
    tma_svg_left_out(ROW_LABEL_WIDTH, bottom + 14, distribution->pattern.y_per_tile - rows, "rows",
                     out);
    tma_svg_left_out(ROW_LABEL_WIDTH + 160, bottom + 14, distribution->x[1] - vectors,
                     "vectors of each row", out);
    tma_svg_end_group(out);
    tma_svg_end(out);
}

#define TMA_PATTERN_FORMATS(X)                                                                     \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(csv)                                                                                         \
    X(svg)
TMA_FORMAT_NAMES(tma_pattern_format_names, TMA_PATTERN_FORMATS);

void tma_pattern_write(const struct tma_tile_distribution *distribution, int format, FILE *out) {
#define WRITER(name) pattern_##name,
    static void (*const writers[])(const struct tma_tile_distribution *,
                                   FILE *) = {TMA_PATTERN_FORMATS(WRITER)};
#undef WRITER
    writers[format](distribution, out);
}
