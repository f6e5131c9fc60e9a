/* Internal to sim/report. */
#ifndef TMA_REPORT_RATIO_H
#define TMA_REPORT_RATIO_H

/* 0 where the denominator is 0. */
static inline double tma_ratio(double numerator, double denominator) {
    return denominator > 0 ? numerator / denominator : 0;
}

/* A part in percent of a whole; 0: there is no whole. */
static inline double tma_percentage(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

#endif
