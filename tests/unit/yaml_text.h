/* The text of a scenario that a test puts together. */
#ifndef TMA_TESTS_YAML_TEXT_H
#define TMA_TESTS_YAML_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#include "suite.h"

struct yaml_text {
    char bytes[6000];
    size_t used;
};

/* Appends; the test fails where the text is full. */
__attribute__((format(printf, 2, 3))) static inline void add(struct yaml_text *text,
                                                             const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t left = sizeof text->bytes - text->used;
    int length = vsnprintf(text->bytes + text->used, left, format, arguments);
    va_end(arguments);
    ck_assert(length >= 0 && (size_t)length < left);
    text->used += (size_t)length;
}

#endif
