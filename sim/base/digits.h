/* Whole numbers as decimal digits, for what is written too often for printf(). */
#pragma once

#include <stdint.h>

enum { TMA_DIGITS_BYTES = 22 };

/* Writes the number, with a sign if it is negative, and a zero. Returns its first character, which
 * lies in `text`. */
const char *tma_unsigned_digits(uint64_t value, char text[TMA_DIGITS_BYTES]);
const char *tma_signed_digits(int64_t value, char text[TMA_DIGITS_BYTES]);
