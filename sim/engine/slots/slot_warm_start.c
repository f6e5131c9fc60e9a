/* The same workload, run a few times before, leaves the lines of its operations in L2, in the order
 * of its iterations. Only its last iterations matter: those that read all tiles a few times, or
 * twice the capacity of L2. (SMs of both partitions read a tile by turns, and each leaves a copy.)
 */
#include "base/allocation.h"
#include "engine/slots/slot.h"
#include "engine/warm_l2.h"
#include "placement/rows.h"

enum { PASSES = 10 };

/* How many of the last iterations matter for an operation of the stage that moves so many bytes. */
static uint32_t iterations_that_matter(const struct tma_slot_program *program,
                                       const struct tma_stage_operation *stage, uint64_t bytes) {
    const struct tma_workload *workload = program->workload;
    uint64_t fits =
        2 * program->simulation.machine->l2.capacity_bytes / (bytes > 0 ? bytes : 1) + 1;
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

static void warm_operation(struct tma_slot_program *program,
                           const struct tma_stage_operation *stage, uint32_t cta,
                           uint32_t iteration, uint8_t *visitors) {
    const struct tma_workload *workload = program->workload;
    struct tma_operation operation = stage->operation;
    if (!tma_rank_issues(stage, cta % program->simulation.cluster_ctas))
        return;
    if (visitors != NULL)
        visitors += tma_walk_tile(stage, workload, cta, iteration);
    tma_walk_coordinates(stage, workload, cta, iteration, operation.coordinates);
    tma_warm_operation(
        &program->simulation,
        tma_cta_at(&program->simulation, cta % program->simulation.place_count)->sm->number,
        stage->map, tma_walk_map_index(stage, workload, cta, iteration), &operation, false,
        visitors);
}

static void warm_stage(struct tma_slot_program *program, const struct tma_stage_operation *stage,
                       uint32_t iterations) {
    const struct tma_workload *workload = program->workload;
    uint8_t *visitors = new_visitors(stage, workload, iterations);
    for (uint32_t i = workload->iterations - iterations; i < workload->iterations; i++)
        for (uint32_t cta = 0; cta < workload->cta_count; cta++)
            warm_operation(program, stage, cta, i, visitors);
    tma_release(visitors);
}

static void replay(void *context) {
    struct tma_slot_program *program = context;
    const struct tma_workload *workload = program->workload;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        struct tma_operation first = stage->operation;
        struct tma_row_stream rows;
        struct tma_operation_size size;
        tma_walk_coordinates(stage, workload, 0, 0, first.coordinates);
        if (tma_rows_begin(&rows, &workload->maps[stage->map], &first, &size, NULL) == TMA_OK)
            warm_stage(program, stage, iterations_that_matter(program, stage, size.moved_bytes));
    }
}

void tma_slots_warm_up(struct tma_simulation *simulation) {
    tma_warm_launches(simulation, replay, simulation->state);
}
