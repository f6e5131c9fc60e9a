#include "engine/slot.h"

#include "engine/cluster.h"
#include "engine/warp_timing.h"

bool tma_slots_are_independent(const struct tma_workload *workload) {
    return workload->consumer_count == 0 && tma_cluster_ctas(workload) == 1;
}

static const struct tma_workload *workload_of(const struct tma_slot *slot) {
    return slot->cta->simulation->workload;
}

/* The iteration whose stage the slot fills next. */
static uint32_t next_iteration(const struct tma_slot *slot) {
    const struct tma_iteration_cut *cut = &slot->cta->cut;
    uint32_t next = slot->iteration + workload_of(slot)->depth;
    return slot->iteration <= cut->after && next > cut->after ? next + cut->by : next;
}

/* The slot has another stage to fill. */
static bool has_more(const struct tma_slot *slot) {
    return next_iteration(slot) < workload_of(slot)->iterations;
}

/* Makes the mbarrier expect the next stage. From now on other CTAs of the cluster may load for it.
 */
static void expect_stage(struct tma_slot *slot) {
    tma_mbarrier_expect(&slot->mbarrier, slot->cta->expect_operations, slot->cta->expect_bytes);
}

/* Enters TMA_SLOT_LOADING: issues the operations of the expected stage at `cycle`, which is now or
 * when the slot's warp will be back. From now on other CTAs may be done with the stage. */
static void fill_stage(struct tma_slot *slot, uint64_t cycle) {
    const struct tma_workload *workload = workload_of(slot);
    const struct tma_cta *cta = slot->cta;
    struct tma_queued_issue issue = {.cycle = cycle, .sm = cta->sm->number, .slot = slot->number};
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        if (!tma_rank_issues(&workload->operations[i], cta->rank))
            continue;
        slot->in_flight++;
        issue.number = slot->iteration * workload->operation_count + i;
        if (!tma_issue_queue_push(&cta->simulation->issues, &issue))
            tma_simulation_out_of_memory(cta->simulation);
    }
    slot->issued_cycle = cycle;
    tma_empty_barrier_expect(&slot->empty, (uint32_t)__builtin_popcount(cta->receivers));
    slot->state = TMA_SLOT_LOADING;
}

/* Enters TMA_SLOT_IDLE, and tells the CTA. */
static void end(struct tma_slot *slot) {
    slot->state = TMA_SLOT_IDLE;
    tma_cta_end_slot(slot->cta);
}

/* A CTA that every operation leaves out has nothing to wait for. */
void tma_slot_start(struct tma_slot *slot) {
    const struct tma_cta *cta = slot->cta;
    slot->iteration = slot->index;
    slot->free_cycle =
        cta->start_cycle + tma_warp_first_pass_cycles(cta->simulation->machine, workload_of(slot),
                                                      cta->sm->number, slot->index);
    expect_stage(slot);
    fill_stage(slot, slot->free_cycle);
    if (cta->expect_operations == 0)
        end(slot);
}

/* What the kernel's own instructions make of the machine's turnaround. */
static uint64_t turnaround_of_code(const struct tma_slot *slot, uint64_t turnaround_cycles) {
    const struct tma_loop_code *code = &workload_of(slot)->loop_code;
    int64_t cycles = (int64_t)turnaround_cycles + code->more_cycles;
    if (slot->cta->number == 0)
        cycles += code->cta0_cycles;
    return cycles > 0 ? (uint64_t)cycles : 0;
}

/* The cycle at which the slot's warp continues if it sees at `cycle` that its stage is complete. */
static uint64_t wake_warp(const struct tma_slot *slot, uint64_t cycle) {
    const struct tma_machine *machine = slot->cta->simulation->machine;
    const struct tma_workload *workload = workload_of(slot);
    struct tma_sm *sm = slot->cta->sm;
    uint32_t operation = (uint32_t)slot->last.tag % workload->operation_count;
    if (tma_writes_tensor(workload->operations[operation].operation.direction))
        return cycle + turnaround_of_code(slot, machine->tma.store_turnaround_cycles);
    uint64_t turnaround =
        tma_warp_turnaround_cycles(machine, workload->depth, sm->number, slot->index, cycle);
    return tma_warp_take_turn(machine, sm, cycle + turnaround_of_code(slot, turnaround));
}

