/* What reports derive from the counts of L2 and DRAM, and how much a run used of the peak rates of
 * its machine. Internal to sim/report. */
#pragma once

#include <stdint.h>

#include "report/report.h"

/* The peak rates of the machine, in bytes per SM clock cycle. 0: not known, and not reported. */
struct tma_report_limits {
    double sm_bytes_per_cycle;    /* of one SM's port, from L2 */
    double gpc_bytes_per_cycle;   /* of the ports, from L2, of all GPCs that have a CTA */
    double dram_bytes_per_cycle;  /* of the data bus, all channels together */
    double dsmem_bytes_per_cycle; /* of one SM's link to others, in one direction */
    uint32_t l1_misses;           /* requests that an SM's L1 keeps track of */
};

/* The peak rates of the machine for the GPCs that the run used. */
struct tma_report_limits tma_report_limits_of(const struct tma_machine *machine,
                                              const struct tma_result *result);

struct tma_memory_figures {
    uint64_t cycles;        /* until L2 and DRAM are done; at least the cycles of the run */
    double l2_hit_fraction; /* hits of all sectors that L2 was asked for */
    uint64_t l2_fill_bytes;
    uint64_t l2_fill_unused_bytes;
    double l2_over_fetch_fraction; /* unused sectors of all filled sectors */
    uint64_t dram_read_bytes, dram_write_bytes;
    double dram_gigabytes_per_second; /* while L2 and DRAM work, which can be longer than the run */
};

/* `sm_clock_mhz` is the clock that the run's cycles count. A fraction or a rate is 0 where its
 * divisor is 0. */
struct tma_memory_figures tma_memory_figures_of(const struct tma_result *result,
                                                uint32_t sm_clock_mhz);

enum {
    TMA_LIMIT_SM_PORT,
    TMA_LIMIT_GPC_PORTS,
    TMA_LIMIT_L2,
    TMA_LIMIT_DRAM,
    TMA_LIMIT_LSU,
    TMA_LIMIT_L1_MISSES,
    TMA_LIMIT_DSMEM,
    TMA_LIMIT_ATOMICS,
    TMA_LIMIT_COUNT
};

/* A limit of the machine, and how much of it the run used. Rates are divided by the number of SMs
 * that have a CTA. The time that an L2 slice takes depends on the sectors of each request. So the
 * limit of the slices is their time, and their rates are 0. */
struct tma_limit_figure {
    const char *key, *text;
    const char *mean; /* of a time: what the busy cycles are a mean or a sum of */
    uint32_t servers; /* of a time: how many a unit has, if that says more than cycles; else 0 */
    bool is_time;     /* else a rate */
    bool is_unused;   /* what only accesses of warps use, in a run without: reports leave it out */
    double bytes_per_cycle_per_sm;      /* the peak rate; 0: not known, or not a rate */
    double used_bytes_per_cycle_per_sm; /* the rate that the run reached */
    double busy_cycles, cycles;         /* of a time: the mean of the resource's servers; else 0 */
    double used;                        /* fraction of the peak rate, or of the time */
};

/* Fills in what the run used of each limit. `limits` are those of the machine at the clock that the
 * run's cycles count, `memory` is derived from the result, and `sms` are the SMs that had a CTA. */
void tma_limit_figures_of(const struct tma_report_limits *limits, const struct tma_result *result,
                          const struct tma_memory_figures *memory, uint32_t sms,
                          struct tma_limit_figure figures[TMA_LIMIT_COUNT]);
