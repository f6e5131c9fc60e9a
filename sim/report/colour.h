/* Colour on terminals. A terminal is what isatty() takes for one, unless NO_COLOR (no-color.org) is
 * set and not empty, or TERM is "dumb". Files and pipes get the same bytes with and without. */
#pragma once

#include <stdio.h>

enum tma_colour {
    TMA_COLOUR_PLAIN, /* what ends a colour */
    TMA_COLOUR_BOLD,
    TMA_COLOUR_GOOD,
    TMA_COLOUR_CAUTION,
    TMA_COLOUR_BAD
};

/* What a stream has to get so that the text behind it has the colour: "" if it is no terminal. */
const char *tma_colour(FILE *stream, enum tma_colour colour);

/* Writes a text in a colour, and ends it. */
void tma_write_coloured(const char *text, enum tma_colour colour, FILE *stream);
