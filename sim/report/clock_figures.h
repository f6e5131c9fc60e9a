/* The clock of the SMs that a report stands for, the times at the others, and what matrix products
 * reach: the figures of memory/power.h for a run. Internal to sim/report and sim/search. */
#pragma once

#include <stdio.h>

#include "core/core_run.h"
#include "engine/result.h"
#include "engine/roles/kernel.h"
#include "experiment/kernel_clock.h"
#include "memory/power.h"
#include "report/json_writer.h"

struct tma_clock_figures {
    struct tma_clocks clocks;
    bool fixed;               /* the user gave a clock in MHz: clocks.at has no meaning */
    enum tma_sm_clock chosen; /* else */
    double mhz, ns;           /* of the run: of the fixed or the chosen clock */
    double slowdown;          /* ns over the cycles at the clock that was simulated */
    double teraflops;         /* of matrix products; 0: there are none */
    double cap_watts;
};

/* What a compiled kernel did. */
struct tma_activity tma_launch_activity(const struct tma_core_result *timing,
                                        enum tma_operand_data data);

/* `clock_mhz` is an enum tma_sm_clock, or a clock in MHz, with which the run was simulated then.
 * `machine` has its own clock. */
struct tma_clock_figures tma_clock_figures_of(const struct tma_machine *machine,
                                              const struct tma_activity *activity,
                                              uint32_t clock_mhz);

/* The figures of a kernel with roles. */
struct tma_clock_figures tma_kernel_clock_figures(const struct tma_machine *machine,
                                                  const struct tma_kernel *kernel,
                                                  const struct tma_result *result);

/* MHz with which the cycles of a run become its time, rounded; at least 1. */
uint32_t tma_counted_mhz(const struct tma_clock_figures *figures, uint64_t cycles);

/* The same, of a kernel with roles. */
uint32_t tma_kernel_clock_mhz(const struct tma_machine *machine, const struct tma_kernel *kernel,
                              const struct tma_result *result);

/* "184.00 us at 1.78 GHz, as a single launch; 222.00 us sustained (1.47 GHz, at the 700 W cap);
 * 166.00 us at boost (1.98 GHz)". Nothing where all clocks are the same. */
void tma_clock_write_text(const struct tma_clock_figures *figures, FILE *out);
void tma_clock_write_json(const struct tma_clock_figures *figures, struct tma_json *json);

/* "at 1.78 GHz, as a single launch". */
struct tma_clock_name {
    char text[64];
};
struct tma_clock_name tma_clock_name_of(const struct tma_clock_figures *figures);

extern const char *const tma_sm_clock_keys[TMA_SM_CLOCK_COUNT];
