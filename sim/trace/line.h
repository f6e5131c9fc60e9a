/* One event as one line of a trace, and back. Internal to sim/trace. */
#ifndef TMA_TRACE_LINE_H
#define TMA_TRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/event.h"

/* No event's line is longer, its newline included. */
enum { TMA_TRACE_LINE_BYTES = 256 };

/* Writes the line and its newline, without a NUL; gives how many bytes. */
size_t tma_trace_line_format(char line[TMA_TRACE_LINE_BYTES], const struct tma_event *event);

/* Reads a line of `length` bytes, newline excluded. NULL where it is an event's line; else what is
 * wrong with it, as a constant string. */
const char *tma_trace_line_parse(const char *line, size_t length, struct tma_event *event);

#endif
