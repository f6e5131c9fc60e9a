/* The output formats of tma_sweep_write. Internal to sim/report. */
#ifndef TMA_REPORT_SWEEP_FORMATS_H
#define TMA_REPORT_SWEEP_FORMATS_H

#include "report/sweep.h"

/* One line for each format; see format_table.h. The file sweep_NAME.c has its writer. */
#define TMA_SWEEP_FORMATS(X)                                                                       \
    X(text)                                                                                        \
    X(csv)                                                                                         \
    X(jsonl)                                                                                       \
    X(markdown)

#define TMA_SWEEP_WRITER(name)                                                                     \
    void tma_sweep_write_##name(const struct tma_sweep *sweep, FILE *out);
TMA_SWEEP_FORMATS(TMA_SWEEP_WRITER)
#undef TMA_SWEEP_WRITER

#endif
