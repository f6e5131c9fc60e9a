/* Event traces: writes them and compares two of them. A trace is a text file with one line per
 * event. docs/trace-format.md describes the format. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/observe/event.h"

enum { TMA_TRACE_VERSION = 1 };

/* One line of the header: `# key value`. */
struct tma_trace_field {
    const char *key;   /* without spaces */
    const char *value; /* control characters in it are written as \xNN */
};

struct tma_trace_header {
    const char *scenario;                 /* the scenario's name */
    const struct tma_trace_field *fields; /* machine and workload; written in this order */
    size_t field_count;

    /* Kernels with roles: names that follow events in parentheses. Operations have the number of
     * their role as their slot, mbarriers the number of their stage among those of all rings. */
    const char *const *role_names;
    size_t role_count;
    const char *const *stage_names;
    size_t stage_count;

    /* The first event whose line would make the trace longer than this, and all events after it,
     * are dropped; a line before the end line says how many. 0: no limit. */
    uint64_t limit_bytes;

    /* Closing fails with TMA_ERROR_MODEL where events break what docs/trace-format.md promises of
     * their order, pairs and totals. Debug builds of the command set it. */
    bool checks;
};

/* What a writer dropped for its limit. */
struct tma_trace_drops {
    uint64_t events;     /* 0: none */
    uint64_t from_cycle; /* of the first of them */
};

struct tma_trace_writer;

/* Starts a trace and writes its header. The caller owns `file`, keeps it open until
 * tma_trace_writer_close, and writes nothing to it meanwhile. The writer borrows the names of roles
 * and stages. Returns NULL, with TMA_ERROR_MEMORY in *error, when out of memory. */
struct tma_trace_writer *tma_trace_writer_open(FILE *file, const struct tma_trace_header *header,
                                               struct tma_error *error);

/* Returns a sink that writes one line per event. After a failed write it drops all later events. */
struct tma_event_sink tma_trace_writer_sink(struct tma_trace_writer *writer);

/* What was dropped so far. */
struct tma_trace_drops tma_trace_writer_drops(const struct tma_trace_writer *writer);

/* Writes the end line, flushes `file` and frees the writer. Fails with TMA_ERROR_FILE if any write
 * failed since the writer was opened; the file then holds no complete trace. With
 * tma_trace_header.checks, fails with TMA_ERROR_MODEL if the events broke a promise. */
enum tma_error_code tma_trace_writer_close(struct tma_trace_writer *writer,
                                           struct tma_error *error);

/* How much two numbers may differ and still count as the same: the larger of `absolute` and
 * `relative` times the larger number. */
struct tma_trace_tolerance {
    double absolute; /* in the number's own unit, such as cycles; 0: exact */
    double relative; /* fraction; 0: exact */
};

/* The result of tma_trace_diff. */
enum tma_trace_verdict { TMA_TRACE_SAME, TMA_TRACE_DIFFERENT };

/* Compares two trace files and writes the differences to `out`: header fields, then the first
 * divergence (cycle, CTA and slot, both lines), then counts by kind of event.
 *
 * Where a trace says that events were dropped, the report says so: they are not compared.
 *
 * Events are aligned by CTA, slot, kind and first figure, so an extra or missing event leaves the
 * others comparable. Cycles and the other figures are compared within the tolerance, SMs exactly.
 * Memory use is bounded, and constant over equal parts.
 *
 * Fails without writing to `out`: TMA_ERROR_FILE if a file cannot be read, TMA_ERROR_SYNTAX if one
 * is not a complete trace, or if its events break a promise of docs/trace-format.md,
 * TMA_ERROR_UNSUPPORTED if both have a format version that this library does not know,
 * TMA_ERROR_MEMORY. Fails with TMA_ERROR_FILE too if `out` cannot be written. */
enum tma_error_code tma_trace_diff(const char *path_a, const char *path_b,
                                   const struct tma_trace_tolerance *tolerance, FILE *out,
                                   enum tma_trace_verdict *verdict, struct tma_error *error);
