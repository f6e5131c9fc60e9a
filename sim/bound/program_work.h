/* The least work of a CTA, from its program. Internal to sim/bound. */
#pragma once

#include "engine/roles/kernel.h"
#include "engine/roles/kernel_pipes.h"

/* Which CTA. */
enum tma_work_cta {
    TMA_WORK_OF_FIRST, /* CTA 0 */
    TMA_WORK_OF_ANY,   /* every CTA has at least this */
    TMA_WORK_OF_MOST,  /* at least one CTA has this: it takes the mean of the dynamic tiles */
    TMA_WORK_OF_ALL    /* all CTAs together have at least this: `times` is that of all of them */
};

/* Times are ticks of 1/1024 cycle. */
struct tma_program_work {
    uint64_t serial; /* instructions of one role, one after the other */
    uint64_t chain;  /* its matrix products, one after the other */
    uint64_t operations;
    uint64_t waits[TMA_MAX_RINGS]; /* stages of each ring that it waits for */
    uint64_t tensor, pipes[TMA_UNIT_COUNT], shared, tma, port; /* of units of the SM */
};

/* Walks over programs without executing them. */
struct tma_work_walk {
    const struct tma_machine *machine; /* as tma_kernel_machine has it */
    const struct tma_kernel *kernel;
    enum tma_work_cta cta;
    bool fetches;   /* the CTA is the first on its SM, and alone there */
    uint32_t warps; /* of the role */
    uint64_t known; /* bit mask of the variables whose value is known */
    int64_t variables[TMA_MAX_VARIABLES];
};

void tma_work_begin(struct tma_work_walk *walk, const struct tma_machine *machine,
                    const struct tma_kernel *kernel, enum tma_work_cta cta);

/* Adds the least work of the statements from `first` to `end`, of a role with walk->warps warps,
 * that run `times` times. */
void tma_work_add(const struct tma_work_walk *walk, uint32_t first, uint32_t end, uint64_t times,
                  struct tma_program_work *work);

/* Computes a value whose variables are known; false where one is not. */
bool tma_work_value(const struct tma_work_walk *walk, const struct tma_value *value,
                    int64_t *result);
