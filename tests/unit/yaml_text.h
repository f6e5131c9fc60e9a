/* The text of a scenario that a test, or a fuzzer, puts together. A fuzzer defines
 * YAML_TEXT_ASSERT as its own assertion before. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#ifndef YAML_TEXT_ASSERT
#include "suite.h"
#define YAML_TEXT_ASSERT ck_assert
#endif

struct yaml_text {
    char bytes[1 << 16];
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
    YAML_TEXT_ASSERT(length >= 0 && (size_t)length < left);
    text->used += (size_t)length;
}
