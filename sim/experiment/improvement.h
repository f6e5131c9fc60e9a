/* How a relief makes parameters better. */
#ifndef TMA_EXPERIMENT_IMPROVEMENT_H
#define TMA_EXPERIMENT_IMPROVEMENT_H

#include "memory/machine_parameter.h"

/* Rounds to the nearest whole number. A latency or a rate that is at least 1 stays so. */
uint32_t tma_improve(uint32_t value, enum tma_improvement improvement);

/* Improves the parameters of a part of the machine, as their rows say. */
void tma_improve_part(struct tma_machine *machine, enum tma_relief_part part);

#endif
