/* A fragment as a table or a drawing: the thread and register of each element. */
#pragma once

#include <stdio.h>

#include "banks/fragment.h"

/* Formats of tma_fragment_write; the first is the default. */
extern const struct tma_names tma_fragment_format_names;

/* Writes all elements. `format` is a value of tma_fragment_format_names. */
void tma_fragment_write(const struct tma_fragment *fragment, int format, FILE *out);

/* Writes where one element is, and what one thread has, as text. */
void tma_fragment_write_element(const struct tma_fragment *fragment, uint32_t row, uint32_t column,
                                FILE *out);
void tma_fragment_write_thread(const struct tma_fragment *fragment, uint32_t thread, FILE *out);
