/* What the loops around a load make its coordinates cover of the tensor, in all CTAs together.
 * Internal to sim/bound. */
#pragma once

#include "bound/program_work.h"

/* A variable of the loops around a load, and the values 0, 1, ..., count - 1 that it has in all
 * CTAs together, in every combination with the others. */
struct tma_loop_range {
    uint32_t variable;
    int64_t count;
};

struct tma_loop_ranges {
    struct tma_loop_range items[2 * TMA_MAX_LOOP_DEPTH];
    uint32_t count;
};

/* The loops around a statement of a role; false where it is in a branch or in a loop that is not
 * known. The same variable twice, in loops inside each other, means the inner one: no kernel has
 * that. */
bool tma_find_ranges(const struct tma_work_walk *walk, uint32_t role, uint32_t index,
                     struct tma_loop_ranges *ranges);

/* What a coordinate covers of its dimension. */
struct tma_cover {
    int64_t first, span; /* from the first to past the last element */
    int64_t covered;     /* of them */
};

/* Covers a dimension by a box of `box` elements at all values of the coordinate. Each variable may
 * be in one coordinate only: `used` has those of earlier ones. False where it is not known. */
bool tma_cover_dimension(const struct tma_work_walk *walk, const struct tma_loop_ranges *ranges,
                         const struct tma_value *coordinate, int64_t box, uint64_t *used,
                         struct tma_cover *cover);
