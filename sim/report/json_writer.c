#include "report/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "report/decimal.h"

/* Bytes of the UTF-8 sequence at `text`, 0 where there is none (RFC 3629, section 4). */
static size_t utf8_length(const unsigned char *text) {
    static const struct {
        unsigned char first, last, second_low, second_high, length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (forms[i].length > 1 &&
            (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
            return 0;
        for (size_t at = 2; at < forms[i].length; at++)
            if ((text[at] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

static void put_quoted(FILE *out, const char *value) {
    const unsigned char *at = (const unsigned char *)value;
    fputc('"', out);
    while (*at != '\0') {
        size_t length = utf8_length(at);
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(out, "\\u%04x", *at);
        else if (length == 0)
            fputs("\\ufffd", out);
        else
            fwrite(at, 1, length, out);
        at += length == 0 ? 1 : length;
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
        put_quoted(json->out, key);
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
    put_quoted(json->out, value);
}

void tma_json_unsigned(struct tma_json *json, const char *key, uint64_t value) {
    begin_element(json, key);
    fprintf(json->out, "%" PRIu64, value);
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
