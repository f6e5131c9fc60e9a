#include "engine/roles/kernel_costs.h"

/* On a machine where something costs nothing, it costs nothing in any code. */
static void apply_cost(uint32_t cost, uint32_t *cycles) {
    if (cost > 0 && *cycles > 0)
        *cycles = cost;
}

/* Puts the costs of the kernel's own code in the place of the machine's. */
static void apply_costs(const struct tma_kernel_costs *costs, struct tma_machine *machine) {
#define APPLY(name, compared, meaning)                                                             \
    apply_cost(costs->name##_cycles, &machine->warp.name##_cycles);
    TMA_KERNEL_COSTS(APPLY)
#undef APPLY
}

void tma_kernel_costs_of_triton(struct tma_kernel_costs *costs) {
#define FILL(name, compared, meaning)                                                              \
    costs->name##_cycles = costs->name##_cycles > 0 ? costs->name##_cycles : (compared);
    TMA_KERNEL_COSTS(FILL)
#undef FILL
}

bool tma_kernel_costs_compared(const struct tma_machine *machine,
                               const struct tma_kernel_costs *costs) {
    bool all = true;
#define IS_COMPARED(name, compared, meaning)                                                       \
    all = all && (costs->name##_cycles == 0 || costs->name##_cycles == (compared) ||               \
                  costs->name##_cycles == machine->warp.name##_cycles);
    TMA_KERNEL_COSTS(IS_COMPARED)
#undef IS_COMPARED
    return all;
}

struct tma_machine tma_kernel_machine(const struct tma_machine *machine,
                                      const struct tma_kernel *kernel) {
    struct tma_machine own = tma_machine_at_clock(machine, kernel->sm_clock_mhz);
    apply_costs(&kernel->costs, &own);
    return own;
}
