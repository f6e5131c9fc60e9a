/* Numbers as text, the same in every locale. */
#ifndef TMA_REPORT_DECIMAL_H
#define TMA_REPORT_DECIMAL_H

enum { TMA_DECIMAL_BYTES = 40, TMA_DECIMAL_MAX_DIGITS = 6 };

struct tma_decimal {
    char text[TMA_DECIMAL_BYTES];
};

/* Rounds `value` to `digits` after the point, at most TMA_DECIMAL_MAX_DIGITS; halves go away from
 * zero. The text is empty for infinities, NaN and magnitudes of 10^15 or more. */
struct tma_decimal tma_decimal(double value, unsigned digits);

/* A fraction in percent, with one digit after the point; without the sign. */
struct tma_decimal tma_percent(double fraction);

#endif
