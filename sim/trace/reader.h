/* Reads a trace file line by line, in constant memory. Internal to sim/trace. */
#pragma once

#include <stdbool.h>

#include "trace/promises.h"

enum { TMA_TRACE_READ_BYTES = 1 << 16, TMA_TRACE_MAX_FIELDS = 1 << 12 };

struct tma_trace_reader {
    const char *path; /* borrowed */
    FILE *file;
    uint64_t line_number;           /* of the line read last, from 1 */
    uint64_t events;                /* lines of events read so far */
    uint64_t version;               /* of the format */
    char dropped[64];               /* "12 events, from cycle 34 on"; empty: none so far */
    struct tma_trace_field *fields; /* owned; the header's fields, the scenario first */
    size_t field_count;
    struct tma_trace_promises promises;
    size_t begin; /* start of the unread bytes in the buffer */
    size_t end;   /* end of the unread bytes in the buffer */
    char buffer[TMA_TRACE_READ_BYTES];
};

/* A line without its newline. It points into the reader's buffer and is valid until the next read.
 * text is NULL after the last event. */
struct tma_trace_line {
    const char *text;
    size_t length;
};

/* Opens the file and reads its header. Fails with TMA_ERROR_FILE, TMA_ERROR_SYNTAX or
 * TMA_ERROR_MEMORY. Call tma_trace_reader_close in either case. */
enum tma_error_code tma_trace_reader_open(struct tma_trace_reader *reader, const char *path,
                                          struct tma_error *error);
void tma_trace_reader_close(struct tma_trace_reader *reader);

/* Gives the next event's line without parsing it. Fails with TMA_ERROR_SYNTAX if the trace ends
 * without its end line or what its events promise, or with TMA_ERROR_FILE if it cannot be read. */
enum tma_error_code tma_trace_reader_next(struct tma_trace_reader *reader,
                                          struct tma_trace_line *line, struct tma_error *error);

/* Parses the line that tma_trace_reader_next gave last. Fails with TMA_ERROR_SYNTAX. */
enum tma_error_code tma_trace_reader_parse(const struct tma_trace_reader *reader,
                                           struct tma_trace_line line, struct tma_event *event,
                                           struct tma_error *error);

/* Takes the event of each line, in their order. Fails with TMA_ERROR_SYNTAX if it breaks a promise
 * (trace/promises.h), or with TMA_ERROR_MEMORY. */
enum tma_error_code tma_trace_reader_take(struct tma_trace_reader *reader,
                                          const struct tma_event *event, struct tma_error *error);
