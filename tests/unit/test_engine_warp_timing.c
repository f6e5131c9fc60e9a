/* When the warps of slots begin, and when they go on after their phases have ended. */
#include "engine/slots/warp_timing.h"
#include "machine.h"
#include "suite.h"

enum { SEEDS = 1000, FIRST_PASS = 237, INTERVAL = 2, TURNAROUND = 50, POLL = 11 };

static struct tma_machine machine;

static void set_up(void) {
    machine = small_machine();
    machine.tma.first_pass_cycles = FIRST_PASS;
    machine.tma.wake_interval_cycles = INTERVAL;
    machine.tma.first_scheduler_percent = 70;
    machine.tma.turnaround_cycles = TURNAROUND;
    machine.tma.poll_millicycles = POLL * 1000;
}

/* Schedulers take turns. Scheduler 0 begins in tma.first_scheduler of 100 launches, each other one
 * in a third of the rest. */
TEST(test_first_scheduler) {
    struct tma_workload workload = {.depth = TMA_SCHEDULERS};
    uint32_t begins[TMA_SCHEDULERS] = {0};
    for (machine.topology.seed = 1; machine.topology.seed <= SEEDS; machine.topology.seed++) {
        uint64_t cycles[TMA_SCHEDULERS];
        uint32_t first = 0;
        for (uint32_t slot = 0; slot < TMA_SCHEDULERS; slot++) {
            cycles[slot] = tma_warp_first_pass_cycles(&machine, &workload, 0, slot);
            first = cycles[slot] < cycles[first] ? slot : first;
        }
        for (uint32_t i = 0; i < TMA_SCHEDULERS; i++)
            ck_assert_uint_eq(cycles[(first + i) % TMA_SCHEDULERS],
                              FIRST_PASS + (uint64_t)i * INTERVAL);
        begins[first]++;
    }
    ck_assert_uint_ge(begins[0], SEEDS * 65 / 100);
    ck_assert_uint_le(begins[0], SEEDS * 75 / 100);
    for (uint32_t i = 1; i < TMA_SCHEDULERS; i++) {
        ck_assert_uint_ge(begins[i], SEEDS * 7 / 100);
        ck_assert_uint_le(begins[i], SEEDS * 13 / 100);
    }
}

/* A first store waits longer for each further slot of its scheduler: of ten slots, the first two
 * schedulers have three each, the others two. */
TEST(test_first_store) {
    struct tma_workload workload = {
        .depth = 10, .operations = {{.operation = {.direction = TMA_STORE}}}, .operation_count = 1};
    machine.tma.store_first_pass_cycles = FIRST_PASS;
    machine.tma.store_first_warp_cycles = 30;
    for (uint32_t slot = 0; slot < workload.depth; slot++)
        ck_assert_uint_eq(tma_warp_first_pass_cycles(&machine, &workload, 0, slot),
                          FIRST_PASS + (slot % TMA_SCHEDULERS < 2 ? 2 : 1) * 30u);
}

/* Eight slots: each scheduler has one further warp. A round of polling takes at most twice the
 * average. Warps of an SM whose phases end in one round go on in the order in which they ended. */
TEST(test_rounds_of_polling) {
    enum { DEPTH = 8, LONGEST = 2 * POLL, ROUNDS = 2000 };
    uint64_t sum = 0, equal = 0, last = 0;
    machine.topology.seed = 1;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t cycle = round * LONGEST;
        uint64_t first = tma_warp_turnaround_cycles(&machine, DEPTH, 0, 0, cycle);
        for (uint32_t slot = 0; slot < DEPTH; slot++)
            ck_assert_uint_eq(
                tma_warp_turnaround_cycles(&machine, DEPTH, 0, slot, cycle + LONGEST - 1), first);
        ck_assert_uint_ge(first, TURNAROUND);
        ck_assert_uint_le(first, TURNAROUND + LONGEST);
        sum += first - TURNAROUND;
        equal += first == last;
        last = first;
    }
    ck_assert_double_eq_tol((double)sum / ROUNDS, POLL, 0.05 * POLL + 0.5);
    ck_assert_uint_lt(equal, ROUNDS / 10);
}

/* A scheduler with one warp does not wait for others. */
TEST(test_no_polls) {
    machine.topology.seed = 1;
    for (uint64_t cycle = 0; cycle < 100; cycle++)
        ck_assert_uint_eq(tma_warp_turnaround_cycles(&machine, TMA_SCHEDULERS, 0, 3, cycle),
                          TURNAROUND);
}

TEST_SUITE("warp timing", .set_up = set_up);
