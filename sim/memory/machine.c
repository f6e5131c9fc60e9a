#include "memory/machine.h"

uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine) {
    /* bits / 8, two edges of the memory clock, in 1000 cycles of the SM clock */
    return (uint64_t)machine->dram.bus_bits * 2 * machine->dram.clock_mhz * 1000 / 8 /
           machine->sm_clock_mhz;
}

uint64_t tma_machine_dram_cycles(const struct tma_machine *machine) {
    uint64_t picoseconds = (uint64_t)machine->dram.access_ps + machine->dram.trcd_ps;
    return picoseconds * machine->sm_clock_mhz / 1000000;
}
