#include "engine/kernel_memory.h"

#include "engine/kernel_operation.h"
#include "engine/kernel_sampling.h"

enum { END_STEP_CYCLES = 64 };

/* Lets the memory system's time pass until `cycle`, and learns of completions. */
static void advance(struct tma_kernel_engine *engine, uint64_t cycle) {
    struct tma_simulation *simulation = &engine->simulation;
    struct tma_completion completion;
    bool good = tma_observe_advance(&simulation->observer, simulation->memory, cycle);
    while (good && tma_memory_take(simulation->memory, &completion))
        good = tma_completion_queue_push(&engine->completions, &completion);
    if (!good)
        tma_simulation_out_of_memory(simulation);
}

/* Hands over the operations issued before `cycle`: roles can no longer issue an earlier one. */
static void hand_over_before(struct tma_kernel_engine *engine, uint64_t cycle) {
    struct tma_simulation *simulation = &engine->simulation;
    while (tma_issue_queue_first(&simulation->issues) < cycle && simulation->code == TMA_OK) {
        struct tma_queued_issue issue = tma_issue_queue_pop(&simulation->issues);
        advance(engine, issue.cycle + engine->machine.tma.issue_cycles);
        tma_kernel_hand_over(engine, &issue);
    }
}

static bool knows_first_completion(const struct tma_kernel_engine *engine) {
    return tma_completion_queue_first(&engine->completions) <
           tma_memory_now(engine->simulation.memory) +
               tma_machine_completion_cycles(&engine->machine);
}

static void complete(struct tma_kernel_engine *engine, uint64_t now) {
    while (tma_completion_queue_first(&engine->completions) <= now &&
           engine->simulation.code == TMA_OK) {
        struct tma_visible_completion first = tma_completion_queue_pop(&engine->completions);
        engine->completed_cycle = first.visible_cycle;
        tma_kernel_complete(engine, &first.completion, first.visible_cycle);
        if (engine->sampling.on)
            tma_kernel_sampling_look(engine, first.visible_cycle);
    }
}

/* Every other actor waits, and nothing is issued: lets time pass until a completion is known. */
static void wait_for_completion(struct tma_kernel_engine *engine) {
    struct tma_simulation *simulation = &engine->simulation;
    uint64_t window =
        engine->machine.tma.issue_cycles + tma_machine_completion_cycles(&engine->machine);
    while (!knows_first_completion(engine) && simulation->code == TMA_OK) {
        if (tma_memory_in_flight(simulation->memory) == 0) {
            if (engine->completions.count == 0)
                tma_kernel_deadlock(engine);
            return;
        }
        if (engine->completions.count == 0)
            tma_simulation_check_progress(simulation);
        advance(engine, tma_memory_now(simulation->memory) + (window > 0 ? window : 1));
    }
}

/* Kernels do not wait for prefetches: those that were issued last are still to be handed over, or
 * to complete. */
void tma_kernel_end_operations(struct tma_kernel_engine *engine) {
    struct tma_simulation *simulation = &engine->simulation;
    hand_over_before(engine, UINT64_MAX);
    while (simulation->code == TMA_OK) {
        while (engine->completions.count > 0) {
            struct tma_visible_completion first = tma_completion_queue_pop(&engine->completions);
            tma_kernel_complete(engine, &first.completion, first.visible_cycle);
        }
        if (tma_memory_in_flight(simulation->memory) == 0)
            return;
        tma_simulation_check_progress(simulation);
        advance(engine, tma_memory_now(simulation->memory) + END_STEP_CYCLES);
    }
}

static void let_look(struct tma_kernel_engine *engine, uint64_t now) {
    struct tma_run_state state = {.cycle = now};
    uint64_t units[TMA_TALLY_UNIT_COUNT];
    if (!tma_simulation_look_is_due(&engine->simulation))
        return;
    tma_kernel_unit_ticks(engine, units);
    state.tensor_cycles = tma_ticks_to_cycle(units[TMA_TALLY_TENSOR]);
    state.alu_cycles = tma_ticks_to_cycle(units[TMA_TALLY_ALU]);
    state.sfu_cycles = tma_ticks_to_cycle(units[TMA_TALLY_SFU]);
    tma_simulation_let_look(&engine->simulation, &state);
}

struct tma_wait tma_kernel_memory_step(struct tma_kernel_engine *engine, uint64_t now) {
    struct tma_simulation *simulation = &engine->simulation;
    uint64_t until =
        now + engine->machine.tma.issue_cycles + tma_machine_completion_cycles(&engine->machine);
    let_look(engine, now);
    if (!tma_simulation_is_over(simulation)) {
        hand_over_before(engine, now);
        advance(engine, now + engine->machine.tma.issue_cycles);
        complete(engine, now);
        tma_trace_late_fills(&simulation->tracer, simulation->memory);
        uint64_t behind = engine->machine.tma.wake_interval_cycles;
        if (now > behind)
            tma_tracer_flush(&simulation->tracer, now - behind);
        if (simulation->actors.awake == 1 && simulation->issues.count == 0) {
            wait_for_completion(engine);
            until = UINT64_MAX;
        }
        if (simulation->tracer.out_of_memory)
            tma_simulation_out_of_memory(simulation);
    }
    if (tma_simulation_is_over(simulation)) {
        tma_actors_signal_all(&simulation->actors);
        return tma_wait_nothing();
    }
    uint64_t visible = tma_completion_queue_first(&engine->completions);
    if (visible < until)
        until = visible;
    return tma_wait_cycle(until > now ? until : now + 1);
}
