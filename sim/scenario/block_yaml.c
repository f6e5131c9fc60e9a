#include "scenario/block_yaml.h"

#include <string.h>

#include "base/printable.h"
#include "base/utf8.h"

enum { INDENT = 2 };

static bool is_index(const char *step, size_t length) {
    return length > 0 && strspn(step, "0123456789") >= length;
}

/* The length of what both paths begin with, up to the end of a step that leads to more in both. */
static size_t common_length(const char *a, const char *b) {
    size_t common = 0;
    for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
        if (a[i] == '.')
            common = i + 1;
    return common;
}

static size_t count_steps(const char *path, size_t length) {
    size_t steps = 0;
    for (size_t i = 0; i < length; i++)
        steps += path[i] == '.';
    return steps;
}

/* Whether a plain scalar of this text would be read as the same text. */
static bool is_plain(const char *text) {
    size_t length = strlen(text);
    if (strchr("!&*@`%|>'\"#,[]{}?:", text[0]) != NULL || text[0] == ' ' ||
        text[length - 1] == ' ' || text[length - 1] == ':' ||
        (text[0] == '-' && (text[1] == ' ' || text[1] == '-' || text[1] == '\0')) ||
        strncmp(text, "...", 3) == 0 || strstr(text, ": ") != NULL || strstr(text, " #") != NULL)
        return false;
    for (size_t at = 0; at < length;) {
        size_t character = tma_printable_length(text + at);
        if (character == 0)
            return false;
        at += character;
    }
    return true;
}

/* Characters that do not print are below U+10000. Bytes that are not UTF-8 do not come from YAML:
 * they become characters of the same number. */
static void write_quoted(const char *text, FILE *out) {
    fputc('"', out);
    while (*text != '\0') {
        size_t length = tma_utf8_length(text);
        unsigned code = length == 0 ? (unsigned char)*text : tma_utf8_code_point(text, length);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (tma_printable_length(text) == 0)
            fprintf(out, "\\u%04x", code);
        else
            fwrite(text, 1, length, out);
        text += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

static void write_value(enum tma_block_value kind, const char *value, FILE *out) {
    if (kind == TMA_BLOCK_FLOW || value[0] == '\0' || is_plain(value))
        fputs(value, out);
    else
        write_quoted(value, out);
}

void tma_block_yaml_write(struct tma_block_yaml *yaml, const char *path, enum tma_block_value kind,
                          const char *value, const char *comment) {
    size_t at = common_length(yaml->path, path), depth = count_steps(path, at);
    bool in_line = false; /* behind the "- " of a list's entry */
    bool last = false;
    while (!last) {
        size_t length = strcspn(path + at, ".");
        last = path[at + length] == '\0';
        if (!in_line)
            fprintf(yaml->out, "%*s", (int)depth * INDENT, "");
        in_line = is_index(path + at, length);
        if (in_line)
            fputs(last ? "-" : "- ", yaml->out);
        else
            fprintf(yaml->out, "%.*s:%s", (int)length, path + at, last ? "" : "\n");
        at += length + !last;
        depth++;
    }
    fputs(value[0] == '\0' ? "" : " ", yaml->out);
    write_value(kind, value, yaml->out);
    if (comment != NULL) {
        fputs("  # ", yaml->out);
        tma_write_printable(comment, yaml->out);
    }
    fputc('\n', yaml->out);
    snprintf(yaml->path, sizeof yaml->path, "%s", path);
}
