/* Formats an event as a line of a trace, and parses such a line. Internal to sim/trace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/observe/event.h"

/* Longest line of an event, with its newline. */
enum { TMA_TRACE_LINE_BYTES = 256 };

/* Writes the event's line and a newline, without a NUL. Returns the number of bytes written. */
size_t tma_trace_line_format(char line[TMA_TRACE_LINE_BYTES], const struct tma_event *event);

/* The same with a note in parentheses behind the figures, which readers ignore. NULL: none. At most
 * TMA_TRACE_NOTE_BYTES of it are written. */
enum { TMA_TRACE_NOTE_BYTES = 64 };
size_t tma_trace_line_annotate(char line[TMA_TRACE_LINE_BYTES], const struct tma_event *event,
                               const char *note);

/* Parses a line of `length` bytes, without its newline. Returns NULL on success, else what is wrong
 * with the line, as a constant string. */
const char *tma_trace_line_parse(const char *line, size_t length, struct tma_event *event);
