/* Following a run: the watch sees its progress, changes nothing, and can end it. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "engine/slots/run.h"
#include "kernel.h"
#include "machine.h"
#include "suite.h"

static const struct kernel kernels[] = {
    {"one SM", 1, 1, 2000, 4, 4, true, TMA_WALK_GRID_STRIDED},
    {"several waves", 60, 4, 50, 2, 4, false, TMA_WALK_BLOCKED},
    {"all the same tile", 4, 4, 400, 3, 8, true, TMA_WALK_SAME},
};

/* What the watch has seen, and when it ends the run. */
struct seen {
    uint64_t looks, last_cycle, last_operations, total;
    uint64_t end_after; /* looks; 0: never */
};

static bool look(void *context, const struct tma_run_state *state) {
    struct seen *seen = context;
    ck_assert_uint_ge(state->cycle, seen->last_cycle);
    ck_assert_uint_ge(state->operations, seen->last_operations);
    ck_assert_uint_le(state->operations, state->total_operations);
    seen->last_cycle = state->cycle;
    seen->last_operations = state->operations;
    seen->total = state->total_operations;
    return ++seen->looks != seen->end_after;
}

static struct tma_machine machine;
static struct tma_workload workload;
static struct tma_result watched, plain;

static enum tma_error_code run(struct seen *seen, struct tma_error *error) {
    struct tma_watch watch = {.look = look, .context = seen};
    return tma_run_watched(&machine, &workload, NULL, &watch, &watched, error);
}

static void set_up(void) {
    machine = small_machine();
}

TEST_ROWS(a_watch_changes_nothing, TABLE_ROWS(kernels)) {
    struct seen seen = {0};
    workload = make_workload(&kernels[_i]);
    ck_assert_int_eq(run(&seen, NULL), TMA_OK);
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &plain, NULL), TMA_OK);
    ck_assert_uint_gt(seen.looks, 2);
    ck_assert_uint_eq(seen.total, plain.counters.operations);
    ck_assert_uint_le(seen.last_cycle, plain.cycles);
    ck_assert(memcmp(&plain, &watched, sizeof plain) == 0);
}

/* The result is of the time until then, and the next run is not affected. */
TEST_ROWS(a_watch_can_end_the_run, TABLE_ROWS(kernels)) {
    workload = make_workload(&kernels[_i]);
    for (uint64_t looks = 1; looks <= 3; looks++) {
        struct seen seen = {.end_after = looks};
        struct tma_error error;
        ck_assert_int_eq(run(&seen, &error), TMA_ERROR_INTERRUPTED);
        ck_assert_str_eq(error.text, "the caller ended the run");
        ck_assert_uint_eq(seen.looks, looks);
        ck_assert_uint_ge(watched.cycles, seen.last_cycle);
        ck_assert_uint_eq(watched.counters.operations, seen.last_operations);
        ck_assert_uint_lt(watched.counters.operations, seen.total);
        ck_assert_uint_eq(watched.waves.count, 0);
    }
    struct seen all = {0};
    ck_assert_int_eq(run(&all, NULL), TMA_OK);
    ck_assert_uint_eq(watched.counters.operations, all.total);
}

/* Ranges of memory that nothing may touch. */
static uint32_t count_guards(void) {
    char line[512];
    uint32_t count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, " ---p ") != NULL;
    fclose(maps);
    return count;
}

static bool look_for_guards(void *context, const struct tma_run_state *state) {
    uint32_t *guards = context;
    (void)state;
    *guards = count_guards();
    return false;
}

/* A stack that grows too large must not reach another one: an actor for each slot has its own. */
TEST_ROWS(stacks_of_actors_are_guarded, TABLE_ROWS(kernels)) {
    const struct kernel *kernel = &kernels[_i];
    uint32_t before = count_guards(), during = 0;
    struct tma_watch watch = {.look = look_for_guards, .context = &during};
    workload = make_workload(kernel);
    ck_assert_int_eq(tma_run_watched(&machine, &workload, NULL, &watch, &watched, NULL),
                     TMA_ERROR_INTERRUPTED);
    uint32_t sms = workload.sm_count < workload.cta_count ? workload.sm_count : workload.cta_count;
    ck_assert_uint_ge(during, before + sms * workload.depth);
}

TEST_SUITE("watch", .prepare = load_engine, .set_up = set_up);
