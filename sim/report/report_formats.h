/* The output formats of tma_report_write. Internal to sim/report. */
#ifndef TMA_REPORT_REPORT_FORMATS_H
#define TMA_REPORT_REPORT_FORMATS_H

#include "report/report.h"

/* One line for each format; see format_table.h. The file report_NAME.c has its writer. */
#define TMA_REPORT_FORMATS(X)                                                                      \
    X(text)                                                                                        \
    X(json)

#define TMA_REPORT_WRITER(name)                                                                    \
    void tma_report_write_##name(const struct tma_report_input *input, FILE *out);
TMA_REPORT_FORMATS(TMA_REPORT_WRITER)
#undef TMA_REPORT_WRITER

#endif
