/* Messages on standard error, and exit statuses. Messages show control characters as \xNN. */
#pragma once

#include "base/diagnostics.h"

enum cli_status {
    CLI_OK = 0,
    CLI_DIFFERENT = 1,     /* diff, decode: the two inputs differ */
    CLI_ILLEGAL = 1,       /* check: a tensor map breaks a rule */
    CLI_FAILED_ROWS = 1,   /* sweep, validate: some rows have no figures */
    CLI_ERROR = 2,         /* wrong usage, or a file that cannot be read, used or written */
    CLI_MODEL = 3,         /* the simulated program deadlocks or faults */
    CLI_INTERRUPTED = 130, /* as a shell says of SIGINT: the output has what was done by then */
};

/* The exit status for an error of the library: CLI_MODEL where the simulated program is the cause,
 * CLI_ERROR for any other error. */
int cli_error_status(enum tma_error_code code);

/* Prints "tmasim: error: ..." and a newline. Returns false. */
bool cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, for a function that gives the exit status. */
#define cli_fail(...) (cli_error(__VA_ARGS__), CLI_ERROR)

/* Prints "tmasim: note: ..." and a newline. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { CLI_MOST_NAMED_FILES = 16 };

/* From now on, messages about places in the file `path` call it `name`. Both stay valid. At most
 * CLI_MOST_NAMED_FILES calls. */
void cli_name_file(const char *path, const char *name);

/* What messages call the file: `path` itself if it has no other name. */
const char *cli_file_name(const char *path);

/* Writes the first error of a list that has one, for a place with room for one line:
 * "file:line:column: text (and 2 more)". */
void cli_first_error(const struct tma_diagnostics *list, char *text, size_t size);

/* Prints "file:line:column: error: ..." for each entry of the list, then how many it dropped. */
void cli_print_diagnostics(const struct tma_diagnostics *list);
