/* The output formats of tma_pattern_write. Internal to sim/report. */
#ifndef TMA_REPORT_PATTERN_FORMATS_H
#define TMA_REPORT_PATTERN_FORMATS_H

#include "report/pattern.h"

/* One line for each format; see format_table.h. The file pattern_NAME.c has its writer. */
#define TMA_PATTERN_FORMATS(X)                                                                     \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(csv)                                                                                         \
    X(svg)

#define TMA_PATTERN_WRITER(name)                                                                   \
    void tma_pattern_write_##name(const struct tma_tile_distribution *distribution, FILE *out);
TMA_PATTERN_FORMATS(TMA_PATTERN_WRITER)
#undef TMA_PATTERN_WRITER

#endif
