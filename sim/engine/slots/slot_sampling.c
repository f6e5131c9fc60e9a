#include "engine/sampling/sample_plan.h"
#include "engine/slots/slot.h"
#include "placement/rows.h"

/* Iterations that a slot has at least where some are skipped. */
enum { LEAST_ITERATIONS = 16 };

/* The bytes of the tiles that operations walk over, each counted once for each operation. */
static uint64_t walk_bytes(const struct tma_simulation *simulation) {
    const struct tma_workload *workload = tma_slot_program_of(simulation)->workload;
    uint64_t all = tma_tensor_bytes(workload->maps, workload->arrays, workload->map_count), sum = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        struct tma_operation first = stage->operation;
        struct tma_row_stream rows;
        struct tma_operation_size size;
        uint64_t tiles = tma_walk_tiles(stage, workload), bytes;
        if (stage->walk.order == TMA_WALK_FIXED && tiles > workload->cta_count)
            tiles = workload->cta_count;
        tma_walk_coordinates(stage, workload, 0, 0, first.coordinates);
        if (tma_rows_begin(&rows, &workload->maps[stage->map], &first, &size, NULL) != TMA_OK ||
            __builtin_mul_overflow(tiles, size.moved_bytes, &bytes) ||
            __builtin_add_overflow(sum, bytes, &sum))
            return all;
    }
    return sum < all ? sum : all;
}

/* After how many iterations a CTA comes to tiles that were touched before, in the operation for
 * which that is latest; 0: in none within the run. */
static uint64_t walk_iterations(const struct tma_workload *workload) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        uint64_t tiles = tma_walk_tiles(stage, workload), iterations = workload->iterations;
        uint64_t walkers = workload->cta_count / tma_ctas_sharing(stage, workload), around = 0;
        switch (stage->walk.order) {
        case TMA_WALK_GRID_STRIDED:
            around = tiles / walkers + 1 < iterations ? tiles / walkers + 1 : 0;
            break;
        case TMA_WALK_BLOCKED:
            around = tiles / walkers < iterations ? tiles : 0;
            break;
        case TMA_WALK_SAME:
            around = tiles < iterations ? tiles : 0;
            break;
        case TMA_WALK_FIXED:
            break;
        }
        most = around > most ? around : most;
    }
    return most;
}

static uint64_t wave_window(const struct tma_simulation *simulation) {
    return simulation->place_count;
}

/* Units are operations of whole iterations. */
static bool plan_inside(struct tma_simulation *simulation, struct tma_sample_plan *plan) {
    const struct tma_workload *workload = tma_slot_program_of(simulation)->workload;
    struct tma_sampling_state *sampling = &simulation->sampling;
    if (workload->iterations / workload->depth < LEAST_ITERATIONS)
        return true;
    sampling->progress = &simulation->accounting.result->counters.operations;
    sampling->iteration_units = simulation->total_operations / workload->iterations;
    sampling->granule = workload->depth;
    plan->total = simulation->total_operations;
    plan->window = plan->step = plan->tail = sampling->iteration_units * workload->depth;
    plan->guard = walk_iterations(workload) / 2 * 3 * sampling->iteration_units;
    return true;
}

/* In iterations that the slots have begun. */
static uint64_t cluster_progress(const struct tma_simulation *simulation, uint32_t cluster) {
    uint32_t depth = simulation->cta_actors, slots = simulation->cluster_ctas * depth;
    const struct tma_slot *first = &tma_slot_program_of(simulation)->slots[cluster * slots];
    uint64_t sum = 0, out = slots * simulation->clusters[cluster].left_out;
    for (uint32_t s = 0; s < slots; s++)
        sum += first[s].iteration;
    return sum > out ? sum - out : 0;
}

/* No slot may have ended, or be before the last cut; each has one more iteration at least. */
static uint64_t most_to_cut(const struct tma_simulation *simulation, uint32_t cluster,
                            uint64_t *last) {
    uint32_t depth = simulation->cta_actors, slots = simulation->cluster_ctas * depth;
    const struct tma_slot *first = &tma_slot_program_of(simulation)->slots[cluster * slots];
    const struct tma_loop_gap *gap = &simulation->clusters[cluster].gap;
    uint64_t iterations = tma_slot_program_of(simulation)->workload->iterations;
    *last = 0;
    for (uint32_t s = 0; s < slots; s++) {
        if (first[s].state == TMA_SLOT_IDLE || (gap->by > 0 && first[s].iteration <= gap->after))
            return 0;
        *last = first[s].iteration > *last ? first[s].iteration : *last;
    }
    uint64_t end = *last + 2 * depth;
    return end < iterations ? iterations - end : 0;
}

const struct tma_sampled_program tma_sampled_slots = {.walk_bytes = walk_bytes,
                                                      .wave_window = wave_window,
                                                      .plan_inside = plan_inside,
                                                      .cluster_progress = cluster_progress,
                                                      .most_to_cut = most_to_cut};
