#include "serve/reply.h"

#include <string.h>

#include "base/digits.h"
#include "base/utf8.h"
#include "report/decimal.h"

void tma_reply_raw(struct tma_reply_line *reply, const char *text, size_t length) {
    if (length > TMA_REPLY_BYTES - reply->used) {
        reply->overflowed = true;
        return;
    }
    memcpy(reply->text + reply->used, text, length);
    reply->used += length;
}

static void put(struct tma_reply_line *reply, char character) {
    if (reply->used == TMA_REPLY_BYTES)
        reply->overflowed = true;
    else
        reply->text[reply->used++] = character;
}

/* The characters that stand for themselves: those of ASCII but control characters, " and \\. */
#define PLAIN_4(c)  [c] = true, [c + 1] = true, [c + 2] = true, [c + 3] = true
#define PLAIN_16(c) PLAIN_4(c), PLAIN_4(c + 4), PLAIN_4(c + 8), PLAIN_4(c + 12)
static const bool is_plain[256] = {
    [' '] = true,  ['!'] = true,  PLAIN_4('#'), PLAIN_4('\''), PLAIN_4('+'), ['/'] = true,
    PLAIN_16('0'), PLAIN_16('@'), PLAIN_4('P'), PLAIN_4('T'),  PLAIN_4('X'), [']'] = true,
    ['^'] = true,  ['_'] = true,  PLAIN_4('`'), PLAIN_4('d'),  PLAIN_4('h'), PLAIN_4('l'),
    PLAIN_4('p'),  PLAIN_4('t'),  PLAIN_4('x'), ['|'] = true,  ['}'] = true, ['~'] = true};
#undef PLAIN_16
#undef PLAIN_4

/* Writes a text in quotes. Bytes that are not UTF-8 become U+FFFD. */
static void put_quoted(struct tma_reply_line *reply, const char *text) {
    static const char hex[] = "0123456789abcdef";
    put(reply, '"');
    while (*text != '\0') {
        const char *plain = text;
        while (is_plain[(unsigned char)*plain])
            plain++;
        tma_reply_raw(reply, text, (size_t)(plain - text));
        text = plain;
        if (*text == '\0')
            break;
        size_t length = tma_utf8_length(text);
        if (*text == '"' || *text == '\\') {
            put(reply, '\\');
            put(reply, *text);
        } else if (length == 0) {
            tma_reply_raw(reply, "\\ufffd", 6);
        } else if (length == 1) {
            tma_reply_raw(reply, "\\u00", 4);
            put(reply, hex[(unsigned char)*text >> 4]);
            put(reply, hex[*text & 15]);
        } else {
            tma_reply_raw(reply, text, length);
        }
        text += length == 0 ? 1 : length;
    }
    put(reply, '"');
}

static void begin(struct tma_reply_line *reply, const char *key) {
    if (reply->filled)
        tma_reply_raw(reply, ", ", 2);
    reply->filled = true;
    if (key == NULL)
        return;
    put(reply, '"');
    tma_reply_raw(reply, key, strlen(key));
    tma_reply_raw(reply, "\": ", 3);
}

void tma_reply_json(struct tma_reply_line *reply, const char *key, const char *text,
                    size_t length) {
    begin(reply, key);
    tma_reply_raw(reply, text, length);
}

void tma_reply_text(struct tma_reply_line *reply, const char *key, const char *value) {
    begin(reply, key);
    put_quoted(reply, value);
}

void tma_reply_unsigned(struct tma_reply_line *reply, const char *key, uint64_t value) {
    char digits[TMA_DIGITS_BYTES];
    const char *first = tma_unsigned_digits(value, digits);
    tma_reply_json(reply, key, first, (size_t)(digits + sizeof digits - 1 - first));
}

void tma_reply_signed(struct tma_reply_line *reply, const char *key, int64_t value) {
    if (value >= 0) {
        tma_reply_unsigned(reply, key, (uint64_t)value);
        return;
    }
    tma_reply_json(reply, key, "-", 1);
    reply->filled = false; /* no comma within the number */
    tma_reply_unsigned(reply, NULL, 0 - (uint64_t)value);
}

void tma_reply_bool(struct tma_reply_line *reply, const char *key, bool value) {
    tma_reply_json(reply, key, value ? "true" : "false", value ? 4 : 5);
}

void tma_reply_decimal(struct tma_reply_line *reply, const char *key, double value,
                       unsigned digits) {
    struct tma_decimal decimal = tma_decimal(value, digits);
    const char *text = decimal.text[0] == '\0' ? "null" : decimal.text;
    tma_reply_json(reply, key, text, strlen(text));
}

void tma_reply_open(struct tma_reply_line *reply, const char *key, char bracket) {
    begin(reply, key);
    put(reply, bracket);
    reply->filled = false;
}

void tma_reply_close(struct tma_reply_line *reply, char bracket) {
    put(reply, bracket);
    reply->filled = true;
}
