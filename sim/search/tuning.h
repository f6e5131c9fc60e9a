/* Finds the fastest of many combinations of settings of kernels. */
#pragma once

#include "report/tune.h"
#include "search/variants.h"
#include "workers/host.h"

struct tma_tuning {
    const struct tma_host *host;
    struct tma_settings settings;
    const char *const *names; /* the kernels, as the user named them */
    const char *const *paths; /* their files */
    const char *const *files; /* what errors call these */
    size_t kernel_count;
    const struct tma_variants *variants; /* of each kernel, with the same columns */
    uint32_t draws;                      /* further seeds with which the finalists run */
    bool exact; /* simulates whole what a bound does not rule out, without estimates */
    bool all;   /* simulates also what cannot win */
};

/* What workers do for the tuner. */
struct tma_worker_code tma_tuning_code(const struct tma_tuning *tuning);

/* Simulates each combination of a kernel and a variant in worker processes, and ranks them in
 * *tune, whose rows the caller frees with tma_tuning_free. The result does not depend on the number
 * of processes. Where the host ends it, the result is what is known. */
enum tma_error_code tma_tuning_run(const struct tma_tuning *tuning, struct tma_tune *tune,
                                   struct tma_error *error);
void tma_tuning_free(struct tma_tune *tune);
