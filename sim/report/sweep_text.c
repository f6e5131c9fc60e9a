#include "report/escape.h"
#include "report/sweep_cells.h"
#include "report/sweep_formats.h"
#include "report/text_columns.h"

enum { LEAST_WIDTH = 3 };

static int column_width(const struct tma_sweep *sweep, size_t column) {
    int width = tma_column_width(LEAST_WIDTH,
                                 tma_column_label(sweep->columns, sweep->column_count, column));
    for (size_t i = 0; i < sweep->row_count; i++)
        width = tma_column_width(width, sweep->rows[i].values[column]);
    return width;
}

static int cell_width(const struct tma_sweep *sweep, int cell) {
    int width = tma_column_width(0, tma_sweep_headings[cell]);
    for (size_t i = 0; i < sweep->row_count; i++) {
        const struct tma_sweep_row *row = &sweep->rows[i];
        if (row->done && row->failure == NULL)
            width = tma_column_width(width, tma_sweep_cells_of(&row->figures).text[cell]);
    }
    return width;
}

/* The last cell is a word, which begins where its heading does; the others are numbers. */
static void write_cells(const struct tma_sweep *sweep, const char *const *cells, const int *widths,
                        FILE *out) {
    for (int i = 0; i + 1 < TMA_SWEEP_CELLS; i++)
        if (tma_sweep_has_cell(sweep, i))
            fprintf(out, "  %*s", widths[i], cells[i]);
    fprintf(out, "  %s\n", cells[TMA_SWEEP_CELLS - 1]);
}

static void write_row(const struct tma_sweep *sweep, size_t row, const int *widths, FILE *out) {
    const struct tma_sweep_row *item = &sweep->rows[row];
    const char *texts[TMA_SWEEP_CELLS];
    if (item->failure != NULL) {
        fputs("  error: ", out);
        tma_write_printable(item->failure, out);
        fputc('\n', out);
        return;
    }
    struct tma_sweep_cells cells = tma_sweep_cells_of(&item->figures);
    for (int i = 0; i < TMA_SWEEP_CELLS; i++)
        texts[i] = cells.text[i];
    write_cells(sweep, texts, widths, out);
}

void tma_sweep_write_text(const struct tma_sweep *sweep, FILE *out) {
    int widths[TMA_SWEEP_CELLS], columns[TMA_MAX_SWEEP_COLUMNS];
    for (size_t c = 0; c < sweep->column_count; c++)
        columns[c] = column_width(sweep, c);
    for (int i = 0; i < TMA_SWEEP_CELLS; i++)
        widths[i] = cell_width(sweep, i);
    if (sweep->scenario != NULL) {
        fputs("scenario  ", out);
        tma_write_printable(sweep->scenario, out);
        fputs("\n\n", out);
    }
    fprintf(out, "%5s", "row");
    for (size_t c = 0; c < sweep->column_count; c++)
        tma_write_column(tma_column_label(sweep->columns, sweep->column_count, c), columns[c], out);
    write_cells(sweep, tma_sweep_headings, widths, out);
    for (size_t i = 0; i < sweep->row_count; i++) {
        if (!sweep->rows[i].done)
            continue;
        fprintf(out, "%5zu", i + 1);
        for (size_t c = 0; c < sweep->column_count; c++) {
            const char *value = sweep->rows[i].values[c];
            tma_write_column(value, columns[c], out);
        }
        write_row(sweep, i, widths, out);
    }
    fputc('\n', out);
    tma_sweep_write_end(sweep, tma_write_printable, out);
}
