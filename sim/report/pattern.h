/* A tile distribution as a table of threads over the tile. */
#ifndef TMA_REPORT_PATTERN_H
#define TMA_REPORT_PATTERN_H

#include <stdio.h>

#include "banks/tile_distribution.h"

extern const struct tma_names tma_pattern_format_names; /* text (the default), json, csv */

/* The tuples, what each of their numbers means, and which thread takes which elements. Write errors
 * stay with the stream. */
void tma_pattern_write(const struct tma_tile_distribution *distribution, int format, FILE *out);

#endif
