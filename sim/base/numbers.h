/* Arithmetic of whole numbers that many need. */
#pragma once

#include <stdint.h>

static inline uint32_t tma_least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static inline uint64_t tma_smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t tma_divide_up(uint64_t value, uint64_t unit) {
    return value / unit + (value % unit != 0);
}

/* The next multiple of the unit. */
static inline uint64_t tma_round_up(uint64_t value, uint64_t unit) {
    return tma_divide_up(value, unit) * unit;
}
