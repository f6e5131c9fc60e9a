/* SimGrid, started once in a process: the only state that outlives a run. One second of its time is
 * one cycle of the SM clock, so whole cycles are exact up to 2^53, and half ones up to 2^52. */
#ifndef TMA_ENGINE_SIMGRID_PLATFORM_H
#define TMA_ENGINE_SIMGRID_PLATFORM_H

#include <simgrid/host.h>

#include "base/error.h"

/* Starts SimGrid if that was not done yet. Where it fails, *text is a constant string that says
 * why. */
enum tma_error_code tma_platform_start(const char **text);

/* The one host, on which all actors live. After tma_platform_start. */
sg_host_t tma_platform_host(void);

#endif
