/* The state machine of a role: executes the statements of its program in time. */
#ifndef TMA_ENGINE_KERNEL_ROLE_H
#define TMA_ENGINE_KERNEL_ROLE_H

#include "engine/kernel_state.h"

/* Its CTA starts: the role's program begins at `cycle`. */
void tma_role_start(struct tma_role_state *role, uint64_t cycle);

/* Takes the transitions that are due at cycle `now`. A role may execute ahead of time: what it does
 * then takes effect at its own cycle. It waits for that cycle before it asks for what others may
 * want at the same time. */
struct tma_wait tma_role_step(struct tma_role_state *role, uint64_t now);

/* Stops the run with an error in a statement of the role. */
void tma_role_fail(struct tma_role_state *role, const struct tma_statement *statement,
                   enum tma_error_code code, const char *text);

/* Writes the role's loop variables as "k = 3, m = 0". */
void tma_role_describe(const struct tma_role_state *role, char *text, size_t size);

/* A store of the role has completed at `cycle`. */
void tma_role_complete_store(struct tma_role_state *role, uint64_t group, uint64_t cycle);

#endif
