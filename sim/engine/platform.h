/* SimGrid, started once in a process: the only state that outlives a run. One second of its time is
 * one cycle of the SM clock, so whole cycles are exact up to 2^53. */
#ifndef TMA_ENGINE_PLATFORM_H
#define TMA_ENGINE_PLATFORM_H

#include <simgrid/host.h>
#include <stdint.h>

#include "base/error.h"

/* Gives the one host that all actors live on; starts SimGrid where that was not done. */
enum tma_error_code tma_platform_start(sg_host_t *host, struct tma_error *error);

/* The cycle that it is, counted since SimGrid was started. */
uint64_t tma_platform_cycle(void);

#endif
