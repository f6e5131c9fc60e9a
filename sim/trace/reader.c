#include "trace/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "trace/line.h"

static const char MAGIC[] = "tmasim-trace";

static enum tma_error_code unreadable(const struct tma_trace_reader *reader,
                                      struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_FILE, "%s: %s", reader->path, strerror(errno));
}

static enum tma_error_code malformed(const struct tma_trace_reader *reader, const char *what,
                                     struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_SYNTAX, "%s:%" PRIu64 ": %s", reader->path,
                    reader->line_number, what);
}

/* Moves the unread bytes to the front of the buffer and reads more behind them. Returns the number
 * of bytes read. */
static size_t refill(struct tma_trace_reader *reader) {
    memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    size_t got =
        fread(reader->buffer + reader->end, 1, sizeof reader->buffer - reader->end, reader->file);
    reader->end += got;
    return got;
}

/* Gives the next line of the file. Its text is NULL at the end of the file. */
static enum tma_error_code read_line(struct tma_trace_reader *reader, struct tma_trace_line *line,
                                     struct tma_error *error) {
    size_t searched = 0;
    for (;;) {
        const char *begin = reader->buffer + reader->begin;
        size_t available = reader->end - reader->begin;
        const char *newline = memchr(begin + searched, '\n', available - searched);
        if (newline != NULL) {
            *line = (struct tma_trace_line){begin, (size_t)(newline - begin)};
            reader->begin += line->length + 1;
            reader->line_number++;
            return TMA_OK;
        }
        searched = available;
        if (available == sizeof reader->buffer) {
            reader->line_number++;
            return malformed(reader, "the line is longer than a trace's lines can be", error);
        }
        if (refill(reader) == 0)
            break;
    }
    if (ferror(reader->file))
        return unreadable(reader, error);
    *line = (struct tma_trace_line){0};
    if (searched == 0)
        return TMA_OK;
    reader->line_number++;
    return malformed(reader, "the trace is cut off in the middle of this line", error);
}

/* Splits "# key value". Key and value point into the line. */
static bool split_field(struct tma_trace_line line, struct tma_trace_line *key,
                        struct tma_trace_line *value) {
    if (line.length < 3 || line.text[0] != '#' || line.text[1] != ' ' ||
        memchr(line.text, '\0', line.length) != NULL)
        return false;
    const char *end = line.text + line.length;
    const char *space = memchr(line.text + 2, ' ', line.length - 2);
    if (space == NULL || space == line.text + 2)
        return false;
    *key = (struct tma_trace_line){line.text + 2, (size_t)(space - line.text - 2)};
    *value = (struct tma_trace_line){space + 1, (size_t)(end - space - 1)};
    return true;
}

static bool is_key(struct tma_trace_line key, const char *text) {
    return key.length == strlen(text) && memcmp(key.text, text, key.length) == 0;
}

static bool number_of(struct tma_trace_line text, uint64_t *number) {
    char digits[21];
    if (text.length == 0 || text.length >= sizeof digits)
        return false;
    memcpy(digits, text.text, text.length);
    digits[text.length] = '\0';
    if (strspn(digits, "0123456789") != text.length)
        return false;
    *number = strtoull(digits, NULL, 10);
    return true;
}

static enum tma_error_code read_magic(struct tma_trace_reader *reader, struct tma_error *error) {
    struct tma_trace_line line, key, value;
    enum tma_error_code code = read_line(reader, &line, error);
    if (code == TMA_OK && line.text == NULL)
        return tma_fail(error, TMA_ERROR_SYNTAX, "%s: the file is empty; expected a trace",
                        reader->path);
    if (code == TMA_ERROR_FILE)
        return code;
    if (code != TMA_OK || !split_field(line, &key, &value) || !is_key(key, MAGIC) ||
        !number_of(value, &reader->version))
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "%s: not a trace: the first line is not \"# %s VERSION\"", reader->path,
                        MAGIC);
    return TMA_OK;
}

static enum tma_error_code keep_field(struct tma_trace_reader *reader, struct tma_trace_line key,
                                      struct tma_trace_line value, struct tma_error *error) {
    if (reader->field_count == TMA_TRACE_MAX_FIELDS)
        return malformed(reader, "the header has too many fields", error);
    /* The capacity is the next power of two. */
    size_t count = reader->field_count;
    if ((count & (count - 1)) == 0) {
        size_t capacity = count == 0 ? 1 : 2 * count;
        struct tma_trace_field *grown = tma_resize(reader->fields, capacity, sizeof *grown);
        if (grown == NULL)
            return tma_fail(error, TMA_ERROR_MEMORY, "%s: out of memory for the header",
                            reader->path);
        reader->fields = grown;
    }
    struct tma_trace_field field = {tma_copy_bytes(key.text, key.length),
                                    tma_copy_bytes(value.text, value.length)};
    reader->fields[reader->field_count++] = field;
    if (field.key == NULL || field.value == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "%s: out of memory for the header", reader->path);
    return TMA_OK;
}

/* Reads fields up to the first line that is not a field, or is the end line. That line stays
 * unread. */
