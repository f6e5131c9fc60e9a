/* The output formats of tma_difference_write, and what they have in common. Internal to
 * sim/difference. */
#pragma once

#include "difference/difference.h"

/* One line for each format; see report/format_table.h. */
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

/* Why a value failed: "cycles 6450 -> 6700 (+3.9 %), fails if cycles > +2%". */
struct tma_difference_sentence {
    char text[640];
};
struct tma_difference_sentence tma_difference_sentence_of(const struct tma_difference_row *row,
                                                          const struct tma_difference_value *value);

/* The last line: how many figures were compared, differ, and fail. */
struct tma_difference_sentence tma_difference_total(const struct tma_difference *difference);
