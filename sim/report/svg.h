/* Drawings as SVG: the one place that knows its syntax. All texts are escaped. Colours are classes
 * of one style sheet, with a light and a dark theme by prefers-color-scheme. Shared-memory banks
 * have a colour for each group of four. Internal to sim/report. */
#pragma once

#include <stdint.h>
#include <stdio.h>

enum {
    TMA_SVG_MARGIN = 24,
    TMA_SVG_CELL_HEIGHT = 18,
    TMA_SVG_LINE_HEIGHT = 17,
    TMA_SVG_LEGEND_WIDTH = 8 * 80,
    TMA_SVG_DIGIT_WIDTH = 6, /* of the text in cells, at most */
    TMA_SVG_COLOURS = 8
};

/* A rectangle in pixels. */
struct tma_svg_box {
    int x, y, width, height;
};

/* Begins a drawing of a size, with an accessible title, and ends it. */
void tma_svg_begin(int width, int height, const char *title, FILE *out);
void tma_svg_end(FILE *out);

/* Writes text whose baseline starts at x, y. Classes: "" plain, "heading", "title" (bold), "cell"
 * (small, centred), "cell over"
 * (the same, readable above lines), "row" (small, ends at x), "note" (grey). */
void tma_svg_text(FILE *out, int x, int y, const char *class, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Writes text as lines of at most `most` characters, wrapped at spaces, from y on. Returns the y
 * below the last line. Only measures where `out` is NULL. */
int tma_svg_wrapped(const char *text, int x, int y, size_t most, FILE *out);

/* Draws a rectangle. Classes: "c0" to "c7" and tma_svg_bank_class() fill it; "empty" has a thin
 * outline, "lane" an outline, "worst" a thick one. */
void tma_svg_box(struct tma_svg_box box, const char *class, FILE *out);

/* Draws a filled rectangle with text at its centre, and with a text that a browser shows over it;
 * each text may be NULL. */
void tma_svg_cell(struct tma_svg_box box, const char *class, const char *text, const char *hint,
                  FILE *out);

/* Draws what follows, until tma_svg_end_group, at an offset. */
void tma_svg_begin_group(int x, int y, FILE *out);
void tma_svg_end_group(FILE *out);

/* The class of colour number `index` (modulo TMA_SVG_COLOURS), and of a bank. */
const char *tma_svg_colour_class(uint32_t index);
const char *tma_svg_bank_class(uint32_t bank);

/* Draws which colour has which banks, TMA_SVG_LEGEND_WIDTH pixels wide. */
void tma_svg_bank_legend(int x, int y, FILE *out);

/* Says below a part of a table how much of it is left out; nothing if that is 0. `of` is what the
 * table is made of, in the plural. */
void tma_svg_left_out(int x, int y, uint64_t left_out, const char *of, FILE *out);

/* The style sheet's rules for the colours, for other pages that have the same ones. */
extern const char tma_svg_colour_rules[];
