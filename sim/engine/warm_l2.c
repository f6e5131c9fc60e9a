#include "engine/warm_l2.h"

#include "base/allocation.h"

/* The same kernel, run a few times before, leaves the lines of its operations in L2, in the order
 * of its iterations. (What L2 keeps of a kernel that does not fit changes from launch to launch.)
 * Only its last iterations matter: those that read all tiles a few times, or twice the capacity of
 * L2. (SMs of both partitions read a tile by turns, and each leaves a copy.) */
enum { LAUNCHES = 3, PASSES = 10 };

/* How many of the last iterations matter for an operation of the stage that moves so many bytes. */
static uint32_t iterations_that_matter(const struct tma_simulation *simulation,
                                       const struct tma_stage_operation *stage, uint64_t bytes) {
    const struct tma_workload *workload = simulation->workload;
    uint64_t fits = 2 * simulation->machine->l2.capacity_bytes / (bytes > 0 ? bytes : 1) + 1;
    uint64_t tiles = tma_walk_tiles(stage, workload);
    uint64_t operations = PASSES * (tiles < fits ? tiles : fits);
    uint32_t sharing = tma_ctas_sharing(stage, workload);
    uint64_t per_iteration = stage->walk.order == TMA_WALK_SAME ? 1 : workload->cta_count / sharing;
    uint64_t iterations = operations / per_iteration + 1;
    return iterations < workload->iterations ? (uint32_t)iterations : workload->iterations;
}

/* A bit mask for each tile: the partitions whose SMs have read it. NULL if the masks would cost
 * more than they save, or when out of memory. */
static uint8_t *new_visitors(const struct tma_stage_operation *stage,
                             const struct tma_workload *workload, uint32_t iterations) {
    uint64_t tiles = tma_walk_tiles(stage, workload);
    return tiles < (uint64_t)iterations * workload->cta_count ? tma_allocate(tiles, 1) : NULL;
}

/* Brings in the lines of an operation. As long as L2 holds all lines, a second read of a tile from
 * the same partition changes nothing. */
static void warm_operation(struct tma_simulation *simulation, const struct tma_grid *grid,
                           const struct tma_stage_operation *stage, uint32_t cta,
                           uint32_t iteration, uint8_t *visitors) {
    const struct tma_workload *workload = simulation->workload;
    uint32_t sm = grid->sms[cta % grid->sm_count].number;
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    bool again = false;
    if (!tma_rank_issues(stage, cta % tma_cluster_ctas(workload)))
        return;
    if (visitors != NULL && !tma_memory_is_full(simulation->memory)) {
        uint8_t *visited = &visitors[tma_walk_tile(stage, workload, cta, iteration)];
        uint32_t partition = 1u << tma_memory_partition(simulation->memory, sm);
        if ((*visited & partition) != 0)
            return;
        again = *visited != 0;
        *visited = (uint8_t)(*visited | partition);
    }
    tma_walk_coordinates(stage, workload, cta, iteration, operation.coordinates);
    struct tma_tensor_map map = tma_walk_map(stage, workload, cta, iteration);
    if (tma_rows_begin(&rows, &map, &operation, NULL, NULL) != TMA_OK)
        return;
    tma_memory_warm(simulation->memory, sm, operation.direction, map.l2_promotion, &rows, again);
}

static void warm_stage(struct tma_simulation *simulation, const struct tma_grid *grid,
                       const struct tma_stage_operation *stage, uint32_t iterations) {
    const struct tma_workload *workload = simulation->workload;
    uint8_t *visitors = new_visitors(stage, workload, iterations);
    for (uint32_t i = workload->iterations - iterations; i < workload->iterations; i++)
        for (uint32_t cta = 0; cta < workload->cta_count; cta++)
            warm_operation(simulation, grid, stage, cta, i, visitors);
    tma_release(visitors);
}

/* One launch of the kernel. */
static void warm_once(struct tma_simulation *simulation, const struct tma_grid *grid) {
    const struct tma_workload *workload = simulation->workload;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        struct tma_operation first = stage->operation;
        struct tma_row_stream rows;
        struct tma_operation_size size;
        tma_walk_coordinates(stage, workload, 0, 0, first.coordinates);
        if (tma_rows_begin(&rows, &workload->maps[stage->map], &first, &size, NULL) != TMA_OK)
            continue;
        warm_stage(simulation, grid, stage,
                   iterations_that_matter(simulation, stage, size.moved_bytes));
    }
}

void tma_warm_up(struct tma_simulation *simulation, const struct tma_grid *grid) {
    warm_once(simulation, grid);
    for (int launch = 1; launch < LAUNCHES && tma_memory_is_full(simulation->memory); launch++)
        warm_once(simulation, grid);
}

/* Maps that are parameters come with the launch: they are in the caches of the GPCs, if those hold
 * all maps, else in L2. Maps in global memory are in L2 where the kernel before used them. */
void tma_leave_descriptors(struct tma_simulation *simulation) {
    const struct tma_workload *workload = simulation->workload;
    uint32_t all = tma_workload_descriptor(workload, workload->map_count, 0) - 1;
    tma_memory_place_descriptors(simulation->memory, tma_workload_descriptor_address(workload));
    bool stay = !workload->profiled && all <= simulation->machine->tma.gpc_descriptors;
    for (uint32_t array = 0; array < workload->map_count; array++) {
        bool global = workload->arrays[array].global;
        uint32_t count = tma_array_maps(&workload->arrays[array]);
        uint32_t first = tma_workload_descriptor(workload, array, 0);
        for (uint32_t number = first; number < first + count; number++)
            if (!global && stay)
                tma_memory_leave_descriptor_in_gpcs(simulation->memory, number);
            else if (!global || !workload->cold)
                tma_memory_leave_descriptor_in_l2(simulation->memory, number);
    }
}