static enum tma_error_code read_fields(struct tma_trace_reader *reader, struct tma_error *error) {
    for (;;) {
        struct tma_trace_line line, key, value;
        enum tma_error_code code = read_line(reader, &line, error);
        if (code != TMA_OK || line.text == NULL)
            return code;
        if (line.length == 0 || line.text[0] != '#' ||
            (split_field(line, &key, &value) && (is_key(key, "end") || is_key(key, "dropped")))) {
            reader->begin -= line.length + 1;
            reader->line_number--;
            return TMA_OK;
        }
        if (!split_field(line, &key, &value))
            return malformed(reader, "expected a header line: \"# key value\"", error);
        code = keep_field(reader, key, value, error);
        if (code != TMA_OK)
            return code;
    }
}

enum tma_error_code tma_trace_reader_open(struct tma_trace_reader *reader, const char *path,
                                          struct tma_error *error) {
    memset(reader, 0, offsetof(struct tma_trace_reader, buffer));
    reader->path = path;
    reader->file = fopen(path, "rb");
    if (reader->file == NULL)
        return unreadable(reader, error);
    enum tma_error_code code = read_magic(reader, error);
    if (code == TMA_OK)
        code = read_fields(reader, error);
    if (code == TMA_OK)
        tma_trace_promises_begin(&reader->promises, reader->fields, reader->field_count);
    return code;
}

void tma_trace_reader_close(struct tma_trace_reader *reader) {
    for (size_t i = 0; i < reader->field_count; i++) {
        TMA_RELEASE((char *)reader->fields[i].key, (char *)reader->fields[i].value);
    }
    tma_release(reader->fields);
    tma_trace_promises_free(&reader->promises);
    if (reader->file != NULL)
        fclose(reader->file);
}

/* Keeps what the line before the end line says of dropped events. False if it is another line. */
static bool keep_drops(struct tma_trace_reader *reader, struct tma_trace_line line) {
    static const char form[] = "0 events, from cycle 0 on";
    struct tma_trace_line key, value;
    if (reader->dropped[0] != '\0' || !split_field(line, &key, &value) || !is_key(key, "dropped") ||
        value.length >= sizeof reader->dropped)
        return false;
    const char *at = value.text, *end = value.text + value.length;
    for (const char *expected = form; *expected != '\0'; expected++) {
        if (at == end || (*expected == '0' ? *at < '0' || *at > '9' : *at != *expected))
            return false;
        at++;
        while (*expected == '0' && at < end && *at >= '0' && *at <= '9')
            at++;
    }
    memcpy(reader->dropped, value.text, value.length);
    return at == end;
}

/* Checks the end line: the last one, and besides that of dropped events the only one after the
 * header that begins with '#'. */
static enum tma_error_code read_end(struct tma_trace_reader *reader, struct tma_trace_line *line,
                                    struct tma_error *error) {
    struct tma_trace_line key, value;
    uint64_t events;
    if (keep_drops(reader, *line)) {
        enum tma_error_code code = read_line(reader, line, error);
        if (code != TMA_OK)
            return code;
    }
    if (!split_field(*line, &key, &value) || !is_key(key, "end") || !number_of(value, &events))
        return malformed(reader, "expected an event, or the end line \"# end EVENTS\"", error);
    if (events != reader->events)
        return malformed(reader, "the number in the end line is not the number of events above it",
                         error);
    enum tma_error_code code = read_line(reader, line, error);
    if (code == TMA_OK && line->text != NULL)
        return malformed(reader, "unexpected text after the end line", error);
    if (code != TMA_OK || reader->dropped[0] != '\0')
        return code;
    const char *broken = tma_trace_promises_end(&reader->promises);
    return broken == NULL ? TMA_OK : malformed(reader, broken, error);
}

enum tma_error_code tma_trace_reader_next(struct tma_trace_reader *reader,
                                          struct tma_trace_line *line, struct tma_error *error) {
    enum tma_error_code code = read_line(reader, line, error);
    if (code != TMA_OK)
        return code;
    if (line->text == NULL)
        return malformed(reader, "the trace is cut off: its end line is missing", error);
    if (line->length > 0 && line->text[0] == '#')
        return read_end(reader, line, error);
    reader->events++;
    return TMA_OK;
}

enum tma_error_code tma_trace_reader_parse(const struct tma_trace_reader *reader,
                                           struct tma_trace_line line, struct tma_event *event,
                                           struct tma_error *error) {
    const char *wrong = tma_trace_line_parse(line.text, line.length, event);
    return wrong == NULL ? TMA_OK : malformed(reader, wrong, error);
}

enum tma_error_code tma_trace_reader_take(struct tma_trace_reader *reader,
                                          const struct tma_event *event, struct tma_error *error) {
    const char *broken = tma_trace_promises_take(&reader->promises, event);
    if (reader->promises.lacks_memory)
        return tma_fail(error, TMA_ERROR_MEMORY, "%s: out of memory", reader->path);
    return broken == NULL ? TMA_OK : malformed(reader, broken, error);
}
