/* A lower bound of the time that a kernel with roles takes, in closed form: from its program, and
 * without a simulation. It takes microseconds. A search skips with it what cannot win.
 *
 * The bound is the greatest of several, each of which leaves out all that the others know. So it is
 * never above the simulation, and far below it where a kernel waits for something that no single
 * resource explains. */
#pragma once

#include "engine/roles/kernel.h"
#include "engine/watch.h"

/* What bounds the time: enumerator, key. */
#define TMA_BOUNDS(X)                                                                              \
    X(TMA_BOUND_ROLE, "role")     /* the instructions of a role, one after the other */            \
    X(TMA_BOUND_STAGES, "stages") /* stages of a ring that are filled again: latency */            \
    X(TMA_BOUND_TENSOR, "tensor_cores")                                                            \
    X(TMA_BOUND_FMA, "fma") /* the pipes, in their order */                                        \
    X(TMA_BOUND_ALU, "alu")                                                                        \
    X(TMA_BOUND_SFU, "sfu")                                                                        \
    X(TMA_BOUND_ISSUE, "issue")                                                                    \
    X(TMA_BOUND_SHARED, "shared_memory") /* wavefronts of roles */                                 \
    X(TMA_BOUND_TMA, "tma")              /* rows of loads */                                       \
    X(TMA_BOUND_SM_PORT, "sm_port")      /* data that loads bring to an SM */                      \
    X(TMA_BOUND_DRAM, "dram")            /* data that DRAM reads at least once */

enum tma_bound_kind {
#define TMA_BOUND_ENUM(name, key) name,
    TMA_BOUNDS(TMA_BOUND_ENUM)
#undef TMA_BOUND_ENUM
        TMA_BOUND_COUNT
};

struct tma_kernel_bound {
    uint64_t cycles; /* the greatest of the bounds */
    enum tma_bound_kind kind;
    uint64_t bounds[TMA_BOUND_COUNT]; /* cycles */
    /* Of the units of all SMs together: what all CTAs need of them, at least. */
    uint64_t tensor_cycles, unit_cycles[TMA_UNIT_COUNT];
    uint32_t sms; /* at most: that have a CTA */
};

const char *tma_bound_key(enum tma_bound_kind kind);

/* Finds the bounds of a kernel that tma_kernel_check accepts on the machine: tma_result.cycles of
 * its run is at least `cycles`. */
void tma_kernel_bound(const struct tma_machine *machine, const struct tma_kernel *kernel,
                      struct tma_kernel_bound *bound);

/* Returns a lower bound of the cycles of a run that is going on: what the units of its SMs still
 * have to do comes after now. At least bound->cycles. */
uint64_t tma_kernel_bound_of_run(const struct tma_kernel_bound *bound,
                                 const struct tma_run_state *state);
