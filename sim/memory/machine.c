#include "memory/machine.h"

#include <stddef.h>

#include "memory/machine_parameter.h"

uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine) {
    /* bits / 8, two edges of the memory clock, in 1000 cycles of the SM clock */
    return (uint64_t)machine->dram.bus_bits * 2 * machine->dram.clock_mhz * 1000 / 8 /
           machine->sm_clock_mhz;
}

uint64_t tma_machine_dram_cycles(const struct tma_machine *machine) {
    uint64_t picoseconds = (uint64_t)machine->dram.access_ps + machine->dram.trcd_ps;
    return picoseconds * machine->sm_clock_mhz / 1000000;
}

uint32_t tma_machine_write_cycles(const struct tma_machine *machine) {
    return machine->crossbar.request_cycles + machine->l2.lookup_cycles +
           machine->crossbar.response_cycles;
}

/* A store unit that shares its turns with loads can find a cycle late that it was at an end. */
static uint32_t after_late_end(uint32_t cycles) {
    return cycles > 1 ? cycles - 1 : cycles;
}

uint32_t tma_machine_completion_cycles(const struct tma_machine *machine) {
    const uint32_t writes[] = {after_late_end(machine->tma.store_complete_cycles),
                               after_late_end(machine->tma.reduce_complete_cycles)};
    uint32_t least = machine->tma.complete_cycles;
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++)
        least = writes[i] < least ? writes[i] : least;
    return least;
}

/* value * to / from, rounded. Nothing that takes time becomes free of it, and no rate becomes 0. */
static uint32_t scale(uint32_t value, uint64_t to, uint64_t from) {
    uint64_t scaled = (value * to + from / 2) / from;
    if (scaled == 0 && value > 0)
        return 1;
    return scaled > UINT32_MAX ? UINT32_MAX : (uint32_t)scaled;
}

struct tma_machine tma_machine_at_clock(const struct tma_machine *machine, uint32_t sm_clock_mhz) {
    struct tma_machine other = *machine;
    uint64_t to = sm_clock_mhz, from = machine->sm_clock_mhz;
    if (to < TMA_LEAST_SM_MHZ || to == from)
        return other;
    other.sm_clock_mhz = sm_clock_mhz;
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        if (!parameter->sm_cycles || parameter->clock == TMA_CLOCK_SM)
            continue;
        uint32_t *value = tma_machine_value(&other, parameter);
        *value = parameter->quantity == TMA_QUANTITY_RATE ? scale(*value, from, to)
                                                          : scale(*value, to, from);
    }
    return other;
}

enum { WARP_THREADS = 32, REGISTER_UNIT = 256, SHARED_UNIT = 128 };

static uint64_t round_to(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

static uint32_t at_most(uint32_t limit, uint64_t capacity, uint64_t each) {
    uint64_t fit = each > 0 ? capacity / each : limit;
    return fit < limit ? (uint32_t)fit : limit;
}

uint32_t tma_machine_ctas_per_sm(const struct tma_machine *machine, uint64_t threads,
                                 uint32_t registers, uint64_t shared_bytes) {
    uint64_t warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    uint64_t warp_registers = round_to((uint64_t)registers * WARP_THREADS, REGISTER_UNIT);
    uint32_t fit = machine->sm.ctas;
    fit = at_most(fit, machine->sm.threads, warps * WARP_THREADS);
    fit = at_most(fit, machine->sm.registers, warps * warp_registers);
    fit = at_most(fit, machine->shared_memory_bytes,
                  round_to(shared_bytes, SHARED_UNIT) + machine->sm.reserved_bytes);
    return threads > machine->sm.cta_threads || shared_bytes > machine->shared_memory_cta_bytes
               ? 0
               : fit;
}

uint64_t tma_machine_carve_out(const struct tma_machine *machine, uint64_t shared_bytes) {
    enum { KIB = 1024 };
    uint32_t i = 0;
    while (i + 1 < machine->l1.carve_out_count &&
           (uint64_t)machine->l1.carve_outs[i] * KIB < shared_bytes)
        i++;
    return (uint64_t)machine->l1.carve_outs[i] * KIB;
}
