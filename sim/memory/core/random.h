/* Reproducible random numbers. A number depends only on the machine's seed and on what it is for,
 * so a run gives the same result on every host. */
#pragma once

#include <stdint.h>

/* Mixes the bits of a number (the finalizer of MurmurHash3). */
static inline uint64_t tma_mix64(uint64_t x) {
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* The random number of `purpose` under a seed (the machine's topology.draw). */
static inline uint64_t tma_random(uint32_t seed, uint64_t purpose) {
    return tma_mix64(tma_mix64(seed) ^ purpose);
}

/* A random share of `most`, which is less than 2^32: from 0 to most - 1. */
static inline uint64_t tma_random_share(uint64_t random, uint64_t most) {
    return (random >> 32) * most >> 32;
}
