#include "memory/machine_parameter.h"

#include <stddef.h>
#include <string.h>

/* Whether a field counts cycles of the SMs, by its unit. A rate without a unit is work in a cycle,
 * and so are its bytes. */
#define TIME_IN_cycles           true
#define TIME_IN_millicycles      true
#define TIME_IN_ps               false
#define RATE_IN_bytes_per_kcycle true
#define RATE_IN_none             true
#define RATE_IN_bytes            true
#define RATE_IN_mhz              false

#define RELIEF_KEPT          TMA_KEPT, TMA_RELIEF_OF_none
#define RELIEF_MORE(part)    TMA_MORE, TMA_RELIEF_OF_##part
#define RELIEF_FASTER(part)  TMA_FASTER, TMA_RELIEF_OF_##part
#define RELIEF_SHORTER(part) TMA_SHORTER, TMA_RELIEF_OF_##part
#define RELIEF_GONE(part)    TMA_GONE, TMA_RELIEF_OF_##part

#define OFF_KEPT                                                                                   \
    { TMA_OFF_KEPT, 0 }
#define OFF_LEAST                                                                                  \
    { TMA_OFF_LEAST, 0 }
#define OFF_MOST                                                                                   \
    { TMA_OFF_MOST, 0 }
#define OFF_FAST                                                                                   \
    { TMA_OFF_FAST, 0 }
#define OFF_AT(value)                                                                              \
    { TMA_OFF_AT, value }

/* The parts of a relief stand for two fields. */
#define ROW(section, key, member, quantity, in_cycles, clock, relief, ablation, off)               \
    {#section "." #key,       offsetof(struct tma_machine, section.member),                        \
     TMA_QUANTITY_##quantity, in_cycles,                                                           \
     TMA_CLOCK_##clock,       RELIEF_##relief,                                                     \
     TMA_ABLATION_##ablation, OFF_##off},

#define TMA_TIME(section, key, member, unit, least, most, clock, relief, ablation, off, meaning)   \
    ROW(section, key, member, TIME, TIME_IN_##unit, clock, relief, ablation, off)
#define TMA_RATE(section, key, member, unit, least, most, clock, relief, ablation, off, meaning)   \
    ROW(section, key, member, RATE, RATE_IN_##unit, clock, relief, ablation, off)
#define TMA_COUNT(section, key, member, unit, least, most, relief, ablation, off, meaning)         \
    ROW(section, key, member, COUNT, false, NONE, relief, ablation, off)

const struct tma_machine_parameter tma_machine_parameters[] = {
#include "memory/machine_rows.h"
};
const size_t tma_machine_parameter_count =
    sizeof tma_machine_parameters / sizeof tma_machine_parameters[0];

const char *const tma_clock_names[TMA_CLOCK_COUNT] = {
    [TMA_CLOCK_NONE] = "", [TMA_CLOCK_SM] = "SM", [TMA_CLOCK_L2] = "L2", [TMA_CLOCK_DRAM] = "DRAM"};

const struct tma_machine_parameter *tma_machine_parameter_find(const char *path) {
    for (size_t i = 0; i < tma_machine_parameter_count; i++)
        if (strcmp(tma_machine_parameters[i].path, path) == 0)
            return &tma_machine_parameters[i];
    return NULL;
}
