/* Tensor maps that break no rule on any architecture, for tests that change a few of their fields.
 */
#pragma once

#include "tensormap/types.h"

/* One map of each kind. The entries past the rank are legal too, so a test can raise the rank. */
static const struct tma_tensor_map legal_maps[] = {
    [TMA_MAP_TILED] = {.kind = TMA_MAP_TILED,
                       .data_type = TMA_FLOAT16,
                       .rank = 3,
                       .global_address = 4096,
                       .global_dim = {256, 64, 8, 2, 2},
                       .global_strides = {512, 32768, 262144, 524288},
                       .box_dim = {32, 8, 2, 1, 1},
                       .element_strides = {1, 1, 1, 1, 1}},
    [TMA_MAP_IM2COL] = {.kind = TMA_MAP_IM2COL,
                        .data_type = TMA_FLOAT16,
                        .rank = 4,
                        .global_address = 4096,
                        .global_dim = {256, 16, 16, 8, 2},
                        .global_strides = {512, 8192, 131072, 1048576},
                        .element_strides = {1, 1, 1, 1, 1},
                        .lower_corner = {-1, -1, 0},
                        .upper_corner = {-1, -1, 0},
                        .channels_per_pixel = 32,
                        .pixels_per_column = 64},
    [TMA_MAP_IM2COL_W] = {.kind = TMA_MAP_IM2COL_W,
                          .data_type = TMA_FLOAT16,
                          .rank = 4,
                          .global_address = 4096,
                          .global_dim = {256, 16, 16, 8, 2},
                          .global_strides = {512, 8192, 131072, 1048576},
                          .element_strides = {1, 1, 1, 1, 1},
                          .channels_per_pixel = 32,
                          .pixels_per_column = 64,
                          .swizzle = TMA_SWIZZLE_64B},
};
