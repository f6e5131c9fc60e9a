/* Finds out, while a run goes on, when it is in a steady state, and how much of it can be skipped.
 *
 * The progress of a run is counted in units that all do the same work, or do so on average: CTAs of
 * the grid, iterations of a loop, operations. A window is a number of units. The run is steady when
 * three windows in a row, as long as can be told from chance, take the same time a unit and cause
 * the same traffic. A guard comes before the first of them: the caches have to have seen the
 * tensors, or more than they hold. What is skipped takes the time of these windows, and counts as
 * they do. The end of the run is simulated. */
#pragma once

#include "engine/sampling/sample_shares.h"
#include "engine/sampling/tally.h"
#include "engine/watch.h"

enum { TMA_SAMPLE_MARKS = 48 /* that are kept: windows get longer in a run of more */ };

/* How a run can be sampled; in units of its progress. */
struct tma_sample_plan {
    uint64_t total;         /* of the whole run */
    uint64_t window;        /* the shortest */
    uint64_t step;          /* a part that is skipped is a multiple of this */
    uint64_t tail;          /* simulated at the end, at least */
    uint64_t window_cycles; /* that a window takes, at least */
    uint64_t guard;         /* progress before the first window, at least */
    uint64_t guard_bytes;   /* that L2 is asked for before the first window, */
    bool outgrows_l2;       /* or that come to lie in L2, which can't hold all of the tensors */
    uint64_t factor;        /* what is skipped at once is at most so many times what came before */
};

/* Parts of a unit in which the progress at a mark is known. */
enum { TMA_UNIT_PARTS = 1024 };

/* A point in the run. */
struct tma_sample_mark {
    uint64_t parts; /* progress, in 1 / TMA_UNIT_PARTS of a unit */
    uint64_t cycle;
    struct tma_tally tally;
};

struct tma_sampler {
    struct tma_sample_plan plan;
    struct tma_sample_mark *marks; /* owned: TMA_SAMPLE_MARKS */
    uint32_t mark_count;
    uint64_t window;      /* from mark to mark */
    uint64_t next;        /* progress at the next mark */
    uint64_t guard_begin; /* progress when the guard began, */
    uint64_t guard_start; /* and bytes that L2 had been asked for when the guard began */
    bool compared;        /* there were windows to compare */
    bool guarded;         /* the guard has passed, and the marks are behind it */
    uint64_t skipped;     /* units so far */
    uint64_t skipped_cycles;
    struct tma_tally tally;           /* of what was skipped */
    struct tma_sample_mark steady[2]; /* where the windows that agree begin and end */
    uint64_t steady_error; /* how wrong their time a part of a unit may be: 1 / 2^30 cycles */
    uint64_t error_cycles; /* the same, over what was skipped */
};

/* Begins a run with this plan. False when out of memory. */
bool tma_sampler_create(struct tma_sampler *sampler, const struct tma_sample_plan *plan);
void tma_sampler_free(struct tma_sampler *sampler);

/* Whether the run has come so far that the sampler has to look at it. `progress` does not count
 * what was skipped. */
static inline bool tma_sampler_is_due(const struct tma_sampler *sampler, uint64_t progress) {
    return sampler->marks != NULL && progress >= sampler->next;
}

/* Looks at the run, which is due, at its point `mark`. Returns how many units can be skipped now: a
 * multiple of the plan's step; 0: none. */
uint64_t tma_sampler_look(struct tma_sampler *sampler, uint64_t progress,
                          const struct tma_sample_mark *mark);

/* The run skips that many units, no more than tma_sampler_look has just returned, and the guard
 * begins anew. */
void tma_sampler_skip(struct tma_sampler *sampler, uint64_t units);

/* The same; the skip is shared out to CTAs that go on over it. */
void tma_sampler_skip_shared(struct tma_sampler *sampler, uint64_t units,
                             const struct tma_sample_shares *shares);
