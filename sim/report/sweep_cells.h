/* The cells of a sweep's table for people: text and markdown have the same ones. Internal to
 * sim/report. */
#ifndef TMA_REPORT_SWEEP_CELLS_H
#define TMA_REPORT_SWEEP_CELLS_H

#include "report/sweep.h"

enum {
    TMA_SWEEP_SAMPLED_CELL = 6, /* this cell, and the next one */
    TMA_SWEEP_CELLS = 9,
    TMA_SWEEP_CELL_BYTES = 72
};

extern const char *const tma_sweep_headings[TMA_SWEEP_CELLS];

struct tma_sweep_cells {
    char text[TMA_SWEEP_CELLS][TMA_SWEEP_CELL_BYTES];
};

/* Whether the tables of a sweep have a cell: two are about sampled runs. */
bool tma_sweep_has_cell(const struct tma_sweep *sweep, int cell);

struct tma_sweep_cells tma_sweep_cells_of(const struct tma_sweep_figures *figures);

/* Returns the row with the fewest cycles, the first of several, or NULL if no row has figures, or
 * if the rows are of several scenarios, which need not be about the same. */
const struct tma_sweep_row *tma_sweep_best(const struct tma_sweep *sweep);

/* What follows the table: the best row, the notes on the timing, and how much an interrupt left
 * out. `write` writes text from outside. */
void tma_sweep_write_end(const struct tma_sweep *sweep, void (*write)(const char *, FILE *),
                         FILE *out);

#endif
