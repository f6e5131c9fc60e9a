/* Queries on the placement of an operation: which element lies at a byte of shared memory, and at
 * which bytes an element lies. Both take constant time and do not walk the rows. */
#pragma once

#include "base/api.h"
#include "placement/rows.h"
#include "tensormap/types.h"

TMA_API_BEGIN

/* Most places of one element: im2col::w::128 has one place and a halo copy for each of four groups;
 * gather4 may name a row four times. */
enum { TMA_MAX_PLACES = 5 };

enum tma_byte_kind {
    TMA_BYTE_ELEMENT,       /* holds an element of the tensor (stores: goes to one) */
    TMA_BYTE_OUT_OF_BOUNDS, /* loads fill it, stores skip it */
    TMA_BYTE_UNDEFINED,     /* padding of sub-byte types, uninitialised (PTX ISA 5.5.1.1) */
    TMA_BYTE_GAP,           /* between two rows: not touched */
    TMA_BYTE_OUTSIDE,       /* not in the operation's box */
};

extern const struct tma_names tma_byte_kind_names; /* element, out_of_bounds, undefined, ... */

/* The content of a byte of shared memory. All members but `kind` are set for elements and
 * out-of-bounds bytes only. */
struct tma_byte_place {
    enum tma_byte_kind kind;
    uint32_t row; /* index in the row stream's order, halo rows included */
    /* Coordinates of the element that has the byte's lowest bit. Elements of interleaved layouts
     * are pixels of 16 or 32 bytes. */
    int64_t coordinates[TMA_MAX_RANK];
    uint32_t element_bit;    /* the bit of that element that is the byte's lowest bit */
    uint64_t global_address; /* byte address of that bit in global memory, modulo 2^64 */
};

/* The place of an element in shared memory. */
struct tma_element_place {
    uint32_t shared_address; /* byte address of the element's lowest bit, after swizzling */
    uint32_t bit;            /* 0 to 7: its bit in that byte */
    uint32_t row;            /* index in the row stream's order, halo rows included */
};

/* An operation, prepared for queries. All members are private to locate.c; may be copied. */
struct tma_layout {
    struct tma_traversal traversal;
    enum tma_swizzle swizzle;
    uint32_t rank;
    uint32_t rows;                       /* halo rows included */
    uint32_t global_bits;                /* bits of an element in global memory */
    uint32_t slot_bits;                  /* bits from one element to the next in shared memory */
    uint32_t group_bytes;                /* padded sub-byte types: packed bytes of 16; else 0 */
    uint64_t first_counts[TMA_MAX_RANK]; /* steps of each axis from its position to its end */
    uint64_t counts[TMA_MAX_RANK];       /* steps of each axis from its first element to its end */
};

/* Fails as tma_rows_begin does. */
enum tma_error_code tma_layout_begin(struct tma_layout *layout, const struct tma_tensor_map *map,
                                     const struct tma_operation *operation,
                                     struct tma_error *error);

/* The content of the byte at shared-memory address `address`, which is after swizzling. */
struct tma_byte_place tma_layout_byte(const struct tma_layout *layout, uint32_t address);

/* Finds every place of the element at `coordinates`, which may lie outside the tensor. Fills
 * `places` in the order of rows and returns their number; 0 if the operation does not touch the
 * element. */
unsigned tma_layout_element(const struct tma_layout *layout,
                            const int64_t coordinates[TMA_MAX_RANK],
                            struct tma_element_place places[TMA_MAX_PLACES]);

TMA_API_END
