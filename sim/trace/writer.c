#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "base/printable.h"
#include "trace/line.h"
#include "trace/promises.h"
#include "trace/trace.h"

enum {
    BUFFER_BYTES = 1 << 16,
    TRAILER_BYTES = 100 /* of the lines "dropped" and "end", at most: events leave room for them */
};

struct tma_trace_writer {
    FILE *file;
    struct tma_trace_header names; /* of roles and stages, and the limit */
    int error;                     /* errno of the first write that failed; 0: none did */
    uint64_t events;               /* written so far */
    struct tma_trace_drops drops;
    struct tma_trace_promises promises; /* with tma_trace_header.checks */
    struct tma_event broken_by;
    const char *broken; /* the first promise that was broken; NULL: none was */
    uint64_t flushed;   /* bytes written to the file */
    size_t used;        /* bytes of the buffer that are not written to the file yet */
    char buffer[BUFFER_BYTES];
};

static void fail(struct tma_trace_writer *writer) {
    if (writer->error == 0)
        writer->error = errno != 0 ? errno : EIO;
}

static void flush(struct tma_trace_writer *writer) {
    errno = 0;
    if (writer->error == 0 && fwrite(writer->buffer, 1, writer->used, writer->file) != writer->used)
        fail(writer);
    writer->flushed += writer->used;
    writer->used = 0;
}

static void put_character(struct tma_trace_writer *writer, char character) {
    if (writer->used == BUFFER_BYTES)
        flush(writer);
    writer->buffer[writer->used++] = character;
}

/* Escapes what is not printable, so that a header field stays on one line and shows what it has. */
static void put_text(struct tma_trace_writer *writer, const char *text) {
    static const char hex[] = "0123456789abcdef";
    while (*text != '\0') {
        size_t length = tma_printable_length(text);
        for (size_t i = 0; i < length; i++)
            put_character(writer, *text++);
        if (length > 0)
            continue;
        unsigned char byte = (unsigned char)*text++;
        put_character(writer, '\\');
        put_character(writer, 'x');
        put_character(writer, hex[byte >> 4]);
        put_character(writer, hex[byte & 15]);
    }
}

static void put_field(struct tma_trace_writer *writer, const char *key, const char *value) {
    put_text(writer, "# ");
    put_text(writer, key);
    put_character(writer, ' ');
    put_text(writer, value);
    put_character(writer, '\n');
}

static void put_number_field(struct tma_trace_writer *writer, const char *key, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    put_field(writer, key, digits);
}

struct tma_trace_writer *tma_trace_writer_open(FILE *file, const struct tma_trace_header *header,
                                               struct tma_error *error) {
    struct tma_trace_writer *writer = tma_allocate(1, sizeof *writer);
    if (writer == NULL) {
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory for the trace's buffer");
        return NULL;
    }
    writer->file = file;
    writer->names = *header;
    tma_trace_promises_begin(&writer->promises, header->fields, header->field_count);
    put_number_field(writer, "tmasim-trace", TMA_TRACE_VERSION);
    put_field(writer, "scenario", header->scenario);
    for (size_t i = 0; i < header->field_count; i++)
        put_field(writer, header->fields[i].key, header->fields[i].value);
    uint64_t least = writer->flushed + writer->used + TRAILER_BYTES;
    if (header->limit_bytes != 0 && header->limit_bytes < least) {
        tma_fail(error, TMA_ERROR_ARGUMENT,
                 "a trace of at most %" PRIu64
                 " bytes has no room for its header; expected %" PRIu64
                 " bytes or more (--trace-limit)",
                 header->limit_bytes, least);
        tma_release(writer);
        return NULL;
    }
    return writer;
}

/* The name of an event's role or stage; NULL if it has none. */
static const char *name_of(const struct tma_trace_header *names, const struct tma_event *event) {
    switch (event->kind) {
    case TMA_EVENT_ISSUE:
    case TMA_EVENT_TENSORMAP:
    case TMA_EVENT_ROWS:
    case TMA_EVENT_L2_FILL:
    case TMA_EVENT_ARRIVAL:
    case TMA_EVENT_CONSUME:
        return event->slot < names->role_count ? names->role_names[event->slot] : NULL;
    case TMA_EVENT_MBARRIER:
        return event->slot < names->stage_count ? names->stage_names[event->slot] : NULL;
    case TMA_EVENT_CTA_START:
    case TMA_EVENT_CTA_END:
    case TMA_EVENT_KIND_COUNT:
        break;
    }
    return NULL;
}

static void drop(struct tma_trace_writer *writer, const struct tma_event *event) {
    if (writer->drops.events++ == 0)
        writer->drops.from_cycle = event->cycle;
}

static void write_event(void *context, const struct tma_event *event) {
    struct tma_trace_writer *writer = context;
    uint64_t limit = writer->names.limit_bytes;
    if (writer->names.checks && writer->broken == NULL) {
        writer->broken = tma_trace_promises_take(&writer->promises, event);
        writer->broken_by = *event;
    }
    if (writer->drops.events > 0) {
        drop(writer, event);
        return;
    }
    if (writer->used > BUFFER_BYTES - TMA_TRACE_LINE_BYTES)
        flush(writer);
    size_t length = tma_trace_line_annotate(writer->buffer + writer->used, event,
                                            name_of(&writer->names, event));
    if (limit != 0 && writer->flushed + writer->used + length + TRAILER_BYTES > limit) {
        drop(writer, event);
        return;
    }
    writer->used += length;
    writer->events++;
}

struct tma_trace_drops tma_trace_writer_drops(const struct tma_trace_writer *writer) {
    return writer->drops;
}

struct tma_event_sink tma_trace_writer_sink(struct tma_trace_writer *writer) {
    return (struct tma_event_sink){.event = write_event, .context = writer};
}

/* What became of the writer, which is freed. */
static enum tma_error_code outcome_of(struct tma_trace_writer *writer, struct tma_error *error) {
    char line[TMA_TRACE_LINE_BYTES + 1];
    if (writer->error != 0)
        return tma_fail(error, TMA_ERROR_FILE, "cannot write the trace: %s",
                        strerror(writer->error));
    if (writer->promises.lacks_memory)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory while checking the trace");
    if (writer->broken != NULL) {
        line[tma_trace_line_format(line, &writer->broken_by) - 1] = '\0';
        return tma_fail(error, TMA_ERROR_MODEL, "the trace breaks a promise: %s: %s",
                        writer->broken, line);
    }
    if (!writer->names.checks ||
        (writer->broken = tma_trace_promises_end(&writer->promises)) == NULL)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_MODEL, "the trace breaks a promise: %s", writer->broken);
}

enum tma_error_code tma_trace_writer_close(struct tma_trace_writer *writer,
                                           struct tma_error *error) {
    if (writer->drops.events > 0) {
        char text[64];
        snprintf(text, sizeof text, "%" PRIu64 " events, from cycle %" PRIu64 " on",
                 writer->drops.events, writer->drops.from_cycle);
        put_field(writer, "dropped", text);
    }
    put_number_field(writer, "end", writer->events);
    flush(writer);
    if (writer->error == 0 && fflush(writer->file) != 0)
        fail(writer);
    enum tma_error_code code = outcome_of(writer, error);
    tma_trace_promises_free(&writer->promises);
    tma_release(writer);
    return code;
}
