/* What may stand at a place of the command line, for the shells' completion. */
#ifndef TMA_CLI_SHELL_COMPLETION_H
#define TMA_CLI_SHELL_COMPLETION_H

#include <stdio.h>

#include "cli/options.h"

/* The words of a command line after "tmasim". The last one is being typed, and may be empty. */
struct cli_command_line {
    const char *const *words;
    size_t count;
};

/* Writes a line for each text that may stand in place of the last word: the text, and behind a tab
 * what it means, if there is something to say. A text that ends with "=" or "." goes on. The line
 * "\tfiles" says that names of files may stand there, too; behind the "=" of an option's value.
 * Returns false if memory has run out, with the error printed. */
bool cli_complete(const struct cli_verb *const *verbs, const struct cli_command_line *line,
                  FILE *out);

#endif
