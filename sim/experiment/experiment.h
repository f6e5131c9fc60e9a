/* Experiments: what limits a run, and what would make it faster, found by running it again with one
 * relief at a time. */
#pragma once

#include "base/api.h"
#include "base/error.h"
#include "experiment/relief.h"

TMA_API_BEGIN

/* A kind of workload: how to run it, and the reliefs that are its own. */
struct tma_workload_kind {
    enum tma_error_code (*run)(const struct tma_machine *machine, const void *workload,
                               struct tma_result *result, struct tma_error *error);
    void *(*copy)(const void *workload); /* NULL when out of memory */
    void (*release)(void *copy);         /* NULL is allowed */
    struct tma_reliefs reliefs;
};

/* Pipelines: struct tma_workload. */
extern const struct tma_workload_kind tma_pipeline_kind;

/* Kernels with roles: struct tma_kernel, laid out. */
extern const struct tma_workload_kind tma_kernel_kind;

/* Is told how far the launches are: the cycles simulated since the last call, and how many launches
 * have ended, of those that are known to be necessary. */
struct tma_experiment_observer {
    void (*progressed)(void *context, uint64_t cycles, size_t done, size_t total);
    void *context;
};

/* What to run. All pointers are borrowed. */
struct tma_experiment_subject {
    const struct tma_machine *machine;
    const struct tma_workload_kind *kind;
    const void *workload;
    const char *const *map_names;                   /* NULL: no names */
    const struct tma_experiment_observer *observer; /* NULL: none */
    unsigned jobs; /* more than 1: launches run in so many worker processes (workers/pool.h) */
    /* Work (tma_run_work) that all launches of tma_experiments_run together may be about; 0: no
     * bound. Where it is not enough, the likeliest reliefs are tried alone, with one launch each.
     */
    uint64_t most_work;
};

/* The cycles of one or several launches, which differ in the seed of the machine. */
struct tma_launches {
    uint32_t count;
    uint64_t mean, median, least, most;
};

struct tma_experiment {
    const struct tma_relief *relief;
    uint32_t variant; /* of the relief */
    char change[TMA_CHANGE_BYTES];
    struct tma_launches before; /* launches without the relief */
    struct tma_launches cycles; /* launches with it and the same seeds, for the same work */
    double saved;               /* fraction of the mean cycles before; can be negative */
    bool helps;                 /* saves TMA_LEAST_SAVING or more, and not by chance */
};

enum { TMA_MAX_EXPERIMENTS = 96 };

/* The experiments of a run, in the order of the tables of reliefs. */
struct tma_experiments {
    struct tma_launches before; /* the first launches without a relief; with draws, all */
    struct tma_experiment items[TMA_MAX_EXPERIMENTS];
    size_t count;
    /* Indices of items that help, the largest saving first. */
    size_t limits[TMA_MAX_EXPERIMENTS], advice[TMA_MAX_EXPERIMENTS];
    size_t limit_count, advice_count;
    /* Reliefs of which a variant was not tried, as all launches together would have been more than
     * most_work. */
    const struct tma_relief *untried[TMA_MAX_EXPERIMENTS];
    size_t untried_count;
};

/* A relief that saves less is no limit and no advice. */
#define TMA_LEAST_SAVING 0.02

/* How much a run simulated, in L2 requests: an operation costs about as much time as 16 of them. It
 * is the same on every computer, so that it can decide whether experiments run without being asked
 * for. */
uint64_t tma_run_work(const struct tma_result *result);

/* Sums up `count` (1 or more) numbers of cycles, of which the median is the lower one of two. Fails
 * with TMA_ERROR_MEMORY. */
enum tma_error_code tma_launches_of(const uint64_t *cycles, uint32_t count,
                                    struct tma_launches *launches);

/* Whether the ranges of two sets of launches overlap, so that a launch of one can be as fast as one
 * of the other. */
bool tma_launches_overlap(const struct tma_launches *a, const struct tma_launches *b);

/* Runs the subject with the seeds 1 to `count`, which is at least 1. Fails as the run does. */
enum tma_error_code tma_launch(const struct tma_experiment_subject *subject, uint32_t count,
                               struct tma_launches *launches, struct tma_error *error);

/* Runs the experiments. `result` is the run's own.
 *
 * One launch differs from the next, so an experiment takes several, with the same seeds as launches
 * without the relief. With `draws` of 0 the seeds are the machine's own and those after it. There
 * are more launches of short runs than of long ones, and of reliefs that seem to help; a relief
 * helps if the mean of what it saves is twice its standard error. With `draws` launches, of the
 * seeds 1 to `draws`, it helps if the ranges of the cycles do not overlap. The number of jobs makes
 * no difference to what is found.
 *
 * A relief with which the workload cannot run is left out. Fails with TMA_ERROR_MEMORY, or as the
 * run itself does. */
enum tma_error_code tma_experiments_run(const struct tma_experiment_subject *subject,
                                        const struct tma_result *result, uint32_t draws,
                                        struct tma_experiments *experiments,
                                        struct tma_error *error);

TMA_API_END
