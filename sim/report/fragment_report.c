#include "report/fragment_report.h"

#include <inttypes.h>

#include "report/format_table.h"
#include "report/json_writer.h"
#include "report/svg.h"

#define FORMATS(X)                                                                                 \
    X(text)                                                                                        \
    X(csv)                                                                                         \
    X(json)                                                                                        \
    X(svg)

TMA_FORMAT_NAMES(tma_fragment_format_names, FORMATS);

enum {
    MOST_TEXT_CELLS = 8, /* of a row */
    MOST_SVG_CELLS = 32,
    WARP_THREADS = 32,
    CELL_WIDTH = 58,
    LABEL_WIDTH = 64,
    HEAD_HEIGHT = 74,
    PAGE_WIDTH = 860
};

/* Elements beside each other of a row that one register has; of a column where those lie so. */
static uint32_t packed(const struct tma_fragment *fragment) {
    uint32_t row, column, count = 1;
    for (; count < fragment->elements; count++) {
        tma_fragment_element(fragment, (struct tma_fragment_place){0, count}, &row, &column);
        if (row != 0 || column != count ||
            tma_fragment_register(fragment, count) != tma_fragment_register(fragment, 0))
            break;
    }
    return count;
}

static void write_head(const struct tma_fragment *fragment, FILE *out) {
    fprintf(out,
            "%s: %" PRIu32 " x %" PRIu32 " elements of %" PRIu32 " bits in %" PRIu32
            " threads, %" PRIu32 " each, in %" PRIu32 " register%s\n",
            tma_name_of(&tma_fragment_names, (int)fragment->kind), fragment->rows,
            fragment->columns, fragment->bits, fragment->threads, fragment->elements,
            tma_fragment_register(fragment, fragment->elements - 1) + 1,
            tma_fragment_register(fragment, fragment->elements - 1) == 0 ? "" : "s");
}

static void write_text(const struct tma_fragment *fragment, FILE *out) {
    uint32_t pack = packed(fragment), cells = fragment->columns / pack;
    uint32_t shown = cells < MOST_TEXT_CELLS ? cells : MOST_TEXT_CELLS;
    write_head(fragment, out);
    fprintf(out, "each cell: thread, register; the first element%s\n%6s",
            pack > 1 ? " of several lies in the low bits" : " of a register lies in its low bits",
            "row");
    for (uint32_t cell = 0; cell < shown; cell++) {
        char columns[16];
        if (pack > 1)
            snprintf(columns, sizeof columns, "%" PRIu32 "-%" PRIu32, cell * pack,
                     (cell + 1) * pack - 1);
        else
            snprintf(columns, sizeof columns, "%" PRIu32, cell);
        fprintf(out, "  %-*s", cell + 1 < shown ? 9 : 0, columns);
    }
    for (uint32_t row = 0; row < fragment->rows; row++) {
        fprintf(out, "\n%6" PRIu32, row);
        for (uint32_t cell = 0; cell < shown; cell++) {
            struct tma_fragment_place place = tma_fragment_find(fragment, row, cell * pack);
            char text[24];
            snprintf(text, sizeof text, "t%" PRIu32 " r%" PRIu32, place.thread,
                     tma_fragment_register(fragment, place.element));
            fprintf(out, "  %-*s", cell + 1 < shown ? 9 : 0, text);
        }
    }
    fputc('\n', out);
    if (shown < cells)
        fprintf(out, "%" PRIu32 " more columns: --element ROW,COLUMN, or --format csv\n",
                fragment->columns - shown * pack);
}

static void write_csv(const struct tma_fragment *fragment, FILE *out) {
    fputs("row,column,thread,register,bit\n", out);
    for (uint32_t row = 0; row < fragment->rows; row++)
        for (uint32_t column = 0; column < fragment->columns; column++) {
            struct tma_fragment_place place = tma_fragment_find(fragment, row, column);
            fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", row,
                    column, place.thread, tma_fragment_register(fragment, place.element),
                    tma_fragment_bit(fragment, place.element));
        }
}

