/* The timeline of a run as Chrome trace events, which Perfetto and chrome://tracing open. Slices of
 * slots, roles and CTAs have the processes and threads of the timelines that Triton's Proton writes
 * of measured kernels: "NAME Core<SM> CTA<CTA>", "warp <number> ... (line <number>)".
 * docs/pictures.md describes the tracks. */
#ifndef TMA_REPORT_TIMELINE_H
#define TMA_REPORT_TIMELINE_H

#include <stdio.h>

#include "engine/observe/series.h"
#include "engine/roles/kernel.h"
#include "report/span_sample.h"

/* Spans of a timeline, at most: about 40 MB of text. */
enum { TMA_MOST_TIMELINE_SPANS = 150000 };

/* All pointers are borrowed. */
struct tma_timeline_input {
    const char *scenario; /* its name */
    const struct tma_machine *machine;
    const struct tma_kernel *kernel; /* with roles; NULL: a workload ran */
    const char *const *map_names;    /* by tensor map */
    const struct tma_result *result;
    const struct tma_series *series;
    const struct tma_span_sample *spans; /* of all kinds, sorted */
};

/* Writes the timeline. Write errors stay with the stream. */
void tma_timeline_write(const struct tma_timeline_input *input, FILE *out);

#endif
