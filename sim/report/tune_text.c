#include "report/escape.h"
#include "report/text_columns.h"
#include "report/tune_cells.h"
#include "report/tune_formats.h"

enum { LEAST_WIDTH = 3, FIRST_WORD = 3 /* cells from here on are words, which begin in line */ };

/* Widths of the columns of the table. */
struct tune_widths {
    int kernel, cells[TMA_TUNE_CELLS];
};

static bool is_listed(const struct tma_tune_row *row) {
    return row->found != TMA_TUNE_MISSING;
}

static bool has_cells(const struct tma_tune_row *row) {
    return is_listed(row) && row->found != TMA_TUNE_ILLEGAL;
}

static struct tune_widths find_widths(const struct tma_tune *tune) {
    struct tune_widths widths = {.kernel = tma_column_width(LEAST_WIDTH, "kernel")};
    for (int c = 0; c < TMA_TUNE_CELLS; c++)
        widths.cells[c] = tma_column_width(0, tma_tune_headings[c]);
    for (size_t i = 0; i < tune->row_count; i++) {
        if (is_listed(&tune->rows[i]))
            widths.kernel = tma_column_width(widths.kernel, tune->rows[i].kernel);
        if (!has_cells(&tune->rows[i]))
            continue;
        struct tma_tune_cells cells = tma_tune_cells_of(&tune->rows[i]);
        for (int c = 0; c < TMA_TUNE_CELLS; c++)
            widths.cells[c] = tma_column_width(widths.cells[c], cells.text[c]);
    }
    return widths;
}

static const char *label(const struct tma_tune *tune, size_t column) {
    return tma_column_label(tune->columns, tune->column_count, column);
}

static int value_width(const struct tma_tune *tune, size_t column) {
    int width = tma_column_width(LEAST_WIDTH, label(tune, column));
    for (size_t i = 0; i < tune->row_count; i++)
        if (is_listed(&tune->rows[i]))
            width = tma_column_width(width, tune->rows[i].values[column]);
    return width;
}

/* The last cell ends the line. */
static void write_cells(const char *const *cells, const struct tune_widths *widths, FILE *out) {
    int last = TMA_TUNE_CELLS - 1;
    while (last > 0 && cells[last][0] == '\0')
        last--;
    for (int c = 0; c <= last; c++)
        fprintf(out, "  %*s",
                c < FIRST_WORD ? widths->cells[c]
                : c < last     ? -widths->cells[c]
                               : 0,
                cells[c]);
    fputc('\n', out);
}

static void write_values(const struct tma_tune *tune, const char *kernel, const char *const *values,
                         const struct tune_widths *widths, FILE *out) {
    if (tune->several_kernels)
        tma_write_column(kernel, widths->kernel, out);
    for (size_t c = 0; c < tune->column_count; c++)
        tma_write_column(values == NULL ? label(tune, c) : values[c], value_width(tune, c), out);
}

static void write_row(const struct tma_tune *tune, size_t rank, const struct tune_widths *widths,
                      FILE *out) {
    const struct tma_tune_row *row = &tune->rows[rank];
    const char *texts[TMA_TUNE_CELLS];
    if (has_cells(row))
        fprintf(out, "%5zu", rank + 1);
    else
        fprintf(out, "%5s", "-");
    write_values(tune, row->kernel, row->values, widths, out);
    if (!has_cells(row)) {
        fputs("  error: ", out);
        tma_write_printable(row->failure, out);
        fputc('\n', out);
        return;
    }
    struct tma_tune_cells cells = tma_tune_cells_of(row);
    for (int c = 0; c < TMA_TUNE_CELLS; c++)
        texts[c] = cells.text[c];
    write_cells(texts, widths, out);
}

void tma_tune_write_text(const struct tma_tune *tune, FILE *out) {
    struct tune_widths widths = find_widths(tune);
    if (!tune->several_kernels) {
        fputs("kernel  ", out);
        tma_write_printable(tune->rows[0].kernel, out);
        fputs("\n\n", out);
    }
    fprintf(out, "%5s", "rank");
    write_values(tune, "kernel", NULL, &widths, out);
    write_cells(tma_tune_headings, &widths, out);
    for (size_t i = 0; i < tune->row_count; i++)
        if (is_listed(&tune->rows[i]))
            write_row(tune, i, &widths, out);
    fputc('\n', out);
    tma_tune_write_end(tune, out);
}
