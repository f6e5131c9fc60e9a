/* Clusters: CTAs that run at the same time on SMs of one GPC, and load for each other by multicast.
 *
 * Each CTA waits on an mbarrier of its own for its copy of a tile. When it is done with the tile it
 * releases it: it arrives on the empty barrier of each CTA that loads for it
 * (mbarrier.arrive.release.cluster). A CTA that loads fills its slot again when all those that it
 * loads for have arrived. A release waits for the loads that its own CTA has in flight. */
#pragma once

#include "engine/slots/slot.h"

/* Finds out which CTAs of the cluster load for this one, for which ones it loads, and what its
 * mbarriers expect of each stage. The CTA has its place and its program. */
void tma_cluster_join(struct tma_slot_cta *cta);

/* The slot is done with its tile at cycle `now`. */
void tma_cluster_release(struct tma_slot *slot, uint64_t now);

/* The last load of a stage that the slot's own CTA issued has landed at `cycle`: releases that
 * waited for it go on. */
void tma_cluster_landed(struct tma_slot *slot, uint64_t cycle);
