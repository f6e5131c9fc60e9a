/* The bits of each field in a descriptor; descriptor.h has the overview. Internal to this folder.
 */
#pragma once

#include "tensormap/descriptor.h"

/* A bit field: `count` bits of a word, the lowest of which is bit `first`. */
struct tma_bits {
    uint8_t word, first, count;
};

#define TMA_BITS_IM2COL       ((struct tma_bits){2, 0, 1})
#define TMA_BITS_RANK         ((struct tma_bits){2, 4, 3})
#define TMA_BITS_TYPE         ((struct tma_bits){2, 7, 4})
#define TMA_BITS_INTERLEAVE   ((struct tma_bits){2, 11, 2})
#define TMA_BITS_SWIZZLE      ((struct tma_bits){2, 13, 2})
#define TMA_BITS_FILL         ((struct tma_bits){2, 15, 1})
#define TMA_BITS_TF32         ((struct tma_bits){2, 16, 1})
#define TMA_BITS_L2_PROMOTION ((struct tma_bits){2, 17, 2})
#define TMA_BITS_OOB_BASE     ((struct tma_bits){2, 21, 1})
#define TMA_BITS_SWIZZLE_HIGH ((struct tma_bits){2, 22, 1}) /* tensormap.replace clears it */
#define TMA_BITS_INNER        ((struct tma_bits){13, 24, 8})
#define TMA_BITS_PIXELS       ((struct tma_bits){15, 0, 10})
#define TMA_BITS_BOX_BYTES    ((struct tma_bits){16, 0, 32})
#define TMA_BITS_PATTERN      ((struct tma_bits){18, 0, 32})

/* Bits of dimension d. Strides and box_dim start at dimension 1: TMA_BITS_INNER has the inner box.
 */
#define TMA_BITS_STRIDE_LOW(d)     ((struct tma_bits){(uint8_t)(2 + (d)), 0, 32})
#define TMA_BITS_STRIDE_HIGH(d)    ((struct tma_bits){7, (uint8_t)(4 * ((d)-1)), 4})
#define TMA_BITS_DIM(d)            ((struct tma_bits){(uint8_t)(8 + (d)), 0, 32})
#define TMA_BITS_ELEMENT_STRIDE(d) ((struct tma_bits){13, (uint8_t)(3 * (d)), 3})
#define TMA_BITS_BOX_DIM(d)        ((struct tma_bits){14, (uint8_t)(8 * ((d)-1)), 8})

/* Drivers set the mode of out-of-bounds bases for tensors of so many bytes and more. */
enum { TMA_OOB_BASE_BYTES = 128 << 10 };

enum { TMA_STRIDE_UNIT_BYTES = 16, TMA_NO_PATTERN_BYTES = 16, TMA_PATTERN_LINE_BYTES = 128 };

/* A corner of spatial dimension i in a map of rank 3, 4 or 5: 16, 8 or 5 bits. */
static inline struct tma_bits tma_bits_corner(uint32_t rank, size_t i, bool upper) {
    static const uint8_t widths[TMA_MAX_RANK + 1] = {[3] = 16, [4] = 8, [5] = 5};
    return (struct tma_bits){14, (uint8_t)(widths[rank] * i + (upper ? 16 : 0)), widths[rank]};
}

static inline uint32_t tma_bits_mask(struct tma_bits bits) {
    return (uint32_t)((UINT64_C(1) << bits.count) - 1) << bits.first;
}

static inline uint32_t tma_bits_get(const struct tma_descriptor *descriptor, struct tma_bits bits) {
    return (descriptor->words[bits.word] & tma_bits_mask(bits)) >> bits.first;
}

/* Cuts a value that is too large to the field's bits. */
static inline void tma_bits_put(struct tma_descriptor *descriptor, struct tma_bits bits,
                                uint32_t value) {
    uint32_t mask = tma_bits_mask(bits);
    uint32_t *word = &descriptor->words[bits.word];
    *word = (*word & ~mask) | (value << bits.first & mask);
}

/* A data type as TMA_BITS_TYPE and TMA_BITS_TF32 hold it. */
struct tma_type_code {
    uint8_t code, tf32;
};
struct tma_type_code tma_type_code(enum tma_data_type type);

/* The derived words of a map with a known data type, as the driver computes them. */
uint32_t tma_derived_box_bytes(const struct tma_tensor_map *map);
uint32_t tma_derived_pattern_bytes(enum tma_swizzle swizzle);
