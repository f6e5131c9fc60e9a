/* Random kernels with roles, for tests that compare runs of each. */
#pragma once

#include "machine.h"
#include "random_operation.h"
#include "scenario/scenario.h"
#include "suite.h"

#define FUZZ_FAIL(text) ck_abort_msg("%s", text)
#include "../fuzz/random_kernel.h"

/* Where the random numbers begin: SEED in the environment says another place. */
static inline uint64_t first_random_state(uint64_t usual) {
    const char *seed = getenv("SEED");
    return seed == NULL ? usual : strtoull(seed, NULL, 0);
}

/* The small machine with other times. */
static inline struct tma_machine draw_machine(uint64_t *state) {
    struct tma_machine machine = small_machine();
    machine.tma.issue_cycles = (uint32_t)random_between(state, 1, 20);
    machine.tma.wake_interval_cycles = (uint32_t)random_between(state, 0, 9);
    machine.tma.poll_millicycles = (uint32_t)random_between(state, 0, 3000);
    machine.tma.cluster_release_cycles = (uint32_t)random_between(state, 0, 30);
    machine.topology.launch_interval_cycles = (uint32_t)random_between(state, 0, 9);
    machine.topology.seed = (uint32_t)random_between(state, 0, 3);
    machine.sm.mma_queue = (uint32_t)random_between(state, 0, 4);
    machine.sm.mma_a_bytes = (uint32_t)random_between(state, 0, 2) * 32;
    machine.sm.mma_b_bytes = (uint32_t)random_between(state, 0, 2) * 64;
    uint32_t *const times[] = {
        &machine.warp.start_cycles,          &machine.warp.launch_cycles,
        &machine.warp.wait_cycles,           &machine.warp.wake_cycles,
        &machine.warp.arrive_cycles,         &machine.warp.arrive_latency_cycles,
        &machine.warp.expect_cycles,         &machine.warp.issue_cycles,
        &machine.warp.commit_cycles,         &machine.warp.wait_group_cycles,
        &machine.warp.store_wake_cycles,     &machine.warp.barrier_cycles,
        &machine.warp.barrier_arrive_cycles, &machine.warp.spin_cycles,
        &machine.warp.mma_issue_cycles,      &machine.warp.mma_wait_cycles};
    for (int i = 0; i < TABLE_ROWS(times); i++)
        *times[i] = (uint32_t)random_between(state, 1, 12);
    machine.warp.poll_cycles = (uint32_t)random_between(state, 0, 8);
    machine.warp.remote_arrive_cycles = (uint32_t)random_between(state, 1, 40);
    machine.warp.fetch_cycles = (uint32_t)random_between(state, 0, 3) * 13;
    return machine;
}

/* Draws the text of kernel number `number`: every fourth one is larger. */
static inline void draw_kernel_text(uint64_t *state, int number, struct yaml_text *yaml) {
    uint8_t bytes[512];
    for (size_t b = 0; b < sizeof bytes; b++)
        bytes[b] = (uint8_t)random_between(state, 0, 255);
    struct fuzz_input input = {bytes, sizeof bytes};
    draw_kernel(&input, number % 4 == 0 ? &usual_kernel : &small_kernel, yaml);
}

/* Reads the text of a scenario, which the caller frees also if it is refused. Then `refusal`,
 * unless it is NULL, gets the first reason. */
static inline bool read_scenario_text(const char *text, const char *name,
                                      const char *const *settings, size_t setting_count,
                                      struct tma_scenario *scenario,
                                      char refusal[TMA_ERROR_TEXT_BYTES]) {
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read_text(text, name, settings, setting_count, scenario, &list);
    if (!good && list.count > 0 && refusal != NULL)
        snprintf(refusal, TMA_ERROR_TEXT_BYTES, "%s", list.items[0].text);
    tma_diagnostics_free(&list);
    return good;
}
