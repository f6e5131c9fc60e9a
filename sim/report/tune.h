/* The table of a tuner: combinations of settings, the fastest first. */
#pragma once

#include <stdio.h>

#include "engine/roles/kernel.h"
#include "report/report.h"
#include "report/table.h"

/* How the time of a combination was found: enumerator, name, what it says in a table. */
#define TMA_TUNE_FOUND(X)                                                                          \
    X(TMA_TUNE_SIMULATED, "simulated")                                                             \
    X(TMA_TUNE_ESTIMATED, "estimated") /* from the first part of its run */                        \
    X(TMA_TUNE_BOUND, "bound")         /* not: its lower bound is above the best time */           \
    X(TMA_TUNE_ILLEGAL, "illegal")     /* it cannot run, or its run failed */                      \
    X(TMA_TUNE_MISSING, "missing")     /* an interrupt came before */

enum tma_tune_found {
#define TMA_TUNE_FOUND_ENUM(name, text) name,
    TMA_TUNE_FOUND(TMA_TUNE_FOUND_ENUM)
#undef TMA_TUNE_FOUND_ENUM
        TMA_TUNE_FOUND_COUNT
};

/* What limits a run. */
struct tma_tune_limiter {
    char busiest[24];           /* key of the busiest resource */
    double busy;                /* fraction of the run */
    char wait[24];              /* key of what the computing role waits for longest */
    char ring[TMA_KERNEL_NAME]; /* for a stage of which ring; "": it waits for something else */
    double waited;              /* fraction of that role's time */
};

struct tma_tune_row {
    size_t number;             /* of the combination, from 1 */
    const char *kernel;        /* borrowed; as the user named it */
    const char *const *values; /* borrowed; by column; NULL: not set */
    enum tma_tune_found found;
    char *failure; /* owned; ILLEGAL: why */
    uint32_t sm_clock_mhz;
    uint64_t bound_cycles;               /* lower bound of the time */
    uint64_t cycles;                     /* SIMULATED, ESTIMATED: of the run; BOUND: the bound */
    double time_ns;                      /* the same */
    double clock_ns[TMA_SM_CLOCK_COUNT]; /* at each clock; 0: the user gave one in MHz */
    double least_ns, most_ns;            /* over the draws; 0: no draws */
    bool sampled;                        /* SIMULATED: in part */
    double error_percent;                /* by so much the time may then be off */
    bool same;    /* its draws and those of the best overlap; true for the best */
    double ratio; /* of the time to the best's */
    struct tma_tune_limiter limiter; /* SIMULATED */
    struct tma_timing_trust trust;
};

struct tma_tune {
    const char *const *columns; /* borrowed; the settings that are tried */
    size_t column_count;
    bool several_kernels;
    struct tma_tune_row *rows;
    size_t row_count;
    uint32_t draws; /* further ones with which the finalists ran */
    bool partial;   /* an interrupt ended the tuner */
    /* Of the rows, after the ranking: the fastest one at each clock, if it is not the first row. */
    const struct tma_tune_row *best_at[TMA_SM_CLOCK_COUNT];
};

/* Returns what limits a run of a kernel. */
struct tma_tune_limiter tma_tune_limiter_of(const struct tma_report_input *input);

/* Sorts the rows: by time, simulated, estimated, or at least; then the illegal ones and those that
 * are missing. Finds their ratios to the best and which are the same. */
void tma_tune_rank(struct tma_tune *tune);

/* Writes the ranked table in a format: a value of tma_table_format_names. Write errors stay with
 * the stream. The output does not depend on the locale. */
void tma_tune_write(const struct tma_tune *tune, int format, FILE *out);
