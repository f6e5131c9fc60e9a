#include "cli/files/dump_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages.h"
#include "scenario/printed_map.h"

const struct tma_names cli_dump_format_names = TMA_NAMES(
    "format", {"hex", TMA_DUMP_HEX}, {"c", TMA_DUMP_WORDS_64}, {"binary", TMA_DUMP_BINARY});

/* CUtensorMap's own form: 16 numbers of 64 bits, aligned to 64 bytes. */
static void write_c(const char *name, const char *text, FILE *out) {
    fprintf(out, "_Alignas(64) static const unsigned long long tensor_map_%s[16] = {\n%s};\n", name,
            text);
}

void cli_dump_write(const char *name, const struct tma_descriptor *descriptor,
                    enum tma_dump_format format, bool alone, FILE *out) {
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    char text[TMA_DUMP_TEXT_BYTES];
    if (format == TMA_DUMP_BINARY) {
        tma_descriptor_to_bytes(descriptor, bytes);
        fwrite(bytes, 1, sizeof bytes, out);
        return;
    }
    tma_dump_write(descriptor, format, text, sizeof text);
    if (format == TMA_DUMP_WORDS_64)
        write_c(name, text, out);
    else
        fprintf(out, "%s%s%s\n", alone ? "" : name, alone ? "" : ": ", text);
}

bool cli_check_descriptor_address(const char *text) {
    struct tma_error error;
    char *end;
    if (text == NULL)
        return true;
    errno = 0;
    unsigned long long address = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || text[0] == '-')
        return cli_error("--at is \"%s\"; expected an address, as in 0x7f0000000040", text);
    if (tma_descriptor_check_address(address, &error) != TMA_OK)
        return cli_error("%s", error.text);
    return true;
}

/* The longest form is the text of a debugger, which is much shorter. */
enum { MAX_DUMP_BYTES = 1 << 16, HEX_DIGITS = 2 * TMA_DESCRIPTOR_BYTES };

static bool is_hex(const char *text) {
    return strlen(text) > 2 && text[strspn(text, "0123456789abcdefABCDEFxX ,")] == '\0';
}

/* Reads a file or standard input. Prints an error and returns false where it cannot be read or is
 * longer than MAX_DUMP_BYTES. */
