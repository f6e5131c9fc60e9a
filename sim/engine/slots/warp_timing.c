#include "engine/slots/warp_timing.h"

#include "memory/core/address_map.h"

/* Counts the warps of other slots that share the scheduler of this slot's warp. */
static uint64_t other_slots_of_scheduler(uint32_t depth, uint32_t slot) {
    return (depth - 1 - slot % TMA_SCHEDULERS) / TMA_SCHEDULERS;
}

/* The scheduler that begins: scheduler 0, or by chance another one. */
static uint32_t first_scheduler(const struct tma_machine *machine, uint64_t number) {
    uint64_t random = tma_mix64(number + machine->topology.seed);
    if (random % 100 < machine->tma.first_scheduler_percent)
        return 0;
    return 1 + (uint32_t)(random / 100 % (TMA_SCHEDULERS - 1));
}

/* How many slots begin before this one. The SM's schedulers take turns. Which of them is first, and
 * in what order each takes its own warps, is random by the seed. As long as each scheduler has one
 * slot, it is the same for both SMs of a TPC. */
static uint32_t slots_before(const struct tma_machine *machine, uint32_t depth, uint32_t sm,
                             uint32_t slot) {
    uint32_t scheduler = slot % TMA_SCHEDULERS, seed = machine->topology.seed;
    if (seed == 0)
        return slot;
    uint64_t number = depth > TMA_SCHEDULERS ? sm : sm / TMA_TPC_SMS;
    uint32_t first = first_scheduler(machine, number);
    uint32_t own = (uint32_t)other_slots_of_scheduler(depth, slot) + 1;
    uint64_t shift = tma_random(seed, (number + 1) * TMA_SCHEDULERS + scheduler);
    uint32_t round = (slot / TMA_SCHEDULERS + (uint32_t)(shift % own)) % own;
    return round * TMA_SCHEDULERS + (scheduler + TMA_SCHEDULERS - first) % TMA_SCHEDULERS;
}

uint64_t tma_warp_first_pass_cycles(const struct tma_machine *machine,
                                    const struct tma_workload *workload, uint32_t sm,
                                    uint32_t slot) {
    if (tma_writes_tensor(workload->operations[0].operation.direction))
        return machine->tma.store_first_pass_cycles +
               other_slots_of_scheduler(workload->depth, slot) *
                   machine->tma.store_first_warp_cycles;
    return machine->tma.first_pass_cycles +
           (uint64_t)slots_before(machine, workload->depth, sm, slot) *
               machine->tma.wake_interval_cycles;
}

uint64_t tma_warp_turnaround_cycles(const struct tma_machine *machine, uint32_t depth, uint32_t sm,
                                    uint32_t slot, uint64_t cycle) {
    uint32_t seed = machine->topology.seed;
    uint64_t polls = other_slots_of_scheduler(depth, slot) * machine->tma.poll_millicycles;
    if (seed > 0 && polls > 0) {
        uint64_t longest = 2 * polls, round = (uint64_t)sm << 48 | cycle * 1000 / longest;
        polls = tma_random_share(tma_random(seed, round), longest);
    }
    return machine->tma.turnaround_cycles + polls / 1000;
}

uint64_t tma_warp_take_turn(const struct tma_machine *machine, struct tma_sm *sm, uint64_t cycle) {
    uint64_t apart = machine->tma.wake_interval_cycles;
    if (cycle < sm->woken_cycle + apart && sm->woken_cycle <= cycle + apart)
        cycle = sm->woken_cycle + apart;
    if (cycle > sm->woken_cycle)
        sm->woken_cycle = cycle;
    return cycle;
}
