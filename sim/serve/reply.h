/* Writes a line of JSON into a buffer, without allocation. What does not fit is left out, and the
 * reply says so. Internal to sim/serve. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TMA_REPLY_BYTES = 1 << 16 };

struct tma_reply_line {
    size_t used;
    bool overflowed;
    bool filled; /* the object or list at hand has an element */
    char text[TMA_REPLY_BYTES];
};

/* Text as it is. */
void tma_reply_raw(struct tma_reply_line *reply, const char *text, size_t length);

/* An element; `key` is NULL in a list. */
void tma_reply_text(struct tma_reply_line *reply, const char *key, const char *value);
void tma_reply_unsigned(struct tma_reply_line *reply, const char *key, uint64_t value);
void tma_reply_signed(struct tma_reply_line *reply, const char *key, int64_t value);
void tma_reply_bool(struct tma_reply_line *reply, const char *key, bool value);
/* Rounded to `digits` after the point; null where there is no number. */
void tma_reply_decimal(struct tma_reply_line *reply, const char *key, double value,
                       unsigned digits);
/* Text that is JSON already. */
void tma_reply_json(struct tma_reply_line *reply, const char *key, const char *text, size_t length);

/* '{' and '}', '[' and ']'. */
void tma_reply_open(struct tma_reply_line *reply, const char *key, char bracket);
void tma_reply_close(struct tma_reply_line *reply, char bracket);
