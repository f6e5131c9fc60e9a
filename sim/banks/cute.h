/* Layouts in the notation of CuTe (CUTLASS, "Swizzle<B,M,S> o smem_ptr o shape:stride"): what a box
 * of a tensor map leaves in shared memory, written so, and such a text as tiles. */
#pragma once

#include <stddef.h>

#include "banks/tile.h"
#include "base/error.h"

enum { TMA_CUTE_MODES = 8, TMA_CUTE_TEXT_BYTES = 256 };

/* A layout: its top-level modes, each of which is a list of extents with their strides in elements.
 * The swizzle acts on bytes, as it does behind smem_ptr. */
struct tma_cute_layout {
    enum tma_swizzle swizzle; /* none, 32b, 64b or 128b */
    uint32_t element_bits;
    uint32_t address; /* of smem_ptr, in bytes */
    uint32_t mode_count;
    uint32_t
        first[TMA_CUTE_MODES + 1]; /* of each top-level mode in the lists; the end of the last */
    uint32_t extents[TMA_CUTE_MODES], strides[TMA_CUTE_MODES];
};

/* Reads "Swizzle<3,4,3> o smem_ptr[16b](0x400) o (8,64):(64,1)". Sw is short for Swizzle; without a
 * smem_ptr, the swizzle counts in elements (Swizzle<3,3,3> of 16 bits). What is left out is no
 * swizzle, elements of 16 bits, address 0. Fails with TMA_ERROR_ARGUMENT and says where. */
enum tma_error_code tma_cute_read(const char *text, struct tma_cute_layout *layout,
                                  struct tma_error *error);

/* The layout of a tile, with modes for its rows and for the elements of a row, which have whole
 * bytes. Its swizzle is one that a layout has. */
struct tma_cute_layout tma_cute_of_tile(const struct tma_tile *tile);

/* Writes it as text. */
void tma_cute_write(const struct tma_cute_layout *layout, char text[TMA_CUTE_TEXT_BYTES]);

/* The byte at which an element begins: its index in each top-level mode. */
uint32_t tma_cute_address(const struct tma_cute_layout *layout,
                          const uint32_t indices[TMA_CUTE_MODES]);

/* Elements of a top-level mode. */
uint32_t tma_cute_extent(const struct tma_cute_layout *layout, uint32_t mode);

/* The box that writes this layout: its extents, the innermost first, and which top-level mode each
 * one belongs to. Fails with TMA_ERROR_ARGUMENT, and says why, if no one box does. */
enum tma_error_code tma_cute_box(const struct tma_cute_layout *layout, uint32_t box[TMA_MAX_RANK],
                                 uint32_t modes[TMA_MAX_RANK], uint32_t *rank,
                                 struct tma_error *error);

/* The data type of that tensor map, by the size of the elements: "float16". */
const char *tma_cute_data_type(const struct tma_cute_layout *layout);
