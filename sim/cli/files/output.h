/* The output of a verb: standard output, or a file. A file is replaced only after it is written
 * completely, so that an error leaves the old file as it was. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct cli_output {
    FILE *file;
    const char *path; /* for messages: as the user wrote it, or "standard output" */
    char *target;     /* owned: the file to replace; NULL where `file` is the output itself */
    char *temporary;  /* owned: the file that is written and then renamed; NULL as `target` */
};

/* Opens `path`; NULL is standard output. Verbs call it before their work, so that an unwritable
 * path fails at once. On failure, prints the error and returns false. */
bool cli_output_open(struct cli_output *output, const char *path);

/* Returns true if both paths name one file, existing or not, however they are written. NULL names
 * none. */
bool cli_output_is_file(const char *path, const char *other);

/* Returns false, and prints an error, if writing the output `path` would replace the file `input`.
 * Either may be NULL. */
bool cli_output_spares(const char *path, const char *input);

/* Closes the output. With `keep`, the file takes its place; without, it is removed. Prints an error
 * and returns false where a write failed or the file could not take its place. */
bool cli_output_close(struct cli_output *output, bool keep);

/* The error number of a write to the file that has failed, where errno is not known any more:
 * ENOSPC if its file system is full. */
int cli_write_error(FILE *file);

/* Call first in main. Opens /dev/null for each standard stream that the caller closed, so that no
 * other file gets its descriptor. Gives standard output a buffer. SIGPIPE keeps its default action:
 * verbs write standard output last, when no file is incomplete. */
void cli_output_prepare(void);
