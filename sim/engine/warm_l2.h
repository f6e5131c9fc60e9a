/* What is in the caches when a run starts. */
#pragma once

#include "engine/simulation.h"

/* Brings into the caches what is there when the program starts: its tensor maps, and, where the
 * same program has run just before, what that has left in L2. */
void tma_warm_start(struct tma_simulation *simulation);

/* For program->warm_up: calls `replay` once for each launch that has to be replayed until L2 is as
 * it is after many. `replay` calls tma_warm_operation for each operation that matters. (What L2
 * keeps of a program that does not fit changes from launch to launch.) */
void tma_warm_launches(struct tma_simulation *simulation, void (*replay)(void *context),
                       void *context);

/* Brings the lines of an operation that an SM issues into L2; with `one_row`, those of the first
 * row of its box alone. As long as L2 holds all lines, a
 * second visit from the same partition changes nothing: *visitors, which may be NULL, has a bit for
 * each partition from which the same operation came before. */
void tma_warm_operation(struct tma_simulation *simulation, uint32_t sm, uint32_t map,
                        uint32_t map_index, const struct tma_operation *operation, bool one_row,
                        uint8_t *visitors);
