/* What the command says on standard error, and its exit statuses. */
#ifndef TMA_CLI_COMPLAIN_H
#define TMA_CLI_COMPLAIN_H

#include "base/diagnostics.h"

enum cli_status {
    CLI_OK = 0,
    CLI_DIFFERENT = 1, /* diff, decode: the two differ */
    CLI_ILLEGAL = 1,   /* check: a tensor map breaks a rule */
    CLI_BAD_INPUT = 2, /* usage, files, scenarios */
    CLI_MODEL = 3,     /* the simulated program deadlocks or faults */
};

/* The status for a failed call: 3 where the simulated program is to blame, 2 for all else. */
int cli_status_of(enum tma_error_code code);

/* "tmasim: error: ..." and a newline. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "tmasim: note: ..." and a newline. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "file:line:column: error: ..." for each. */
void cli_complain_all(const struct tma_diagnostics *list);

#endif
