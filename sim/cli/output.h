/* Where a verb's result goes: standard output, or a file that appears whole or not at all. */
#ifndef TMA_CLI_OUTPUT_H
#define TMA_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct cli_output {
    FILE *file;
    const char *path; /* as the user wrote it; "standard output" */
    char *target;     /* owned: what the temporary file is to replace; NULL: written directly */
    char *temporary;  /* owned */
};

/* Opens `path` (NULL: standard output), so that an unwritable one is known before any work is done.
 * False, with the reason on standard error. */
bool cli_output_open(struct cli_output *output, const char *path);

/* Closes it: `keep` puts the file in its place, else nothing is left of it. False, with the reason
 * on standard error, where what was written could not be kept whole. */
bool cli_output_close(struct cli_output *output, bool keep);

/* Makes sure that no file that is opened later takes the number of a standard stream that the
 * caller closed. (SIGPIPE keeps its meaning: standard output is written last, when no file is half
 * done.) */
void cli_output_prepare(void);

#endif
