/* The statistics of a run (--stats). */
#ifndef TMA_CLI_STATISTICS_OUTPUT_H
#define TMA_CLI_STATISTICS_OUTPUT_H

#include "cli/scenario_findings.h"

/* Writes the figures of the report, and those of its series, a line each. Fails with
 * TMA_ERROR_MEMORY; write errors stay with the stream. */
enum tma_error_code cli_statistics_write(const struct cli_report *report, FILE *out,
                                         struct tma_error *error);

#endif
