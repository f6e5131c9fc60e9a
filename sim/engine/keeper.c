/* The actor that keeps the memory system's time.
 *
 * What an SM issues at cycle t reaches its TMA unit at t + issue_cycles; so at cycle t, everything
 * before t + issue_cycles can be worked out. What arrives is on its mbarrier complete_cycles later;
 * so every completion before t + issue_cycles + complete_cycles is known then, and the keeper
 * sleeps until the first of them, or that long. The result is that of an exact event simulation.
 *
 * A completion of which nothing else comes than that its slot issues again, later, needs no waking
 * at its cycle: it is told as soon as it is known. Nor is the slot's actor woken for that: to
 * change contexts there and back takes longer than all else that SimGrid does for an operation. */
#include <simgrid/actor.h>
#include <stdio.h>

#include "base/array.h"
#include "engine/platform.h"
#include "engine/simulation.h"
#include "memory/core/address_map.h"

static void out_of_memory(struct simulation *simulation) {
    tma_simulation_fail(simulation, TMA_ERROR_MEMORY, "out of memory");
}

static bool issued_before(const struct issue *a, const struct issue *b) {
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->slot->sm->number != b->slot->sm->number)
        return a->slot->sm->number < b->slot->sm->number;
    if (a->slot->index != b->slot->index)
        return a->slot->index < b->slot->index;
    return a->number < b->number;
}

void tma_keeper_take_issue(struct simulation *simulation, const struct issue *issue) {
    struct issue *issues = tma_array_grow(simulation->issues, simulation->issue_count,
                                          &simulation->issue_capacity, sizeof *issues);
    if (issues == NULL) {
        out_of_memory(simulation);
        return;
    }
    simulation->issues = issues;
    /* Kept sorted: they come nearly so, and SimGrid's order among equals must not count. */
    size_t at = simulation->issue_count++;
    for (; at > 0 && issued_before(issue, &simulation->issues[at - 1]); at--)
        simulation->issues[at] = simulation->issues[at - 1];
    simulation->issues[at] = *issue;
}

/* A slot is free again when a store has been read from shared memory; after its last one it waits
 * with wait_group. (Where it has but one slot, a CTA is not seen to do that.) */
static bool is_last(const struct slot *slot, uint32_t number) {
    const struct tma_workload *workload = slot->simulation->workload;
    uint32_t iteration = number / workload->operation_count;
    return workload->depth > 1 && iteration + workload->depth >= workload->iterations;
}

