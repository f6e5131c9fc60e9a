/* The actors that stand for SMs and their pipeline slots. */
#include <simgrid/actor.h>

#include "engine/platform.h"
#include "engine/simulation.h"
#include "memory/core/address_map.h"

uint64_t tma_simulation_now(const struct simulation *simulation) {
    return tma_platform_cycle() - simulation->epoch;
}

static void sleep_until(const struct simulation *simulation, uint64_t cycle) {
    if (cycle > tma_simulation_now(simulation))
        sg_actor_sleep_until((double)(simulation->epoch + cycle));
}

/* Blocks on a semaphore: from now on, this actor needs somebody to wake it. */
static void block(struct simulation *simulation, sg_sem_t semaphore) {
    simulation->awake--;
    sg_sem_acquire(semaphore);
}

static void wake(struct simulation *simulation, sg_sem_t semaphore) {
    simulation->awake++;
    sg_sem_release(semaphore);
}

/* Issues the operations of the slot's next stage, which its mbarrier expects, at `cycle`: now, or
 * when its warp will be back. (Saying so ahead of time spares SimGrid a sleep.) */
static void issue_stage(struct slot *slot, uint64_t cycle) {
    struct simulation *simulation = slot->simulation;
    uint32_t operations = simulation->workload->operation_count;
    slot->pending = 0;
    slot->last = (struct tma_completion){0};
    slot->mbarrier.expected_bytes = slot->sm->expect_bytes;
    slot->mbarrier.arrived_bytes = 0;
    slot->arrivals_due = (uint32_t)__builtin_popcount(slot->sm->receivers);
    for (uint32_t i = 0; i < operations; i++) {
        slot->pending += tma_rank_receives(&simulation->workload->operations[i], slot->sm->rank);
        if (!tma_rank_issues(&simulation->workload->operations[i], slot->sm->rank))
            continue;
        slot->in_flight++;
        tma_keeper_take_issue(simulation, &(struct issue){
                                              .cycle = cycle,
                                              .slot = slot,
                                              .number = slot->iteration * operations + i,
                                          });
    }
}

/* Takes the SM's shared memory for the consumer's wavefronts, behind those of other slots. */
static void consume(struct slot *slot, uint32_t index) {
    struct simulation *simulation = slot->simulation;
    const struct tma_consumer_report *report = slot_report(slot, index);
    uint64_t passes = simulation->workload->consumers[index].repeat;
    uint64_t busy = passes * report->wavefronts * simulation->machine->shared.wavefront_cycles;
    uint64_t start = tma_simulation_now(simulation);
    uint64_t end = tma_port_serve(&slot->sm->shared, start, busy * TMA_TICKS);
    tma_memory_consume(simulation->memory, slot->sm->number, end - busy, end);
    sleep_until(simulation, end);
    tma_account_consumer(simulation, index, slot, end - start - busy, busy);
}

/* How many other slots' warps have the scheduler of this one's. */
static uint64_t scheduler_slots(const struct slot *slot) {
    uint32_t last_slot = slot->simulation->workload->depth - 1;
    return (last_slot - slot->index % TMA_SCHEDULERS) / TMA_SCHEDULERS;
}

/* From the mbarrier's phase until the slot's warp goes on. The warps of its scheduler's other slots
 * poll meanwhile: for how long is drawn. (So slots of a scheduler change places now and then.) */
static uint64_t turnaround_cycles(const struct slot *slot) {
    const struct tma_machine *machine = slot->simulation->machine;
    uint32_t draw = machine->topology.draw;
    if (slot->wrote)
        return machine->tma.store_turnaround_cycles;
    uint64_t polls = scheduler_slots(slot) * machine->tma.poll_millicycles;
    if (draw > 0) {
        uint64_t stage =
            (uint64_t)slot->sm->number << 40 | (uint64_t)slot->index << 32 | slot->iteration;
        polls = 2 * polls * (tma_random(draw, stage) >> 32) >> 32;
    }
    return machine->tma.turnaround_cycles + polls / 1000;
}

/* Warps of an SM that could go on at once do so one after the other, in the order in which they
 * found out. */
static uint64_t take_turn(struct sm *sm, uint64_t cycle) {
    uint64_t apart = sm->simulation->machine->tma.wake_interval_cycles;
    if (cycle < sm->woken_cycle + apart && sm->woken_cycle <= cycle + apart)
        cycle = sm->woken_cycle + apart;
    if (cycle > sm->woken_cycle)
        sm->woken_cycle = cycle;
    return cycle;
}

