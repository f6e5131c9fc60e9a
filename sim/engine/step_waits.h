/* Whether steps can stand for those that are left out: only where roles hardly wait for memory.
 *
 * In shortened tiles CTAs have less time to come out of step with each other, or into step. How far
 * they are out of step decides how many of their requests merge, and what they find in L2. So the
 * time that roles wait for data is another one in whole tiles, while that of products and of
 * instructions stays the same. */
#ifndef TMA_ENGINE_STEP_WAITS_H
#define TMA_ENGINE_STEP_WAITS_H

#include "engine/result.h"

/* Loops of steps that have been timed, and that there will be in the part that is simulated. */
struct tma_timed_loops {
    uint64_t ended, all;
};

/* The cycles of a role, of all causes. */
uint64_t tma_steps_cycles(const uint64_t spent[TMA_ROLE_CAUSE_COUNT]);

/* Whether a role has waited for data or stores in its timed steps for so long that these waits
 * alone, without further ones, will be more than a twentieth of all its timed steps. */
bool tma_steps_wait(const uint64_t spent[TMA_ROLE_CAUSE_COUNT], struct tma_timed_loops loops);

#endif