/* Positions an operation that is issued before its first row; false where it faults. */
static bool begin_rows(struct simulation *simulation, const struct issue *issue,
                       const struct tma_tensor_map *map, struct tma_row_stream *rows,
                       struct tma_operation_size *size) {
    const struct tma_workload *workload = simulation->workload;
    const struct slot *slot = issue->slot;
    uint32_t iteration = issue->number / workload->operation_count;
    const struct tma_stage_operation *stage =
        &workload->operations[issue->number % workload->operation_count];
    struct tma_operation operation = stage->operation;
    struct tma_error error;
    tma_walk_coordinates(stage, workload, slot->sm->cta, iteration, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes + slot->index * workload->stage_bytes;
    enum tma_error_code code = tma_rows_begin(rows, map, &operation, size, &error);
    if (code == TMA_OK)
        return true;
    char text[TMA_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "cycle %llu, SM %u, CTA %u, operation %u: %.300s",
             (unsigned long long)issue->cycle, slot->sm->number, slot->sm->cta, issue->number,
             error.text);
    tma_simulation_fail(simulation, code, text);
    return false;
}

uint32_t tma_slot_descriptor(const struct slot *slot, uint32_t number) {
    const struct tma_workload *workload = slot->simulation->workload;
    uint32_t iteration = number / workload->operation_count;
    const struct tma_stage_operation *stage =
        &workload->operations[number % workload->operation_count];
    return tma_workload_descriptor(workload, stage->map,
                                   tma_walk_map_index(stage, workload, slot->sm->cta, iteration));
}

/* Hands one operation to the memory system. */
static void hand_over(struct simulation *simulation, const struct issue *issue) {
    const struct tma_workload *workload = simulation->workload;
    struct slot *slot = (struct slot *)issue->slot;
    uint32_t index = issue->number % workload->operation_count;
    const struct tma_stage_operation *stage = &workload->operations[index];
    struct tma_tensor_map map =
        tma_walk_map(stage, workload, slot->sm->cta, issue->number / workload->operation_count);
    struct tma_row_stream rows;
    struct tma_operation_size size;
    if (!begin_rows(simulation, issue, &map, &rows, &size))
        return;
    uint32_t copies[TMA_MAX_CLUSTER], copy_count = tma_cluster_copies(slot, index, copies);
    uint64_t tag = (uint64_t)(slot->sm - simulation->sms) * workload->depth + slot->index;
    tag = tag << 32 | issue->number;
    bool good =
        tma_memory_issue(simulation->memory,
                         &(struct tma_issue){.cycle = issue->cycle,
                                             .tag = tag,
                                             .sm = slot->sm->number,
                                             .direction = stage->operation.direction,
                                             .warp = slot->index,
                                             .wait_group = is_last(slot, issue->number),
                                             .map = &map,
                                             .descriptor = tma_slot_descriptor(slot, issue->number),
                                             .rows = &rows,
                                             .size = &size,
                                             .copies = copies,
                                             .copy_count = copy_count});
    if (simulation->events != NULL)
        good =
            good && tma_event_order_open(simulation->events, issue->cycle, &slot->windows[index]);
    if (!good)
        out_of_memory(simulation);
    tma_simulation_event(simulation, issue->cycle, slot, TMA_EVENT_ISSUE, issue->number, stage->map,
                         0, 0);
}

/* Hands over what was issued before `cycle`: all that has its place in the order. */
static void hand_over_before(struct simulation *simulation, uint64_t cycle) {
    size_t count = 0;
    while (count < simulation->issue_count && simulation->issues[count].cycle < cycle &&
           simulation->code == TMA_OK)
        hand_over(simulation, &simulation->issues[count++]);
    simulation->issue_count -= count;
    for (size_t i = 0; i < simulation->issue_count; i++)
        simulation->issues[i] = simulation->issues[i + count];
}

uint64_t tma_keeper_seen(const struct simulation *simulation, const struct tma_completion *item) {
    uint32_t interval = simulation->machine->tma.wake_interval_cycles;
    return interval == 0 ? item->cycle : (item->cycle + interval - 1) / interval * interval;
}

/* Which of the warps that see their phases in the same cycle is first is drawn. */
static bool seen_before(const struct simulation *simulation, const struct tma_completion *a,
                        const struct tma_completion *b) {
    uint32_t interval = simulation->machine->tma.wake_interval_cycles;
    if (a->cycle + interval < b->cycle || b->cycle + interval < a->cycle)
        return a->cycle < b->cycle;
    uint32_t draw = simulation->machine->topology.draw;
    uint64_t seen_a = tma_keeper_seen(simulation, a), seen_b = tma_keeper_seen(simulation, b);
    if (seen_a != seen_b)
        return seen_a < seen_b;
    if (a->sm != b->sm || draw == 0)
        return a->sm != b->sm ? a->sm < b->sm : a->tag < b->tag;
    return tma_random(draw, a->tag ^ seen_a) < tma_random(draw, b->tag ^ seen_a);
}

static void push_completion(struct simulation *simulation, const struct tma_completion *item) {
    struct tma_completion *heap =
        tma_array_grow(simulation->completions, simulation->completion_count,
                       &simulation->completion_capacity, sizeof *heap);
    if (heap == NULL) {
        out_of_memory(simulation);
        return;
    }
    simulation->completions = heap;
    size_t at = simulation->completion_count++;
    for (; at > 0 && seen_before(simulation, item, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *item;
}

static struct tma_completion pop_completion(struct simulation *simulation) {
    struct tma_completion *heap = simulation->completions, first = heap[0];
    size_t count = --simulation->completion_count, at = 0;
    struct tma_completion moved = heap[count];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && seen_before(simulation, &heap[child + 1], &heap[child]))
            child++;
        if (!seen_before(simulation, &heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return first;
}

/* Lets the memory system's time pass until `cycle`, and learns of completions. */
static void advance(struct simulation *simulation, uint64_t cycle) {
    struct tma_completion completion;
    if (!tma_memory_advance(simulation->memory, cycle))
        out_of_memory(simulation);
    while (tma_memory_take(simulation->memory, &completion))
        push_completion(simulation, &completion);
}

/* The slot on whose mbarrier an operation completes. */
static struct slot *slot_of(const struct simulation *simulation,
                            const struct tma_completion *completion) {
    uint32_t depth = simulation->workload->depth;
    uint64_t number = completion->tag >> 32;
    struct sm *sm = &simulation->sms[number / depth];
    if (completion->copied)
        for (sm -= sm->rank; sm->number != completion->sm; sm++)
            ;
    return &sm->slots[number % depth];
}

/* After a completion, all that its slot does is to issue its CTA's next stage. */
static bool goes_on(const struct simulation *simulation, const struct tma_completion *completion) {
    const struct tma_workload *workload = simulation->workload;
    const struct slot *slot = slot_of(simulation, completion);
    return workload->consumer_count == 0 && tma_cluster_ctas(workload) == 1 && slot->pending == 1 &&
           slot->mbarrier.arrived_bytes + completion->bytes == slot->mbarrier.expected_bytes &&
           slot->iteration + workload->depth < workload->iterations;
}

/* Bytes on an mbarrier: its phase completes when all that it expects are there. */
static void complete(struct simulation *simulation, const struct tma_completion *completion) {
    struct slot *slot = slot_of(simulation, completion);
    struct mbarrier *mbarrier = &slot->mbarrier;
    bool going_on = goes_on(simulation, completion);
    uint32_t index = (uint32_t)completion->tag % simulation->workload->operation_count;
    enum tma_direction direction = simulation->workload->operations[index].operation.direction;
    slot->last = *completion;
    slot->wrote = tma_writes_tensor(direction);
    slot->pending--;
    if (!completion->copied && --slot->in_flight == 0)
        tma_cluster_landed(slot, completion->cycle);
    mbarrier->arrived_bytes += completion->bytes;
    if (completion->cycle > slot->sm->cta_end)
        slot->sm->cta_end = completion->cycle;
    tma_account_completion(simulation, slot, completion);
    if (slot->pending > 0 || mbarrier->arrived_bytes != mbarrier->expected_bytes)
        return;
    tma_simulation_event(simulation, completion->cycle, slot, TMA_EVENT_MBARRIER, mbarrier->phase,
                         mbarrier->arrived_bytes, 0, 0);
    mbarrier->phase++;
    if (going_on) {
        tma_slot_go_on(slot);
        return;
    }
    simulation->awake++;
    sg_sem_release(mbarrier->completed);
}

/* Nothing is in flight, and every slot waits: says who waits for what. */
static void explain_deadlock(struct simulation *simulation) {
    char text[TMA_ERROR_TEXT_BYTES];
    size_t used =
        (size_t)snprintf(text, sizeof text, "deadlock at cycle %llu: nothing is in flight",
                         (unsigned long long)tma_simulation_now(simulation));
    uint32_t waiting = 0, named = 0;
    for (uint32_t i = 0; i < simulation->sm_count; i++)
        for (uint32_t s = 0; s < simulation->workload->depth; s++) {
            const struct slot *slot = &simulation->sms[i].slots[s];
            if (!slot->mbarrier.awaited)
                continue;
            waiting++;
            if (used + 160 > sizeof text)
                continue;
            named++;
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "; SM %u CTA %u slot %u waits for phase %llu of its mbarrier: %llu bytes expected, "
                "%llu arrived",
                slot->sm->number, slot->sm->cta, slot->index,
                (unsigned long long)slot->mbarrier.phase,
                (unsigned long long)slot->mbarrier.expected_bytes,
                (unsigned long long)slot->mbarrier.arrived_bytes);
        }
    if (waiting > named)
        snprintf(text + used, sizeof text - used, "; and %u more", waiting - named);
    tma_simulation_fail(simulation, TMA_ERROR_DEADLOCK, text);
}

/* After a failure: lets every actor that is blocked see it, and end. */
static void release_all(struct simulation *simulation) {
    for (uint32_t i = 0; i < simulation->sm_count; i++) {
        struct sm *sm = &simulation->sms[i];
        sg_sem_release(sm->done);
        for (uint32_t s = 0; s < simulation->workload->depth; s++) {
            sg_sem_release(sm->slots[s].mbarrier.completed);
            sg_sem_release(sm->slots[s].arrived);
            sg_sem_release(sm->slots[s].start);
        }
    }
}

/* When a warp can see the first completion, or UINT64_MAX: there is none. */
static uint64_t first_seen(const struct simulation *simulation) {
    return simulation->completion_count == 0
               ? UINT64_MAX
               : tma_keeper_seen(simulation, &simulation->completions[0]);
}

/* The first completion is known: none that is yet to be found can come ahead of it. */
static bool knows_first_completion(const struct simulation *simulation) {
    return first_seen(simulation) <
           tma_memory_now(simulation->memory) + simulation->machine->tma.complete_cycles;
}

/* Everybody waits for the memory system: lets its time pass until something completes. */
static void wait_for_completion(struct simulation *simulation) {
    uint64_t window =
        simulation->machine->tma.issue_cycles + simulation->machine->tma.complete_cycles;
    while (!knows_first_completion(simulation) && simulation->code == TMA_OK) {
        if (tma_memory_in_flight(simulation->memory) == 0) {
            if (simulation->completion_count == 0)
                explain_deadlock(simulation);
            return;
        }
        advance(simulation, tma_memory_now(simulation->memory) + (window > 0 ? window : 1));
    }
}

/* Completes what is due, and what can be told ahead of time. */
static void complete_until(struct simulation *simulation, uint64_t now) {
    while (first_seen(simulation) <= now || (knows_first_completion(simulation) &&
                                             goes_on(simulation, &simulation->completions[0]))) {
        struct tma_completion completion = pop_completion(simulation);
        complete(simulation, &completion);
    }
}

/* One round: all that is known up to now, then how long nothing needs the keeper. */
static uint64_t keep(struct simulation *simulation, uint64_t now) {
    const struct tma_machine *machine = simulation->machine;
    hand_over_before(simulation, now);
    advance(simulation, now + machine->tma.issue_cycles);
    complete_until(simulation, now);
    if (simulation->events != NULL)
        tma_event_order_flush(simulation->events, now);
    if (simulation->awake == 0 && simulation->issue_count == 0 && simulation->running_sms > 0)
        wait_for_completion(simulation);
    uint64_t until = now + machine->tma.issue_cycles + machine->tma.complete_cycles;
    if (simulation->awake == 0 && simulation->issue_count == 0)
        until = UINT64_MAX;
    uint64_t seen = first_seen(simulation);
    if (seen < until)
        until = seen;
    return until > now ? until : now + 1;
}

void tma_keeper_actor(int argc, char **argv) {
    (void)argc;
    (void)argv;
    struct simulation *simulation = sg_actor_self_get_data();
    while (simulation->running_sms > 0 && simulation->code == TMA_OK) {
        uint64_t until = keep(simulation, tma_simulation_now(simulation));
        if (simulation->code == TMA_OK && simulation->running_sms > 0 && until != UINT64_MAX)
            sg_actor_sleep_until((double)(simulation->epoch + until));
    }
    if (simulation->code != TMA_OK)
        release_all(simulation);
}
