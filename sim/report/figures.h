/* The figures that a report derives from the result of a run. The formats only print them. */
#pragma once

#include <stdbool.h>

#include "engine/roles/kernel.h"
#include "report/clock_figures.h"
#include "report/limit_figures.h"
#include "report/report.h"
#include "report/report_sections.h"

/* The resources of the machine: enumerator, key, name in the report of a kernel with roles and in
 * that of the short form (NULL: it has no work for the resource), and the field of the result that
 * holds the busy fraction. */
#define TMA_RESOURCES(X)                                                                           \
    X(TMA_RESOURCE_TENSOR, "tensor_cores", "tensor cores", NULL, busy_tensor)                      \
    X(TMA_RESOURCE_FMA, "fma", "FMA pipes: multiplications, additions", NULL, busy_fma)            \
    X(TMA_RESOURCE_ALU, "alu", "ALUs: maxima, conversions, integers", NULL, busy_alu)              \
    X(TMA_RESOURCE_SFU, "sfu", "special functions: exponentials, reciprocals", NULL, busy_sfu)     \
    X(TMA_RESOURCE_ISSUE, "issue", "issue slots of compute statements", NULL, busy_issue)          \
    X(TMA_RESOURCE_TMA, "tma", "TMA units", "TMA row rate", busy_tma)                              \
    X(TMA_RESOURCE_SHARED, "shared_memory",                                                        \
      "shared memory: wavefronts of warps, products and TMA units", "shared-memory port",          \
      busy_shared)                                                                                 \
    X(TMA_RESOURCE_LSU, "lsu", "load/store units: lines of accesses of warps", NULL, busy_lsu)     \
    X(TMA_RESOURCE_L1_MISSES, "l1_misses", "L1: requests on their way, of the most that it keeps", \
      NULL, busy_l1_misses)                                                                        \
    X(TMA_RESOURCE_DSMEM, "dsmem", "links between the SMs of clusters", NULL, busy_dsmem)          \
    X(TMA_RESOURCE_SM_PORT, "sm_port", "data from L2 into the SMs", "SM port", busy_sm_port)       \
    X(TMA_RESOURCE_CROSSBAR, "crossbar", "ports between L2 and the GPCs",                          \
      "crossbar and GPC ports", busy_crossbar)                                                     \
    X(TMA_RESOURCE_L2, "l2", "L2 slices", "L2 slices", busy_l2)                                    \
    X(TMA_RESOURCE_ATOMICS, "atomics",                                                             \
      "reductions and atomics, in the L2 slice with most of them", NULL, busy_atomics)             \
    X(TMA_RESOURCE_DRAM, "dram", "DRAM bus", "DRAM bandwidth", busy_dram)

enum tma_resource {
#define TMA_RESOURCE_ENUM(name, key, text, slot_text, figure) name,
    TMA_RESOURCES(TMA_RESOURCE_ENUM)
#undef TMA_RESOURCE_ENUM
        TMA_RESOURCE_COUNT
};

/* For which part of a run a resource was busy. */
struct tma_busy {
    const char *key, *text;
    double fraction;
};

/* The resource that is busy for the largest part of a run of any kind. */
struct tma_busy tma_busiest_of(const struct tma_result *result);

/* Of both kinds of program, where nothing else is said. */
struct tma_figures {
    bool idle;    /* the run did nothing that could take time */
    uint32_t sms; /* SMs that had a CTA */
    uint32_t sm_clock_mhz;
    struct tma_clock_figures clock; /* of roles */
    double time_ns;
    double gigabytes_per_second; /* 1 GB is 10^9 bytes */
    double bytes_per_cycle;
    double bytes_per_cycle_per_sm;
    struct tma_limit_figure limits[TMA_LIMIT_COUNT];
    struct tma_memory_figures memory;

    uint64_t moved_bytes; /* loaded, stored and reduced; prefetches move no bytes to or from SMs */
    uint64_t fill_bytes;  /* out-of-bounds fill, a part of the loaded bytes */
    double row_bytes;     /* mean length of a row */

    uint64_t wavefronts;        /* of all consumers */
    uint64_t ideal_wavefronts;  /* the same without bank conflicts */
    uint64_t excess_wavefronts; /* the difference */
    double excess_fraction;     /* excess wavefronts of all wavefronts */
    int worst_consumer;         /* index of the worst conflict; -1 where there is no conflict */

    uint32_t threads;     /* of a CTA; of roles */
    double teraflops;     /* of matrix products: two operations for each multiply-add */
    double tensor_of_all; /* busy tensor cores, as a fraction of all SMs of the machine */

    struct tma_busy busy[TMA_RESOURCE_COUNT]; /* of the resources that the program has work for */
    size_t busy_count;
    uint32_t slot_tenths[TMA_CAUSE_COUNT]; /* of the slot-cycles, in 0.1 %; the sum is 1000, or 0 */
    uint64_t role_cycles[TMA_MAX_ROLES];   /* sum over the causes */
    uint32_t role_tenths[TMA_MAX_ROLES][TMA_ROLE_CAUSE_COUNT]; /* in 0.1 % of the role's time */
};

/* A fraction or a rate is 0 where its divisor is 0. */
struct tma_figures tma_figures_of(const struct tma_report_input *input);

/* Rounds the shares of the parts to 0.1 % so that their sum is exactly 1000 (largest-remainder
 * method; the earlier part wins a tie). All shares are 0 where all parts are 0. The sum of the
 * parts times 1000 must fit 64 bits. */
void tma_share_out_tenths(const uint64_t *parts, size_t count, uint32_t *tenths);

/* How busy the resources were, as shares. */
void tma_busy_shares(const struct tma_figures *figures,
                     struct tma_cause_share shares[TMA_RESOURCE_COUNT]);

/* The share of one cause of all slots' time; of one of a role's time, all CTAs together. */
struct tma_cause_share tma_slot_share(const struct tma_result *result,
                                      const struct tma_figures *figures, enum tma_cause cause);
struct tma_cause_share tma_role_share(const struct tma_result *result,
                                      const struct tma_figures *figures, uint32_t role,
                                      enum tma_role_cause cause);
