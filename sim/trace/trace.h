/* Event traces: text, one line an event, cycle first; written, read back and compared.
 * docs/trace-format.md describes the format. */
#ifndef TMA_TRACE_TRACE_H
#define TMA_TRACE_TRACE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/event.h"

enum { TMA_TRACE_VERSION = 1 };

/* One line of the header: `# key value`. A key has no space; control characters in a value are
 * written as \xNN. */
struct tma_trace_field {
    const char *key, *value;
};

struct tma_trace_header {
    const char *scenario;                 /* name */
    const struct tma_trace_field *fields; /* resolved machine and workload, in the order wanted */
    size_t field_count;
};

struct tma_trace_writer;

/* Writes the header. `file` stays the caller's: it is to be open until tma_trace_writer_close and
 * not written to meanwhile. NULL, with TMA_ERROR_MEMORY in *error, where there is no memory. */
struct tma_trace_writer *tma_trace_writer_open(FILE *file, const struct tma_trace_header *header,
                                               struct tma_error *error);

/* Writes one line for each event. After a failed write it ignores what follows. */
struct tma_event_sink tma_trace_writer_sink(struct tma_trace_writer *writer);

/* Writes the end line, flushes `file` and frees the writer. Fails with TMA_ERROR_FILE where any
 * write failed since the writer was opened: what is in the file is then no complete trace. */
enum tma_error_code tma_trace_writer_close(struct tma_trace_writer *writer,
                                           struct tma_error *error);

/* What two numbers may differ by and still count as the same: the larger of `absolute` and of
 * `relative` times the larger number. Zero, zero: nothing. */
struct tma_trace_tolerance {
    double absolute, relative;
};

enum tma_trace_verdict { TMA_TRACE_SAME, TMA_TRACE_DIFFERENT };

/* Compares two trace files and writes to `out` what differs: headers first, then the first
 * divergence (cycle, unit, both lines), then counts. Events are aligned by CTA, slot, kind and
 * first figure, so that one more or fewer leaves the others comparable; cycle, SM and the other
 * figures are what is compared (SM exactly). Memory is constant over equal parts, and bounded
 * elsewhere.
 *
 * Fails, writing nothing to `out`, with TMA_ERROR_FILE where a file cannot be read,
 * TMA_ERROR_SYNTAX where one is no complete trace, TMA_ERROR_UNSUPPORTED where both are of a
 * format version that this library does not know, and TMA_ERROR_MEMORY; and with TMA_ERROR_FILE
 * where `out` cannot be written. */
enum tma_error_code tma_trace_diff(const char *path_a, const char *path_b,
                                   const struct tma_trace_tolerance *tolerance, FILE *out,
                                   enum tma_trace_verdict *verdict, struct tma_error *error);

#endif
