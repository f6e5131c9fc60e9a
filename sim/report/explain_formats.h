/* The output formats of tma_explanation_write. Internal to sim/report. */
#ifndef TMA_REPORT_EXPLAIN_FORMATS_H
#define TMA_REPORT_EXPLAIN_FORMATS_H

#include "report/explain.h"

/* One line for each format; see format_table.h. The file explain_NAME.c has its writer. */
#define TMA_EXPLANATION_FORMATS(X)                                                                 \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(csv)                                                                                         \
    X(svg)

#define TMA_EXPLANATION_WRITER(name)                                                               \
    void tma_explanation_write_##name(const struct tma_explanation *explanation, FILE *out);
TMA_EXPLANATION_FORMATS(TMA_EXPLANATION_WRITER)
#undef TMA_EXPLANATION_WRITER

#endif
