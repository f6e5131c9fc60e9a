/* Colour on terminals. A terminal is what isatty() takes for one, unless NO_COLOR (no-color.org) is
 * set and not empty, or TERM is "dumb". Files and pipes get the same bytes with and without. */
#ifndef TMA_CLI_COLOUR_H
#define TMA_CLI_COLOUR_H

#include <stdio.h>

enum cli_colour {
    CLI_PLAIN, /* what ends a colour */
    CLI_BOLD,
    CLI_GOOD,
    CLI_CAUTION,
    CLI_BAD
};

/* What a stream has to get so that the text behind it has the colour: "" if it is no terminal. */
const char *cli_colour(FILE *stream, enum cli_colour colour);

/* Writes a text in a colour, and ends it. */
void cli_write_coloured(const char *text, enum cli_colour colour, FILE *stream);

#endif
