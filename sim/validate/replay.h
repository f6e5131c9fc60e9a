/* Replays files of records in worker processes. */
#pragma once

#include <stdio.h>

#include "cli/options.h"
#include "validate/validation.h"

/* What to replay. */
struct cli_replay {
    const struct cli_options *options; /* operands: the files; jobs, quiet */
    const struct tma_machine *machine;
    uint32_t draws; /* also with the seeds 1 to this one */
    bool exact;     /* no record is sampled */
    bool traffic;   /* compare the traffic of every record that has it */
};

/* What came of it. A record whose worker died, or that was not replayed, is skipped. */
struct cli_replay_result {
    struct tma_validation *validations; /* by file; zeroed by the caller, who frees their rows */
    struct cli_draws *draws;            /* by file; zeroed by the caller, who frees them */
    uint64_t replayed, total;           /* records, with all seeds; fewer after an interrupt */
    bool failed;                        /* a worker died, or memory ran out for a record */
};

/* Replays all files. Prints an error for each record that fails. Returns false, and prints why, if
 * a file cannot be read, or if memory runs out here. */
bool cli_replay(const struct cli_replay *replay, struct cli_replay_result *result);

/* Replays the files once more for each part, and writes a table of families to `out`. `before` is
 * what a replay without changes gave. Prints an error and returns false where a replay fails. */
bool cli_ablate(const struct cli_replay *replay, const struct cli_replay_result *before, bool json,
                FILE *out);
