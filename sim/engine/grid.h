/* Everything that a workload's CTAs run on: SMs, one CTA on each, and their slots and clusters.
 *
 * Actors have these numbers: a slot its own; the CTA scheduler slot_count; the memory actor
 * slot_count + 1. */
#ifndef TMA_ENGINE_GRID_H
#define TMA_ENGINE_GRID_H

#include "engine/slot.h"

struct tma_grid {
    struct tma_sm *sms;           /* owned: SMs in use; those of a cluster are side by side */
    struct tma_cta *ctas;         /* owned: by SM */
    struct tma_slot *slots;       /* owned: by SM and index; the slot's number is its place here */
    struct tma_cluster *clusters; /* owned: by SM of rank 0 */
    uint32_t sm_count;            /* also of CTAs */
    uint32_t slot_count;
    uint32_t cluster_count;
};

/* Places the workload's CTAs on the machine's SMs. False when out of memory: the caller then frees
 * the grid all the same. */
bool tma_grid_create(struct tma_grid *grid, struct tma_simulation *simulation);
void tma_grid_free(struct tma_grid *grid);

#endif
