/* Divisors that are known when the machine is read. */
#ifndef TMA_MEMORY_CORE_DIVISOR_H
#define TMA_MEMORY_CORE_DIVISOR_H

#include <stdbool.h>
#include <stdint.h>

/* A divisor that is known when the machine is read. A multiplication by its reciprocal takes a
 * third of the time of a division. */
struct tma_divisor {
    uint64_t by, reciprocal; /* 2^64 / by, or slightly less */
    uint64_t more; /* 2^64 / by, or slightly more; 0 where tma_divide_line cannot use it */
};

/* Numbers of lines have this many bits at most, and so have the numbers that are derived from them:
 * byte addresses have 52. */
enum { TMA_LINE_BITS = 46 };

static inline struct tma_divisor tma_divisor_of(uint64_t by) {
    bool useful = by > 1 && by <= UINT64_MAX >> TMA_LINE_BITS;
    return (struct tma_divisor){by, UINT64_MAX / by, useful ? UINT64_MAX / by + 1 : 0};
}

/* number / divisor. The product with the reciprocal is the quotient or one less. */
static inline uint64_t tma_divide(uint64_t number, const struct tma_divisor *divisor) {
    uint64_t quotient = (uint64_t)((unsigned __int128)number * divisor->reciprocal >> 64);
    return quotient + (number - quotient * divisor->by >= divisor->by);
}

/* number / divisor, for a number of at most TMA_LINE_BITS bits: in half the time. The product with
 * the larger reciprocal exceeds number / divisor by less than number / 2^64, which is less than
 * 1 / divisor: too little to reach the next whole number. */
static inline uint64_t tma_divide_line(uint64_t number, const struct tma_divisor *divisor) {
    if (divisor->more == 0)
        return tma_divide(number, divisor);
    return (uint64_t)((unsigned __int128)number * divisor->more >> 64);
}

/* number modulo divisor. */
static inline uint64_t tma_modulo(uint64_t number, const struct tma_divisor *divisor) {
    return number - tma_divide(number, divisor) * divisor->by;
}

#endif
