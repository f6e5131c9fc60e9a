#include "memory/machine.h"

#include <stddef.h>

uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine) {
    /* bits / 8, two edges of the memory clock, in 1000 cycles of the SM clock */
    return (uint64_t)machine->dram.bus_bits * 2 * machine->dram.clock_mhz * 1000 / 8 /
           machine->sm_clock_mhz;
}

uint64_t tma_machine_dram_cycles(const struct tma_machine *machine) {
    uint64_t picoseconds = (uint64_t)machine->dram.access_ps + machine->dram.trcd_ps;
    return picoseconds * machine->sm_clock_mhz / 1000000;
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

/* A duration in cycles of the SM clock, at another SM clock; rounded. */
static uint32_t scale(uint32_t cycles, uint64_t to, uint64_t from) {
    return (uint32_t)((cycles * to + from / 2) / from);
}

struct tma_machine tma_machine_at_clock(const struct tma_machine *machine, uint32_t sm_clock_mhz) {
    struct tma_machine other = *machine;
    uint64_t to = sm_clock_mhz, from = machine->sm_clock_mhz;
    if (to == 0 || to == from)
        return other;
    other.sm_clock_mhz = sm_clock_mhz; /* DRAM's durations are picoseconds */
    uint32_t *const durations[] = {
        &other.l2.lookup_cycles,
        &other.l2.request_millicycles,
        &other.l2.sector_millicycles,
        &other.l2.fill_sector_millicycles,
        &other.l2.fill_millicycles,
        &other.l2.write_flit_millicycles,
        &other.l2.write_request_millicycles,
        &other.l2.invalidate_millicycles,
        &other.l2.write_sector_millicycles,
        &other.l2.reduce_sector_millicycles,
    };
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        *durations[i] = scale(*durations[i], to, from);
    /* The crossbar has the clock of L2: the port of a GPC, and its links, move as much in a second.
     */
    other.crossbar.gpc_port_bytes_per_kcycle =
        scale(other.crossbar.gpc_port_bytes_per_kcycle, from, to);
    other.crossbar.link_bytes_per_kcycle = scale(other.crossbar.link_bytes_per_kcycle, from, to);
    return other;
}