/* The stage's bytes are there: gives the cycle at which the slot's warp goes on. */
static uint64_t see_stage(struct slot *slot) {
    struct simulation *simulation = slot->simulation;
    uint64_t cycle = tma_simulation_now(simulation),
             seen = tma_keeper_seen(simulation, &slot->last);
    if (seen > cycle) /* told ahead of time */
        cycle = seen;
    tma_account_stage(simulation, slot);
    bool more = slot->iteration + simulation->workload->depth < simulation->workload->iterations;
    if (more || simulation->workload->consumer_count > 0) {
        uint64_t woken = cycle + turnaround_cycles(slot);
        if (!slot->wrote)
            woken = take_turn(slot->sm, woken);
        simulation->result->cause_cycles[TMA_CAUSE_WAKE] += woken - slot->last.cycle;
        cycle = woken;
    }
    slot->free_cycle = cycle;
    return cycle;
}

void tma_slot_go_on(struct slot *slot) {
    uint64_t cycle = see_stage(slot);
    slot->iteration += slot->simulation->workload->depth;
    issue_stage(slot, cycle);
}

/* Waits until the stage's bytes are there, and does with them what the workload says; gives the
 * cycle at which the slot's warp can issue again. */
static uint64_t finish_stage(struct slot *slot) {
    struct simulation *simulation = slot->simulation;
    uint32_t consumers = simulation->workload->consumer_count;
    slot->mbarrier.awaited = true;
    block(simulation, slot->mbarrier.completed);
    slot->mbarrier.awaited = false;
    if (simulation->code != TMA_OK)
        return tma_simulation_now(simulation);
    uint64_t cycle = see_stage(slot);
    bool more = slot->iteration + simulation->workload->depth < simulation->workload->iterations;
    if (consumers == 0 && tma_cluster_ctas(simulation->workload) == 1)
        return cycle;
    sleep_until(simulation, cycle);
    for (uint32_t i = 0; i < consumers; i++)
        consume(slot, i);
    slot->free_cycle = tma_simulation_now(simulation);
    if (more)
        tma_cluster_release(slot);
    return slot->free_cycle;
}

/* Waits until the CTAs that the slot's CTA loads for are done with what the slot brought last;
 * gives the cycle from which it may issue. */
static uint64_t wait_for_cluster(struct slot *slot, uint64_t cycle) {
    if (slot->sm->receivers == 0)
        return cycle;
    block(slot->simulation, slot->arrived);
    sleep_until(slot->simulation, slot->arrived_cycle);
    return tma_simulation_now(slot->simulation);
}

/* How many slots begin before this one. The SM's warp schedulers take turns; which of them is
 * first, and in what order each takes its own warps, is drawn. As long as each has but one slot, it
 * is the same for both SMs of a TPC. */
static uint32_t slots_before(const struct slot *slot) {
    uint32_t depth = slot->simulation->workload->depth, sm = slot->sm->number;
    uint32_t scheduler = slot->index % TMA_SCHEDULERS,
             draw = slot->simulation->machine->topology.draw;
    if (draw == 0)
        return slot->index;
    uint64_t number = depth > TMA_SCHEDULERS ? sm : sm / TMA_TPC_SMS;
    uint32_t first = (uint32_t)(tma_mix64(number + draw) % TMA_SCHEDULERS);
    uint32_t own = (uint32_t)scheduler_slots(slot) + 1;
    uint64_t turned = tma_random(draw, (number + 1) * TMA_SCHEDULERS + scheduler);
    uint32_t turn = (slot->index / TMA_SCHEDULERS + (uint32_t)(turned % own)) % own;
    return turn * TMA_SCHEDULERS + (scheduler + TMA_SCHEDULERS - first) % TMA_SCHEDULERS;
}

/* How late a slot's first operation comes. (A CTA of one slot is not seen to wait for it.) */
static uint64_t first_pass_cycles(const struct slot *slot) {
    const struct tma_machine *machine = slot->simulation->machine;
    const struct tma_workload *workload = slot->simulation->workload;
    if (workload->depth == 1)
        return 0;
    if (tma_writes_tensor(workload->operations[0].operation.direction))
        return machine->tma.store_first_pass_cycles;
    return machine->tma.first_pass_cycles +
           (uint64_t)slots_before(slot) * machine->tma.wake_interval_cycles;
}

