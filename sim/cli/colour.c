#include "cli/colour.h"

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

const char *cli_colour(FILE *stream, enum cli_colour colour) {
    static const char *const codes[] = {[CLI_PLAIN] = "\033[0m",
                                        [CLI_BOLD] = "\033[1m",
                                        [CLI_GOOD] = "\033[32m",
                                        [CLI_CAUTION] = "\033[33m",
                                        [CLI_BAD] = "\033[1;31m"};
    return has_colour(stream) ? codes[colour] : "";
}

void cli_write_coloured(const char *text, enum cli_colour colour, FILE *stream) {
    fprintf(stream, "%s%s%s", cli_colour(stream, colour), text, cli_colour(stream, CLI_PLAIN));
}
