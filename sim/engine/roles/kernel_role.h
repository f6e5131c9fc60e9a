/* The state machine of a role: executes the statements of its program in time. */
#pragma once

#include "engine/roles/kernel_state.h"

/* Its CTA starts: the role's program begins at `cycle`. */
void tma_role_start(struct tma_role_state *role, uint64_t cycle);

/* Takes the transitions that are due at cycle `now`. A role may execute ahead of time: what it does
 * then takes effect at its own cycle. It waits for that cycle before it asks for what others may
 * want at the same time. */
struct tma_wait tma_role_step(struct tma_role_state *role, uint64_t now);
