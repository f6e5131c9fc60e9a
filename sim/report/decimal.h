/* Numbers as text, the same in every locale. */
#pragma once

#include <stdint.h>

enum { TMA_DECIMAL_BYTES = 40, TMA_DECIMAL_MAX_DIGITS = 6 };

struct tma_decimal {
    char text[TMA_DECIMAL_BYTES];
};

/* Rounds `value` to `digits` after the point, at most TMA_DECIMAL_MAX_DIGITS; halves go away from
 * zero. The text is empty for infinities, NaN and magnitudes of 10^15 or more. */
struct tma_decimal tma_decimal(double value, unsigned digits);

/* For people: a count with a comma between thousands ("384,653"); with three digits a time from
 * nanoseconds ("1.09 ms"), bytes ("13.0 GB", of 10^9 bytes) and a rate from GB/s ("1.04 TB/s"). */
struct tma_decimal tma_grouped(uint64_t count);
struct tma_decimal tma_time_text(double ns);
struct tma_decimal tma_bytes_text(double bytes);
struct tma_decimal tma_rate_text(double gigabytes_per_second);

/* A fraction in percent, with one digit after the point; without the sign. */
struct tma_decimal tma_percent(double fraction);

/* Ratios and percentages of reports. */

/* 0 where the denominator is 0. */
static inline double tma_ratio(double numerator, double denominator) {
    return denominator > 0 ? numerator / denominator : 0;
}

/* A part in percent of a whole; 0: there is no whole. */
static inline double tma_percentage(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

/* By how much sampled cycles may be off, in percent with one digit, rounded up. */
static inline double tma_error_percent(uint64_t error_cycles, uint64_t cycles) {
    return cycles == 0 ? 0 : (double)((error_cycles * 1000 + cycles - 1) / cycles) / 10;
}
