#include "engine/memory_actor.h"

#include "engine/deadlock.h"
#include "engine/issue_operation.h"
#include "engine/slot_sampling.h"

static uint64_t total_operations(const struct tma_workload *workload) {
    uint64_t operations = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        operations += (uint64_t)workload->cta_count /
                      tma_ctas_sharing(&workload->operations[i], workload) * workload->iterations;
    return operations;
}

struct tma_memory_actor tma_memory_actor_of(struct tma_simulation *simulation,
                                            struct tma_grid *grid) {
    simulation->total_operations = total_operations(simulation->workload);
    return (struct tma_memory_actor){.simulation = simulation,
                                     .grid = grid,
                                     .completions = tma_completion_queue_of(simulation->machine)};
}

void tma_memory_actor_free(struct tma_memory_actor *actor) {
    tma_completion_queue_free(&actor->completions);
}

/* Lets the memory system's time pass until `cycle`, and learns of completions. */
static void advance(struct tma_memory_actor *actor, uint64_t cycle) {
    struct tma_simulation *simulation = actor->simulation;
    struct tma_completion completion;
    bool good = tma_observe_advance(&simulation->observer, simulation->memory, cycle);
    while (good && tma_memory_take(simulation->memory, &completion))
        good = tma_completion_queue_push(&actor->completions, &completion);
    if (!good)
        tma_simulation_out_of_memory(simulation);
}

/* Hands over the operations issued before `cycle`: slots can no longer issue an earlier one. Each
 * operation reaches its TMA unit at its own time, so the result does not depend on how many
 * operations are handed over together. */
static void hand_over_before(struct tma_memory_actor *actor, uint64_t cycle) {
    struct tma_simulation *simulation = actor->simulation;
    while (tma_issue_queue_first(&simulation->issues) < cycle && simulation->code == TMA_OK) {
        struct tma_queued_issue issue = tma_issue_queue_pop(&simulation->issues);
        advance(actor, issue.cycle + simulation->machine->tma.issue_cycles);
        tma_issue_operation(actor->grid, simulation, &issue);
    }
}

/* Whether the first completion of the queue is final: the memory system can no longer produce an
 * earlier one. */
static bool knows_first_completion(const struct tma_memory_actor *actor) {
    return tma_completion_queue_first(&actor->completions) <
           tma_memory_now(actor->simulation->memory) +
               tma_machine_completion_cycles(actor->simulation->machine);
}

/* Gives the first completion to its slot, and wakes the slot's actor if the slot is to do something
 * by itself. */
static void complete_first(struct tma_memory_actor *actor, uint64_t now) {
    struct tma_simulation *simulation = actor->simulation;
    struct tma_visible_completion first = tma_completion_queue_pop(&actor->completions);
    const struct tma_completion *completion = &first.completion;
    struct tma_slot *slot = tma_completion_slot(actor->grid, completion);
    uint32_t number = tma_completion_number(completion);
    actor->completed_cycle = first.visible_cycle;
    const struct tma_workload *workload = simulation->workload;
    enum tma_direction direction =
        workload->operations[number % workload->operation_count].operation.direction;
    tma_account_completion(&simulation->accounting, direction, completion);
    tma_observe_completion(&simulation->observer, tma_cta_event_source(slot->cta, slot->index),
                           direction, completion);
    if (tma_tracer_is_on(&simulation->tracer))
        tma_trace_completion(
            &simulation->tracer, completion, tma_cta_event_source(slot->cta, slot->index), number,
            slot->windows[number % workload->operation_count], tma_slot_descriptor(slot, number));
    uint64_t cycle = first.visible_cycle > now ? first.visible_cycle : now;
    struct tma_wait wait = tma_slot_complete(slot, completion, cycle);
    if (wait.kind != TMA_WAIT_SIGNAL)
        tma_actor_signal(&simulation->actors, slot->number);
    if (actor->sampling != NULL)
        tma_slot_sampling_look(actor->sampling, cycle);
}

/* Gives slots the completions that are visible; if slots are independent, all completions that are
 * known.
 */
static void complete(struct tma_memory_actor *actor, uint64_t now) {
    bool ahead = tma_slots_are_independent(actor->simulation->workload);
    while (tma_completion_queue_first(&actor->completions) <= now ||
           (ahead && knows_first_completion(actor)))
        complete_first(actor, now);
}

/* Every other actor waits, and nothing is issued: lets time pass until a completion is known. */
static void wait_for_completion(struct tma_memory_actor *actor) {
    struct tma_simulation *simulation = actor->simulation;
    uint64_t window =
        simulation->machine->tma.issue_cycles + tma_machine_completion_cycles(simulation->machine);
    while (!knows_first_completion(actor) && simulation->code == TMA_OK) {
        if (tma_memory_in_flight(simulation->memory) == 0) {
            if (actor->completions.count == 0)
                tma_fail_deadlock(simulation, actor->grid, actor->completed_cycle);
            return;
        }
        if (actor->completions.count == 0)
            tma_simulation_check_progress(simulation);
        advance(actor, tma_memory_now(simulation->memory) + (window > 0 ? window : 1));
    }
}

/* Passes on the events before which no other event can be added. Slots act on a completion, and
 * CTAs end, up to wake_interval_cycles after the cycle that their events give. */
static void flush_events(struct tma_simulation *simulation, uint64_t now) {
    uint64_t behind = simulation->machine->tma.wake_interval_cycles;
    if (now > behind)
        tma_tracer_flush(&simulation->tracer, now - behind);
}

/* Nothing happens before the first completion is visible. */
static bool is_idle(const struct tma_simulation *simulation) {
    return simulation->actors.awake == 1 && simulation->issues.count == 0;
}

struct tma_wait tma_memory_actor_step(struct tma_memory_actor *actor, uint64_t now) {
    struct tma_simulation *simulation = actor->simulation;
    const struct tma_machine *machine = simulation->machine;
    uint64_t until = now + machine->tma.issue_cycles + tma_machine_completion_cycles(machine);
    struct tma_run_state state = {.cycle = now};
    if (tma_simulation_look_is_due(simulation))
        tma_simulation_let_look(simulation, &state);
    if (!tma_simulation_is_over(simulation)) {
        hand_over_before(actor, now);
        advance(actor, now + machine->tma.issue_cycles);
        complete(actor, now);
        tma_trace_late_fills(&simulation->tracer, simulation->memory);
        flush_events(simulation, now);
        if (is_idle(simulation)) {
            wait_for_completion(actor);
            until = UINT64_MAX;
        }
        if (simulation->tracer.out_of_memory)
            tma_simulation_out_of_memory(simulation);
    }
    if (tma_simulation_is_over(simulation)) {
        tma_actors_signal_all(&simulation->actors);
        return tma_wait_nothing();
    }
    uint64_t visible = tma_completion_queue_first(&actor->completions);
    if (visible < until)
        until = visible;
    return tma_wait_cycle(until > now ? until : now + 1);
}
