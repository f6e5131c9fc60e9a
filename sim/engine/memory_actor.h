/* The memory actor lets time pass in the memory system. It hands over what actors issue, and
 * completes operations for them.
 *
 * What an SM issues at cycle t reaches its TMA unit at t + issue_cycles. So at cycle t everything
 * before t + issue_cycles can be worked out. An operation that is found to be at its end completes
 * c = tma_machine_completion_cycles() later at least. So every completion before
 * t + issue_cycles + c is known at cycle t, and the actor sleeps until the first of them is
 * visible, or that long. The result is that of an exact event simulation.
 *
 * Where nothing else can change what a known completion leads to (tma_simulation.completes_ahead),
 * the actor gives it to the program ahead of time, and the program issues ahead of time what
 * follows. This spares SimGrid a wake-up and two context switches for each stage of a pipeline,
 * which take longer than all else that SimGrid does. */
#pragma once

#include "engine/simulation.h"

/* Does all that is known up to cycle `now`. When the run is over it wakes all actors, so that they
 * end. */
struct tma_wait tma_memory_actor_step(struct tma_simulation *simulation, uint64_t now);

/* When all CTAs have ended: hands over and completes what they did not wait for. */
void tma_memory_actor_end(struct tma_simulation *simulation);
