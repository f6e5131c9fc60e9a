/* What the formats of a tuner's table ask about a row. Internal to sim/report. */
#ifndef TMA_REPORT_TUNE_ROW_H
#define TMA_REPORT_TUNE_ROW_H

#include "report/tune.h"

/* "simulated", ... */
const char *tma_tune_found_text(enum tma_tune_found found);

/* Whether a row has a time of its own run, or an estimate of it. */
bool tma_tune_has_time(const struct tma_tune_row *row);

#endif
