/* The hash with which capture programs fill memory (tests/hardware/README.md). */
#pragma once

#include <stdint.h>

static inline uint32_t tma_record_word(uint32_t word) {
    word *= 2654435761u;
    word ^= word >> 15;
    word *= 2246822519u;
    word ^= word >> 13;
    word *= 3266489917u;
    return word ^ word >> 16;
}
