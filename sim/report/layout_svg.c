/* An SVG drawing of a tile, twice. On the left, the rows of the box: a cell for each chunk, with
 * the bank where it lies. On the right, shared memory by bank rows: a cell for each chunk, with the
 * coordinates of its first element. Both are in the colours of the banks. */
#include <inttypes.h>
#include <string.h>

#include "base/numbers.h"
#include "report/layout_formats.h"
#include "report/svg.h"

enum {
    MAX_ROWS = 64,
    MAX_CHUNKS = 16,
    CHUNK_WIDTH = 36,
    ROW_LABEL_WIDTH = 68,
    HEAD_HEIGHT = 150,
    PANEL_GAP = 44,
    PAGE_WIDTH = 2 * TMA_SVG_MARGIN + TMA_SVG_LEGEND_WIDTH + 240,
};

/* What one drawing shows. */
struct drawing {
    const struct tma_layout_tile *tile;
    uint32_t chunks;        /* of a row of the box */
    uint32_t rows, columns; /* drawn on the left */
    uint32_t bank_rows;     /* drawn on the right */
    uint32_t first_row, first_bank_row;
    int cell_width;                 /* on the right */
    uint32_t marks[TMA_MAX_PLACES]; /* addresses to outline */
    unsigned mark_count;
};

/* The first row of the part of a table that shows row number `row`. */
static uint32_t part_with(uint32_t row, uint32_t rows) {
    return rows <= MAX_ROWS || row < MAX_ROWS / 2 ? 0
                                                  : tma_least(row - MAX_ROWS / 2, rows - MAX_ROWS);
}

static uint32_t tile_address(const struct tma_layout_tile *tile, uint32_t row, uint32_t byte) {
    return tma_swizzle_address(tile->view->map->swizzle, tile->view->operation->shared_address +
                                                             row * tile->size.row_pitch_bytes +
                                                             byte);
}

/* The row of the box that has the byte at an address. */
static uint32_t row_of(const struct tma_layout_tile *tile, uint32_t address) {
    uint32_t offset = tma_swizzle_address(tile->view->map->swizzle, address) -
                      tile->view->operation->shared_address;
    return tma_least(offset / tile->size.row_pitch_bytes, tile->size.rows - 1);
}

/* The chunk of that row. */
static uint32_t chunk_of(const struct tma_layout_tile *tile, uint32_t address) {
    uint32_t offset = tma_swizzle_address(tile->view->map->swizzle, address) -
                      tile->view->operation->shared_address;
    return offset % tile->size.row_pitch_bytes / TMA_CHUNK_BYTES;
}

static int widest_cell(const struct drawing *drawing) {
    size_t widest = 6;
    for (uint32_t row = 0; row < drawing->bank_rows; row++)
        for (uint32_t chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++) {
            size_t length =
                strlen(tma_layout_cell(drawing->tile, drawing->first_bank_row + row, chunk).text);
            widest = length > widest ? length : widest;
        }
    return (int)widest * TMA_SVG_DIGIT_WIDTH + 4;
}

static struct drawing drawing_of(const struct tma_layout_tile *tile) {
    struct drawing drawing = {.tile = tile};
    drawing.chunks = (tile->size.row_bytes + TMA_CHUNK_BYTES - 1) / TMA_CHUNK_BYTES;
    drawing.rows = tma_least(tile->size.rows, MAX_ROWS);
    drawing.columns = tma_least(drawing.chunks, MAX_CHUNKS);
    drawing.bank_rows = tma_least(tile->bank_rows, MAX_ROWS);
    drawing.cell_width = widest_cell(&drawing);
    return drawing;
}

/* Outlines the chunk of an address, too, and moves the drawn parts to the first such chunk. */
static void mark(struct drawing *drawing, uint32_t address) {
    const struct tma_layout_tile *tile = drawing->tile;
    uint32_t bank_row = address / TMA_BANK_ROW_BYTES - tile->first_bank_row;
    if (bank_row >= tile->bank_rows)
        return;
    if (drawing->mark_count == 0) {
        drawing->first_row = part_with(row_of(tile, address), tile->size.rows);
        drawing->first_bank_row = part_with(bank_row, tile->bank_rows);
        drawing->cell_width = widest_cell(drawing);
    }
    drawing->marks[drawing->mark_count++] = address;
}

