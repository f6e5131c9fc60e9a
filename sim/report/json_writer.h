/* Writes indented JSON. The writer places commas and indentation, escapes strings, and formats
 * numbers the same in every locale. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TMA_JSON_MAX_DEPTH = 16 };

struct tma_json {
    FILE *out;
    bool in_script; /* it stands in a script element of HTML: no text of it can end the element */
    unsigned depth;
    bool filled[TMA_JSON_MAX_DEPTH]; /* by level: it has an element already */
    bool flat[TMA_JSON_MAX_DEPTH];   /* by level: all its elements stay on one line */
};

/* `key` names the element of an object. It is NULL in an array and for the outermost element.
 * Write errors stay with the stream: check ferror at the end. */
void tma_json_begin_object(struct tma_json *json, const char *key);
void tma_json_end_object(struct tma_json *json);
/* An object on one line, like all in it: for JSON lines. */
void tma_json_begin_line(struct tma_json *json, const char *key);
void tma_json_begin_array(struct tma_json *json, const char *key);
/* An array on one line, for numbers. */
void tma_json_begin_list(struct tma_json *json, const char *key);
/* Ends an array or a list. */
void tma_json_end_array(struct tma_json *json);

/* Writes U+FFFD for each byte that is not UTF-8. */
void tma_json_string(struct tma_json *json, const char *key, const char *value);
void tma_json_unsigned(struct tma_json *json, const char *key, uint64_t value);
/* A number of JSON as text that was read elsewhere; other text becomes a string. */
void tma_json_number(struct tma_json *json, const char *key, const char *text);
/* A list of the bits that are set: lanes or banks of a mask. */
void tma_json_bits(struct tma_json *json, const char *key, uint32_t bits);
/* Rounds to `digits` after the point. Writes null where tma_decimal gives no text. */
void tma_json_decimal(struct tma_json *json, const char *key, double value, unsigned digits);
void tma_json_bool(struct tma_json *json, const char *key, bool value);
void tma_json_null(struct tma_json *json, const char *key);

/* Writes two to four members of a struct as unsigned numbers, each by its name:
 * TMA_JSON_COUNTS(json, &size, rows, columns). */
#define TMA_JSON_COUNTS(json, object, ...)                                                         \
    TMA_JSON_FIFTH(__VA_ARGS__, TMA_JSON_4, TMA_JSON_3, TMA_JSON_2, )(json, object, __VA_ARGS__)
#define TMA_JSON_FIFTH(a, b, c, d, fifth, ...) fifth
#define TMA_JSON_1(json, object, a)            tma_json_unsigned(json, #a, (object)->a)
#define TMA_JSON_2(json, object, a, b)         (TMA_JSON_1(json, object, a), TMA_JSON_1(json, object, b))
#define TMA_JSON_3(json, object, a, ...)                                                           \
    (TMA_JSON_1(json, object, a), TMA_JSON_2(json, object, __VA_ARGS__))
#define TMA_JSON_4(json, object, a, ...)                                                           \
    (TMA_JSON_1(json, object, a), TMA_JSON_3(json, object, __VA_ARGS__))
