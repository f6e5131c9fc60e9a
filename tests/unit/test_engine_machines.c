/* The state machines of the engine by themselves, without SimGrid: each transition not before its
 * cycle, and at its cycle. */
#include <string.h>

#include "engine/completion_queue.h"
#include "engine/runtime.h"
#include "engine/slots/cluster.h"
#include "kernel.h"
#include "machine.h"
#include "suite.h"

static struct tma_machine machine;
static struct tma_workload workload;
static struct tma_slot_program program;
static struct tma_simulation *const simulation = &program.simulation;
static struct tma_result result;

static void set_up(void) {
    machine = flat_machine();
    program = (struct tma_slot_program){0};
}

static void tear_down(void) {
    tma_simulation_free(simulation);
    free(program.slots);
    free(program.reports);
}

/* Builds what the workload runs on. All actors wait for a signal; nothing wakes them by itself. */
static void build(void) {
    program.workload = &workload;
    program.reports = calloc(workload.depth * TMA_MAX_CONSUMERS, sizeof *program.reports);
    *simulation = (struct tma_simulation){.program = &tma_slots,
                                          .state = &program,
                                          .machine = &machine,
                                          .maps = {.maps = workload.maps,
                                                   .arrays = workload.arrays,
                                                   .places = workload.map_places,
                                                   .count = workload.map_count},
                                          .cta_count = workload.cta_count,
                                          .completes_ahead = workload.consumer_count == 0 &&
                                                             tma_cluster_ctas(&workload) == 1};
    ck_assert(tma_simulation_create(simulation, NULL, TMA_CAUSE_COUNT, &result));
    ck_assert_int_eq(tma_memory_create(&simulation->memory, &machine, NULL), TMA_OK);
    ck_assert(tma_slots_create(&program));
    ck_assert(tma_actors_create(&simulation->actors, tma_program_actors(simulation) + 1, NULL));
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++)
        ck_assert_int_eq(tma_simulation_step(simulation, i, 0).kind, TMA_WAIT_SIGNAL);
}

/* The CTA at a place. */
static struct tma_slot_cta *cta_at(uint32_t place) {
    return tma_slot_cta_at(simulation, place);
}

static void expect_wait(struct tma_wait wait, enum tma_wait_kind kind, uint64_t cycle) {
    ck_assert_int_eq(wait.kind, kind);
    ck_assert_uint_eq(wait.cycle, cycle);
}

/* One step of the scheduler. */
static struct tma_wait schedule(uint64_t now) {
    return tma_simulation_step(simulation, tma_scheduler_actor(simulation), now);
}

/* Assigns CTAs at the end of a cycle. */
static void assign_ctas(uint64_t now) {
    expect_wait(schedule(now), TMA_WAIT_CYCLE_END, now);
    expect_wait(schedule(now), TMA_WAIT_SIGNAL, 0);
}

/* The completion of an operation without any waiting on its way. */
static struct tma_completion complete_at(uint64_t cycle, uint64_t issue_cycle, uint32_t bytes) {
    uint64_t start = issue_cycle + machine.tma.issue_cycles;
    return (struct tma_completion){.cycle = cycle,
                                   .bytes = bytes,
                                   .issue_cycle = issue_cycle,
                                   .start_cycle = start,
                                   .rows_cycle = start,
                                   .sent_cycle = start,
                                   .arrival_cycle = cycle};
}

/* Completions of a phase that expects 512 bytes, and after which of them it completes. */
static const struct {
    const char *what;
    uint32_t operations;
    uint32_t bytes[3];
    int completes_after; /* 0: never */
} phases[] = {
    {"one operation", 1, {512, 0, 0}, 1},
    {"two operations", 2, {256, 256, 0}, 2},
    {"all bytes, but not all operations", 2, {512, 0, 0}, 2}, /* a store: no bytes */
    {"all operations, but not all bytes", 2, {256, 128, 0}, 0},
    {"too many bytes", 2, {256, 512, 0}, 0},
    {"three operations", 3, {100, 400, 12}, 3},
};

