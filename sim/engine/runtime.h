/* Runs a program of any kind (program.h). */
#pragma once

#include "engine/program.h"

/* Allocates what a run needs, except for its places, the memory system and the actors. The program,
 * the machine, the watch and the size of the grid are there. Actors have `causes` causes for their
 * time. False when out of memory. */
bool tma_simulation_create(struct tma_simulation *simulation, const struct tma_event_sink *sink,
                           uint32_t causes, struct tma_result *result);

/* Frees what the simulation owns, as far as it has been created. */
void tma_simulation_free(struct tma_simulation *simulation);

/* Runs the program, whose places there are, to its end, unless the simulation has failed before:
 * plans its sampling, loads and reserves the engine, warms the caches. */
void tma_simulation_run(struct tma_simulation *simulation, const struct tma_event_sink *sink);

/* Steps an actor, as the engine's module does. */
struct tma_wait tma_simulation_step(struct tma_simulation *simulation, uint32_t actor,
                                    uint64_t now);
