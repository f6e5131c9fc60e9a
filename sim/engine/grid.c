#include "engine/grid.h"

#include "base/allocation.h"
#include "engine/cluster.h"
#include "memory/topology.h"

static void create_cta(struct tma_grid *grid, struct tma_simulation *simulation, uint32_t index) {
    uint32_t depth = simulation->workload->depth, size = tma_cluster_ctas(simulation->workload);
    struct tma_cta *cta = &grid->ctas[index];
    *cta = (struct tma_cta){.simulation = simulation,
                            .cluster = &grid->clusters[index / size],
                            .sm = &grid->sms[index],
                            .slots = &grid->slots[(size_t)index * depth],
                            .rank = index % size};
    for (uint32_t s = 0; s < depth; s++)
        cta->slots[s] = (struct tma_slot){.cta = cta, .index = s, .number = index * depth + s};
    tma_cluster_join(cta);
}

bool tma_grid_create(struct tma_grid *grid, struct tma_simulation *simulation) {
    const struct tma_workload *workload = simulation->workload;
    uint32_t size = tma_cluster_ctas(workload), numbers[TMA_MAX_SMS];
    uint64_t launches[TMA_MAX_SMS];
    uint32_t count = tma_workload_place(simulation->machine, workload, numbers);
    tma_machine_launch(simulation->machine, numbers, count, size, workload->depth, launches);
    *grid = (struct tma_grid){
        .sms = tma_allocate(count, sizeof *grid->sms),
        .ctas = tma_allocate(count, sizeof *grid->ctas),
        .slots = tma_allocate((size_t)count * workload->depth, sizeof *grid->slots),
        .clusters = tma_allocate(count / size, sizeof *grid->clusters),
        .sm_count = count,
        .slot_count = count * workload->depth,
        .cluster_count = count / size};
    if (grid->sms == NULL || grid->ctas == NULL || grid->slots == NULL || grid->clusters == NULL)
        return false;
    for (uint32_t i = 0; i < grid->cluster_count; i++)
        grid->clusters[i] = (struct tma_cluster){.ctas = &grid->ctas[i * size],
                                                 .cta_count = size,
                                                 .launch_cycle = launches[i * size],
                                                 .scheduler = grid->slot_count};
    for (uint32_t i = 0; i < count; i++) {
        grid->sms[i].number = numbers[i];
        create_cta(grid, simulation, i);
    }
    return true;
}

void tma_grid_free(struct tma_grid *grid) {
    tma_release(grid->sms);
    tma_release(grid->ctas);
    tma_release(grid->slots);
    tma_release(grid->clusters);
    *grid = (struct tma_grid){0};
}
