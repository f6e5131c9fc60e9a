/* A line on standard error that says how far a long piece of work is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far the work is. */
struct cli_progress {
    const char *unit; /* what `done` and `total` count: "records" */
    uint64_t total, done;
    uint64_t total_work; /* in any unit, for the time that is left */
    uint64_t done_work;
    uint64_t cycles; /* simulated so far; 0: none are shown */

    bool quiet, terminal; /* how the line is shown */
    bool shown;           /* a line stands on the terminal */
    uint64_t started_ms, next_ms;
};

/* Begins. The caller fills in the first group of fields and updates it. With `quiet`, or
 * with TMASIM_QUIET in the environment, nothing is ever shown. */
void cli_progress_begin(struct cli_progress *progress, bool quiet);

/* Shows the line if it is time: after 2 seconds; then on a terminal, where the line is replaced,
 * five times a second, and else every 10 seconds, a new line each time. */
void cli_progress_show(struct cli_progress *progress);

/* Adds cycles that a task has noted: `bytes` are a uint64_t (tma_batch.note). */
void cli_progress_note(struct cli_progress *progress, const void *bytes, size_t size);

/* Shows how many tasks of a batch are done (tma_batch.idle). False after an interrupt, where these
 * are held. */
bool cli_progress_look(struct cli_progress *progress, size_t done, uint64_t done_work);

/* Clears the line of a terminal. Call before anything else is printed there. */
void cli_progress_clear(struct cli_progress *progress);
