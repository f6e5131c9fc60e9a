/* What of the time and of the error of records is due to which part of the machine: the records are
 * replayed with one part made so fast that it limits nothing. */
#ifndef TMA_VALIDATE_ABLATION_H
#define TMA_VALIDATE_ABLATION_H

#include <stdio.h>

#include "validate/replay.h"

/* Replays the files once more for each part, and writes a table of families to `out`. `before` is
 * what a replay without changes gave. Prints an error and returns false where a replay fails. */
bool cli_ablate(const struct cli_replay *replay, const struct cli_replay_result *before, bool json,
                FILE *out);

#endif
