#include "engine/slots/slot.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/expected_bytes.h"
#include "engine/slots/cluster.h"
#include "engine/slots/warp_timing.h"

static const struct tma_workload *workload_of(const struct tma_slot *slot) {
    return slot->cta->program->workload;
}

static struct tma_simulation *simulation_of(const struct tma_slot *slot) {
    return slot->cta->base.simulation;
}

static struct tma_event_source source_of(const struct tma_slot *slot) {
    return tma_cta_event_source(&slot->cta->base, slot->index);
}

bool tma_slots_create(struct tma_slot_program *program) {
    struct tma_simulation *simulation = &program->simulation;
    const struct tma_workload *workload = program->workload;
    uint32_t sms[TMA_MAX_SMS], depth = workload->depth;
    uint32_t count = tma_workload_place(simulation->machine, workload, sms);
    program->slots = tma_allocate((size_t)count * depth, sizeof *program->slots);
    if (program->slots == NULL ||
        !tma_places_create(simulation, sms, count, tma_cluster_ctas(workload), depth, depth))
        return false;
    for (uint32_t i = 0; i < count * depth; i++)
        program->slots[i] = (struct tma_slot){
            .cta = tma_slot_cta_at(simulation, i / depth), .index = i % depth, .number = i};
    for (uint32_t i = 0; i < count; i++) {
        struct tma_slot_cta *cta = tma_slot_cta_at(simulation, i);
        cta->program = program;
        cta->slots = &program->slots[(size_t)i * depth];
        tma_cluster_join(cta);
    }
    return true;
}

/* The iteration whose stage the slot fills next. */
static uint32_t next_iteration(const struct tma_slot *slot) {
    const struct tma_loop_gap *gap = &slot->cta->base.cluster->gap;
    uint32_t next = slot->iteration + workload_of(slot)->depth;
    return slot->iteration <= gap->after && next > gap->after ? next + (uint32_t)gap->by : next;
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

/* Issues operation `index` of the slot's stage at `cycle`. */
static void issue(struct tma_slot *slot, uint32_t index, uint64_t cycle) {
    const struct tma_workload *workload = workload_of(slot);
    const struct tma_stage_operation *stage = &workload->operations[index];
    struct tma_cta *cta = &slot->cta->base;
    struct tma_issued *issued = tma_operation_new(cta, slot->number);
    if (issued == NULL)
        return;
    issued->operation = stage->operation;
    tma_walk_coordinates(stage, workload, cta->number, slot->iteration,
                         issued->operation.coordinates);
    issued->operation.shared_address +=
        workload->shared_base_bytes + slot->index * workload->stage_bytes;
    issued->map = stage->map;
    issued->map_index = tma_walk_map_index(stage, workload, cta->number, slot->iteration);
    issued->number = issued->order = slot->iteration * workload->operation_count + index;
    issued->slot = issued->warp = slot->index;
    tma_operation_issue(cta, issued, cycle);
}

/* Enters TMA_SLOT_LOADING: issues the operations of the expected stage at `cycle`, which is now or
 * when the slot's warp will be back. From now on other CTAs may be done with the stage. */
static void fill_stage(struct tma_slot *slot, uint64_t cycle) {
    const struct tma_workload *workload = workload_of(slot);
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        if (!tma_rank_issues(&workload->operations[i], slot->cta->base.rank))
            continue;
        slot->in_flight++;
        issue(slot, i, cycle);
    }
    slot->issued_cycle = cycle;
    tma_empty_barrier_expect(&slot->empty, (uint32_t)__builtin_popcount(slot->cta->receivers));
    slot->state = TMA_SLOT_LOADING;
}

/* Enters TMA_SLOT_IDLE, and tells the CTA. */
static void end(struct tma_slot *slot) {
    slot->state = TMA_SLOT_IDLE;
    tma_cta_end_actor(&slot->cta->base);
}

/* A CTA that every operation leaves out has nothing to wait for. */
static void start_slot(struct tma_slot *slot) {
    const struct tma_cta *cta = &slot->cta->base;
    slot->iteration = slot->index;
    slot->free_cycle =
        cta->start_cycle + tma_warp_first_pass_cycles(cta->simulation->machine, workload_of(slot),
                                                      cta->sm->number, slot->index);
    expect_stage(slot);
    fill_stage(slot, slot->free_cycle);
    if (slot->cta->expect_operations == 0)
        end(slot);
}

static void start(struct tma_cta *base) {
    struct tma_slot_cta *cta = (struct tma_slot_cta *)base;
    const struct tma_workload *workload = cta->program->workload;
    base->running_actors =
        workload->depth < workload->iterations ? workload->depth : workload->iterations;
    for (uint32_t s = 0, count = base->running_actors; s < count; s++)
        start_slot(&cta->slots[s]);
}

