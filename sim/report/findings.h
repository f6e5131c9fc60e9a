/* What a report says beyond its one run: launches with other seeds, and the experiments that show
 * what limits the run. */
#ifndef TMA_REPORT_FINDINGS_H
#define TMA_REPORT_FINDINGS_H

#include <stdio.h>

#include "experiment/experiment.h"
#include "report/json_writer.h"

/* All pointers are borrowed. */
struct tma_findings {
    const struct tma_experiments *experiments; /* NULL: there were none */
    bool too_long;                             /* there were none because the run is long */
    const struct tma_launches *draws;          /* launches with several seeds; NULL: none */
};

/* Launches; nothing, or null in JSON, without --draws. */
void tma_draws_write_text(const struct tma_findings *findings, FILE *out);
void tma_draws_write_json(const struct tma_findings *findings, struct tma_json *json);

/* What limits the run, and advice; in JSON also every experiment. `idle`: the run did nothing that
 * could take time. */
void tma_findings_write_text(const struct tma_findings *findings, bool idle, FILE *out);
void tma_findings_write_json(const struct tma_findings *findings, bool idle, struct tma_json *json);

#endif
