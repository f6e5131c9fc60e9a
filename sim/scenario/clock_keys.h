/* The keys `sm_clock` and `data`, which kernels with roles and launch files have. */
#pragma once

#include "memory/power.h"
#include "scenario/schema.h"

extern const struct tma_names tma_sm_clock_names, tma_operand_data_names;

/* What a key's initialiser has besides its path. The field is a uint32_t, or an enum
 * tma_operand_data, at `at`. */
#define TMA_SM_CLOCK_KEY(at)                                                                       \
    .kind = TMA_KEY_U32, .unit = &tma_unit_mhz, .min = TMA_LEAST_SM_MHZ, .max = 10000,             \
    .names = &tma_sm_clock_names, .fallback = "single", .offset = (at),                            \
    .meaning = "clock of the SMs, with which cycles become time: what one launch sees after a "    \
               "pause (single), the highest one (boost), or what launches without a pause settle " \
               "at (sustained). With a number the run has that clock, while L2 and DRAM keep "     \
               "theirs"
#define TMA_OPERAND_DATA_KEY(at)                                                                   \
    .kind = TMA_KEY_ENUM, .names = &tma_operand_data_names, .fallback = "random", .offset = (at),  \
    .meaning = "what matrices hold: random numbers, small integers or zeros. The power of matrix " \
               "products depends on it, and the clock on the power"
