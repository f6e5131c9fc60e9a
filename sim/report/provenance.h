/* What wrote a report, and what it is of. Internal to sim/report. */
#ifndef TMA_REPORT_PROVENANCE_H
#define TMA_REPORT_PROVENANCE_H

#include "base/digest.h"
#include "report/json_writer.h"

/* Writes the elements "tmasim", the version, and "digest", unless `digests` is NULL. */
void tma_provenance_json(const struct tma_digests *digests, struct tma_json *json);

#endif
