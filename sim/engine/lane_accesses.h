/* Operations of lanes on their way: handed to the load/store unit as accesses, and complete when
 * the last of these is done. */
#pragma once

#include "engine/simulation.h"

/* Instructions of warps that an operation of lanes takes, where all of its tile is in the tensor.
 */
uint64_t tma_lane_instructions(const struct tma_lanes *lanes,
                               const struct tma_operation_size *size);

/* The row, a coordinate of dimension 1, that an entry of the table of `lanes` names. Returns
 * TMA_ERROR_FAULT where the table has no such entry, TMA_ERROR_ARGUMENT where the row does not fit
 * in a coordinate. */
enum tma_error_code tma_lane_row_at(const struct tma_lanes *lanes, int64_t entry, int32_t *row,
                                    struct tma_error *error);

/* What the instructions of an operation ask of global memory. */
struct tma_lanes_demand {
    uint64_t accesses;      /* instructions of warps */
    uint64_t sectors;       /* that these touch, one instruction after the other */
    uint64_t ideal_sectors; /* of these, as many as the bytes of their lanes fill */
    uint64_t repeats; /* of reductions: requests beyond the first, of lanes with one address */
};

/* Without a run. With a table, its first entries name the rows. Fails as tma_lanes_hand_over. */
enum tma_error_code tma_lanes_demand(const struct tma_tensor_map *map,
                                     const struct tma_operation *operation,
                                     const struct tma_lanes *lanes, struct tma_lanes_demand *demand,
                                     struct tma_error *error);

/* Hands over all accesses of an operation. Returns TMA_ERROR_MEMORY, TMA_ERROR_FAULT with a text
 * where an address is not aligned, or what tma_lane_row_at and tma_rows_begin do. */
enum tma_error_code tma_lanes_hand_over(struct tma_simulation *simulation,
                                        struct tma_issued *operation, uint64_t cycle, uint64_t tag,
                                        uint32_t sm, struct tma_error *error);

/* The same for an operation on the shared memory of another SM, of at least one piece. False when
 * out of memory. */
bool tma_lanes_hand_over_distant(struct tma_simulation *simulation, struct tma_issued *operation,
                                 uint64_t cycle, uint64_t tag, uint32_t sm);

/* Pieces that lanes have of so many bytes of shared memory. */
static inline uint64_t tma_distant_pieces(const struct tma_lanes *lanes, uint64_t bytes) {
    return lanes->active != 0 ? lanes->active : bytes / lanes->lane_bytes;
}

/* An access of the operation is done at `cycle`; with the last one it completes. False when out of
 * memory. */
bool tma_lanes_end_access(struct tma_simulation *simulation, struct tma_issued *issued,
                          uint64_t cycle);