/* What the kernel's own instructions make of the machine's turnaround. */
static uint64_t turnaround_of_code(const struct tma_slot *slot, uint64_t turnaround_cycles) {
    const struct tma_loop_code *code = &workload_of(slot)->loop_code;
    int64_t cycles = (int64_t)turnaround_cycles + code->more_cycles;
    if (slot->cta->base.number == 0)
        cycles += code->cta0_cycles;
    return cycles > 0 ? (uint64_t)cycles : 0;
}

/* The cycle at which the slot's warp continues if it sees at `cycle` that its stage is complete. */
static uint64_t wake_warp(const struct tma_slot *slot, uint64_t cycle) {
    const struct tma_machine *machine = simulation_of(slot)->machine;
    const struct tma_workload *workload = workload_of(slot);
    struct tma_sm *sm = slot->cta->base.sm;
    if (tma_writes_tensor(slot->last_direction))
        return cycle + turnaround_of_code(slot, machine->tma.store_turnaround_cycles);
    uint64_t turnaround =
        tma_warp_turnaround_cycles(machine, workload->depth, sm->number, slot->index, cycle);
    return tma_warp_take_turn(machine, sm, cycle + turnaround_of_code(slot, turnaround));
}

/* The slot's warp sees at `cycle` that its stage is complete. If the warp only has to issue the
 * next stage, this function issues it, at the cycle at which the warp continues. */
