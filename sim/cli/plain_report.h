/* The report of a scenario that is run once, without a trace and without experiments. */
#ifndef TMA_CLI_PLAIN_REPORT_H
#define TMA_CLI_PLAIN_REPORT_H

#include <stdio.h>

#include "scenario/scenario.h"

/* Simulates the scenario, a workload or a kernel with roles, and writes its report in a format of
 * tma_report_format_names, by its name. Gives the cycles if `cycles` is not NULL. */
enum tma_error_code cli_plain_report(const struct tma_scenario *scenario, const char *format,
                                     uint64_t *cycles, FILE *out, struct tma_error *error);

#endif
