#include "engine/memory_actor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/lane_accesses.h"
#include "engine/program.h"
#include "engine/simulation.h"

/* Says which actors wait for ever. */

enum { WAIT_BYTES = 240, REST_BYTES = sizeof "; and 4294967295 more" };

/* When the last operation completed, as a warp sees it, or an actor did something last. */
static uint64_t last_cycle(const struct tma_simulation *simulation) {
    uint64_t last = simulation->completed_cycle;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++) {
        uint64_t cycle = simulation->program->last_cycle(simulation, i);
        last = cycle > last ? cycle : last;
    }
    return last;
}

/* Stops the run with TMA_ERROR_DEADLOCK: nothing is in flight, and every actor waits. The text
 * names the cycle of what happened last, and the actors with what they wait for, as far as it has
 * room. */
static void fail_deadlock(struct tma_simulation *simulation) {
    char text[TMA_ERROR_TEXT_BYTES], wait[WAIT_BYTES];
    const char *why = simulation->program->explain_deadlock(simulation);
    size_t used = (size_t)snprintf(
        text, sizeof text, "deadlock at cycle %" PRIu64 ": nothing is in flight%s%s",
        last_cycle(simulation), why != NULL ? "; " : "", why != NULL ? why : "");
    uint32_t waiting = 0, named = 0;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++) {
        if (!simulation->program->describe_wait(simulation, i, wait, sizeof wait) ||
            waiting++ > named)
            continue;
        if (used + sizeof "; " + strlen(wait) + REST_BYTES > sizeof text)
            continue;
        named++;
        used += (size_t)snprintf(text + used, sizeof text - used, "; %s", wait);
    }
    if (waiting > named)
        snprintf(text + used, sizeof text - used, "; and %u more", waiting - named);
    tma_simulation_fail(simulation, TMA_ERROR_DEADLOCK, text);
}

/* Steps of the actor from one look of the caller's to the next. A step of a full chip takes some
 * milliseconds of the host's time, and one of a single SM some microseconds. */
enum { STEPS_BETWEEN_LOOKS = 16 };

enum { END_STEP_CYCLES = 64 };

/* From time to time the caller sees how far the run is. Returns false if the caller wants it to
 * end. */
static bool let_look(struct tma_simulation *simulation, uint64_t now) {
    const struct tma_watch *watch = simulation->watch;
    struct tma_accounting *accounting = &simulation->accounting;
    if (watch == NULL || tma_simulation_is_over(simulation))
        return true;
    if (watch->ends_at_quarter && accounting->result->quarter_cycles > 0)
        return false;
    if (watch->look == NULL || simulation->steps++ % STEPS_BETWEEN_LOOKS != 0)
        return true;
    uint64_t units[TMA_TALLY_UNIT_COUNT] = {0}, total = simulation->total_operations;
    struct tma_run_state state = {.cycle = now,
                                  .operations = accounting->result->counters.operations};
    if (simulation->program->count_units != NULL)
        simulation->program->count_units(simulation, units);
    state.tensor_cycles = tma_ticks_to_cycle(units[TMA_TALLY_TENSOR]);
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        state.unit_cycles[p] = tma_ticks_to_cycle(units[TMA_TALLY_FMA + p]);
    state.total_operations = total > state.operations ? total : state.operations;
    return watch->look(watch->context, &state);
}

static void end_early(struct tma_simulation *simulation, uint64_t now) {
    struct tma_accounting *accounting = &simulation->accounting;
    tma_simulation_fail(simulation, TMA_ERROR_INTERRUPTED, "the caller ended the run");
    if (now > accounting->last_cycle)
        accounting->last_cycle = now;
}

/* Stops the run with TMA_ERROR_MODEL where the memory system can never give another completion,
 * though operations are in flight. The text says which. */
static void check_progress(struct tma_simulation *simulation) {
    char text[TMA_ERROR_TEXT_BYTES], what[TMA_ERROR_TEXT_BYTES / 2];
    if (!tma_memory_is_stuck(simulation->memory))
        return;
    tma_memory_describe(simulation->memory, what, sizeof what);
    snprintf(text, sizeof text,
             "fault of the model: at cycle %" PRIu64
             " no event is left that could end what is in flight: %s",
             tma_memory_now(simulation->memory), what);
    tma_simulation_fail(simulation, TMA_ERROR_MODEL, text);
}

static uint64_t order_of(const struct tma_simulation *simulation,
                         const struct tma_completion *completion) {
    const struct tma_issued *operation = tma_operation_of(simulation, completion);
    return (uint64_t)operation->actor << 32 | operation->order;
}

/* Takes the accesses of warps that are done. False when out of memory. */
static bool take_accesses(struct tma_simulation *simulation) {
    struct tma_access_completion done;
    while (tma_memory_take_access(simulation->memory, &done)) {
        const struct tma_completion tagged = {.tag = done.tag};
        if (!tma_lanes_end_access(simulation, tma_operation_of(simulation, &tagged), done.cycle))
            return false;
    }
    return true;
}

