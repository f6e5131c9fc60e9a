#include "engine/slot_sampling.h"

#include "base/allocation.h"
#include "engine/sample_plan.h"

/* Iterations that a slot has at least where some are skipped. */
enum { LEAST_ITERATIONS = 16 };

/* The bytes of the tiles that operations walk over, each counted once for each operation. */
static uint64_t walk_bytes(const struct tma_workload *workload) {
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

bool tma_slot_sampling_begin(struct tma_slot_sampling *sampling, enum tma_sampling mode,
                             struct tma_simulation *simulation, const struct tma_grid *grid,
                             struct tma_cta_scheduler *scheduler) {
    const struct tma_workload *workload = simulation->workload;
    *sampling = (struct tma_slot_sampling){.simulation = simulation,
                                           .grid = grid,
                                           .scheduler = scheduler,
                                           .walk_bytes = walk_bytes(workload)};
    struct tma_sample_plan plan =
        tma_sample_plan_of(simulation->machine, mode, sampling->walk_bytes);
    if (workload->cta_count / grid->sm_count >= TMA_SAMPLED_WAVES) {
        sampling->skips_ctas = true;
        plan.total = workload->cta_count;
        plan.window = plan.step = plan.tail = grid->sm_count;
        return tma_sampler_create(&sampling->sampler, &plan);
    }
    if (workload->cta_count > grid->sm_count ||
        workload->iterations / workload->depth < LEAST_ITERATIONS)
        return true;
    sampling->operations = simulation->total_operations / workload->iterations;
    plan.total = simulation->total_operations;
    plan.window = plan.step = plan.tail = sampling->operations * workload->depth;
    plan.guard = walk_iterations(workload) / 2 * 3 * sampling->operations;
    sampling->left_out = tma_allocate(grid->cluster_count, sizeof *sampling->left_out);
    return sampling->left_out != NULL &&
           tma_sample_shares_create(&sampling->shares, grid->cluster_count) &&
           tma_sampler_create(&sampling->sampler, &plan);
}

void tma_slot_sampling_free(struct tma_slot_sampling *sampling) {
    tma_sampler_free(&sampling->sampler);
    tma_sample_shares_free(&sampling->shares);
    tma_release(sampling->left_out);
}

/* Fills in how many iterations the slots of each cluster have begun, without those left out. */
static void find_progress(struct tma_slot_sampling *sampling) {
    uint32_t depth = sampling->simulation->workload->depth;
    for (uint32_t c = 0; c < sampling->grid->cluster_count; c++) {
        const struct tma_cluster *cluster = &sampling->grid->clusters[c];
        uint64_t sum = 0;
        for (uint32_t s = 0; s < cluster->cta_count * depth; s++)
            sum += cluster->ctas[s / depth].slots[s % depth].iteration;
        uint64_t out = (uint64_t)cluster->cta_count * depth * sampling->left_out[c];
        sampling->shares.now[c] = sum > out ? sum - out : 0;
    }
}

/* Finds the last iteration that a slot of the cluster has begun. False where a slot has ended, or
 * has not passed the cut before. */
static bool find_last_iteration(const struct tma_cluster *cluster, uint32_t depth, uint32_t *last) {
    const struct tma_iteration_cut *cut = &cluster->ctas[0].cut;
    *last = 0;
    for (uint32_t s = 0; s < cluster->cta_count * depth; s++) {
        const struct tma_slot *slot = &cluster->ctas[s / depth].slots[s % depth];
        if (slot->state == TMA_SLOT_IDLE || (cut->by > 0 && slot->iteration <= cut->after))
            return false;
        *last = slot->iteration > *last ? slot->iteration : *last;
    }
    return true;
}

/* Cuts iterations out of all slots, of about `units` operations. Returns of how many. */
static uint64_t cut_iterations(struct tma_slot_sampling *sampling, uint64_t units) {
    const struct tma_workload *workload = sampling->simulation->workload;
    uint32_t depth = workload->depth, clusters = sampling->grid->cluster_count, last;
    uint64_t sum = 0;
    for (uint32_t c = 0; c < clusters; c++)
        if (!find_last_iteration(&sampling->grid->clusters[c], depth, &last) ||
            last + 2 * depth >= workload->iterations)
            return 0;
    find_progress(sampling);
    tma_sample_share_out(&sampling->shares, units / sampling->operations);
    for (uint32_t c = 0; c < clusters; c++) {
        struct tma_cluster *cluster = &sampling->grid->clusters[c];
        find_last_iteration(cluster, depth, &last);
        /* Each slot has one more iteration at least. */
        uint64_t count = sampling->shares.shares[c], most = workload->iterations - 2 * depth - last;
        count = (count < most ? count : most) / depth * depth;
        for (uint32_t rank = 0; rank < cluster->cta_count; rank++)
            cluster->ctas[rank].cut =
                (struct tma_iteration_cut){.after = last, .by = (uint32_t)count};
        sampling->left_out[c] += count;
        sum += count;
    }
    return sum * sampling->operations / clusters;
}

void tma_slot_sampling_look(struct tma_slot_sampling *sampling, uint64_t cycle) {
    struct tma_simulation *simulation = sampling->simulation;
    struct tma_sampler *sampler = &sampling->sampler;
    uint64_t progress = sampling->skips_ctas ? sampling->scheduler->next_cta - sampler->skipped
                                             : simulation->accounting.result->counters.operations;
    if (!tma_sampler_is_due(sampler, progress))
        return;
    if (!sampling->skips_ctas) {
        find_progress(sampling);
        tma_sample_shares_record(&sampling->shares, progress);
    }
    struct tma_memory_counters counters = tma_memory_count(simulation->memory);
    const struct tma_sample_mark mark = {.parts = progress * TMA_UNIT_PARTS,
                                         .cycle = cycle,
                                         .tally =
                                             tma_sample_tally(&simulation->accounting, &counters)};
    uint64_t units = tma_sampler_look(sampler, progress, &mark);
    if (units == 0)
        return;
    if (sampling->skips_ctas) {
        sampling->scheduler->next_cta += (uint32_t)units;
        tma_sampler_skip(sampler, units);
        return;
    }
    units = cut_iterations(sampling, units);
    if (units > 0)
        tma_sampler_skip_shared(sampler, units, &sampling->shares);
}

void tma_slot_sampling_end(const struct tma_slot_sampling *sampling,
                           struct tma_memory_counters *counters) {
    tma_sample_account(&sampling->sampler, sampling->walk_bytes, !sampling->skips_ctas,
                       &sampling->simulation->accounting, counters);
}
