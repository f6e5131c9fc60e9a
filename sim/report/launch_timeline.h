/* The timeline of a launch as Chrome trace events, in the form of report/timeline.h: for each CTA a
 * track for each group of four warps, which says at which line it waits for what; for each SM its
 * tensor cores and its TMA unit. */
#ifndef TMA_REPORT_LAUNCH_TIMELINE_H
#define TMA_REPORT_LAUNCH_TIMELINE_H

#include "core/core_timeline.h"
#include "report/launch_report.h"

/* Writes it; `timeline` is sorted. Write errors stay with the stream. */
void tma_launch_timeline_write(const struct tma_launch_report *report,
                               const struct tma_core_timeline *timeline, FILE *out);

#endif
