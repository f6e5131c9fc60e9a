/* Types of the elements of a buffer: written from numbers, and compared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensormap/types.h"

enum tma_element {
    TMA_ELEMENT_UINT8,
    TMA_ELEMENT_INT8,
    TMA_ELEMENT_UINT16,
    TMA_ELEMENT_INT16,
    TMA_ELEMENT_UINT32,
    TMA_ELEMENT_INT32,
    TMA_ELEMENT_UINT64,
    TMA_ELEMENT_INT64,
    TMA_ELEMENT_FLOAT16,
    TMA_ELEMENT_BFLOAT16,
    TMA_ELEMENT_FLOAT32,
    TMA_ELEMENT_FLOAT64,
    TMA_ELEMENT_E4M3,
    TMA_ELEMENT_E5M2
};

/* Words for the types: "float16"; also those of Triton and PyTorch for the types of 8 bits. */
extern const struct tma_names tma_element_names;

uint32_t tma_element_bytes(enum tma_element type);
bool tma_element_is_float(enum tma_element type);
bool tma_element_is_signed(enum tma_element type);

/* The bits of an element, which lie in its bytes from the lowest on. */
void tma_element_put_bits(enum tma_element type, uint64_t bits, uint8_t *bytes);
uint64_t tma_element_bits(enum tma_element type, const uint8_t *bytes);

/* Writes a whole number; it is cut to the type's bits, or rounded. */
void tma_element_from_integer(enum tma_element type, int64_t value, uint8_t *bytes);

/* Writes a number, rounded to nearest even; of an integer type, its whole part. */
void tma_element_from_number(enum tma_element type, double value, uint8_t *bytes);

/* Reads a number. */
double tma_element_number(enum tma_element type, const uint8_t *bytes);

/* Returns how far two elements are apart in units of the last place: 0 if their bits are equal or
 * both are NaN; infinity if one is NaN.
 * Integers: their difference. */
double tma_element_distance(enum tma_element type, const uint8_t *a, const uint8_t *b);

enum { TMA_ELEMENT_TEXT_BYTES = 64 };

/* Writes "0x3c00 (1)". */
void tma_element_text(enum tma_element type, const uint8_t *bytes,
                      char text[TMA_ELEMENT_TEXT_BYTES]);