static void write_head(const struct drawing *drawing, FILE *out) {
    static const char *const directions[] = {
        [TMA_LOAD] = "load", [TMA_STORE] = "store", [TMA_REDUCE] = "reduction"};
    const struct tma_layout_tile *tile = drawing->tile;
    const struct tma_layout_view *view = tile->view;
    tma_svg_text(out, TMA_SVG_MARGIN, 24, "heading", "%s of %s at 0x%" PRIx32 ", swizzle %s",
                 directions[view->operation->direction], view->map_name,
                 view->operation->shared_address,
                 tma_name_of(&tma_swizzle_names, (int)view->map->swizzle));
    tma_svg_text(out, TMA_SVG_MARGIN, 44, "", "%u rows of %u bytes, pitch %u", tile->size.rows,
                 tile->size.row_bytes, tile->size.row_pitch_bytes);
    tma_svg_bank_legend(TMA_SVG_MARGIN, 56, out);
    tma_svg_text(out, TMA_SVG_MARGIN + TMA_SVG_LEGEND_WIDTH + 12, 69, "",
                 "~ out of bounds, ? uninitialised, - gap");
}

/* Outlines the marked chunks of the box. Neighbours are drawn before: they would cover a part. */
static void write_box_marks(const struct drawing *drawing, FILE *out) {
    const struct tma_layout_tile *tile = drawing->tile;
    for (unsigned i = 0; i < drawing->mark_count; i++) {
        uint32_t row = row_of(tile, drawing->marks[i]);
        uint32_t chunk = chunk_of(tile, drawing->marks[i]);
        if (row - drawing->first_row < drawing->rows && chunk < drawing->columns)
            tma_svg_box((struct tma_svg_box){ROW_LABEL_WIDTH + (int)chunk * CHUNK_WIDTH,
                                             HEAD_HEIGHT + (int)(row - drawing->first_row) *
                                                               TMA_SVG_CELL_HEIGHT,
                                             CHUNK_WIDTH, TMA_SVG_CELL_HEIGHT},
                        "worst", out);
    }
}

/* The rows of the box, at x. */
static void write_box(const struct drawing *drawing, int x, FILE *out) {
    const struct tma_layout_tile *tile = drawing->tile;
    int y = HEAD_HEIGHT;
    tma_svg_begin_group(x, 0, out);
    tma_svg_text(out, ROW_LABEL_WIDTH, y - 38, "title", "the box, row by row: banks");
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, y - 6, "row", "row, byte");
    for (uint32_t chunk = 0; chunk < drawing->columns; chunk++)
        tma_svg_text(out, ROW_LABEL_WIDTH + (int)chunk * CHUNK_WIDTH + CHUNK_WIDTH / 2, y - 6,
                     "head", "%" PRIu32, chunk * TMA_CHUNK_BYTES);
    for (uint32_t row = drawing->first_row; row < drawing->first_row + drawing->rows;
         row++, y += TMA_SVG_CELL_HEIGHT) {
        tma_svg_text(out, ROW_LABEL_WIDTH - 8, y + 13, "row", "%" PRIu32, row);
        for (uint32_t chunk = 0; chunk < drawing->columns; chunk++) {
            uint32_t byte = chunk * TMA_CHUNK_BYTES, address = tile_address(tile, row, byte);
            uint32_t bytes = tma_least(TMA_CHUNK_BYTES, tile->size.row_bytes - byte);
            struct tma_svg_box box = {ROW_LABEL_WIDTH + (int)chunk * CHUNK_WIDTH, y,
                                      (int)bytes * CHUNK_WIDTH / TMA_CHUNK_BYTES,
                                      TMA_SVG_CELL_HEIGHT};
            char text[12];
            snprintf(text, sizeof text, "%" PRIu32, tma_layout_bank(address));
            tma_svg_cell(box, tma_svg_bank_class(tma_layout_bank(address)), text, NULL, out);
        }
    }
    tma_svg_left_out(ROW_LABEL_WIDTH, y + 16, tile->size.rows - drawing->rows, "rows", out);
    tma_svg_left_out(ROW_LABEL_WIDTH, y + 32, drawing->chunks - drawing->columns,
                     "chunks of each row", out);
    write_box_marks(drawing, out);
    tma_svg_end_group(out);
}

static void write_chunk(const struct drawing *drawing, uint32_t bank_row, uint32_t chunk,
                        struct tma_svg_box box, FILE *out) {
    uint32_t address = tma_layout_chunk_address(drawing->tile, bank_row, chunk);
    struct tma_byte_place place = tma_layout_chunk(drawing->tile, bank_row, chunk);
    const char *class = tma_svg_bank_class(tma_layout_bank(address));
    char text[sizeof(struct tma_coordinates_text)];
    snprintf(text, sizeof text, "%s", tma_layout_cell(drawing->tile, bank_row, chunk).text);
    if (place.kind == TMA_BYTE_OUTSIDE)
        tma_svg_box(box, "empty", out);
    else
        tma_svg_cell(box, place.kind == TMA_BYTE_ELEMENT ? class : "gap", text, NULL, out);
}

