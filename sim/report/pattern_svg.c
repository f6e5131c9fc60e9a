/* An SVG drawing of a tile distribution: a cell for each vector of the tile, with the thread that
 * takes it, in the colour of its warp. */
#include <inttypes.h>

#include "report/pattern_formats.h"
#include "report/svg.h"

enum {
    MAX_ROWS = 128,
    MAX_VECTORS = 32,
    CELL_WIDTH = 34,
    ROW_LABEL_WIDTH = 96,
    HEAD_HEIGHT = 132,
    PAGE_WIDTH = 860,
    LEGEND_CELL_WIDTH = 76
};

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static struct tma_tile_owner owner_at(const struct tma_tile_distribution *distribution, uint32_t y,
                                      uint32_t vector) {
    struct tma_tile_element at = {y, vector * distribution->x[0]};
    return tma_distribution_owner(distribution, at);
}

static void write_legend(const struct tma_tile_distribution *distribution, int y, FILE *out) {
    uint32_t warps = least(distribution->warps, TMA_SVG_COLOURS);
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

void tma_pattern_write_svg(const struct tma_tile_distribution *distribution, FILE *out) {
    uint32_t rows = least(distribution->pattern.y_per_tile, MAX_ROWS);
    uint32_t vectors = least(distribution->x[1], MAX_VECTORS);
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
