#include "report/escape.h"
#include "report/sweep_cells.h"
#include "report/sweep_formats.h"
#include "report/text_columns.h"

static void write_head(const struct tma_sweep *sweep, FILE *out) {
    fputs("| row |", out);
    for (size_t c = 0; c < sweep->column_count; c++) {
        fputc(' ', out);
        tma_write_markdown(tma_column_label(sweep->columns, sweep->column_count, c), out);
        fputs(" |", out);
    }
    for (int i = 0; i < TMA_SWEEP_CELLS; i++)
        if (tma_sweep_has_cell(sweep, i))
            fprintf(out, " %s |", tma_sweep_headings[i]);
    fputs("\n| ---: |", out);
    for (size_t c = 0; c < sweep->column_count; c++)
        fputs(" --- |", out);
    for (int i = 0; i + 1 < TMA_SWEEP_CELLS; i++)
        if (tma_sweep_has_cell(sweep, i))
            fputs(" ---: |", out);
    fputs(" --- |\n", out);
}

static void write_row(const struct tma_sweep *sweep, size_t row, bool best, FILE *out) {
    const struct tma_sweep_row *item = &sweep->rows[row];
    const char *bold = best ? "**" : "";
    fprintf(out, "| %s%zu%s |", bold, row + 1, bold);
    for (size_t c = 0; c < sweep->column_count; c++) {
        fputc(' ', out);
        tma_write_markdown(item->values[c] == NULL ? "-" : item->values[c], out);
        fputs(" |", out);
    }
    if (item->failure != NULL) {
        fputs(" error: ", out);
        tma_write_markdown(item->failure, out);
        for (int i = 0; i < TMA_SWEEP_CELLS; i++)
            if (tma_sweep_has_cell(sweep, i))
                fputs(" |", out);
    } else {
        struct tma_sweep_cells cells = tma_sweep_cells_of(&item->figures);
        for (int i = 0; i < TMA_SWEEP_CELLS; i++) {
            if (!tma_sweep_has_cell(sweep, i))
                continue;
            fputc(' ', out);
            tma_write_markdown(cells.text[i], out);
            fputs(" |", out);
        }
    }
    fputc('\n', out);
}

void tma_sweep_write_markdown(const struct tma_sweep *sweep, FILE *out) {
    const struct tma_sweep_row *best = tma_sweep_best(sweep);
    if (sweep->scenario != NULL) {
        fputs("**", out);
        tma_write_markdown(sweep->scenario, out);
        fputs("**\n\n", out);
    }
    write_head(sweep, out);
    for (size_t i = 0; i < sweep->row_count; i++)
        if (sweep->rows[i].done)
            write_row(sweep, i, &sweep->rows[i] == best, out);
    fputc('\n', out);
    tma_sweep_write_end(sweep, tma_write_markdown, out);
}
