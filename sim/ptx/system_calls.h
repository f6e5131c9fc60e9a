/* Functions that PTX calls and the driver has: vprintf (printf of CUDA C++) and __assertfail
 * (assert). Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

enum tma_system_call { TMA_NO_SYSTEM_CALL, TMA_SYSTEM_PRINT, TMA_SYSTEM_ASSERT };

/* The call of a function without a body. */
enum tma_system_call tma_system_call(const char *name, uint32_t parameters);

/* op->mode2: which; places[list] the result, places[list2] the arguments: registers, or bytes of a
 * frame. */
tma_handler tma_run_system_call;
