#include "report/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "report/decimal.h"
#include "report/escape.h"

/* A control character becomes \uNNNN. All of them have code points of at most 16 bits. */
static void put_quoted(const struct tma_json *json, const char *value) {
    FILE *out = json->out;
    fputc('"', out);
    while (*value != '\0') {
        size_t length = tma_utf8_length(value);
        if (*value == '"' || *value == '\\')
            fprintf(out, "\\%c", *value);
        else if (length == 0)
            fputs("\\ufffd", out);
        else if (json->in_script && *value == '<')
            fputs("\\u003c", out);
        else if (tma_printable_length(value) == 0)
            fprintf(out, "\\u%04x", (unsigned)tma_utf8_code_point(value, length));
        else
            fwrite(value, 1, length, out);
        value += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

static void new_line(struct tma_json *json) {
    fputc('\n', json->out);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

static void begin_element(struct tma_json *json, const char *key) {
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        bool flat = json->flat[json->depth - 1];
        if (*filled)
            fputs(flat ? ", " : ",", json->out);
        if (!flat)
            new_line(json);
        *filled = true;
    }
    if (key != NULL) {
        put_quoted(json, key);
        fputs(": ", json->out);
    }
}

static void open_level(struct tma_json *json, const char *key, char bracket, bool flat) {
    begin_element(json, key);
    fputc(bracket, json->out);
    assert(json->depth < TMA_JSON_MAX_DEPTH);
    json->filled[json->depth] = false;
    json->flat[json->depth] = flat;
    json->depth++;
}

static void close_level(struct tma_json *json, char bracket) {
    assert(json->depth > 0);
    json->depth--;
    if (json->filled[json->depth] && !json->flat[json->depth])
        new_line(json);
    fputc(bracket, json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
}

void tma_json_begin_object(struct tma_json *json, const char *key) {
    open_level(json, key, '{', false);
}

void tma_json_begin_line(struct tma_json *json, const char *key) {
    open_level(json, key, '{', true);
}

void tma_json_end_object(struct tma_json *json) {
    close_level(json, '}');
}

void tma_json_begin_array(struct tma_json *json, const char *key) {
    open_level(json, key, '[', false);
}

void tma_json_begin_list(struct tma_json *json, const char *key) {
    open_level(json, key, '[', true);
}

void tma_json_end_array(struct tma_json *json) {
    close_level(json, ']');
}

void tma_json_string(struct tma_json *json, const char *key, const char *value) {
    begin_element(json, key);
    put_quoted(json, value);
}

void tma_json_unsigned(struct tma_json *json, const char *key, uint64_t value) {
    begin_element(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

/* Digits, then a point and digits: what this project writes. */
static bool is_plain_number(const char *text) {
    text += *text == '-';
    size_t whole = strspn(text, "0123456789");
    if (whole == 0 || (whole > 1 && text[0] == '0'))
        return false;
    text += whole;
    if (*text == '.') {
        size_t digits = strspn(text + 1, "0123456789");
        if (digits == 0)
            return false;
        text += 1 + digits;
    }
    return *text == '\0';
}

void tma_json_number(struct tma_json *json, const char *key, const char *text) {
    if (!is_plain_number(text)) {
        tma_json_string(json, key, text);
        return;
    }
    begin_element(json, key);
    fputs(text, json->out);
}

void tma_json_bits(struct tma_json *json, const char *key, uint32_t bits) {
    tma_json_begin_list(json, key);
    for (unsigned bit = 0; bit < 32; bit++)
        if ((bits >> bit & 1) != 0)
            tma_json_unsigned(json, NULL, bit);
    tma_json_end_array(json);
}

void tma_json_decimal(struct tma_json *json, const char *key, double value, unsigned digits) {
    struct tma_decimal decimal = tma_decimal(value, digits);
    begin_element(json, key);
    fputs(decimal.text[0] != '\0' ? decimal.text : "null", json->out);
}

void tma_json_bool(struct tma_json *json, const char *key, bool value) {
    begin_element(json, key);
    fputs(value ? "true" : "false", json->out);
}

void tma_json_null(struct tma_json *json, const char *key) {
    begin_element(json, key);
    fputs("null", json->out);
}
