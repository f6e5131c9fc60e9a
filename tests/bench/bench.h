/* What programs that measure speed share. */
#pragma once

#include <time.h>

#include "engine/workload.h"

static inline double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of the process. */
static inline double cpu_seconds(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double wall_seconds(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

/* A matrix of 4096 columns of float16, and its tiles of 64 x 128: 16 KiB. */
enum {
    TILE_ROWS = 128,
    ROW_TILES = 64,
    TILE_BYTES = TILE_ROWS * TMA_LINE_BYTES,
    PIPELINE_SLOTS = 4
};
static const uint64_t matrix_address = UINT64_C(0x7f0000000000);

/* CTAs that load its tiles, so many down, one CTA for each SM. */
static inline struct tma_workload matrix_loads(uint32_t ctas, uint32_t iterations,
                                               uint32_t tiles_down, bool cold) {
    return (struct tma_workload){
        .maps = {{.kind = TMA_MAP_TILED,
                  .data_type = TMA_FLOAT16,
                  .rank = 2,
                  .global_address = matrix_address,
                  .global_dim = {4096, (uint64_t)tiles_down * TILE_ROWS},
                  .global_strides = {8192},
                  .box_dim = {64, TILE_ROWS},
                  .element_strides = {1, 1},
                  .swizzle = TMA_SWIZZLE_128B,
                  .l2_promotion = TMA_L2_256B}},
        .map_count = 1,
        .cta_count = ctas,
        .sm_count = ctas,
        .iterations = iterations,
        .depth = PIPELINE_SLOTS,
        .stage_bytes = TILE_BYTES,
        .expect_bytes = TILE_BYTES,
        .operations = {{.operation = {.direction = TMA_LOAD, .access = TMA_ACCESS_TILE},
                        .walk = {.order = TMA_WALK_GRID_STRIDED,
                                 .tiles = {ROW_TILES, tiles_down, 1, 1, 1},
                                 .step = {64, TILE_ROWS}}}},
        .operation_count = 1,
        .cold = cold,
    };
}
