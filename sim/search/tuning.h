/* Finds the fastest of many combinations of settings of kernels. */
#ifndef TMA_SEARCH_TUNING_H
#define TMA_SEARCH_TUNING_H

#include "report/tune.h"
#include "search/variants.h"

struct cli_tuning {
    const struct cli_options *options; /* --set, --jobs, --quiet */
    const char *const *names;          /* the kernels, as the user named them */
    const char *const *paths;          /* their files */
    size_t kernel_count;
    const struct cli_variants *variants;
    uint32_t draws;  /* further seeds with which the finalists run */
    bool exact;      /* simulates whole what a bound does not rule out, without estimates */
    bool all;        /* simulates also what cannot win */
    const char *key; /* of what is tuned (cli/ranks.h) */
};

/* Simulates each combination of a kernel and a variant in worker processes, and ranks them in
 * *tune, whose rows the caller frees with cli_tuning_free. The result does not depend on the number
 * of processes. An interrupt ends it with what is known. On failure, prints the error and returns
 * false. */
bool cli_tuning_run(const struct cli_tuning *tuning, struct tma_tune *tune);
void cli_tuning_free(struct tma_tune *tune);

#endif
