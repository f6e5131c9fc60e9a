/* Floating-point arithmetic of the memory system, bit by bit: reductions and rounding to TF32. As
 * an H200's records show it (tests/hardware/h200: reduce.tsv, convert.tsv). */
#pragma once

#include <stdint.h>

/* The reductions of a 16-bit format, on bit patterns. */
struct tma_half_format {
    uint16_t (*add)(uint16_t old, uint16_t operand); /* rounds to nearest even, keeps denormals */
    uint16_t (*min)(uint16_t old, uint16_t operand); /* a number beats a NaN; -0 < +0 */
    uint16_t (*max)(uint16_t old, uint16_t operand);
};

extern const struct tma_half_format tma_half;   /* float16 */
extern const struct tma_half_format tma_bfloat; /* bfloat16 */

/* Rounds to nearest even; every NaN result is 0x7fffffff. */
float tma_add_float(float old, float operand);

/* The result of loading a float32 as a TF32 type: rounds to 10 mantissa bits, to nearest even.
 * Keeps denormals and infinities; every NaN becomes 0x7fffe000. */
uint32_t tma_tf32_of_float(uint32_t bits);
