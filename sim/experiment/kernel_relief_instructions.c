/* The instructions of the roles themselves take less time: those that issue, wait and arrive, those
 * that start a CTA, and those that work with other CTAs. */
#include <stdio.h>

#include "experiment/improvement.h"
#include "experiment/kernel_reliefs.h"

/* The kernel's own costs stand in the place of the machine's. */
static bool shorter_instructions(struct tma_relieved *relieved) {
    struct tma_kernel_costs *own = &tma_kernel_of(relieved)->costs;
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_instructions);
#define SHORTER(name, compared, meaning)                                                           \
    own->name##_cycles = tma_improve(own->name##_cycles, TMA_SHORTER);
    TMA_KERNEL_COSTS(SHORTER)
#undef SHORTER
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% less time to issue, to wait and to arrive");
    return true;
}

static bool shorter_launch(struct tma_relieved *relieved) {
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_launch);
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% less time to start a CTA and to fetch its instructions");
    return true;
}

/* Arrivals in other CTAs are as fast as in the own one. */
static bool immediate_release(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = tma_kernel_of(relieved);
    bool releases = false;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        releases |= kernel->rings[i].release_mask.expression != NULL ||
                    kernel->rings[i].release_mask.constant != 0;
    relieved->machine.warp.remote_arrive_cycles = relieved->machine.warp.arrive_latency_cycles;
    relieved->machine.tma.cluster_release_cycles = 0;
    snprintf(relieved->change, sizeof relieved->change,
             "releases to other CTAs as fast as to the own one");
    return kernel->cluster_ctas > 1 && releases;
}

static bool shorter_tiles(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = tma_kernel_of(relieved);
    bool dynamic = false;
    for (struct tma_statement *tiles = tma_find_statement(kernel, 0, TMA_STATEMENT_TILES);
         tiles != NULL;
         tiles = tma_find_statement(kernel, (uint32_t)(tiles - kernel->statements) + 1,
                                    TMA_STATEMENT_TILES))
        dynamic |= tiles->schedule == TMA_TILES_DYNAMIC;
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_tile_counter);
    snprintf(relieved->change, sizeof relieved->change, "10 %% less time to take a tile from it");
    return dynamic;
}

const struct tma_relief tma_relief_instructions = {.key = "instructions",
                                                   .name = "instructions of the roles",
                                                   .variants = 1,
                                                   .apply = shorter_instructions};
const struct tma_relief tma_relief_cta_launch = {
    .key = "launch", .name = "launch of CTAs", .variants = 1, .apply = shorter_launch};
const struct tma_relief tma_relief_cluster_release = {
    .key = "cluster", .name = "clusters", .variants = 1, .apply = immediate_release};
const struct tma_relief tma_relief_tile_counter = {
    .key = "tile_counter", .name = "counter of tiles", .variants = 1, .apply = shorter_tiles};