TEST_ROWS(test_mbarrier, TABLE_ROWS(phases)) {
    struct tma_mbarrier mbarrier = {.phase = 7};
    tma_mbarrier_expect(&mbarrier, phases[_i].operations, 512);
    for (int i = 0; i < (int)phases[_i].operations; i++)
        ck_assert_msg(tma_mbarrier_complete(&mbarrier, phases[_i].bytes[i]) ==
                          (i + 1 == phases[_i].completes_after),
                      "%s, completion %d", phases[_i].what, i);
    ck_assert_uint_eq(mbarrier.phase, 7 + (phases[_i].completes_after > 0));
}

/* The last arrival opens the barrier, at the latest cycle of all. */
TEST(test_empty_barrier) {
    struct tma_empty_barrier barrier = {0};
    tma_empty_barrier_expect(&barrier, 3);
    ck_assert(!tma_empty_barrier_arrive(&barrier, 20));
    ck_assert(!tma_empty_barrier_arrive(&barrier, 30));
    ck_assert(tma_empty_barrier_arrive(&barrier, 10));
    ck_assert_uint_eq(barrier.last_cycle, 30);
}

/* By cycle, SM, actor and number, whatever the order of the issues. */
TEST_ROWS(test_issue_queue, 6) {
    static const struct tma_queued_issue order[] = {
        {3, 9, 9, 9, 0}, {5, 0, 7, 0, 0}, {5, 1, 2, 4, 1},
        {5, 1, 2, 5, 0}, {5, 1, 3, 0, 0}, {8, 0, 0, 0, 0},
    };
    enum { COUNT = sizeof order / sizeof *order };
    struct tma_issue_queue queue = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert(tma_issue_queue_push(&queue, &order[(i * 5 + (uint32_t)_i) % COUNT]));
    for (uint32_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(tma_issue_queue_first(&queue), order[i].cycle);
        struct tma_queued_issue first = tma_issue_queue_pop(&queue);
        ck_assert_uint_eq(first.cycle, order[i].cycle);
        ck_assert_uint_eq(first.sm, order[i].sm);
        ck_assert_uint_eq(first.actor, order[i].actor);
        ck_assert_uint_eq(first.number, order[i].number);
    }
    ck_assert_uint_eq(tma_issue_queue_first(&queue), UINT64_MAX);
    tma_issue_queue_free(&queue);
}

/* Warps look every 4 cycles: completions of cycles 5 to 8 are visible at 8, by SM and tag. */
TEST_ROWS(test_completion_queue, 6) {
    static const struct {
        uint64_t cycle, tag, visible;
        uint32_t sm;
    } order[] = {{4, 9, 4, 3}, {8, 5, 8, 0}, {5, 1, 8, 1},
                 {7, 2, 8, 1}, {6, 0, 8, 2}, {9, 0, 12, 0}};
    enum { COUNT = sizeof order / sizeof *order };
    machine.tma.wake_interval_cycles = 4;
    struct tma_completion_queue queue = tma_completion_queue_of(&machine);
    ck_assert_uint_eq(tma_completion_queue_first(&queue), UINT64_MAX);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t at = (i * 5 + (uint32_t)_i) % COUNT;
        struct tma_completion completion = {
            .cycle = order[at].cycle, .tag = order[at].tag, .sm = order[at].sm};
        ck_assert(tma_completion_queue_push(&queue, &completion, order[at].tag));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(tma_completion_queue_first(&queue), order[i].visible);
        struct tma_visible_completion first = tma_completion_queue_pop(&queue);
        ck_assert_uint_eq(first.completion.sm, order[i].sm);
        ck_assert_uint_eq(first.completion.tag, order[i].tag);
    }
    tma_completion_queue_free(&queue);
}

