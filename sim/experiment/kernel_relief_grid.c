/* How many CTAs run at once, and what the last of them leave idle. */
#include <stdio.h>

#include "experiment/kernel_reliefs.h"

/* SMs as large as it takes for one more CTA on each. A grid whose CTAs all run at once has no use
 * for it. */
static bool one_more_cta(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = tma_kernel_of(relieved);
    struct tma_machine *machine = &relieved->machine;
    uint32_t before = relieved->before->ctas_per_sm, ctas = before + 1;
    uint32_t threads = ctas * tma_kernel_threads(kernel);
    if (relieved->before->waves.count <= 1)
        return false;
    kernel->ctas_per_sm = kernel->ctas_per_sm > 0 ? ctas : 0;
    bool fits = tma_kernel_ctas_per_sm(machine, kernel) >= ctas;
    machine->sm.ctas = machine->sm.ctas > ctas ? machine->sm.ctas : ctas;
    machine->sm.threads = machine->sm.threads > threads ? machine->sm.threads : threads;
    kernel->ctas_per_sm = ctas;
    /* A tenth more at a time, until one more fits. */
    for (int i = 0; i < 100 && tma_kernel_ctas_per_sm(machine, kernel) < ctas; i++) {
        machine->sm.registers += machine->sm.registers / 10;
        machine->shared_memory_bytes += machine->shared_memory_bytes / 10;
    }
    snprintf(relieved->change, sizeof relieved->change, "%u CTAs on an SM instead of %u%s", ctas,
             before, fits ? "" : ", for which it has no room,");
    return tma_kernel_ctas_per_sm(machine, kernel) == ctas;
}

static bool uses(const struct tma_value *value, uint32_t variable) {
    return value->expression != NULL &&
           (tma_expression_variables(value->expression) >> variable & 1) != 0;
}

/* Whether what a CTA does depends on how many there are. */
static bool depends_on_grid(const struct tma_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        bool does = statement->kind == TMA_STATEMENT_TILES && statement->schedule != TMA_TILES_ONE;
        const struct tma_value *values[] = {
            &statement->from,      &statement->to,        &statement->step,
            &statement->tiles_m,   &statement->tiles_n,   &statement->group,
            &statement->condition, &statement->map_index, &statement->amount[0],
            &statement->amount[1], &statement->amount[2]};
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
            does |= uses(values[v], TMA_VARIABLE_CTAS);
        for (int d = 0; d < TMA_MAX_RANK; d++)
            does |= uses(&statement->coordinates[d], TMA_VARIABLE_CTAS);
        if (does)
            return true;
    }
    return false;
}

/* The grid without its last wave shows the rate of whole waves. */
static bool without_last_wave(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = tma_kernel_of(relieved);
    const struct tma_waves *waves = &relieved->before->waves;
    if (waves->last_ctas == 0 || waves->last_ctas >= kernel->cta_count || depends_on_grid(kernel))
        return false;
    relieved->whole_work = kernel->cta_count;
    kernel->cta_count -= waves->last_ctas;
    relieved->work = kernel->cta_count;
    snprintf(relieved->change, sizeof relieved->change,
             "the same work in whole waves of %u CTAs, without a last wave of %u,", waves->ctas,
             waves->last_ctas);
    return true;
}

const struct tma_relief tma_relief_occupancy = {
    .key = "occupancy", .name = "occupancy", .variants = 1, .apply = one_more_cta};
const struct tma_relief tma_relief_whole_waves = {
    .key = "waves", .name = "waves", .variants = 1, .apply = without_last_wave};
