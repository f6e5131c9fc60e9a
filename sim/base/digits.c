#include "base/digits.h"

#include <stddef.h>

const char *tma_unsigned_digits(uint64_t value, char text[TMA_DIGITS_BYTES]) {
    char *first = &text[TMA_DIGITS_BYTES - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return first;
}

const char *tma_signed_digits(int64_t value, char text[TMA_DIGITS_BYTES]) {
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    ptrdiff_t first = tma_unsigned_digits(size, text) - text;
    if (value < 0)
        text[--first] = '-';
    return &text[first];
}
