/* Floating point as the memory system does it, by the bits: reductions and TF32. */
#ifndef TMA_PLACEMENT_FLOAT_H
#define TMA_PLACEMENT_FLOAT_H

#include <stdint.h>

/* The three reductions of a 16-bit format. */
struct tma_half_format {
    uint16_t (*add)(uint16_t old, uint16_t operand); /* to nearest even, denormals kept */
    uint16_t (*min)(uint16_t old, uint16_t operand); /* a number wins over a NaN; -0 below +0 */
    uint16_t (*max)(uint16_t old, uint16_t operand);
};

extern const struct tma_half_format tma_half;   /* float16 */
extern const struct tma_half_format tma_bfloat; /* bfloat16 */

/* To nearest even; any NaN is 0x7fffffff. */
float tma_add_float(float old, float operand);

/* What a load of a TF32 type makes of a float32: 10 mantissa bits, to nearest even; denormals and
 * infinities stay; any NaN is 0x7fffe000. */
uint32_t tma_tf32_of_float(uint32_t bits);

#endif
