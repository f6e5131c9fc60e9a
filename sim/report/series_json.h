/* The servers, the latencies and the time series of a run as elements of a report. Internal to
 * sim/report. */
#ifndef TMA_REPORT_SERIES_JSON_H
#define TMA_REPORT_SERIES_JSON_H

#include "engine/observe/series.h"
#include "report/json_writer.h"

/* Writes the elements "servers", "latency_histogram" and "series"; nothing if `series` is NULL. */
void tma_series_json(const struct tma_series *series, struct tma_json *json);

#endif
