/* Which element lies at a byte of shared memory, and where an element goes: both in constant time,
 * without memory and without walking the rows. */
#ifndef TMA_PLACEMENT_LOCATE_H
#define TMA_PLACEMENT_LOCATE_H

#include "base/api.h"
#include "placement/rows.h"
#include "tensormap/types.h"

TMA_API_BEGIN

/* One main place, and a halo copy for each group of im2col::w::128; gather4 may name a row four
 * times. */
enum { TMA_MAX_PLACES = 5 };

enum tma_byte_kind {
    TMA_BYTE_ELEMENT,       /* holds (for stores: goes to) an element of the tensor */
    TMA_BYTE_OUT_OF_BOUNDS, /* loads fill it, stores leave it out */
    TMA_BYTE_UNDEFINED,     /* padding of sub-byte types, which the document calls uninitialised */
    TMA_BYTE_GAP,           /* between two rows: not touched */
    TMA_BYTE_OUTSIDE,       /* not in the operation's box */
};

extern const struct tma_names tma_byte_kind_names; /* element, out_of_bounds, undefined, ... */

/* What a byte of shared memory belongs to. */
struct tma_byte_place {
    enum tma_byte_kind kind;
    uint32_t row; /* in the stream's order, halos counted; from here on: element and out of bounds
                     alone */
    int64_t coordinates[TMA_MAX_RANK]; /* of the element that has the byte's lowest bit; with
                                          interleave elements are pixels of 16 or 32 bytes */
    uint32_t element_bit;              /* which of the element's bits the byte's lowest one is */
    uint64_t global_address; /* of this byte's data (its lowest bit's) in global memory, mod 2^64 */
};

/* Where an element lies in shared memory. */
struct tma_element_place {
    uint32_t shared_address; /* of the element's lowest bit, swizzled */
    uint32_t bit;            /* 0 to 7: which bit of that byte it is */
    uint32_t row;
};

/* An operation, ready to be asked. Private state; copy it freely. */
struct tma_layout {
    struct tma_traversal traversal;
    enum tma_swizzle swizzle;
    uint32_t rank;
    uint32_t rows;        /* halos counted */
    uint32_t global_bits; /* of an element in global memory */
    uint32_t slot_bits;   /* in shared memory, from one element to the next of its group */
    uint32_t
        group_bytes; /* padded sub-byte types: bytes of each 16 that hold 16 elements; else 0 */
    uint64_t first_counts[TMA_MAX_RANK]; /* steps of each axis from its position to its end */
    uint64_t counts[TMA_MAX_RANK];       /* steps of each axis from its first element to its end */
};

/* Fails as tma_rows_begin does. */
enum tma_error_code tma_layout_begin(struct tma_layout *layout, const struct tma_tensor_map *map,
                                     const struct tma_operation *operation,
                                     struct tma_error *error);

/* What the byte at shared-memory address `address` (where it lies in the banks) belongs to. */
struct tma_byte_place tma_layout_byte(const struct tma_layout *layout, uint32_t address);

/* Every place of the element at `coordinates`, which may lie outside the tensor but not outside the
 * box: fills `places` in the order of rows and gives their number, 0 where the operation does not
 * touch it. */
unsigned tma_layout_element(const struct tma_layout *layout,
                            const int64_t coordinates[TMA_MAX_RANK],
                            struct tma_element_place places[TMA_MAX_PLACES]);

TMA_API_END

#endif
