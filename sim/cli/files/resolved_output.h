/* The whole configuration of a run, with the origin of each value. */
#ifndef TMA_CLI_RESOLVED_OUTPUT_H
#define TMA_CLI_RESOLVED_OUTPUT_H

#include <stdio.h>

#include "scenario/scenario.h"

/* Writes a scenario with all keys of the machine, the tensor maps and the workload or kernel, each
 * with a comment that says where its value comes from. It runs as the scenario does. Returns false
 * when out of memory. Write errors stay with the stream. */
bool cli_resolved_write(const struct tma_scenario *scenario, FILE *out);

#endif
