/* The cells of a tuner's table for people: text and markdown have the same ones. All formats have
 * the words. Internal to sim/report. */
#ifndef TMA_REPORT_TUNE_CELLS_H
#define TMA_REPORT_TUNE_CELLS_H

#include "report/tune.h"

/* "simulated", ... */
const char *tma_tune_found_text(const struct tma_tune_row *row);

enum { TMA_TUNE_CELLS = 6, TMA_TUNE_CELL_BYTES = 128 };

extern const char *const tma_tune_headings[TMA_TUNE_CELLS];

struct tma_tune_cells {
    char text[TMA_TUNE_CELLS][TMA_TUNE_CELL_BYTES];
};

struct tma_tune_cells tma_tune_cells_of(const struct tma_tune_row *row);

/* What follows the table: how the times were found, which are the same as the best, and the notes
 * on the timing. */
void tma_tune_write_end(const struct tma_tune *tune, FILE *out);

#endif
