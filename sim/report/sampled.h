/* What a report says of a sampled run: how much of it was simulated, and how wrong its cycles may
 * be. */
#pragma once

#include <stdio.h>

#include "engine/result.h"
#include "report/json_writer.h"

/* The part of the cycles that was simulated, in percent. */
double tma_sampled_percent(const struct tma_result *result);

/* How wrong the cycles may be, in percent of them: a whole number of tenths, rounded up. */
double tma_sampled_error_percent(const struct tma_result *result);

/* Says that all but so many cycles were simulated, and by how many of them the sum may be wrong. */
void tma_estimate_write_text(uint64_t skipped, uint64_t error, uint64_t cycles, FILE *out);
void tma_estimate_write_json(uint64_t skipped, uint64_t error, uint64_t cycles,
                             struct tma_json *json);

/* Says that an estimate was not trusted, and all of the run was simulated: in red on a terminal.
 * `error_cycles`: by how much its `cycles` may have been off. */
void tma_refused_write_text(uint64_t error_cycles, uint64_t cycles, FILE *out);
void tma_refused_write_json(uint64_t error_cycles, uint64_t cycles, struct tma_json *json);

/* Both write nothing for a run that was not to be sampled. */
void tma_sampled_write_text(const struct tma_result *result, FILE *out);
void tma_sampled_write_json(const struct tma_result *result, struct tma_json *json);