/* The slot's warp sees at `cycle` that its stage is complete. If the warp only has to issue the
 * next stage, this function issues it, at the cycle at which the warp continues. */
static struct tma_wait receive_stage(struct tma_slot *slot, uint64_t cycle) {
    const struct tma_workload *workload = workload_of(slot);
    struct tma_simulation *simulation = slot->cta->simulation;
    bool more = has_more(slot);
    uint64_t causes[TMA_CAUSE_COUNT];
    /* Loads of other CTAs can land before the warp looks for the first time, which the CTA has to
     * stay for. */
    if (cycle < slot->free_cycle) {
        cycle = slot->free_cycle;
        tma_cta_extend(slot->cta, cycle);
    }
    tma_find_stage_causes(simulation->machine, &slot->last, slot->free_cycle, causes);
    if (more || workload->consumer_count > 0) {
        cycle = wake_warp(slot, cycle);
        uint64_t seen = slot->last.cycle > slot->free_cycle ? slot->last.cycle : slot->free_cycle;
        causes[TMA_CAUSE_WAKE] = cycle - seen;
    }
    tma_account_stage(&simulation->accounting, causes);
    tma_observe_slot(&simulation->observer, tma_cta_event_source(slot->cta, slot->index),
                     slot->free_cycle, causes);
    slot->free_cycle = cycle;
    if (workload->consumer_count == 0)
        tma_observe_full_stage(&simulation->observer, slot->last.cycle, cycle);
    if (more && tma_slots_are_independent(workload)) {
        slot->iteration = next_iteration(slot);
        expect_stage(slot);
        fill_stage(slot, cycle);
        return tma_wait_signal();
    }
    slot->resume_cycle = cycle;
    slot->consumer = 0;
    slot->state = TMA_SLOT_WAKING;
    return tma_wait_cycle(cycle);
}

struct tma_wait tma_slot_complete(struct tma_slot *slot, const struct tma_completion *completion,
                                  uint64_t cycle) {
    struct tma_cta *cta = slot->cta;
    struct tma_mbarrier *mbarrier = &slot->mbarrier;
    slot->last = *completion;
    if (!completion->copied && --slot->in_flight == 0)
        tma_cluster_landed(slot, completion->cycle);
    tma_cta_extend(cta, completion->cycle);
    if (!tma_mbarrier_complete(mbarrier, completion->bytes))
        return tma_wait_signal();
    tma_trace_phase(&cta->simulation->tracer, completion->cycle,
                    tma_cta_event_source(cta, slot->index), mbarrier->phase - 1,
                    mbarrier->arrived_bytes);
    return receive_stage(slot, cycle);
}

/* Enters TMA_SLOT_CONSUMING: the next consumer gets shared memory behind those of other slots. */
static void start_consumer(struct tma_slot *slot, uint64_t now) {
    struct tma_simulation *simulation = slot->cta->simulation;
    struct tma_sm *sm = slot->cta->sm;
    uint64_t passes = workload_of(slot)->consumers[slot->consumer].repeat;
    uint64_t wavefronts =
        passes * tma_consumer_report_of(simulation, slot->index, slot->consumer)->wavefronts;
    uint64_t busy = wavefronts * simulation->machine->shared.wavefront_cycles;
    uint64_t end_cycle = tma_memory_access_shared(simulation->memory, sm->number, now, wavefronts);
    slot->waited_cycles = end_cycle - now - busy;
    slot->busy_cycles = busy;
    slot->resume_cycle = end_cycle;
    slot->state = TMA_SLOT_CONSUMING;
}

/* Whether another slot of the CTA may want shared memory at `now`, too: it goes on now, or its
 * stage may still be complete in this cycle and its warp go on at once. */
