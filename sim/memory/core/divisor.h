/* Divisors that are known when the machine is read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A divisor that is known when the machine is read. A multiplication by its reciprocal takes a
 * third of the time of a division. */
struct tma_divisor {
    uint64_t by, reciprocal; /* 2^64 / by, or slightly less */
    uint64_t more;           /* 2^(63 + shift) / by, or slightly more: up to 2^63 */
    uint32_t shift;          /* log2 of by, rounded down */
};

/* Numbers of lines have this many bits at most, and so have the numbers that are derived from them:
 * byte addresses have 52. */
enum { TMA_LINE_BITS = 46 };

static inline struct tma_divisor tma_divisor_of(uint64_t by) {
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(by);
    unsigned __int128 power = (unsigned __int128)1 << (63 + shift);
    return (struct tma_divisor){by, UINT64_MAX / by, (uint64_t)((power + by - 1) / by), shift};
}

/* number / divisor. The product with the reciprocal is the quotient or one less. */
static inline uint64_t tma_divide(uint64_t number, const struct tma_divisor *divisor) {
    uint64_t quotient = (uint64_t)((unsigned __int128)number * divisor->reciprocal >> 64);
    return quotient + (number - quotient * divisor->by >= divisor->by);
}

/* number / divisor, for a number of at most TMA_LINE_BITS bits: in half the time. The product with
 * the larger reciprocal exceeds number / divisor by less than number / 2^(63 + shift), which is
 * less than 1 / divisor: too little to reach the next whole number. */
static inline uint64_t tma_divide_line(uint64_t number, const struct tma_divisor *divisor) {
    return (uint64_t)((unsigned __int128)(2 * number) * divisor->more >> 64) >> divisor->shift;
}

/* number modulo divisor. */
static inline uint64_t tma_modulo(uint64_t number, const struct tma_divisor *divisor) {
    return number - tma_divide(number, divisor) * divisor->by;
}
