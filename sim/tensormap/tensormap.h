/* A tensor map: the arguments of cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and
 * cuTensorMapEncodeIm2colWide (CUDA driver API, "Tensor Map Object Management"), with their names.
 * Enumerators have the values of cuda.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

enum { TMA_MAX_RANK = 5 };

/* The encoder of the map, which decides how operations walk it (PTX ISA 5.5.2). */
enum tma_map_kind { TMA_MAP_TILED, TMA_MAP_IM2COL, TMA_MAP_IM2COL_W, TMA_MAP_IM2COL_W128 };

enum tma_data_type {
    TMA_UINT8,
    TMA_UINT16,
    TMA_UINT32,
    TMA_INT32,
    TMA_UINT64,
    TMA_INT64,
    TMA_FLOAT16,
    TMA_FLOAT32,
    TMA_FLOAT64,
    TMA_BFLOAT16,
    TMA_FLOAT32_FTZ,
    TMA_TFLOAT32,
    TMA_TFLOAT32_FTZ,
    TMA_16U4_ALIGN8B,  /* .b4x16: 16 elements in 8 bytes of global and of shared memory */
    TMA_16U4_ALIGN16B, /* .b4x16_p64: 16 elements, 8 bytes global, 16 bytes shared */
    /* .b6x16_p32 (loads) and .b6p2x16 (stores): 16 elements, 12 bytes global, 16 bytes shared */
    TMA_16U6_ALIGN16B,
};

enum tma_interleave { TMA_INTERLEAVE_NONE, TMA_INTERLEAVE_16B, TMA_INTERLEAVE_32B };

enum tma_swizzle {
    TMA_SWIZZLE_NONE,
    TMA_SWIZZLE_32B,
    TMA_SWIZZLE_64B,
    TMA_SWIZZLE_128B,
    TMA_SWIZZLE_128B_ATOM_32B,
    TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    TMA_SWIZZLE_128B_ATOM_64B,
    TMA_SWIZZLE_96B, /* in PTX ISA 5.5.7 alone: the driver's enumeration does not have it */
};

enum tma_l2_promotion { TMA_L2_NONE, TMA_L2_64B, TMA_L2_128B, TMA_L2_256B };

enum tma_oob_fill { TMA_OOB_ZEROS, TMA_OOB_NAN };

/* Dimension 0 is the innermost. Entries of lists past the rank are ignored. */
struct tma_tensor_map {
    enum tma_map_kind kind;
    enum tma_data_type data_type;
    uint32_t rank;                             /* 1 to 5 */
    uint64_t global_address;                   /* bytes */
    uint64_t global_dim[TMA_MAX_RANK];         /* elements */
    uint64_t global_strides[TMA_MAX_RANK - 1]; /* bytes; [d] is the stride of dimension d + 1 */
    uint32_t box_dim[TMA_MAX_RANK];            /* elements; tiled maps */
    uint32_t element_strides[TMA_MAX_RANK];    /* elements */
    /* Pixels; im2col maps. [0] is W, [1] is H, [2] is D. The wide modes use [0] only. */
    int32_t lower_corner[3];
    int32_t upper_corner[3];
    uint32_t channels_per_pixel; /* elements; im2col maps */
    uint32_t pixels_per_column;  /* pixels; im2col maps */
    enum tma_interleave interleave;
    enum tma_swizzle swizzle;
    enum tma_l2_promotion l2_promotion;
    enum tma_oob_fill oob_fill;
};

TMA_API_END
