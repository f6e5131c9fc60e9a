/* The memory actor of a kernel with roles: lets time pass in the memory system, hands over what
 * roles issue, and completes operations for them. It works as memory_actor.h explains. */
#ifndef TMA_ENGINE_KERNEL_MEMORY_H
#define TMA_ENGINE_KERNEL_MEMORY_H

#include "engine/kernel_state.h"

struct tma_wait tma_kernel_memory_step(struct tma_kernel_engine *engine, uint64_t now);

/* When all CTAs have ended: hands over and completes what they did not wait for. */
void tma_kernel_end_operations(struct tma_kernel_engine *engine);

/* Stops the run with TMA_ERROR_DEADLOCK: nothing is in flight, and every role waits. The text names
 * the cycle of what happened last, roles, what they wait for, and their loop variables, as far as
 * it has room. */
void tma_kernel_deadlock(struct tma_kernel_engine *engine);

#endif
