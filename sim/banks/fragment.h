/* Fragments: which thread and register has which element of a matrix that warps multiply or load.
 * (PTX ISA, matrix fragments of mma.m16n8, register fragments and accumulators of wgmma, ldmatrix
 * and stmatrix.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tensormap/types.h"

enum tma_fragment_kind {
    TMA_FRAGMENT_WGMMA_D,       /* accumulator of wgmma: 64 rows */
    TMA_FRAGMENT_WGMMA_A,       /* A of wgmma in registers: 64 rows, 32 bytes of K */
    TMA_FRAGMENT_MMA_A,         /* A of mma.m16n8: 16 rows, 32 bytes of K */
    TMA_FRAGMENT_MMA_B,         /* B of mma.m16n8: 32 bytes of K, 8 columns */
    TMA_FRAGMENT_MMA_D,         /* C and D of mma.m16n8: 16 rows, 8 columns */
    TMA_FRAGMENT_LDMATRIX,      /* 8x8 matrices of 16 bits, one below the other; stmatrix too */
    TMA_FRAGMENT_LDMATRIX_TRANS /* the same with .trans */
};
extern const struct tma_names tma_fragment_names;

/* The shape of a fragment. A register has 32 bits. */
struct tma_fragment {
    enum tma_fragment_kind kind;
    uint32_t bits; /* of an element */
    uint32_t rows, columns;
    uint32_t threads;  /* that share the matrix: 32, or 128 of a warp group */
    uint32_t elements; /* of a thread */
};

/* `bits` 0 is the usual type: 32 of accumulators, else 16. `size` is the number of columns of a
 * wgmma's accumulator (0: 64), or of ldmatrix's matrices (0: 4); others have none. Fails with
 * TMA_ERROR_ARGUMENT for what the instruction has not. */
enum tma_error_code tma_fragment_of(enum tma_fragment_kind kind, uint32_t bits, uint32_t size,
                                    struct tma_fragment *fragment, struct tma_error *error);

/* Where an element is; several of a register lie beside each other, the first in its low bits. */
struct tma_fragment_place {
    uint32_t thread, element; /* number of the element among those of the thread */
};
uint32_t tma_fragment_register(const struct tma_fragment *fragment, uint32_t element);
uint32_t tma_fragment_bit(const struct tma_fragment *fragment, uint32_t element);

/* The element of the matrix that is at a place, and the other way round. */
void tma_fragment_element(const struct tma_fragment *fragment, struct tma_fragment_place place,
                          uint32_t *row, uint32_t *column);
struct tma_fragment_place tma_fragment_find(const struct tma_fragment *fragment, uint32_t row,
                                            uint32_t column);
