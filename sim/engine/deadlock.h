/* Says which slots wait for ever. */
#ifndef TMA_ENGINE_DEADLOCK_H
#define TMA_ENGINE_DEADLOCK_H

#include "engine/grid.h"

/* Stops the run with TMA_ERROR_DEADLOCK: nothing is in flight, and every slot waits. The last
 * completion was visible at completed_cycle. The text names the cycle of what happened last, and
 * the slots that wait on their mbarriers, as far as it has room. */
void tma_fail_deadlock(struct tma_simulation *simulation, const struct tma_grid *grid,
                       uint64_t completed_cycle);

#endif