/* An actor that waits for a signal sleeps until it gets one; others miss nothing. */
TEST(test_actors) {
    workload = make_workload(&(struct kernel){"", 1, 1, 1, 2, 1, false, 0});
    build();
    ck_assert_uint_eq(simulation->actors.awake, 1); /* the scheduler */
    tma_actor_signal(&simulation->actors, 0);
    tma_actor_signal(&simulation->actors, 0);
    ck_assert_uint_eq(simulation->actors.awake, 2);
    expect_wait(tma_simulation_step(simulation, 0, 5), TMA_WAIT_SIGNAL, 0);
    ck_assert_uint_eq(simulation->actors.awake, 1);
    tma_actors_signal_all(&simulation->actors);
    ck_assert_uint_eq(simulation->actors.awake, 3);
    tma_simulation_fail(simulation, TMA_ERROR_FAULT, "over");
    expect_wait(tma_simulation_step(simulation, 0, 5), TMA_WAIT_NOTHING, 0);
    expect_wait(schedule(5), TMA_WAIT_NOTHING, 0);
    ck_assert_uint_eq(simulation->actors.awake, 1);
}

/* A slot without anything else to do issues its next stage as soon as its completion is known, for
 * the cycle at which its warp is back. It ends when its warp sees the last one, not before. */
