/* Replays records of what warps access, family by family. A test that includes it has `machine` and
 * `records`. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpus.h"
#include "memory/system.h"

enum { CHUNK = 8, LANES = 32, MAX_WARPS = 32, MOST_RECORDS = 1000 };

static struct tma_machine machine;
static struct tma_tsv records;

/* Accesses of a record by one warp. */
struct warp {
    uint64_t ready; /* it issues its next access no earlier */
    uint32_t issued, waiting;
};

struct family {
    const char *name;
    double (*replay)(const char *what, bool *replayed);
    double mean;      /* error that is allowed on average, in percent */
    const char *only; /* records that have this word */
};

static inline bool has(const char *what, const char *text) {
    return strstr(what, text) != NULL;
}

static inline enum tma_access_kind kind_of(const char *what) {
    return has(what, "op=ld")    ? TMA_ACCESS_LOAD
           : has(what, "op=st")  ? TMA_ACCESS_STORE
           : has(what, "op=red") ? TMA_ACCESS_REDUCE
                                 : TMA_ACCESS_ATOMIC;
}

static inline struct tma_memory *create(void) {
    struct tma_memory *memory;
    struct tma_error error;
    ck_assert(tma_memory_create(&memory, &machine, &error) == TMA_OK);
    return memory;
}

/* The sizes of the errors of a family's records, in percent, whose measured value is in this
 * column; of slow builds, those of some records. Returns their number. */
static inline uint32_t replay_family(const struct family *family, const char *column,
                                     double errors[MOST_RECORDS]) {
    uint32_t count = 0, found = 0;
    for (size_t row = 0; row < records.rows; row++) {
        const char *what = tma_tsv_cell(&records, row, "what");
        if (strcmp(tma_tsv_cell(&records, row, "family"), family->name) != 0 ||
            !has(what, family->only) || found++ % (uint32_t)case_step() != 0)
            continue;
        bool replayed = true;
        double cycles = family->replay(what, &replayed);
        double measured = strtod(tma_tsv_cell(&records, row, column), NULL);
        if (!replayed)
            continue;
        double off = 100 * (cycles / measured - 1);
        if (getenv("VERBOSE") != NULL)
            printf("%s %s: %.1f, measured %.1f: %+.1f %%\n", family->name, what, cycles, measured,
                   off);
        ck_assert_uint_lt(count, MOST_RECORDS);
        errors[count++] = fabs(off);
    }
    ck_assert_uint_gt(count, 0);
    return count;
}

static inline double mean_of(const double *errors, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += errors[i];
    return sum / count;
}

static inline void check_mean(const struct family *family, double mean) {
    ck_assert_msg(mean <= family->mean || case_step() > 1, "%s %s: %.1f %%", family->name,
                  family->only, mean);
}
