#include "engine/cta_scheduler.h"

/* Starts the next CTAs on a cluster: at the end of cycle `now`, or at the cluster's launch. All
 * CTAs of the cluster run before the first slot starts, because a slot may end in its first step.
 */
static void start_cluster(struct tma_cta_scheduler *scheduler, struct tma_cluster *cluster,
                          uint64_t now) {
    const struct tma_workload *workload = scheduler->simulation->workload;
    uint64_t start = now > cluster->launch_cycle ? now : cluster->launch_cycle;
    uint32_t slots = workload->depth;
    if (slots > workload->iterations)
        slots = workload->iterations;
    cluster->running_ctas = cluster->cta_count;
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
        tma_cta_start(&cluster->ctas[rank], scheduler->next_cta++, slots, start);
    for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
        for (uint32_t s = 0; s < slots; s++)
            tma_slot_start(&cluster->ctas[rank].slots[s]);
}

/* The grid has CTAs that are not assigned. */
static bool has_ctas(const struct tma_cta_scheduler *scheduler) {
    return scheduler->next_cta < scheduler->simulation->workload->cta_count;
}

/* Gives how many clusters run CTAs then. */
static uint32_t assign(struct tma_cta_scheduler *scheduler, uint64_t now) {
    uint32_t running = 0;
    for (uint32_t i = 0; i < scheduler->grid->cluster_count; i++) {
        struct tma_cluster *cluster = &scheduler->grid->clusters[i];
        while (cluster->running_ctas == 0 && has_ctas(scheduler))
            start_cluster(scheduler, cluster, now);
        running += cluster->running_ctas > 0;
    }
    return running;
}

struct tma_wait tma_cta_scheduler_step(struct tma_cta_scheduler *scheduler, uint64_t now) {
    if (tma_simulation_is_over(scheduler->simulation))
        return tma_wait_nothing();
    scheduler->waits_for_cycle_end = !scheduler->waits_for_cycle_end;
    if (scheduler->waits_for_cycle_end)
        return tma_wait_cycle_end(now);
    if (assign(scheduler, now) > 0)
        return tma_wait_signal();
    scheduler->simulation->finished = true;
    tma_actors_signal_all(&scheduler->simulation->actors);
    return tma_wait_nothing();
}
