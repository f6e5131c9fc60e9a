/* Ratios and percentages of reports. */
#ifndef TMA_REPORT_RATIO_H
#define TMA_REPORT_RATIO_H

#include <stdint.h>

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

#endif
