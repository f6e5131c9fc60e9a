/* A tile distribution as a table that gives the thread of every element. */
#pragma once

#include <stdio.h>

#include "banks/tile_distribution.h"
#include "tensormap/types.h"

/* Formats of tma_pattern_write; the first is the default. */
extern const struct tma_names tma_pattern_format_names;

/* Writes the tuples with the meaning of each number, and the thread of each element. `format` is a
 * value of tma_pattern_format_names. Write errors stay with the stream. */
void tma_pattern_write(const struct tma_tile_distribution *distribution, int format, FILE *out);
