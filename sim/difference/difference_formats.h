/* The output formats of tma_difference_write. Internal to sim/difference. */
#ifndef TMA_DIFFERENCE_DIFFERENCE_FORMATS_H
#define TMA_DIFFERENCE_DIFFERENCE_FORMATS_H

#include "difference/difference.h"

/* One line for each format; see report/format_table.h. The file difference_NAME.c has its writer.
 */
#define TMA_DIFFERENCE_FORMATS(X)                                                                  \
    X(text)                                                                                        \
    X(markdown)                                                                                    \
    X(github)                                                                                      \
    X(junit)                                                                                       \
    X(json)

#define TMA_DIFFERENCE_WRITER(name)                                                                \
    void tma_difference_write_##name(const struct tma_difference *difference, FILE *out);
TMA_DIFFERENCE_FORMATS(TMA_DIFFERENCE_WRITER)
#undef TMA_DIFFERENCE_WRITER

#endif
