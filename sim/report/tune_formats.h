/* The output formats of tma_tune_write. Internal to sim/report. */
#ifndef TMA_REPORT_TUNE_FORMATS_H
#define TMA_REPORT_TUNE_FORMATS_H

#include "report/tune.h"

/* One line for each format; see format_table.h. The file tune_NAME.c has its writer. */
#define TMA_TUNE_FORMATS(X)                                                                        \
    X(text)                                                                                        \
    X(csv)                                                                                         \
    X(jsonl)                                                                                       \
    X(markdown)

#define TMA_TUNE_WRITER(name) void tma_tune_write_##name(const struct tma_tune *tune, FILE *out);
TMA_TUNE_FORMATS(TMA_TUNE_WRITER)
#undef TMA_TUNE_WRITER

#endif