static void write_bank_marks(const struct drawing *drawing, FILE *out) {
    for (unsigned i = 0; i < drawing->mark_count; i++) {
        uint32_t address = drawing->marks[i];
        uint32_t row = address / TMA_BANK_ROW_BYTES - drawing->tile->first_bank_row;
        uint32_t chunk = address % TMA_BANK_ROW_BYTES / TMA_CHUNK_BYTES;
        if (row - drawing->first_bank_row < drawing->bank_rows)
            tma_svg_box((struct tma_svg_box){ROW_LABEL_WIDTH + (int)chunk * drawing->cell_width,
                                             HEAD_HEIGHT + (int)(row - drawing->first_bank_row) *
                                                               TMA_SVG_CELL_HEIGHT,
                                             drawing->cell_width, TMA_SVG_CELL_HEIGHT},
                        "worst", out);
    }
}

/* Shared memory by bank rows, at x. */
static void write_bank_rows(const struct drawing *drawing, int x, FILE *out) {
    const struct tma_layout_tile *tile = drawing->tile;
    int width = drawing->cell_width, y = HEAD_HEIGHT;
    tma_svg_begin_group(x, 0, out);
    tma_svg_text(out, ROW_LABEL_WIDTH, y - 38, "title", "shared memory, 128 bytes a row: elements");
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, y - 6, "row", "address");
    for (int chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++)
        tma_svg_text(out, ROW_LABEL_WIDTH + chunk * width + width / 2, y - 6, "head", "+%d",
                     chunk * TMA_CHUNK_BYTES);
    for (uint32_t row = drawing->first_bank_row; row < drawing->first_bank_row + drawing->bank_rows;
         row++, y += TMA_SVG_CELL_HEIGHT) {
        tma_svg_text(out, ROW_LABEL_WIDTH - 8, y + 13, "row", "0x%" PRIx32,
                     tma_layout_chunk_address(tile, row, 0));
        for (uint32_t chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++)
            write_chunk(drawing, row, chunk,
                        (struct tma_svg_box){ROW_LABEL_WIDTH + (int)chunk * width, y, width,
                                             TMA_SVG_CELL_HEIGHT},
                        out);
    }
    tma_svg_left_out(ROW_LABEL_WIDTH, y + 16, tile->bank_rows - drawing->bank_rows, "bank rows",
                     out);
    write_bank_marks(drawing, out);
    tma_svg_end_group(out);
}

static void write_drawing(const struct drawing *drawing, const char *sentence, FILE *out) {
    uint32_t rows = drawing->rows > drawing->bank_rows ? drawing->rows : drawing->bank_rows;
    int left = (int)drawing->columns * CHUNK_WIDTH;
    int right_x = TMA_SVG_MARGIN + ROW_LABEL_WIDTH + (left > 200 ? left : 200) + PANEL_GAP;
    int width =
        right_x + ROW_LABEL_WIDTH + TMA_BANK_ROW_CHUNKS * drawing->cell_width + TMA_SVG_MARGIN;
    int height = HEAD_HEIGHT + (int)rows * TMA_SVG_CELL_HEIGHT + TMA_SVG_MARGIN + 24;
    tma_svg_begin(width > PAGE_WIDTH ? width : PAGE_WIDTH, height, "a tile in shared memory", out);
    write_head(drawing, out);
    if (sentence != NULL)
        tma_svg_text(out, TMA_SVG_MARGIN, 92, "", "%s", sentence);
    write_box(drawing, TMA_SVG_MARGIN, out);
    write_bank_rows(drawing, right_x, out);
    tma_svg_end(out);
}

void tma_layout_write_svg(const struct tma_layout_tile *tile, FILE *out) {
    struct drawing drawing = drawing_of(tile);
    write_drawing(&drawing, NULL, out);
}

void tma_layout_write_byte_svg(const struct tma_layout_view *view, uint32_t address,
                               const struct tma_byte_place *place, FILE *out) {
    struct tma_layout_tile tile;
    /* The caller has made a layout of this operation before. */
    if (tma_layout_tile_begin(&tile, view, NULL) != TMA_OK)
        return;
    struct drawing drawing = drawing_of(&tile);
    mark(&drawing, address);
    write_drawing(&drawing, tma_layout_byte_sentence(view, address, place).text, out);
}

void tma_layout_write_element_svg(const struct tma_layout_view *view,
                                  const struct tma_layout_element_places *places, FILE *out) {
    struct tma_layout_tile tile;
    if (tma_layout_tile_begin(&tile, view, NULL) != TMA_OK)
        return;
    struct drawing drawing = drawing_of(&tile);
    for (unsigned i = 0; i < places->count; i++)
        mark(&drawing, places->items[i].shared_address);
    write_drawing(&drawing, tma_layout_element_sentence(view, places, "; and ").text, out);
}
