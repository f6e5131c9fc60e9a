/* Writes the findings of a report, in both of its formats. Internal to sim/report. */
#pragma once

#include <stdio.h>

#include "report/findings.h"
#include "report/json_writer.h"

/* Launches with several seeds. Without any (NULL, or none) the text has nothing, JSON a null. */
void tma_launches_write_text(const struct tma_launches *launches, FILE *out);
void tma_launches_write_json(const struct tma_launches *launches, struct tma_json *json);

/* What limits the run, and advice; in JSON also every experiment. `idle`: the run did nothing that
 * could take time. */
void tma_findings_write_text(const struct tma_findings *findings, bool idle, FILE *out);
void tma_findings_write_json(const struct tma_findings *findings, bool idle, struct tma_json *json);

/* The names of what was not tried, "not_tried"; nothing where all was, or nothing (NULL). */
void tma_untried_write_json(const struct tma_experiments *experiments, struct tma_json *json);
