#include "report/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colour(FILE *stream) {
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    int file = fileno(stream); /* -1: a block of memory */
    return file >= 0 && isatty(file) == 1 && (none == NULL || none[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

const char *tma_colour(FILE *stream, enum tma_colour colour) {
    static const char *const codes[] = {[TMA_COLOUR_PLAIN] = "\033[0m",
                                        [TMA_COLOUR_BOLD] = "\033[1m",
                                        [TMA_COLOUR_GOOD] = "\033[32m",
                                        [TMA_COLOUR_CAUTION] = "\033[33m",
                                        [TMA_COLOUR_BAD] = "\033[1;31m"};
    return has_colour(stream) ? codes[colour] : "";
}

void tma_write_coloured(const char *text, enum tma_colour colour, FILE *stream) {
    fprintf(stream, "%s%s%s", tma_colour(stream, colour), text,
            tma_colour(stream, TMA_COLOUR_PLAIN));
}
