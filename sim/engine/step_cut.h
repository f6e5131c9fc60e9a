/* A cut in the steps of a kernel: the loops of its roles that go around equally often for every
 * output tile, as those along K of a GEMM do. Of each, the first steps are simulated, and the last
 * ones. */
#ifndef TMA_ENGINE_STEP_CUT_H
#define TMA_ENGINE_STEP_CUT_H

#include "engine/sampled_loops.h"
#include "engine/step_clock.h"
#include "engine/tally.h"

struct tma_step_cut {
    uint32_t loops[TMA_MAX_ROLES]; /* statements; UINT32_MAX: the role has none */
    uint32_t tiles[TMA_MAX_ROLES]; /* the loop over output tiles of CTAs that stay, the same */
    uint32_t timed_role;           /* the last one that has a loop of steps */
    uint64_t steps;                /* of a loop */
    struct tma_timed_steps timed;
    uint64_t left_out;       /* steps behind the timed ones */
    uint64_t first_tiles;    /* of a CTA that stays: behind them */
    uint64_t tiles_left_out; /* so many whole output tiles are left out */
};

/* What is cut out of the loops. */
struct tma_loop_gap tma_step_cut_gap(const struct tma_step_cut *cut);

/* What the programs of a cluster have. */
struct tma_program_amounts {
    uint64_t loops; /* of the timed role: how often it begins one */
    uint64_t statements, operations;
    uint64_t load_bytes, store_bytes; /* of boxes; prefetches are loads */
    uint64_t units[TMA_TALLY_UNIT_COUNT];
    uint64_t acquired[TMA_MAX_RINGS], waited[TMA_MAX_RINGS]; /* stages, by all roles */
};

/* Whether the stages that roles fill are still those that others wait for, with the cut. */
bool tma_step_cut_balances(const struct tma_program_amounts *whole,
                           const struct tma_program_amounts *part);

/* Leaves out whole output tiles, too, where CTAs stay for at least so many that some are left
 * between the `first` and the last ones. `loops` is how many the first CTA has. */
void tma_step_cut_leave_tiles(const struct tma_kernel *kernel, struct tma_step_cut *cut,
                              uint64_t first, uint64_t loops);

/* Finds the loops, and plans the cut. False: there are none, or too short ones. */
bool tma_step_cut_find(const struct tma_kernel *kernel, struct tma_step_cut *cut);

/* Begins to count iterations of the loops, none of which is cut so far. */
struct tma_loop_cut tma_step_cut_loops(const struct tma_step_cut *cut);

/* Walks through the programs of the first cluster, whole, or as the cut leaves them. `walk` is what
 * the walk needs; its contents mean nothing afterwards. */
struct tma_program_amounts tma_step_cut_amounts(const struct tma_kernel *kernel,
                                                const struct tma_step_cut *cut, bool whole,
                                                struct tma_loop_walk *walk);

/* How much less of the tensors the first CTAs touch with the cut, as they do their first output
 * tiles, one each. L2 has to be smaller in proportion for tiles to stay in it for as many further
 * ones. */
struct tma_step_footprint {
    uint64_t whole_bytes, part_bytes;
};

/* False when out of memory. */
bool tma_step_cut_footprint(const struct tma_kernel *kernel, const struct tma_step_cut *cut,
                            uint32_t ctas, const struct tma_program_amounts *part,
                            struct tma_loop_walk *walk, struct tma_step_footprint *found);

/* From what was counted in a run with the cut: what was left out. */
struct tma_tally tma_step_cut_tally(const struct tma_tally *simulated,
                                    const struct tma_program_amounts *whole,
                                    const struct tma_program_amounts *part);

#endif
