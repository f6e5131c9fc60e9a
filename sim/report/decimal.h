/* Numbers as text that is the same in every locale. */
#ifndef TMA_REPORT_DECIMAL_H
#define TMA_REPORT_DECIMAL_H

enum { TMA_DECIMAL_BYTES = 40, TMA_DECIMAL_MAX_DIGITS = 6 };

struct tma_decimal {
    char text[TMA_DECIMAL_BYTES];
};

/* `value` rounded to `digits` (at most TMA_DECIMAL_MAX_DIGITS) after a '.'; halves away from zero.
 * Empty where the value is no finite number of at most 15 digits. */
struct tma_decimal tma_decimal(double value, unsigned digits);

#endif
