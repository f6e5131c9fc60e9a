/* The table of a sweep: one scenario with many settings, or many scenarios, one row each. */
#pragma once

#include <stdio.h>

#include "report/report.h"
#include "report/table.h"

enum { TMA_MAX_SWEEP_COLUMNS = 32 };

/* The figures of a row. Fractions and rates are rounded to 6 digits after the point, so that a row
 * that is written and read again is the same. */
struct tma_sweep_figures {
    uint64_t cycles;
    uint64_t latency_cycles; /* median of the operations */
    uint64_t dram_bytes;     /* read and written */
    uint64_t excess_wavefronts;
    double time_ns;
    double gigabytes_per_second;
    double bytes_per_cycle_per_sm;
    double l2_hit_fraction;
    double busy;      /* fraction of the run, of the busiest resource */
    char busiest[24]; /* its key */
    struct tma_timing_trust trust;
    double simulated_percent; /* of a sweep that is sampled: this part of the cycles, */
    double error_percent;     /* which are right within so much of them */
};

struct tma_sweep_row {
    const char *const *values; /* borrowed; by column; NULL: this row does not set it */
    bool done;                 /* false: an interrupt came before */
    char *failure;             /* owned; why there are no figures, or NULL */
    struct tma_sweep_figures figures;
};

struct tma_sweep {
    const char *scenario;       /* its name, or its path where it cannot be read; NULL: each row has
                                   one of its own */
    const char *const *columns; /* paths of settings; borrowed */
    size_t column_count;        /* at most TMA_MAX_SWEEP_COLUMNS */
    struct tma_sweep_row *rows;
    size_t row_count;
    bool sampled; /* long runs are simulated in part: rows say how much of them, and their error */
    bool partial; /* an interrupt ended the sweep */
};

/* Returns the figures of a run. */
struct tma_sweep_figures tma_sweep_figures_of(const struct tma_report_input *input);

/* Writes the sweep in a format: a value of tma_table_format_names. Write errors stay with the
 * stream. The output does not depend on the locale. */
void tma_sweep_write(const struct tma_sweep *sweep, int format, FILE *out);

/* Writes one row as a line of JSON, as the format jsonl does. */
void tma_sweep_write_line(const struct tma_sweep *sweep, size_t row, FILE *out);
