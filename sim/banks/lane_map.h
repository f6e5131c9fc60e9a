/* Lane maps: which lane of which instruction touches which bytes of a tile. Internal to consumers.
 */
#ifndef TMA_BANKS_LANE_MAP_H
#define TMA_BANKS_LANE_MAP_H

#include "banks/consumer.h"

/* A consumer laid over a tile. */
struct lane_plan {
    const struct tma_consumer *consumer;
    const struct tma_shared_instruction_info *instruction;
    const struct tma_tile *tile;
    uint32_t row_vectors;  /* vectors of a row; a vector is what one lane moves */
    uint32_t instructions; /* of one pass */
    /* Fragments and matrices: an instruction's block, in matrices; matrices count down the rows
     * first, or along them. */
    uint32_t block_rows, block_columns;
    bool down_first;
    struct tma_tile_distribution distribution;
    struct tma_wgmma_walk wgmma;
};

struct lane_place {
    uint32_t row;
    uint32_t vector; /* of the row */
};

struct lane_map {
    enum tma_instruction_family family; /* that it gives addresses to */
    /* Completes the plan; fails where the pattern does not fit the tile. */
    enum tma_error_code (*plan)(struct lane_plan *plan, struct tma_error *error);
    /* Where lane `lane` of instruction `index` goes; false where it is inactive. */
    bool (*place)(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                  struct lane_place *place);
};

/* NULL for a value that is none of the lane maps. */
const struct lane_map *tma_find_lane_map(enum tma_lane_map lanes);

#endif
