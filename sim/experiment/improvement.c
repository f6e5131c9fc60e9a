#include "experiment/improvement.h"

#include <stdio.h>

uint32_t tma_improve(uint32_t value, enum tma_improvement improvement) {
    uint64_t wide = value;
    switch (improvement) {
    case TMA_MORE:
        return (uint32_t)((wide * 11 + 5) / 10);
    case TMA_FASTER:
        return (uint32_t)((wide * 20 + 11) / 22);
    case TMA_SHORTER:
        return (uint32_t)((wide * 9 + 5) / 10);
    case TMA_GONE:
        return 0;
    case TMA_KEPT:
        break;
    }
    return value;
}

static const char *const words[TMA_RELIEF_PART_COUNT] = {
    [TMA_RELIEF_OF_none] = "",
    [TMA_RELIEF_OF_tma] = "10 % more requests per cycle",
    [TMA_RELIEF_OF_sm_port] = "10 % more bandwidth",
    [TMA_RELIEF_OF_gpc_ports] = "10 % more bandwidth",
    [TMA_RELIEF_OF_l2] = "10 % more requests per cycle",
    [TMA_RELIEF_OF_dram] = "10 % more of it",
    [TMA_RELIEF_OF_latency] = "10 % less of it, from issue to L2, DRAM and back",
    [TMA_RELIEF_OF_cluster] = "releases of shared tiles that take no time",
    [TMA_RELIEF_OF_instructions] = "10 % less time to issue, to wait and to arrive",
    [TMA_RELIEF_OF_launch] = "10 % less time to start a CTA and to fetch its instructions",
    [TMA_RELIEF_OF_tile_counter] = "10 % less time to take a tile from it",
    [TMA_RELIEF_OF_tensor_cores] = "10 % more products per cycle",
    [TMA_RELIEF_OF_alu] = "10 % more operations per cycle",
    [TMA_RELIEF_OF_sfu] = "10 % more special functions per cycle",
    [TMA_RELIEF_OF_shared_memory] = "10 % more wavefronts and operands per cycle",
};

const char *tma_improvement_words(enum tma_relief_part part) {
    return words[part];
}

const char *tma_improve_part(struct tma_machine *machine, enum tma_relief_part part) {
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        uint32_t *value = tma_machine_value(machine, parameter);
        if (parameter->relief == part)
            *value = tma_improve(*value, parameter->improvement);
    }
    return words[part];
}

bool tma_relieve_part(struct tma_relieved *relieved, enum tma_relief_part part) {
    snprintf(relieved->change, sizeof relieved->change, "%s",
             tma_improve_part(&relieved->machine, part));
    return true;
}
