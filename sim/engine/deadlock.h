/* Says which slots wait for ever. */
#ifndef TMA_ENGINE_DEADLOCK_H
#define TMA_ENGINE_DEADLOCK_H

#include "engine/grid.h"

/* Stops the run with TMA_ERROR_DEADLOCK: at `cycle` nothing is in flight, and every slot waits. The
 * text names the slots that wait on their mbarriers, as far as it has room. */
void tma_fail_deadlock(struct tma_simulation *simulation, const struct tma_grid *grid,
                       uint64_t cycle);

#endif
