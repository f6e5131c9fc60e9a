#include "engine/kernel_costs.h"

/* On a machine where something costs nothing, it costs nothing in any code. */
static void apply_cost(uint32_t cost, uint32_t *cycles) {
    if (cost > 0 && *cycles > 0)
        *cycles = cost;
}

/* Puts the costs of the kernel's own code in the place of the machine's. */
static void apply_costs(const struct tma_kernel_costs *costs, struct tma_machine *machine) {
    apply_cost(costs->wait_cycles, &machine->warp.wait_cycles);
    apply_cost(costs->wake_cycles, &machine->warp.wake_cycles);
    apply_cost(costs->arrive_cycles, &machine->warp.arrive_cycles);
    apply_cost(costs->expect_cycles, &machine->warp.expect_cycles);
    apply_cost(costs->issue_cycles, &machine->warp.issue_cycles);
    apply_cost(costs->commit_cycles, &machine->warp.commit_cycles);
    apply_cost(costs->wait_group_cycles, &machine->warp.wait_group_cycles);
    apply_cost(costs->barrier_cycles, &machine->warp.barrier_cycles);
    apply_cost(costs->mma_issue_cycles, &machine->warp.mma_issue_cycles);
    apply_cost(costs->mma_wait_cycles, &machine->warp.mma_wait_cycles);
}

struct tma_machine tma_kernel_machine(const struct tma_machine *machine,
                                      const struct tma_kernel *kernel) {
    struct tma_machine own = tma_machine_at_clock(machine, kernel->sm_clock_mhz);
    apply_costs(&kernel->costs, &own);
    return own;
}
