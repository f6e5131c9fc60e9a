/* An estimate of the time that a kernel with roles takes, from a simulation of its first part, and
 * runs that end as soon as they are too slow. */
#pragma once

#include "engine/result.h"
#include "engine/roles/kernel.h"

/* Where a run is looked at: parts of its operations in 64ths, and by how many percent a kernel may
 * seem slower there than another one and still turn out to be the faster one. CTAs come out of
 * step, or into it, as they run: the sooner two runs are compared, the less it says. */
#define TMA_ESTIMATE_MARKS(X)                                                                      \
    X(2, 50)                                                                                       \
    X(4, 30)                                                                                       \
    X(8, 20)                                                                                       \
    X(16, 15)                                                                                      \
    X(32, 10)                                                                                      \
    X(48, 6)

enum {
#define TMA_ESTIMATE_MARK(part, percent) TMA_ESTIMATE_MARK_##part,
    TMA_ESTIMATE_MARKS(TMA_ESTIMATE_MARK)
#undef TMA_ESTIMATE_MARK
        TMA_ESTIMATE_MARK_COUNT
};

/* The cycles of the whole run, estimated at each mark. 0: the run did not come so far, or the mark
 * is too early: CTAs had not done enough. */
struct tma_projections {
    uint64_t cycles[TMA_ESTIMATE_MARK_COUNT];
};

/* Returns the last mark that has a projection; TMA_ESTIMATE_MARK_COUNT: none has. */
uint32_t tma_last_mark(const struct tma_projections *projections);

/* What a run races against. */
struct tma_estimate_rival {
    uint64_t cycles; /* that it takes; 0: not known */
    struct tma_projections projections;
};

/* Whether a kernel with a projection at a mark can still be faster than the rival: it seems no
 * slower than the rival seemed there, by more than the margin of the mark, or than the rival is. */
bool tma_projection_can_win(uint32_t mark, uint64_t cycles, const struct tma_estimate_rival *rival);

/* When a run ends before its end. All 0: at the first mark. */
struct tma_estimate_limits {
    uint32_t last_mark;              /* there, or at the next one that is not too early;
                                        TMA_ESTIMATE_MARK_COUNT: at none */
    struct tma_estimate_rival rival; /* at a mark where it can't win against this; all 0: none */
    uint64_t most_cycles;            /* when it provably takes more; 0: no limit */
};

/* How the cycles of an estimate were found. */
enum tma_estimate_kind {
    TMA_ESTIMATE_WHOLE,     /* the run came to its end */
    TMA_ESTIMATE_PROJECTED, /* it ended at a mark */
    TMA_ESTIMATE_BOUND      /* they are a lower bound, above limits->most_cycles */
};

struct tma_kernel_estimate {
    enum tma_estimate_kind kind;
    uint64_t cycles;
    struct tma_projections projections;
};

/* Simulates a kernel up to its limits. What a projection leaves out: that tiles which come later
 * find other data in L2, and that CTAs come out of step. A short kernel is simulated whole, and has
 * no projections. *result is that of the run, whole or not.
 * Fails as tma_kernel_run does. The same kernel has the same estimate on every host. */
enum tma_error_code
tma_kernel_estimate(const struct tma_machine *machine, const struct tma_kernel *kernel,
                    const struct tma_estimate_limits *limits, struct tma_result *result,
                    struct tma_kernel_estimate *estimate, struct tma_error *error);