TEST(test_slot_alone) {
    enum { FIRST = 11, DONE = 100, VISIBLE = 104, LAST = 200, SEEN = 208 };
    workload = make_workload(&(struct kernel){"", 1, 1, 2, 1, 1, false, 0});
    build();
    assign_ctas(0);
    struct tma_slot *slot = &program.slots[0];
    const struct tma_queued_issue *issues = simulation->issues.heap;
    ck_assert_int_eq(slot->state, TMA_SLOT_LOADING);
    ck_assert_uint_eq(simulation->issues.count, 1);
    ck_assert_uint_eq(issues[0].cycle, 0);
    struct tma_completion done = complete_at(DONE, 0, TMA_LINE_BYTES);
    expect_wait(tma_slot_complete(slot, TMA_LOAD, &done, VISIBLE), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(slot->state, TMA_SLOT_LOADING);
    ck_assert_uint_eq(simulation->issues.count, 2);
    issues = simulation->issues.heap;
    const uint64_t again = VISIBLE + machine.tma.turnaround_cycles;
    ck_assert_uint_eq(issues[1].cycle, again);
    ck_assert_uint_eq(issues[1].number, 1);
    done = complete_at(LAST, again, TMA_LINE_BYTES);
    expect_wait(tma_slot_complete(slot, TMA_LOAD, &done, SEEN), TMA_WAIT_CYCLE, SEEN);
    expect_wait(tma_slot_step(slot, SEEN - 1), TMA_WAIT_CYCLE, SEEN);
    ck_assert_uint_eq(simulation->clusters[0].running_ctas, 1);
    expect_wait(tma_slot_step(slot, SEEN), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(slot->state, TMA_SLOT_IDLE);
    ck_assert_uint_eq(simulation->clusters[0].running_ctas, 0);
    ck_assert_uint_eq(cta_at(0)->base.end_cycle, LAST);
    ck_assert_uint_eq(simulation->accounting.ended_ctas, 1);
}

/* Bytes that are not those expected leave a slot where it is. */
TEST(test_slot_waits_for_ever) {
    workload = make_workload(&(struct kernel){"", 1, 1, 2, 1, 1, false, 0});
    build();
    assign_ctas(0);
    struct tma_completion done = complete_at(100, 0, TMA_LINE_BYTES - 16);
    expect_wait(tma_slot_complete(&program.slots[0], TMA_LOAD, &done, 100), TMA_WAIT_SIGNAL, 0);
    expect_wait(tma_slot_step(&program.slots[0], 1000), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(program.slots[0].state, TMA_SLOT_LOADING);
    ck_assert_uint_eq(simulation->issues.count, 1);
}

/* Two slots of an SM: the second one's consumer waits for the first one's wavefronts. */
TEST(test_slot_with_consumer) {
    enum { WAVEFRONTS = 30, DONE = 100, LATER = 10 };
    workload = make_workload(&(struct kernel){"", 1, 1, 4, 2, 1, false, 0});
    workload.consumers[0] = (struct tma_consumer){.repeat = 1};
    workload.consumer_count = 1;
    build();
    program.reports[0].wavefronts = program.reports[1].wavefronts = WAVEFRONTS;
    assign_ctas(0);
    uint64_t go_on = DONE + machine.tma.turnaround_cycles, end = go_on + WAVEFRONTS;
    struct tma_slot *slots = program.slots;
    struct tma_completion done = complete_at(DONE, 0, TMA_LINE_BYTES);
    expect_wait(tma_slot_complete(&slots[0], TMA_LOAD, &done, DONE), TMA_WAIT_CYCLE, go_on);
    done.cycle += LATER;
    done.arrival_cycle += LATER;
    expect_wait(tma_slot_complete(&slots[1], TMA_LOAD, &done, DONE + LATER), TMA_WAIT_CYCLE,
                go_on + LATER);
    expect_wait(tma_slot_step(&slots[0], go_on - 1), TMA_WAIT_CYCLE, go_on);
    ck_assert_int_eq(slots[0].state, TMA_SLOT_WAKING);
    expect_wait(tma_slot_step(&slots[0], go_on), TMA_WAIT_CYCLE, end);
    ck_assert_int_eq(slots[0].state, TMA_SLOT_CONSUMING);
    expect_wait(tma_slot_step(&slots[1], go_on + LATER), TMA_WAIT_CYCLE, end + WAVEFRONTS);
    ck_assert_uint_eq(simulation->issues.count, 2);
    expect_wait(tma_slot_step(&slots[0], end), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(slots[0].state, TMA_SLOT_LOADING);
    ck_assert_uint_eq(simulation->issues.count, 3);
    ck_assert_uint_eq(simulation->issues.heap[2].cycle, end);
    expect_wait(tma_slot_step(&slots[1], end + WAVEFRONTS), TMA_WAIT_SIGNAL, 0);
    ck_assert_uint_eq(result.cause_cycles[TMA_CAUSE_CONSUME], 2 * WAVEFRONTS);
    ck_assert_uint_eq(result.cause_cycles[TMA_CAUSE_CONSUME_QUEUE], WAVEFRONTS - LATER);
}

/* Two CTAs, of which rank 0 loads for both: its slot is filled again when both have arrived. */
static void build_cluster(uint32_t iterations, uint32_t depth) {
    machine.topology.gpc_count = 1;
    machine.topology.gpc_size[0] = 4;
    workload = make_workload(&(struct kernel){"", 2, 2, iterations, depth, 1, false, 0});
    workload.cluster_ctas = 2;
    workload.operations[0].operation.cta_mask = 3;
    build();
    assign_ctas(0);
}

/* The load of slot `slot` of rank 0 completes there, and its copy at rank 1. */
static void land(uint32_t slot, uint64_t cycle) {
    struct tma_completion done = complete_at(cycle, 0, TMA_LINE_BYTES);
    tma_slot_complete(&cta_at(0)->slots[slot], TMA_LOAD, &done, cycle);
    done.copied = 1;
    tma_slot_complete(&cta_at(1)->slots[slot], TMA_LOAD, &done, cycle);
}

TEST(test_cluster_arrival) {
    enum { DONE = 100 };
    build_cluster(2, 1);
    struct tma_slot *issuer = &cta_at(0)->slots[0], *other = &cta_at(1)->slots[0];
    ck_assert_uint_eq(simulation->issues.count, 1);
    land(0, DONE);
    const uint64_t free_cycle = DONE + machine.tma.turnaround_cycles;
    expect_wait(tma_slot_step(issuer, free_cycle), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(issuer->state, TMA_SLOT_RELEASED);
    /* The other CTA issues nothing, and waits for its next copy. */
    expect_wait(tma_slot_step(other, free_cycle + 50), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(other->state, TMA_SLOT_LOADING);
    const uint64_t arrival =
        free_cycle + 50 + machine.tma.cluster_release_cycles + machine.tma.cluster_arrive_cycles;
    expect_wait(tma_slot_step(issuer, free_cycle + 50), TMA_WAIT_CYCLE, arrival);
    expect_wait(tma_slot_step(issuer, arrival), TMA_WAIT_SIGNAL, 0);
    ck_assert_int_eq(issuer->state, TMA_SLOT_LOADING);
    ck_assert_uint_eq(simulation->issues.count, 2);
    ck_assert_uint_eq(simulation->issues.heap[1].cycle, arrival);
}

/* A release waits for the loads that the CTA itself has in flight: those of its other slot. */
TEST(test_release_waits_for_loads) {
    enum { DONE = 100, LANDED = 300 };
    build_cluster(4, 2);
    struct tma_slot *issuer = &cta_at(0)->slots[0], *other = &cta_at(1)->slots[0];
    land(0, DONE);
    const uint64_t free_cycle = DONE + machine.tma.turnaround_cycles;
    expect_wait(tma_slot_step(other, free_cycle), TMA_WAIT_SIGNAL, 0);
    expect_wait(tma_slot_step(issuer, free_cycle), TMA_WAIT_SIGNAL, 0);
    ck_assert_uint_eq(issuer->empty.missing_arrivals, 1);
    land(1, LANDED);
    ck_assert_uint_eq(issuer->empty.missing_arrivals, 0);
    expect_wait(tma_slot_step(issuer, LANDED), TMA_WAIT_CYCLE,
                LANDED + machine.tma.cluster_release_cycles);
}

/* Ends the CTA that runs on an SM. */
static void end_cta(uint32_t sm, uint64_t cycle) {
    struct tma_completion done = complete_at(cycle, program.slots[sm].free_cycle, TMA_LINE_BYTES);
    tma_slot_complete(&program.slots[sm], TMA_LOAD, &done, cycle);
    expect_wait(tma_slot_step(&program.slots[sm], cycle), TMA_WAIT_SIGNAL, 0);
}

/* SMs that become free in the same cycle get CTAs in order of their place in the grid, whichever is
 * free first; an SM that is launched late keeps its first CTA. */
TEST(test_cta_scheduler) {
    enum { LAUNCH = 500 };
    static const uint32_t ends[] = {2, 0, 1};
    machine.topology.launch_interval_cycles = LAUNCH;
    workload = make_workload(&(struct kernel){"", 7, 4, 1, 1, 1, false, 0});
    build();
    assign_ctas(0);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(cta_at(i)->base.number, i);
        ck_assert_uint_eq(cta_at(i)->base.start_cycle, i % 2 * LAUNCH);
    }
    /* The second CTA of each GPC is launched later. */
    for (uint32_t i = 0; i < 3; i++)
        end_cta(ends[i], 600);
    ck_assert_uint_eq(simulation->actors.awake, 1); /* the scheduler was signalled, once */
    assign_ctas(600);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(cta_at(i)->base.number, 4 + i);
        ck_assert_uint_eq(cta_at(i)->base.start_cycle, 600);
    }
    ck_assert_uint_eq(cta_at(3)->base.number, 3);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert(!simulation->finished);
        end_cta(i, 900);
    }
    expect_wait(schedule(900), TMA_WAIT_CYCLE_END, 900);
    expect_wait(schedule(900), TMA_WAIT_NOTHING, 0);
    ck_assert(simulation->finished);
    ck_assert_uint_eq(simulation->accounting.ended_ctas, 7);
    expect_wait(tma_simulation_step(simulation, 0, 900), TMA_WAIT_NOTHING, 0);
}

TEST_SUITE("state machines", .set_up = set_up, .tear_down = tear_down);
