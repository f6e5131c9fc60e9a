#include "experiment/improvement.h"

#include <stdio.h>

#include "tensormap/types.h"

static const struct tma_improvement_factors tenth = {.more_percent = 110, .less_of_10000 = 9000};

static uint32_t improve(uint32_t value, enum tma_improvement improvement,
                        const struct tma_improvement_factors *factors) {
    uint64_t wide = value, more = factors->more_percent, result;
    switch (improvement) {
    case TMA_MORE:
        result = (wide * more + 50) / 100;
        return result < UINT32_MAX ? (uint32_t)result : UINT32_MAX;
    case TMA_FASTER:
        return (uint32_t)((wide * 200 + more) / (2 * more));
    case TMA_SHORTER:
        return (uint32_t)((wide * factors->less_of_10000 + 5000) / 10000);
    case TMA_GONE:
        return 0;
    case TMA_KEPT:
        break;
    }
    return value;
}

uint32_t tma_improve(uint32_t value, enum tma_improvement improvement) {
    return improve(value, improvement, &tenth);
}

static const char *const words[TMA_RELIEF_PART_COUNT] = {
    [TMA_RELIEF_OF_none] = "",
    [TMA_RELIEF_OF_tma] = "10 % more requests per cycle",
    [TMA_RELIEF_OF_sm_port] = "10 % more bandwidth",
    [TMA_RELIEF_OF_gpc_ports] = "10 % more bandwidth",
    [TMA_RELIEF_OF_l2] = "10 % more requests per cycle",
    [TMA_RELIEF_OF_atomics] = "10 % more reductions and atomics per cycle",
    [TMA_RELIEF_OF_lsu] = "10 % more accesses and lines per cycle",
    [TMA_RELIEF_OF_l1] = "10 % more storage in an SM for it",
    [TMA_RELIEF_OF_l1_misses] = "10 % more requests and flits on their way",
    [TMA_RELIEF_OF_dsmem] = "10 % more bandwidth",
    [TMA_RELIEF_OF_dram] = "10 % more of it",
    [TMA_RELIEF_OF_latency] = "10 % less of it, from issue to L2, DRAM and back",
    [TMA_RELIEF_OF_cluster] = "releases of shared tiles that take no time",
    [TMA_RELIEF_OF_instructions] = "10 % less time to issue, to wait and to arrive",
    [TMA_RELIEF_OF_launch] = "10 % less time to start a CTA and to fetch its instructions",
    [TMA_RELIEF_OF_tile_counter] = "10 % less time to take a tile from it",
    [TMA_RELIEF_OF_tensor_cores] = "10 % more products per cycle",
    [TMA_RELIEF_OF_shared_memory] = "10 % more wavefronts and operands per cycle",
};

const char *tma_improvement_words(enum tma_relief_part part) {
    return words[part];
}

/* Whether a parameter whose part is `own` gets better with `part`. */
static bool belongs(enum tma_relief_part own, enum tma_relief_part part) {
    return own == part || (own == TMA_RELIEF_OF_atomics && part == TMA_RELIEF_OF_l2);
}

void tma_improve_part_by(struct tma_machine *machine, enum tma_relief_part part,
                         const struct tma_improvement_factors *factors) {
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        uint32_t *value = tma_machine_value(machine, parameter);
        if (belongs(parameter->relief, part))
            *value = improve(*value, parameter->improvement, factors);
    }
    if (part == TMA_RELIEF_OF_l1)
        machine->l1.capacity_bytes = machine->l1.capacity_bytes * factors->more_percent / 100;
}

void tma_relieve_part(struct tma_relieved *relieved, enum tma_relief_part part) {
    tma_improve_part_by(&relieved->machine, part, &tenth);
    snprintf(relieved->change, sizeof relieved->change, "%s", words[part]);
}

bool tma_relieve_promotion(struct tma_relieved *relieved, struct tma_tensor_map *maps,
                           uint32_t count) {
    static const enum tma_l2_promotion modes[TMA_PROMOTION_VARIANTS] = {TMA_L2_NONE, TMA_L2_256B};
    enum tma_l2_promotion mode = modes[relieved->variant];
    bool changes = false;
    for (uint32_t i = 0; i < count; i++) {
        changes |= maps[i].l2_promotion != mode;
        maps[i].l2_promotion = mode;
    }
    snprintf(relieved->change, sizeof relieved->change, "%s for every tensor map",
             tma_name_of(&tma_l2_promotion_names, (int)mode));
    return changes && relieved->before->counters.l2_fills > 0;
}