static bool read_file(const char *operand, char *data, size_t *size) {
    bool standard = strcmp(operand, "-") == 0;
    FILE *file = standard ? stdin : fopen(operand, "rb");
    if (file == NULL)
        return cli_error("%s: cannot be read: %s", operand, strerror(errno));
    errno = 0;
    *size = fread(data, 1, MAX_DUMP_BYTES + 1, file);
    data[*size < MAX_DUMP_BYTES ? *size : MAX_DUMP_BYTES] = '\0';
    bool good = !ferror(file);
    if (!good)
        cli_error("%s: cannot be read: %s", operand, strerror(errno));
    else if (*size > MAX_DUMP_BYTES)
        cli_error("%s: too long for a dump of tensor maps of 128 bytes", operand);
    if (!standard)
        fclose(file);
    return good && *size <= MAX_DUMP_BYTES;
}

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* A part of a text, without blanks around it. */
struct dump_piece {
    const char *text;
    size_t length;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct dump_piece trimmed(const char *from, const char *end) {
    while (from < end && is_blank(*from))
        from++;
    while (end > from && is_blank(end[-1]))
        end--;
    return (struct dump_piece){from, (size_t)(end - from)};
}

/* Is the line NAME: and 256 digits? */
static bool is_named_hex(struct dump_piece line, struct dump_piece *name, struct dump_piece *hex) {
    const char *end = line.text + line.length;
    const char *colon = memchr(line.text, ':', line.length);
    if (colon == NULL)
        return false;
    *name = trimmed(line.text, colon);
    *hex = trimmed(colon + 1, end);
    return name->length > 0 && hex->length == HEX_DIGITS &&
           strspn(hex->text, "0123456789abcdefABCDEF") >= HEX_DIGITS;
}

/* The next name and its descriptor in lines of hex; false at the end. *good becomes false at a line
 * that is something else. */
static bool next_line(const char **at, const char *end, struct dump_piece *name,
                      struct dump_piece *dump, bool *good) {
    while (*at < end) {
        const char *line_end = memchr(*at, '\n', (size_t)(end - *at));
        const char *stop = line_end == NULL ? end : line_end;
        struct dump_piece line = trimmed(*at, stop);
        *at = line_end == NULL ? end : line_end + 1;
        if (line.length == 0)
            continue;
        *good = is_named_hex(line, name, dump);
        return *good;
    }
    return false;
}

/* The same in C arrays: tensor_map_NAME[16] = {...}. A name is the word before the bracket. */
static bool next_array(const char **at, const char *end, struct dump_piece *name,
                       struct dump_piece *dump, bool *good) {
    static const char prefix[] = "tensor_map_";
    const char *open = memchr(*at, '{', (size_t)(end - *at));
    const char *close = open == NULL ? NULL : memchr(open, '}', (size_t)(end - open));
    if (open == NULL)
        return false;
    *good = close != NULL;
    const char *stop = open;
    for (const char *c = *at; c < open; c++)
        if (*c == '[' || *c == '=') {
            stop = c;
            break;
        }
    struct dump_piece word = trimmed(*at, stop);
    const char *start = word.text + word.length;
    while (start > word.text && !is_blank(start[-1]))
        start--;
    *name = trimmed(start, word.text + word.length);
    if (name->length > sizeof prefix - 1 && memcmp(name->text, prefix, sizeof prefix - 1) == 0)
        *name = trimmed(name->text + sizeof prefix - 1, name->text + name->length);
    if (*good)
        *dump = trimmed(open + 1, close);
    *at = *good ? close + 1 : end;
    return *good;
}

/* Reads all dumps of a text in one form. Returns their number; 0: the text has another form. */
static size_t read_several(const char *data, size_t size,
                           bool (*next)(const char **, const char *, struct dump_piece *,
                                        struct dump_piece *, bool *),
                           struct cli_dump dumps[CLI_MOST_DUMPS]) {
    const char *at = data, *end = data + size;
    struct dump_piece name, text;
    struct tma_error error;
    size_t count = 0;
    bool good = true;
    while (good && next(&at, end, &name, &text, &good)) {
        if (count == CLI_MOST_DUMPS ||
            tma_dump_read(text.text, text.length, &dumps[count].descriptor, &dumps[count].format,
                          &error) != TMA_OK)
            return 0;
        snprintf(dumps[count].name, CLI_DUMP_NAME_BYTES, "%.*s",
                 name.length < CLI_DUMP_NAME_BYTES ? (int)name.length : CLI_DUMP_NAME_BYTES - 1,
                 name.text);
        if (name.length == 0)
            snprintf(dumps[count].name, CLI_DUMP_NAME_BYTES, "%zu", count + 1);
        count++;
    }
    return good && count > 1 ? count : 0;
}

/* Reads the dumps of an input that has been read; a zero follows its `size` bytes. Returns their
 * number; 0, with the error, where it has none. */
static size_t find_dumps(const char *data, size_t size, struct cli_dump dumps[CLI_MOST_DUMPS],
                         struct tma_error *error) {
    size_t count = read_several(data, size, next_line, dumps);
    if (count == 0)
        count = read_several(data, size, next_array, dumps);
    if (count == 0) {
        count = 1;
        snprintf(dumps[0].name, CLI_DUMP_NAME_BYTES, "1");
        if (tma_dump_read(data, size, &dumps[0].descriptor, &dumps[0].format, error) != TMA_OK)
            return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (tma_descriptor_recognise(&dumps[i].descriptor, error) != TMA_OK)
            return 0;
    return count;
}

bool cli_is_dump(const char *data, size_t size) {
    struct cli_dump dumps[CLI_MOST_DUMPS];
    struct tma_error error = {0};
    return size > 0 && find_dumps(data, size, dumps, &error) > 0;
}

/* The same, which says what is wrong. The keys of a tensor map are no dump. */
static size_t read_dumps(const char *name, const char *data, size_t size,
                         struct cli_dump dumps[CLI_MOST_DUMPS]) {
    struct tma_error error = {0};
    size_t count = find_dumps(data, size, dumps, &error);
    if (count == 0 && (tma_is_printed_map(data) || strstr(data, "box_dim") != NULL))
        cli_error("%s: fields of a tensor map as text, not the 128 bytes; check reads it, and "
                  "encode makes the bytes of it",
                  name);
    else if (count == 0)
        cli_error("%s: %s", name, error.text);
    return count;
}

/* Leaves the dump of this name. */
static size_t choose(const char *name, const char *wanted, struct cli_dump *dumps, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(dumps[i].name, wanted) == 0) {
            dumps[0] = dumps[i];
            return 1;
        }
    cli_error("%s has no tensor map \"%s\"; the first of its %zu is \"%s\"", name, wanted, count,
              dumps[0].name);
    return 0;
}

size_t cli_dumps_read(const char *operand, const char *wanted,
                      struct cli_dump dumps[CLI_MOST_DUMPS]) {
    static char data[MAX_DUMP_BYTES + 1];
    size_t size = 0;
    bool literal = strcmp(operand, "-") != 0 && is_hex(operand) && !exists(operand);
    const char *name = literal ? "hex" : operand;
    if (!literal && !read_file(operand, data, &size))
        return 0;
    size_t count = literal ? read_dumps(name, operand, strlen(operand), dumps)
                           : read_dumps(name, data, size, dumps);
    return count > 0 && wanted != NULL ? choose(name, wanted, dumps, count) : count;
}

bool cli_dump_read(const char *operand, struct tma_descriptor *descriptor,
                   enum tma_dump_format *format) {
    struct cli_dump dumps[CLI_MOST_DUMPS];
    size_t count = cli_dumps_read(operand, NULL, dumps);
    if (count > 1)
        cli_error("%s has %zu tensor maps; expected one", operand, count);
    if (count != 1)
        return false;
    *descriptor = dumps[0].descriptor;
    *format = dumps[0].format;
    return true;
}
