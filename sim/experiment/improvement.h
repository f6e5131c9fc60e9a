/* How a relief makes parameters better. */
#ifndef TMA_EXPERIMENT_IMPROVEMENT_H
#define TMA_EXPERIMENT_IMPROVEMENT_H

#include "experiment/relief.h"
#include "memory/machine_parameter.h"

/* Rounds to the nearest whole number. A latency or a rate that is at least 1 stays so. */
uint32_t tma_improve(uint32_t value, enum tma_improvement improvement);

/* How much better: bandwidths and rates become so many percent, and latencies so many of 10000. */
struct tma_improvement_factors {
    uint32_t more_percent, less_of_10000;
};

/* Improves the parameters of a part of the machine by other factors than a tenth. */
void tma_improve_part_by(struct tma_machine *machine, enum tma_relief_part part,
                         const struct tma_improvement_factors *factors);

/* The same words alone. */
const char *tma_improvement_words(enum tma_relief_part part);

/* Improves a part as a relief: writes the words to `relieved->change`. Returns true. */
bool tma_relieve_part(struct tma_relieved *relieved, enum tma_relief_part part);

#endif
