/* Chrome trace events: what all timelines write alike. */
#ifndef TMA_REPORT_TIMELINE_EVENTS_H
#define TMA_REPORT_TIMELINE_EVENTS_H

#include <stdint.h>

#include "report/json_writer.h"

struct tma_timeline_events {
    struct tma_json json;
    const char *category; /* of all events; borrowed */
    uint64_t clock_mhz;
};

/* Begins an event with what all have. `track` is the thread; NULL for counters. */
void tma_timeline_begin_event(struct tma_timeline_events *events, const char *name,
                              const char *phase, const char *process, const char *track,
                              uint64_t cycle);

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

#endif
