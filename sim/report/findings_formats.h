/* Writes the findings of a report, in both of its formats. Internal to sim/report. */
#ifndef TMA_REPORT_FINDINGS_FORMATS_H
#define TMA_REPORT_FINDINGS_FORMATS_H

#include <stdio.h>

#include "report/findings.h"
#include "report/json_writer.h"

/* Launches; nothing, or null in JSON, without --draws. */
void tma_draws_write_text(const struct tma_findings *findings, FILE *out);
void tma_draws_write_json(const struct tma_findings *findings, struct tma_json *json);

/* What limits the run, and advice; in JSON also every experiment. `idle`: the run did nothing that
 * could take time. */
void tma_findings_write_text(const struct tma_findings *findings, bool idle, FILE *out);
void tma_findings_write_json(const struct tma_findings *findings, bool idle, struct tma_json *json);

#endif
