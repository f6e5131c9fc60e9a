/* Writes indented JSON: nesting and commas are kept right, strings escaped, numbers independent of
 * the locale. */
#ifndef TMA_REPORT_JSON_WRITER_H
#define TMA_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TMA_JSON_MAX_DEPTH = 16 };

struct tma_json {
    FILE *out;
    unsigned depth;
    /* Of each level: has it an element yet, and do its elements stay on one line? */
    bool filled[TMA_JSON_MAX_DEPTH], flat[TMA_JSON_MAX_DEPTH];
};

/* In an object, `key` names the element; in an array, and for the outermost element, it is NULL.
 * Write errors stay with the stream: look at ferror when all is written. */
void tma_json_begin_object(struct tma_json *json, const char *key);
void tma_json_end_object(struct tma_json *json);
void tma_json_begin_array(struct tma_json *json, const char *key);
/* An array on one line, for numbers. */
void tma_json_begin_list(struct tma_json *json, const char *key);
void tma_json_end_array(struct tma_json *json);

/* Bytes that are no UTF-8 become U+FFFD. */
void tma_json_string(struct tma_json *json, const char *key, const char *value);
void tma_json_unsigned(struct tma_json *json, const char *key, uint64_t value);
/* Rounded to `digits` after the point; null where tma_decimal has no text for it. */
void tma_json_decimal(struct tma_json *json, const char *key, double value, unsigned digits);
void tma_json_bool(struct tma_json *json, const char *key, bool value);
void tma_json_null(struct tma_json *json, const char *key);

#endif
