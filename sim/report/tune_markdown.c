#include "report/escape.h"
#include "report/text_columns.h"
#include "report/tune_cells.h"
#include "report/tune_formats.h"

static void write_head(const struct tma_tune *tune, FILE *out) {
    fputs("| rank |", out);
    if (tune->several_kernels)
        fputs(" kernel |", out);
    for (size_t c = 0; c < tune->column_count; c++) {
        fputc(' ', out);
        tma_write_markdown(tma_column_label(tune->columns, tune->column_count, c), out);
        fputs(" |", out);
    }
    for (int i = 0; i < TMA_TUNE_CELLS; i++)
        fprintf(out, " %s |", tma_tune_headings[i]);
    fputs("\n| ---: |", out);
    if (tune->several_kernels)
        fputs(" --- |", out);
    for (size_t c = 0; c < tune->column_count; c++)
        fputs(" --- |", out);
    fputs(" ---: | ---: | ---: | --- | --- | --- |\n", out);
}

static void write_cell(const char *text, FILE *out) {
    fputc(' ', out);
    tma_write_markdown(text, out);
    fputs(" |", out);
}

static void write_row(const struct tma_tune *tune, size_t rank, FILE *out) {
    const struct tma_tune_row *row = &tune->rows[rank];
    const char *bold = rank == 0 && row->found == TMA_TUNE_SIMULATED ? "**" : "";
    if (row->found == TMA_TUNE_ILLEGAL)
        fputs("| |", out);
    else
        fprintf(out, "| %s%zu%s |", bold, rank + 1, bold);
    if (tune->several_kernels)
        write_cell(row->kernel, out);
    for (size_t c = 0; c < tune->column_count; c++)
        write_cell(row->values[c] == NULL ? "-" : row->values[c], out);
    if (row->found == TMA_TUNE_ILLEGAL) {
        fputs(" error: ", out);
        tma_write_markdown(row->failure, out);
        for (int i = 0; i < TMA_TUNE_CELLS; i++)
            fputs(" |", out);
    } else {
        struct tma_tune_cells cells = tma_tune_cells_of(row);
        for (int i = 0; i < TMA_TUNE_CELLS; i++)
            write_cell(cells.text[i], out);
    }
    fputc('\n', out);
}

void tma_tune_write_markdown(const struct tma_tune *tune, FILE *out) {
    if (!tune->several_kernels) {
        fputs("**", out);
        tma_write_markdown(tune->rows[0].kernel, out);
        fputs("**\n\n", out);
    }
    write_head(tune, out);
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found != TMA_TUNE_MISSING)
            write_row(tune, i, out);
    fputc('\n', out);
    tma_tune_write_end(tune, out);
}
