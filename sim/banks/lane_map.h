/* Lane maps: which lane of which instruction accesses which bytes of a tile. Internal to
 * sim/banks. */
#pragma once

#include "banks/consumer.h"

/* A consumer applied to a tile. */
struct lane_plan {
    const struct tma_consumer *consumer;
    const struct tma_shared_instruction_info *instruction;
    const struct tma_tile *tile;
    uint32_t row_vectors;   /* vectors in a row of the tile */
    uint32_t instructions;  /* warp instructions in one pass */
    uint32_t block_rows;    /* 8-row blocks, or matrices, that an instruction takes down the rows */
    uint32_t block_columns; /* vectors, or matrices, that an instruction takes along a row */
    bool down_first;        /* the matrices of an instruction count down the rows first */
    struct tma_tile_distribution distribution;
    struct tma_wgmma_walk wgmma;
};

/* The place in the tile that a lane accesses. */
struct lane_place {
    uint32_t row;
    uint32_t vector; /* index of the vector in the row */
};

/* One lane map. To add one, write its two functions, and add an enumerator and a line of LANE_MAPS.
 */
struct lane_map {
    enum tma_instruction_family family; /* instructions that can use the map */
    /* Completes the plan. Fails with TMA_ERROR_ARGUMENT if the pattern does not fit the tile. */
    enum tma_error_code (*plan)(struct lane_plan *plan, struct tma_error *error);
    /* Gives the place that lane `lane` of instruction `index` accesses. Returns false for an
     * inactive lane. */
    bool (*place)(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                  struct lane_place *place);
};

/* Returns the lane map of an enumerator; NULL for any other value. */
const struct lane_map *tma_find_lane_map(enum tma_lane_map lanes);
