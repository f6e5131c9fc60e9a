/* What the formats of a comparison have in common. Internal to sim/difference. */
#ifndef TMA_DIFFERENCE_DIFFERENCE_CELLS_H
#define TMA_DIFFERENCE_DIFFERENCE_CELLS_H

#include "difference/difference.h"

enum { TMA_DIFFERENCE_CELL_BYTES = 160 };

struct tma_difference_cell {
    char text[TMA_DIFFERENCE_CELL_BYTES];
};

/* A value: "-" where there is none. */
struct tma_difference_cell tma_difference_value_cell(const struct tma_measure *measure);

/* A value and how it changed: "6700 (+3.9 %)". */
struct tma_difference_cell tma_difference_change_cell(const struct tma_measure *base,
                                                      const struct tma_measure *value);

/* Why a value failed, as a sentence: "cycles 6450 -> 6700 (+3.9 %), fails if cycles > +2%". */
struct tma_difference_sentence {
    char text[4 * TMA_DIFFERENCE_CELL_BYTES];
};
struct tma_difference_sentence tma_difference_sentence_of(const struct tma_difference_row *row,
                                                          const struct tma_difference_value *value);

/* The last line: how many figures were compared, differ, and fail. */
struct tma_difference_sentence tma_difference_total(const struct tma_difference *difference);

/* What a variant is: "b.json (tmasim 0.1.0, machine 4082df1b0b68cc0d, scenario 2119b0d027093d52)".
 */
void tma_difference_write_origin(const struct tma_variant *variant,
                                 void (*write)(const char *, FILE *), FILE *out);

#endif
