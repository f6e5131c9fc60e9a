#include "report/sweep_cells.h"

#include <inttypes.h>
#include <string.h>

#include "report/decimal.h"
#include "report/labels.h"

const char *const tma_sweep_headings[TMA_SWEEP_CELLS] = {
    "cycles",      "GB/s",    "bytes/cycle/SM", "latency", "L2 hit %", "excess wavefronts",
    "simulated %", "error %", "busiest",
};

bool tma_sweep_has_cell(const struct tma_sweep *sweep, int cell) {
    bool about_sampling = cell == TMA_SWEEP_SAMPLED_CELL || cell == TMA_SWEEP_SAMPLED_CELL + 1;
    return sweep->sampled || !about_sampling;
}

struct tma_sweep_cells tma_sweep_cells_of(const struct tma_sweep_figures *figures) {
    struct tma_sweep_cells cells;
    snprintf(cells.text[0], TMA_SWEEP_CELL_BYTES, "%" PRIu64, figures->cycles);
    snprintf(cells.text[1], TMA_SWEEP_CELL_BYTES, "%s",
             tma_decimal(figures->gigabytes_per_second, 1).text);
    snprintf(cells.text[2], TMA_SWEEP_CELL_BYTES, "%s",
             tma_decimal(figures->bytes_per_cycle_per_sm, 2).text);
    snprintf(cells.text[3], TMA_SWEEP_CELL_BYTES, "%" PRIu64, figures->latency_cycles);
    snprintf(cells.text[4], TMA_SWEEP_CELL_BYTES, "%s",
             tma_decimal(100 * figures->l2_hit_fraction, 1).text);
    snprintf(cells.text[5], TMA_SWEEP_CELL_BYTES, "%" PRIu64, figures->excess_wavefronts);
    snprintf(cells.text[TMA_SWEEP_SAMPLED_CELL], TMA_SWEEP_CELL_BYTES, "%s",
             tma_decimal(figures->simulated_percent, 1).text);
    snprintf(cells.text[TMA_SWEEP_SAMPLED_CELL + 1], TMA_SWEEP_CELL_BYTES, "%s",
             tma_decimal(figures->error_percent, 1).text);
    snprintf(cells.text[8], TMA_SWEEP_CELL_BYTES, "%s %s %%", figures->busiest,
             tma_decimal(100 * figures->busy, 0).text);
    return cells;
}

const struct tma_sweep_row *tma_sweep_best(const struct tma_sweep *sweep) {
    const struct tma_sweep_row *best = NULL;
    for (size_t i = 0; i < sweep->row_count && sweep->scenario != NULL; i++) {
        const struct tma_sweep_row *row = &sweep->rows[i];
        if (row->done && row->failure == NULL &&
            (best == NULL || row->figures.cycles < best->figures.cycles))
            best = row;
    }
    return best;
}

static void write_best(const struct tma_sweep *sweep, void (*write)(const char *, FILE *),
                       FILE *out) {
    const struct tma_sweep_row *best = tma_sweep_best(sweep);
    if (best == NULL)
        return;
    fprintf(out, "fewest cycles: row %zu", (size_t)(best - sweep->rows) + 1);
    for (size_t i = 0; i < sweep->column_count; i++)
        if (best->values[i] != NULL) {
            fputs(", ", out);
            write(sweep->columns[i], out);
            fputc('=', out);
            write(best->values[i], out);
        }
    fputc('\n', out);
}

/* The note of a row speaks for all: rows differ in it only if they set values of the machine. */
static void write_note(const struct tma_sweep *sweep, FILE *out) {
    for (size_t i = 0; i < sweep->row_count; i++) {
        const struct tma_sweep_row *row = &sweep->rows[i];
        if (!row->done || row->failure != NULL || row->figures.timing_validated)
            continue;
        fprintf(out, "row %zu%s\n", i + 1,
                tma_timing_note(false, row->figures.timing_edited, row->figures.timing_public));
        return;
    }
}

void tma_sweep_write_end(const struct tma_sweep *sweep, void (*write)(const char *, FILE *),
                         FILE *out) {
    size_t done = 0, failed = 0;
    for (size_t i = 0; i < sweep->row_count; i++) {
        done += sweep->rows[i].done;
        failed += sweep->rows[i].done && sweep->rows[i].failure != NULL;
    }
    write_best(sweep, write, out);
    if (sweep->sampled && done > failed)
        fputs("sampled: the figures of a row are estimates from its simulated part; its cycles are "
              "within its error\n",
              out);
    write_note(sweep, out);
    if (failed > 0)
        fprintf(out, "%zu of %zu rows failed\n", failed, done);
    if (sweep->partial)
        fprintf(out, "partial: interrupted after %zu of %zu rows\n", done, sweep->row_count);
}
