/* The output formats of tma_compare_write. Internal to sim/report. */
#ifndef TMA_REPORT_COMPARE_FORMATS_H
#define TMA_REPORT_COMPARE_FORMATS_H

#include "report/swizzle_comparison.h"

/* One line for each format; see format_table.h. The file compare_NAME.c has its writer. */
#define TMA_COMPARE_FORMATS(X)                                                                     \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(svg)

#define TMA_COMPARE_WRITER(name)                                                                   \
    void tma_compare_write_##name(const struct tma_swizzle_comparison *comparison, FILE *out);
TMA_COMPARE_FORMATS(TMA_COMPARE_WRITER)
#undef TMA_COMPARE_WRITER

#endif