static void run_cta(struct slot *slot) {
    const struct tma_workload *workload = slot->simulation->workload;
    uint64_t cycle = tma_simulation_now(slot->simulation) + first_pass_cycles(slot);
    slot->free_cycle = cycle;
    for (slot->iteration = slot->index; slot->iteration < workload->iterations;
         slot->iteration += workload->depth) {
        if (slot->iteration >= workload->depth)
            cycle = wait_for_cluster(slot, cycle);
        issue_stage(slot, cycle);
        if (slot->pending > 0) /* else all is for others */
            cycle = finish_stage(slot);
        if (slot->simulation->code != TMA_OK)
            return;
    }
}

/* The CTA's last slot is through. */
static void end_cta(struct sm *sm) {
    struct simulation *simulation = sm->simulation;
    struct sm *first = sm - sm->rank;
    uint64_t cycles = sm->cta_end - sm->cta_start;
    simulation->cta_cycles[simulation->ended_ctas++] = cycles;
    if (sm->cta_end > simulation->last_cycle)
        simulation->last_cycle = sm->cta_end;
    tma_simulation_event(simulation, sm->cta_end, &sm->slots[0], TMA_EVENT_CTA_END, cycles, 0, 0,
                         0);
    if (--first->ctas_left == 0)
        wake(simulation, first->done);
}

void tma_slot_actor(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct slot *slot = sg_actor_self_get_data();
    struct simulation *simulation = slot->simulation;
    for (;;) {
        block(simulation, slot->start);
        if (slot->sm->slots_left > 0 && simulation->code == TMA_OK)
            run_cta(slot);
        else
            break;
        if (simulation->code != TMA_OK)
            break;
        if (--slot->sm->slots_left == 0)
            end_cta(slot->sm);
    }
    simulation->awake--;
}

/* SMs that get free in the same cycle take their next CTAs in order of their numbers, not in the
 * one in which SimGrid wakes them. A slot that gets free wakes its SM in SimGrid's next round at
 * this cycle; the slot itself may have been woken by the keeper in the round before. So, two rounds
 * after the first SM of a cycle all of them are here. */
static void wait_for_turn(struct sm *sm) {
    struct simulation *simulation = sm->simulation;
    enum { ROUNDS = 2 };
    sm->wants_cta = true;
    for (int round = 0; round < ROUNDS; round++)
        sg_actor_yield();
    for (struct sm *other = simulation->sms; other < sm; other++)
        while (other->wants_cta)
            sg_actor_yield();
    sm->wants_cta = false;
}

static void start_cta(struct sm *sm) {
    struct simulation *simulation = sm->simulation;
    uint32_t slots = simulation->workload->depth;
    if (slots > simulation->workload->iterations)
        slots = simulation->workload->iterations;
    sm->cta_start = sm->cta_end = tma_simulation_now(simulation);
    sm->slots_left = slots;
    tma_simulation_event(simulation, sm->cta_start, &sm->slots[0], TMA_EVENT_CTA_START, 0, 0, 0, 0);
    for (uint32_t i = 0; i < slots; i++)
        wake(simulation, sm->slots[i].start);
}

/* Waking a slot lets other actors run: all CTAs have their numbers before. */
static void start_cluster(struct sm *first, uint32_t ctas) {
    first->ctas_left = ctas;
    for (uint32_t rank = 0; rank < ctas; rank++)
        first[rank].cta = first->simulation->next_cta++;
    sleep_until(first->simulation, first->launch_cycle);
    for (uint32_t rank = 0; rank < ctas; rank++)
        start_cta(&first[rank]);
}

void tma_sm_actor(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct sm *sm = sg_actor_self_get_data();
    struct simulation *simulation = sm->simulation;
    uint32_t ctas = tma_cluster_ctas(simulation->workload);
    wait_for_turn(sm);
    while (simulation->next_cta < simulation->workload->cta_count && simulation->code == TMA_OK) {
        start_cluster(sm, ctas);
        block(simulation, sm->done);
        wait_for_turn(sm);
    }
    simulation->running_sms--;
    simulation->awake--;
    for (uint32_t rank = 0; rank < ctas; rank++)
        for (uint32_t i = 0; i < simulation->workload->depth; i++)
            wake(simulation, sm[rank].slots[i].start); /* with no work left: it ends */
}
