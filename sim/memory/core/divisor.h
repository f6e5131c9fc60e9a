/* Divisors that are known when the machine is read. */
#ifndef TMA_MEMORY_CORE_DIVISOR_H
#define TMA_MEMORY_CORE_DIVISOR_H

#include <stdint.h>

/* A divisor that is known when the machine is read. A multiplication by its reciprocal takes a
 * third of the time of a division. */
struct tma_divisor {
    uint64_t by, reciprocal; /* 2^64 / by, or slightly less */
};

static inline struct tma_divisor tma_divisor_of(uint64_t by) {
    return (struct tma_divisor){by, UINT64_MAX / by};
}

/* number / divisor. The product with the reciprocal is the quotient or one less. */
static inline uint64_t tma_divide(uint64_t number, const struct tma_divisor *divisor) {
    uint64_t quotient = (uint64_t)((unsigned __int128)number * divisor->reciprocal >> 64);
    return quotient + (number - quotient * divisor->by >= divisor->by);
}

/* number modulo divisor. */
static inline uint64_t tma_modulo(uint64_t number, const struct tma_divisor *divisor) {
    return number - tma_divide(number, divisor) * divisor->by;
}

#endif
