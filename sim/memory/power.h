/* The clock of the SMs under load, and the power of the GPU. Three clocks matter: boost, which the
 * SMs hold without much load; what one launch sees after a pause; and what launches without a pause
 * settle at. All figures come from the section `power` of a machine (memory/machine_rows.h,
 * docs/clocks.md). L2 and DRAM keep their clocks. */
#pragma once

#include "memory/machine.h"

TMA_API_BEGIN

/* Values of tma_kernel.sm_clock_mhz and of launches that are less than TMA_LEAST_SM_MHZ. */
enum tma_sm_clock { TMA_SM_SINGLE, TMA_SM_BOOST, TMA_SM_SUSTAINED, TMA_SM_CLOCK_COUNT };

/* What the operands of matrix products hold: it decides how many wires change. */
enum tma_operand_data { TMA_DATA_RANDOM, TMA_DATA_SMALL, TMA_DATA_ZEROS, TMA_DATA_COUNT };

/* Types of a matrix product, by their rate and energy. */
enum tma_mma_type {
    TMA_MMA_HALF, /* f16, bf16 */
    TMA_MMA_TF32,
    TMA_MMA_BYTE,   /* f8, s8 */
    TMA_MMA_NIBBLE, /* f4, two of them in a byte */
    TMA_MMA_FP64,
    TMA_MMA_TYPE_COUNT
};

/* Multiply-adds of an SM in a cycle; 0: without limit; 4-bit types: none. */
uint32_t tma_mma_rate(const struct tma_machine *machine, enum tma_mma_type type);

/* What a run did, as a simulation at `machine`'s own clock counted it. */
struct tma_activity {
    double cycles;
    uint32_t sms;                    /* that had a CTA */
    double tensor_busy;              /* part of the time, of these SMs' tensor cores */
    double macs[TMA_MMA_TYPE_COUNT]; /* multiply-adds of matrix products */
    enum tma_operand_data data;
    double instructions; /* of warps */
    double shared_bytes, l2_bytes, dram_bytes;
    /* Of the time: what L2 or DRAM limits, and no clock of the SMs shortens. Two simulations tell
     * (tma_memory_share_of); 0: not known. A little below 0: at the lower clock the run also did
     * things in another order. */
    double memory_share;
};

struct tma_clock_time {
    double mhz, ns, watts;
    bool capped; /* the power cap decides */
};

struct tma_clocks {
    struct tma_clock_time at[TMA_SM_CLOCK_COUNT];
    /* What a profiler counts of a single launch: the cycles of the fastest GPC. */
    double profiler_mhz;
    bool modelled; /* false: the machine has no section `power`; all clocks are its own */
};

/* The three clocks of a run, and how long it takes at each of them. */
struct tma_clocks tma_clocks_of(const struct tma_machine *machine,
                                const struct tma_activity *activity);

/* The clock at which a run has to be simulated again, so that its times at other clocks are known:
 * the chosen one, or that of a single launch. `activity` has no memory_share. MHz; 0: none, as the
 * machine has no model of clocks, or no clock is 1 % below boost. */
uint32_t tma_second_clock_mhz(const struct tma_machine *machine,
                              const struct tma_activity *activity, enum tma_sm_clock chosen);

/* memory_share of a run that takes so many cycles at boost, and at a lower clock. */
double tma_memory_share_of(const struct tma_machine *machine, double cycles, uint32_t lower_mhz,
                           double lower_cycles);

TMA_API_END
