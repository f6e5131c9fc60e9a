/* The loops of a kernel's roles in which a sampled run can leave out iterations: one in each role,
 * with as many iterations as those of the other roles. */
#ifndef TMA_ENGINE_SAMPLED_LOOPS_H
#define TMA_ENGINE_SAMPLED_LOOPS_H

#include "engine/roles/program_cursor.h"

struct tma_sampled_loops {
    uint32_t loops[TMA_MAX_ROLES]; /* statements; UINT32_MAX: the role has none */
    uint32_t last_role;            /* that has one */
    uint64_t least, all;           /* iterations of a CTA, and of all CTAs together */
    uint64_t operations;           /* of an iteration, in all CTAs; 0: they differ */
    bool dynamic;                  /* their tiles come from the counter of dynamic tiles */
};

/* What a walk through programs needs. Its contents mean nothing afterwards. */
struct tma_loop_walk {
    struct tma_program_cursor *cursor;
    struct tma_loop_cut *cut;
};

/* Finds the longest loop of each role, for a grid whose CTAs all run at once. A loop of a single
 * iteration counts as what is inside. False: the roles have none, or not the same number of
 * iterations. */
bool tma_sampled_loops_find(const struct tma_kernel *kernel, struct tma_loop_walk *walk,
                            struct tma_sampled_loops *found);

/* Of the roles that have a loop (loops[role] is not UINT32_MAX), the one whose iterations end last:
 * one that uses what others load, and of these the last one by name. UINT32_MAX: none has. */
uint32_t tma_last_role(const struct tma_kernel *kernel, const uint32_t loops[TMA_MAX_ROLES]);

/* After how many output tiles the order of tiles repeats itself: with the groups of a loop over
 * tiles. 0: not known. */
uint64_t tma_tile_period(const struct tma_kernel *kernel);

#endif
