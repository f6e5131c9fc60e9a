/* Reads a trace file line by line, in constant memory. Internal to sim/trace. */
#ifndef TMA_TRACE_READER_H
#define TMA_TRACE_READER_H

#include <stdbool.h>

#include "trace/trace.h"

enum { TMA_TRACE_READ_BYTES = 1 << 16, TMA_TRACE_MAX_FIELDS = 1 << 12 };

struct tma_trace_reader {
    const char *path; /* borrowed */
    FILE *file;
    uint64_t line_number; /* of the line read last, from 1 */
    uint64_t events;
    uint64_t version;
    struct tma_trace_field *fields; /* of the header, owned; the scenario is the first */
    size_t field_count;
    size_t begin, end; /* what of the buffer is not read yet */
    char buffer[TMA_TRACE_READ_BYTES];
};

/* A line without its newline; lives until the next one is read. text is NULL past the last event.
 */
struct tma_trace_line {
    const char *text;
    size_t length;
};

/* Opens the file and reads its header. Whether it succeeds or not, tma_trace_reader_close frees. */
enum tma_error_code tma_trace_reader_open(struct tma_trace_reader *reader, const char *path,
                                          struct tma_error *error);
void tma_trace_reader_close(struct tma_trace_reader *reader);

/* The next event's line, not looked into. Fails with TMA_ERROR_SYNTAX where the trace stops
 * without its end line. */
enum tma_error_code tma_trace_reader_next(struct tma_trace_reader *reader,
                                          struct tma_trace_line *line, struct tma_error *error);

/* Reads the line last given as an event. */
enum tma_error_code tma_trace_reader_parse(const struct tma_trace_reader *reader,
                                           struct tma_trace_line line, struct tma_event *event,
                                           struct tma_error *error);

#endif