static struct tma_wait receive_stage(struct tma_slot *slot, uint64_t cycle) {
    const struct tma_workload *workload = workload_of(slot);
    struct tma_simulation *simulation = simulation_of(slot);
    bool more = has_more(slot);
    uint64_t causes[TMA_CAUSE_COUNT];
    /* Loads of other CTAs can land before the warp looks for the first time, which the CTA has to
     * stay for. */
    if (cycle < slot->free_cycle) {
        cycle = slot->free_cycle;
        tma_cta_extend(&slot->cta->base, cycle);
    }
    tma_find_stage_causes(simulation->machine, &slot->last, slot->free_cycle, causes);
    if (more || workload->consumer_count > 0) {
        cycle = wake_warp(slot, cycle);
        uint64_t seen = slot->last.cycle > slot->free_cycle ? slot->last.cycle : slot->free_cycle;
        causes[TMA_CAUSE_WAKE] = cycle - seen;
    }
    tma_account_stage(&simulation->accounting, causes);
    tma_observe_slot(&simulation->observer, source_of(slot), slot->free_cycle, causes);
    slot->free_cycle = cycle;
    if (workload->consumer_count == 0)
        tma_observe_full_stage(&simulation->observer, slot->last.cycle, cycle);
    if (more && simulation->completes_ahead) {
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

struct tma_wait tma_slot_complete(struct tma_slot *slot, enum tma_direction direction,
                                  const struct tma_completion *completion, uint64_t cycle) {
    struct tma_mbarrier *mbarrier = &slot->mbarrier;
    slot->last = *completion;
    slot->last_direction = direction;
    if (!completion->copied && --slot->in_flight == 0)
        tma_cluster_landed(slot, completion->cycle);
    tma_cta_extend(&slot->cta->base, completion->cycle);
    if (!tma_mbarrier_complete(mbarrier, completion->bytes))
        return tma_wait_signal();
    tma_trace_phase(&simulation_of(slot)->tracer, completion->cycle, source_of(slot),
                    mbarrier->phase - 1, mbarrier->arrived_bytes);
    return receive_stage(slot, cycle);
}

/* An operation of a stage has completed: on the mbarrier of the slot that issued it, or, if it is a
 * multicast copy, on that of the same slot of another CTA. Wakes the slot's actor if the slot is to
 * do something by itself. */
static void complete(struct tma_simulation *simulation, struct tma_issued *operation,
                     struct tma_cta *cta, const struct tma_completion *completion, uint64_t cycle) {
    struct tma_slot *slot = &((struct tma_slot_cta *)cta)->slots[operation->slot];
    struct tma_wait wait =
        tma_slot_complete(slot, operation->operation.direction, completion, cycle);
    if (wait.kind != TMA_WAIT_SIGNAL)
        tma_actor_signal(&simulation->actors, slot->number);
}

/* Enters TMA_SLOT_CONSUMING: the next consumer gets shared memory behind those of other slots. */
static void start_consumer(struct tma_slot *slot, uint64_t now) {
    struct tma_simulation *simulation = simulation_of(slot);
    struct tma_sm *sm = slot->cta->base.sm;
    uint64_t passes = workload_of(slot)->consumers[slot->consumer].repeat;
    uint64_t wavefronts =
        passes *
        tma_consumer_report_of(slot->cta->program, slot->index, slot->consumer)->wavefronts;
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
    const struct tma_slot_cta *cta = slot->cta;
    bool at_once = simulation_of(slot)->machine->tma.turnaround_cycles == 0;
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
static void serve_consumers(const struct tma_slot_cta *cta, uint32_t depth, uint64_t now) {
    for (int first_consumer = 0; first_consumer <= 1; first_consumer++)
        for (uint32_t i = 0; i < depth; i++) {
            struct tma_slot *slot = &cta->slots[i];
            if (slot->state == TMA_SLOT_ASKING && (slot->consumer == 0) == first_consumer)
                start_consumer(slot, now);
        }
}

static void end_consumer(struct tma_slot *slot, uint64_t now) {
    struct tma_simulation *simulation = simulation_of(slot);
    uint32_t consumer = slot->consumer++;
    const struct tma_consumer_report *report =
        tma_consumer_report_of(slot->cta->program, slot->index, consumer);
    tma_account_consumer(&simulation->accounting, consumer, report,
                         workload_of(slot)->consumers[consumer].repeat, slot->waited_cycles,
                         slot->busy_cycles);
    const uint64_t causes[TMA_CAUSE_COUNT] = {
        [TMA_CAUSE_CONSUME_QUEUE] = slot->waited_cycles, [TMA_CAUSE_CONSUME] = slot->busy_cycles};
    tma_observe_slot(&simulation->observer, source_of(slot),
                     now - slot->busy_cycles - slot->waited_cycles, causes);
    tma_cta_extend(&slot->cta->base, now);
    tma_trace_consumer(&simulation->tracer, now, source_of(slot), consumer,
                       workload_of(slot)->consumers[consumer].repeat, report);
}

/* The slot is done with its tile: it ends, fills its next stage, or enters TMA_SLOT_RELEASED. */
static void release_tile(struct tma_slot *slot, uint64_t now) {
    if (workload_of(slot)->consumer_count > 0)
        tma_observe_full_stage(&simulation_of(slot)->observer, slot->last.cycle, now);
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
    while (!tma_simulation_is_over(simulation_of(slot))) {
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

static struct tma_slot *slot_of(const struct tma_simulation *simulation, uint32_t actor) {
    return &tma_slot_program_of(simulation)->slots[actor];
}

static struct tma_wait step(struct tma_simulation *simulation, uint32_t actor, uint64_t now) {
    return tma_slot_step(slot_of(simulation, actor), now);
}

static void name(const struct tma_simulation *simulation, uint32_t actor,
                 char text[TMA_ACTOR_NAME_BYTES]) {
    const struct tma_slot *slot = slot_of(simulation, actor);
    snprintf(text, TMA_ACTOR_NAME_BYTES, "sm%u.slot%u", slot->cta->base.sm->number, slot->index);
}

static void describe(struct tma_simulation *simulation, const struct tma_issued *operation,
                     char *text, size_t size) {
    snprintf(text, size, "SM %u, CTA %u",
             slot_of(simulation, operation->actor)->cta->base.sm->number, operation->cta);
}

static bool describe_wait(struct tma_simulation *simulation, uint32_t actor, char *text,
                          size_t size) {
    const struct tma_slot *slot = slot_of(simulation, actor);
    const struct tma_mbarrier *mbarrier = &slot->mbarrier;
    if (slot->state != TMA_SLOT_LOADING)
        return false;
    snprintf(text, size,
             "SM %u CTA %u slot %u waits for phase %" PRIu64 " of its mbarrier: %" PRIu64
             " bytes expected, %" PRIu64 " arrived",
             slot->cta->base.sm->number, slot->cta->base.number, slot->index, mbarrier->phase,
             mbarrier->expected_bytes, mbarrier->arrived_bytes);
    return true;
}

/* What hardware does where a phase has all of its operations, and other bytes than it expects. */
static const char *explain_deadlock(const struct tma_simulation *simulation) {
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++) {
        const struct tma_slot *slot = slot_of(simulation, i);
        const struct tma_mbarrier *mbarrier = &slot->mbarrier;
        if (slot->state == TMA_SLOT_LOADING && mbarrier->pending_operations == 0 &&
            mbarrier->arrived_bytes != mbarrier->expected_bytes)
            return mbarrier->arrived_bytes > mbarrier->expected_bytes ? TMA_FEWER_EXPECTED
                                                                      : TMA_MORE_EXPECTED;
    }
    return NULL;
}

static uint64_t last_cycle(const struct tma_simulation *simulation, uint32_t actor) {
    return slot_of(simulation, actor)->free_cycle;
}

const struct tma_program tma_slots = {.cta_bytes = sizeof(struct tma_slot_cta),
                                      .operation_bytes = sizeof(struct tma_issued),
                                      .stack_kib = 16,
                                      .start = start,
                                      .step = step,
                                      .complete = complete,
                                      .name = name,
                                      .describe = describe,
                                      .describe_wait = describe_wait,
                                      .explain_deadlock = explain_deadlock,
                                      .last_cycle = last_cycle,
                                      .warm_up = tma_slots_warm_up,
                                      .sampled = &tma_sampled_slots};