/* Lets the memory system's time pass until `cycle`, and learns of completions. */
static void advance(struct tma_simulation *simulation, uint64_t cycle) {
    struct tma_completion completion;
    bool good = tma_observe_advance(&simulation->observer, simulation->memory, cycle);
    while (good && tma_memory_take(simulation->memory, &completion))
        good = tma_completion_queue_push(&simulation->completions, &completion,
                                         order_of(simulation, &completion));
    if (good && simulation->has_lanes)
        good = take_accesses(simulation);
    if (!good)
        tma_simulation_out_of_memory(simulation);
}

/* How far the memory system is ahead of the actors: what they issue reaches it so much later. An
 * access of a warp reaches it at once. */
static uint64_t ahead_cycles(const struct tma_simulation *simulation) {
    return simulation->has_lanes ? 0 : simulation->machine->tma.issue_cycles;
}

/* How long before its cycle a completion is known. */
static uint64_t known_cycles(const struct tma_simulation *simulation) {
    const struct tma_machine *machine = simulation->machine;
    uint64_t cycles = tma_machine_completion_cycles(machine);
    if (!simulation->has_lanes)
        return cycles;
    uint64_t least = machine->l1.hit_cycles < machine->l1.fill_cycles ? machine->l1.hit_cycles
                                                                      : machine->l1.fill_cycles;
    return cycles < least ? cycles : least;
}

/* Hands over the operations issued before `cycle`: actors can no longer issue an earlier one. Each
 * operation reaches its TMA unit at its own time, so the result does not depend on how many
 * operations are handed over together. */
static void hand_over_before(struct tma_simulation *simulation, uint64_t cycle) {
    while (tma_issue_queue_first(&simulation->issues) < cycle && simulation->code == TMA_OK) {
        advance(simulation, tma_issue_queue_first(&simulation->issues) + ahead_cycles(simulation));
        tma_operation_hand_over(simulation);
    }
}

/* Whether the first completion of the queue is final: the memory system can no longer produce an
 * earlier one. */
static bool knows_first_completion(const struct tma_simulation *simulation) {
    return tma_completion_queue_first(&simulation->completions) <
           tma_memory_now(simulation->memory) + known_cycles(simulation);
}

static void complete_first(struct tma_simulation *simulation, uint64_t now) {
    struct tma_visible_completion first = tma_completion_queue_pop(&simulation->completions);
    uint64_t cycle = first.visible_cycle > now ? first.visible_cycle : now;
    simulation->completed_cycle = first.visible_cycle;
    tma_operation_complete(simulation, &first.completion, cycle);
    tma_sampling_look(simulation, cycle);
}

/* Gives the program the completions that are visible, or that it may get ahead of time. */
static void complete(struct tma_simulation *simulation, uint64_t now) {
    while (simulation->code == TMA_OK &&
           (tma_completion_queue_first(&simulation->completions) <= now ||
            (simulation->completes_ahead && knows_first_completion(simulation))))
        complete_first(simulation, now);
}

/* Every other actor waits, and nothing is issued: lets time pass until a completion is known. */
static void wait_for_completion(struct tma_simulation *simulation) {
    uint64_t window = ahead_cycles(simulation) + known_cycles(simulation);
    while (!knows_first_completion(simulation) && simulation->code == TMA_OK) {
        if (tma_memory_in_flight(simulation->memory) == 0) {
            if (simulation->completions.count == 0)
                fail_deadlock(simulation);
            return;
        }
        if (simulation->completions.count == 0)
            check_progress(simulation);
        advance(simulation, tma_memory_now(simulation->memory) + (window > 0 ? window : 1));
    }
}

void tma_memory_actor_end(struct tma_simulation *simulation) {
    hand_over_before(simulation, UINT64_MAX);
    while (simulation->code == TMA_OK) {
        while (simulation->completions.count > 0) {
            struct tma_visible_completion first =
                tma_completion_queue_pop(&simulation->completions);
            tma_operation_complete(simulation, &first.completion, first.visible_cycle);
        }
        if (tma_memory_in_flight(simulation->memory) == 0)
            return;
        check_progress(simulation);
        advance(simulation, tma_memory_now(simulation->memory) + END_STEP_CYCLES);
    }
}

/* Passes on the events before which no other event can be added. Actors act on a completion, and
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

struct tma_wait tma_memory_actor_step(struct tma_simulation *simulation, uint64_t now) {
    uint64_t until = now + ahead_cycles(simulation) + known_cycles(simulation);
    if (!let_look(simulation, now))
        end_early(simulation, now);
    if (!tma_simulation_is_over(simulation)) {
        hand_over_before(simulation, now);
        advance(simulation, now + ahead_cycles(simulation));
        complete(simulation, now);
        tma_trace_late_fills(&simulation->tracer, simulation->memory);
        flush_events(simulation, now);
        if (is_idle(simulation)) {
            wait_for_completion(simulation);
            until = UINT64_MAX;
        }
        if (simulation->tracer.out_of_memory)
            tma_simulation_out_of_memory(simulation);
    }
    if (tma_simulation_is_over(simulation)) {
        tma_actors_signal_all(&simulation->actors);
        return tma_wait_nothing();
    }
    uint64_t visible = tma_completion_queue_first(&simulation->completions);
    if (visible < until)
        until = visible;
    return tma_wait_cycle(until > now ? until : now + 1);
}
