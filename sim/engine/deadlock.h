/* Says which actors wait for ever. */
#ifndef TMA_ENGINE_DEADLOCK_H
#define TMA_ENGINE_DEADLOCK_H

#include "engine/simulation.h"

/* Stops the run with TMA_ERROR_DEADLOCK: nothing is in flight, and every actor waits. The text
 * names the cycle of what happened last, and the actors with what they wait for, as far as it has
 * room. */
void tma_fail_deadlock(struct tma_simulation *simulation);

#endif
