/* How a relief makes parameters better. */
#ifndef TMA_EXPERIMENT_IMPROVEMENT_H
#define TMA_EXPERIMENT_IMPROVEMENT_H

#include <stddef.h>
#include <stdint.h>

enum tma_improvement {
    TMA_MORE,    /* a rate becomes a tenth larger */
    TMA_FASTER,  /* a service time becomes as short as with a rate that is a tenth larger */
    TMA_SHORTER, /* a latency becomes a tenth shorter */
    TMA_NONE     /* a latency becomes 0 */
};

/* A parameter, and what becomes of it. */
struct tma_better {
    size_t offset; /* of a uint32_t in the struct that has the parameter */
    enum tma_improvement improvement;
};

/* Rounds to the nearest whole number. A latency or a rate that is at least 1 stays so. */
uint32_t tma_improve(uint32_t value, enum tma_improvement improvement);

/* Improves parameters of the struct at `base`. */
void tma_improve_all(void *base, const struct tma_better *better, size_t count);

#endif