static void write_json(const struct tma_fragment *fragment, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "fragment", tma_name_of(&tma_fragment_names, (int)fragment->kind));
    TMA_JSON_COUNTS(&json, fragment, bits, rows, columns, threads);
    tma_json_begin_array(&json, "elements");
    for (uint32_t thread = 0; thread < fragment->threads; thread++)
        for (uint32_t element = 0; element < fragment->elements; element++) {
            uint32_t row, column;
            tma_fragment_element(fragment, (struct tma_fragment_place){thread, element}, &row,
                                 &column);
            tma_json_begin_line(&json, NULL);
            tma_json_unsigned(&json, "thread", thread);
            tma_json_unsigned(&json, "register", tma_fragment_register(fragment, element));
            tma_json_unsigned(&json, "bit", tma_fragment_bit(fragment, element));
            tma_json_unsigned(&json, "row", row);
            tma_json_unsigned(&json, "column", column);
            tma_json_end_object(&json);
        }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static void write_svg(const struct tma_fragment *fragment, FILE *out) {
    uint32_t pack = packed(fragment), cells = fragment->columns / pack;
    uint32_t shown = cells < MOST_SVG_CELLS ? cells : MOST_SVG_CELLS;
    int width = 2 * TMA_SVG_MARGIN + LABEL_WIDTH + (int)shown * CELL_WIDTH;
    int bottom = HEAD_HEIGHT + (int)fragment->rows * TMA_SVG_CELL_HEIGHT;
    tma_svg_begin(width > PAGE_WIDTH ? width : PAGE_WIDTH, bottom + 2 * TMA_SVG_MARGIN,
                  "threads and registers of a fragment", out);
    tma_svg_text(out, TMA_SVG_MARGIN, 24, "heading",
                 "%s: %" PRIu32 " x %" PRIu32 " elements of %" PRIu32 " bits",
                 tma_name_of(&tma_fragment_names, (int)fragment->kind), fragment->rows,
                 fragment->columns, fragment->bits);
    tma_svg_text(out, TMA_SVG_MARGIN, 44, "",
                 "a cell is %" PRIu32 " element%s: thread and register; the colour is the register",
                 pack, pack == 1 ? "" : "s");
    tma_svg_begin_group(TMA_SVG_MARGIN, 0, out);
    for (uint32_t cell = 0; cell < shown; cell++)
        tma_svg_text(out, LABEL_WIDTH + (int)cell * CELL_WIDTH + CELL_WIDTH / 2, HEAD_HEIGHT - 6,
                     "head", "%" PRIu32, cell * pack);
    for (uint32_t row = 0; row < fragment->rows; row++) {
        int top = HEAD_HEIGHT + (int)row * TMA_SVG_CELL_HEIGHT;
        tma_svg_text(out, LABEL_WIDTH - 8, top + 13, "row", "row %" PRIu32, row);
        for (uint32_t cell = 0; cell < shown; cell++) {
            struct tma_fragment_place place = tma_fragment_find(fragment, row, cell * pack);
            uint32_t number = tma_fragment_register(fragment, place.element);
            char text[24], hint[96];
            snprintf(text, sizeof text, "t%" PRIu32 " r%" PRIu32, place.thread, number);
            snprintf(hint, sizeof hint,
                     "row %" PRIu32 ", column %" PRIu32 ": warp %" PRIu32 ", lane %" PRIu32
                     ", register %" PRIu32,
                     row, cell * pack, place.thread / WARP_THREADS, place.thread % WARP_THREADS,
                     number);
            tma_svg_cell((struct tma_svg_box){LABEL_WIDTH + (int)cell * CELL_WIDTH, top,
                                              CELL_WIDTH - 1, TMA_SVG_CELL_HEIGHT - 1},
                         tma_svg_colour_class(number), text, hint, out);
        }
    }
    tma_svg_left_out(LABEL_WIDTH, bottom + 14, fragment->columns - shown * pack, "columns", out);
    tma_svg_end_group(out);
    tma_svg_end(out);
}

void tma_fragment_write(const struct tma_fragment *fragment, int format, FILE *out) {
#define WRITER(name) write_##name,
    static void (*const writers[])(const struct tma_fragment *, FILE *) = {FORMATS(WRITER)};
#undef WRITER
    writers[format](fragment, out);
}

void tma_fragment_write_element(const struct tma_fragment *fragment, uint32_t row, uint32_t column,
                                FILE *out) {
    struct tma_fragment_place place = tma_fragment_find(fragment, row, column);
    fprintf(out,
            "element (%" PRIu32 ",%" PRIu32 "): thread %" PRIu32 " (warp %" PRIu32 ", lane %" PRIu32
            "), register %" PRIu32 ", bits %" PRIu32 " to %" PRIu32 "\n",
            row, column, place.thread, place.thread / WARP_THREADS, place.thread % WARP_THREADS,
            tma_fragment_register(fragment, place.element),
            tma_fragment_bit(fragment, place.element),
            tma_fragment_bit(fragment, place.element) + fragment->bits - 1);
}

void tma_fragment_write_thread(const struct tma_fragment *fragment, uint32_t thread, FILE *out) {
    write_head(fragment, out);
    fprintf(out, "thread %" PRIu32 " (warp %" PRIu32 ", lane %" PRIu32 "): (row,column)\n", thread,
            thread / WARP_THREADS, thread % WARP_THREADS);
    for (uint32_t element = 0; element < fragment->elements; element++) {
        uint32_t row, column;
        tma_fragment_element(fragment, (struct tma_fragment_place){thread, element}, &row, &column);
        if (tma_fragment_bit(fragment, element) == 0)
            fprintf(out, "%sr%-3" PRIu32, element == 0 ? "" : "\n",
                    tma_fragment_register(fragment, element));
        fprintf(out, " (%" PRIu32 ",%" PRIu32 ")", row, column);
    }
    fputc('\n', out);
}
