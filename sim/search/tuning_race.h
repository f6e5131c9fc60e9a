/* Finds the fastest row without running all rows to their ends: a row ends where it is too slow to
 * win against the fastest one so far, which was looked at there, too. */
#ifndef TMA_SEARCH_TUNING_RACE_H
#define TMA_SEARCH_TUNING_RACE_H

#include "search/tuning_state.h"

/* Runs the rows, of which the bounds are known. On failure, prints the error and returns false. */
bool cli_tuning_race(struct cli_tuning_state *state);

/* Makes the estimate of a row that ended at a mark as much longer than the time of the best row as
 * it seemed to be there. */
void cli_tuning_scale_estimates(struct cli_tuning_state *state);

#endif
