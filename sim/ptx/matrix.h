/* Matrix instructions as functions of register fragments and shared memory: mma.sync, wgmma,
 * ldmatrix, stmatrix. (PTX ISA 9.7.14 warp-level matrix instructions, 9.7.15 asynchronous warpgroup
 * level matrix instructions.)
 *
 * Products are exact, and so are their sums up to 53 bits. Then C is added, and the result is
 * rounded once, to nearest even. Tensor cores keep fewer bits of the sums, of e4m3 and e5m2 far
 * fewer: bits agree where the sums fit (an H100 agrees for small integers in all types and shapes
 * that were recorded), and elsewhere who compares needs a tolerance. The base offset of a
 * descriptor follows the ISA, without a record.
 *
 * Opaque values are the caller's matter, but for those that wgmma reads from shared memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/decoded.h"

enum {
    TMA_PTX_MAX_FRAGMENT = 16,    /* 32-bit registers of a fragment of mma.sync */
    TMA_PTX_MAX_ACCUMULATOR = 128 /* of wgmma's D */
};

/* An mma.sync or wgmma.mma_async, taken apart. */
struct tma_ptx_product {
    struct tma_ptx_shape shape;
    enum tma_ptx_type d, a, b; /* C has D's type in wgmma, and is `c` in mma */
    enum tma_ptx_type c;
    bool saturate;       /* .satfinite: of s32 sums */
    bool exclusive;      /* .xor.popc, else .and.popc */
    bool a_in_registers; /* wgmma */
    bool sparse;         /* .sp: A has half of its columns, and metadata says which */
    uint32_t selector;   /* .sp: which lanes of four have the metadata */
    bool negate_a, negate_b, transpose_a, transpose_b; /* wgmma */
    /* 32-bit registers of a thread; a float64 takes two, its low word first. In the text they are
     * d_registers / 2 registers of 64 bits then. */
    uint32_t d_registers, a_registers, b_registers, c_registers;
    bool wide; /* registers of 64 bits */
};

/* Operands as numbers. Room that a caller keeps for all products, as it is too large for small
 * stacks. */
struct tma_ptx_matrices {
    double a[16 * 256];  /* by row, then along K */
    double b[256 * 256]; /* along K, then by column */
    double d[16 * 256];  /* C first; by row, then by column */
};

/* Takes an instruction apart. False: its vectors have other lengths than the shape needs, or a
 * constant is none of those allowed. */
bool tma_ptx_product_of(const struct tma_ptx_module *module,
                        const struct tma_ptx_instruction *instruction,
                        struct tma_ptx_product *product);

/* Columns of A that are kept, in registers and in shared memory. */
static inline uint32_t tma_ptx_kept_columns(const struct tma_ptx_product *product) {
    return product->sparse ? product->shape.k / 2 : product->shape.k;
}

/* D = A * B + C of a warp: [register][lane]. D may be C. `metadata` [lane]: of a sparse product. */
void tma_ptx_mma(const struct tma_ptx_product *product, const uint32_t (*a)[32],
                 const uint32_t (*b)[32], const uint32_t (*c)[32], const uint32_t metadata[32],
                 uint32_t (*d)[32], struct tma_ptx_matrices *room);

/* Shared memory of a CTA, as a matrix descriptor addresses it. */
struct tma_ptx_window {
    const uint8_t *bytes;
    const uint8_t *opaque; /* bit i % 8 of byte i / 8; NULL: none is */
    uint32_t base, size;   /* the address of bytes[0], as mov gives it; bytes */
};

enum tma_ptx_matrix_result {
    TMA_PTX_MATRIX_DONE,
    TMA_PTX_MATRIX_OPAQUE, /* a byte that the descriptors address is opaque */
    TMA_PTX_MATRIX_OUTSIDE /* a descriptor reaches out of shared memory */
};

/* A warp's part of a wgmma are 16 rows of A and D, from row 16 * quarter on, and all of B. Reads A
 * and B into the room: A from registers, `a`, or from where `a_descriptor` says. *address: OPAQUE
 * or OUTSIDE, of the first 16 bytes concerned, of B before A. */
enum tma_ptx_matrix_result tma_ptx_wgmma_read(const struct tma_ptx_product *product,
                                              uint32_t quarter, const uint32_t (*a)[32],
                                              const uint32_t metadata[32], uint64_t a_descriptor,
                                              uint64_t b_descriptor,
                                              const struct tma_ptx_window *window,
                                              struct tma_ptx_matrices *room, uint32_t *address);

/* D = A * B + D, or A * B if `scale_d` is false, of operands in the room: [register][lane]. */
void tma_ptx_wgmma(const struct tma_ptx_product *product, bool scale_d, uint32_t (*d)[32],
                   struct tma_ptx_matrices *room);

/* One 8x8 matrix of 16-bit elements: its rows of 16 bytes, and the register that each lane has of
 * it. `transpose`: with .trans. */
void tma_ptx_matrix_spread(const uint8_t rows[8][16], bool transpose, uint32_t lanes[32]);
void tma_ptx_matrix_collect(const uint32_t lanes[32], bool transpose, uint8_t rows[8][16]);
