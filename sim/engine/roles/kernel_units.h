/* What the roles of an SM share: tensor cores and shared memory, which serve one role after the
 * other; the pipes of instructions, which serve all at once (kernel_pipes.h); and what all CTAs
 * share: the counter of dynamic tiles. Requests of one cycle are served in the order of CTAs and
 * roles, at the end of the cycle. */
#pragma once

#include "engine/roles/kernel_state.h"

/* A role computes: *end is the cycle at which it goes on. False where it waits first, for *wait. */
bool tma_role_compute(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t now, struct tma_wait *wait, uint64_t *end);

/* The cycle at which the role goes on when at most `leaving` groups of matrix products are left. */
uint64_t tma_role_mma_end(const struct tma_role_state *role, uint32_t leaving);

/* When the tensor cores of an SM multiply, as far as they have been asked to. */
struct tma_products tma_kernel_products(const struct tma_kernel_sm *sm);

/* The role wants the next tile of its cluster, in cycle `now`. */
void tma_request_tile(struct tma_role_state *role, uint64_t now);

/* At the end of cycle `now`: the clusters that want a tile get one each. */
void tma_serve_tiles(struct tma_kernel_engine *engine, uint64_t now);
