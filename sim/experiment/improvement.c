#include "experiment/improvement.h"

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

void tma_improve_part(struct tma_machine *machine, enum tma_relief_part part) {
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        uint32_t *value = tma_machine_value(machine, parameter);
        if (parameter->relief == part)
            *value = tma_improve(*value, parameter->improvement);
    }
}