static bool may_have_rival(const struct tma_slot *slot, uint64_t now) {
    const struct tma_cta *cta = slot->cta;
    bool at_once = cta->simulation->machine->tma.turnaround_cycles == 0;
    for (uint32_t i = 0; i < workload_of(slot)->depth; i++) {
        const struct tma_slot *other = &cta->slots[i];
        bool goes_on = other->state == TMA_SLOT_WAKING || other->state == TMA_SLOT_ASKING ||
                       other->state == TMA_SLOT_CONSUMING;
        if (other != slot &&
            (goes_on ? other->resume_cycle == now : at_once && other->state == TMA_SLOT_LOADING))
            return true;
    }
    return false;
}

/* At the end of cycle `now`: gives shared memory to the slots of the CTA that want it. A slot that
 * has just had it is first: a tile that arrives now does not hold up the next consumer of another
 * one. Otherwise slots go in the order of their numbers. */
static void serve_consumers(const struct tma_cta *cta, uint32_t depth, uint64_t now) {
    for (int first_consumer = 0; first_consumer <= 1; first_consumer++)
        for (uint32_t i = 0; i < depth; i++) {
            struct tma_slot *slot = &cta->slots[i];
            if (slot->state == TMA_SLOT_ASKING && (slot->consumer == 0) == first_consumer)
                start_consumer(slot, now);
        }
}

static void end_consumer(struct tma_slot *slot, uint64_t now) {
    struct tma_simulation *simulation = slot->cta->simulation;
    uint32_t consumer = slot->consumer++;
    const struct tma_consumer_report *report =
        tma_consumer_report_of(simulation, slot->index, consumer);
    tma_account_consumer(&simulation->accounting, consumer, report, slot->waited_cycles,
                         slot->busy_cycles);
    const uint64_t causes[TMA_CAUSE_COUNT] = {
        [TMA_CAUSE_CONSUME_QUEUE] = slot->waited_cycles, [TMA_CAUSE_CONSUME] = slot->busy_cycles};
    tma_observe_slot(&simulation->observer, tma_cta_event_source(slot->cta, slot->index),
                     now - slot->busy_cycles - slot->waited_cycles, causes);
    tma_cta_extend(slot->cta, now);
    tma_trace_consumer(&simulation->tracer, now, tma_cta_event_source(slot->cta, slot->index),
                       consumer, workload_of(slot)->consumers[consumer].repeat, report);
}

/* The slot is done with its tile: it ends, fills its next stage, or enters TMA_SLOT_RELEASED. */
static void release_tile(struct tma_slot *slot, uint64_t now) {
    if (workload_of(slot)->consumer_count > 0)
        tma_observe_full_stage(&slot->cta->simulation->observer, slot->last.cycle, now);
    slot->free_cycle = now;
    if (!has_more(slot)) {
        end(slot);
        return;
    }
    slot->iteration = next_iteration(slot);
    expect_stage(slot);
    tma_cluster_release(slot, now);
    if (slot->cta->receivers == 0)
        fill_stage(slot, now);
    else
        slot->state = TMA_SLOT_RELEASED;
}

struct tma_wait tma_slot_step(struct tma_slot *slot, uint64_t now) {
    while (!tma_simulation_is_over(slot->cta->simulation)) {
        switch (slot->state) {
        case TMA_SLOT_IDLE:
        case TMA_SLOT_LOADING:
            return tma_wait_signal();
        case TMA_SLOT_WAKING:
        case TMA_SLOT_CONSUMING:
            if (now < slot->resume_cycle)
                return tma_wait_cycle(slot->resume_cycle);
            if (slot->state == TMA_SLOT_CONSUMING)
                end_consumer(slot, now);
            if (slot->consumer == workload_of(slot)->consumer_count) {
                release_tile(slot, now);
            } else if (may_have_rival(slot, now)) {
                slot->resume_cycle = now;
                slot->state = TMA_SLOT_ASKING;
                return tma_wait_cycle_end(now);
            } else {
                start_consumer(slot, now);
            }
            break;
        case TMA_SLOT_ASKING:
            serve_consumers(slot->cta, workload_of(slot)->depth, now);
            break;
        case TMA_SLOT_RELEASED:
            if (slot->empty.missing_arrivals > 0)
                return tma_wait_signal();
            if (now < slot->empty.last_cycle)
                return tma_wait_cycle(slot->empty.last_cycle);
            fill_stage(slot, now);
            break;
        }
    }
    return tma_wait_nothing();
}
