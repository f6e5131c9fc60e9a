/* The timeline of a run as Chrome trace events, which Perfetto and chrome://tracing open. Slices of
 * slots, roles and CTAs have the processes and threads of the timelines that Triton's Proton writes
 * of measured kernels: "NAME Core<SM> CTA<CTA>", "warp <number> ... (line <number>)".
 * docs/pictures.md describes the tracks. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "engine/observe/series.h"
#include "engine/roles/kernel.h"
#include "report/json_writer.h"
#include "report/span_sample.h"

/* Chrome trace events: what all timelines write alike. */

struct tma_timeline_events {
    struct tma_json json;
    const char *category; /* of all events; borrowed */
    uint64_t clock_mhz;
};

/* Writes a slice up to its args, which the caller adds and ends. */
void tma_timeline_begin_slice(struct tma_timeline_events *events, const char *name,
                              const char *process, const char *track, uint64_t start, uint64_t end);

/* Ends the args and the event. */
void tma_timeline_end_event(struct tma_timeline_events *events);

enum { TMA_UNIT_LINES = 64 };

/* Lines of the TMA unit of an SM, or of what it does for a CTA. */
struct tma_unit_lines {
    uint32_t sm, cta; /* sm UINT32_MAX: none yet */
    uint64_t ends[TMA_UNIT_LINES];
};

/* Operations of a TMA unit overlap: each goes to the first line that is free. Those of an SM and a
 * CTA come one after the other, by start. */
unsigned tma_unit_lines_take(struct tma_unit_lines *lines, uint32_t sm, uint32_t cta,
                             uint64_t start, uint64_t end);

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
