/* How much a run used of the peak rates of its machine. Internal to sim/report. */
#ifndef TMA_REPORT_LIMIT_FIGURES_H
#define TMA_REPORT_LIMIT_FIGURES_H

#include <stdint.h>

#include "report/memory_figures.h"
#include "report/report.h"

enum { TMA_LIMIT_SM_PORT, TMA_LIMIT_GPC_PORTS, TMA_LIMIT_L2, TMA_LIMIT_DRAM, TMA_LIMIT_COUNT };

/* A limit of the machine, and how much of it the run used. Rates are divided by the number of SMs
 * that have a CTA. The time that an L2 slice takes depends on the sectors of each request. So the
 * limit of the slices is their time, and their rates are 0. */
struct tma_limit_figure {
    const char *key, *text;
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

#endif
