/* Runs that fail: the error says what is wrong, and the next run is not affected. */
#include <string.h>

#include "engine.h"
#include "engine/slots/run.h"
#include "kernel.h"
#include "machine.h"
#include "suite.h"

enum { TILE_BYTES = 4 * TMA_LINE_BYTES };

static const struct kernel kernel = {"", 6, 4, 4, 2, 4, true, TMA_WALK_GRID_STRIDED};
static struct tma_machine machine;

static void set_up(void) {
    machine = small_machine();
}

static void expect_more(struct tma_workload *workload) {
    workload->expect_bytes = TILE_BYTES + 16;
}

static void expect_less(struct tma_workload *workload) {
    workload->expect_bytes = TILE_BYTES - 16;
}

static void fault_at_once(struct tma_workload *workload) {
    workload->operations[0].walk.start[0] = 1;
}

/* Tile t begins at element t: the first tile is good, the second is not aligned to 16 bytes. */
static void fault_in_second_iteration(struct tma_workload *workload) {
    workload->cta_count = 1;
    workload->operations[0].walk.tiles[0] = 64;
    workload->operations[0].walk.step[0] = 1;
}

static void no_operation(struct tma_workload *workload) {
    workload->operation_count = 0;
}

/* A box of that stride has no size: nothing may count with it. */
static void refused_map(struct tma_workload *workload) {
    workload->maps[0].element_strides[1] = 0;
}

static void no_depth(struct tma_workload *workload) {
    workload->depth = 0;
}

static void too_many_sms(struct tma_workload *workload) {
    workload->sm_count = 5;
}

/* ldmatrix does not take its addresses from a wgmma descriptor. */
static void consumer_does_not_fit(struct tma_workload *workload) {
    workload->consumers[0] = (struct tma_consumer){
        .instruction = TMA_LDMATRIX_X4, .lanes = TMA_LANES_DESCRIPTOR, .repeat = 1};
    workload->consumer_count = 1;
}

static const struct {
    void (*spoil)(struct tma_workload *workload);
    enum tma_error_code code;
    const char *texts[6]; /* parts of the error's text */
} failures[] = {
    {expect_more,
     TMA_ERROR_DEADLOCK,
     {"deadlock", "SM 0 CTA 0 slot 0", "SM 0 CTA 0 slot 1", "phase 0", "528 bytes expected",
      "512 arrived"}},
    {expect_less,
     TMA_ERROR_DEADLOCK,
     {"deadlock", "SM 0 CTA 0 slot 0", "phase 0", "496 bytes expected", "512 arrived", "more"}},
    /* Slots that issue in the same cycle do so in order: the error is that of the first one. */
    {fault_at_once, TMA_ERROR_FAULT, {"cycle 0", "SM 0", "CTA 0", "operation 0"}},
    {fault_in_second_iteration, TMA_ERROR_FAULT, {"cycle 0", "SM 0", "CTA 0", "operation 1"}},
    {no_operation, TMA_ERROR_ARGUMENT, {"0 operations"}},
    {refused_map, TMA_ERROR_TENSOR_MAP, {"tensor map 0", "element_strides[1] is 0 elements"}},
    {no_depth, TMA_ERROR_ARGUMENT, {"depth"}},
    {too_many_sms, TMA_ERROR_ARGUMENT, {"5 SMs", "1 to 4"}},
    {consumer_does_not_fit, TMA_ERROR_ARGUMENT, {"ldmatrix.x4"}},
};
enum { FAILURES = sizeof failures / sizeof *failures };

static void expect_failure(int index) {
    struct tma_workload workload = make_workload(&kernel);
    struct tma_result result;
    struct tma_error error = {0};
    failures[index].spoil(&workload);
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &result, &error), failures[index].code);
    ck_assert_int_eq(error.code, failures[index].code);
    for (int i = 0; i < 6 && failures[index].texts[i] != NULL; i++)
        ck_assert_msg(strstr(error.text, failures[index].texts[i]) != NULL, "no \"%s\" in \"%s\"",
                      failures[index].texts[i], error.text);
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &result, NULL), failures[index].code);
}

TEST_ROWS(test_failure, FAILURES) {
    expect_failure(_i);
}

static struct tma_result run_good(void) {
    struct tma_workload workload = make_workload(&kernel);
    struct tma_result result;
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &result, NULL), TMA_OK);
    return result;
}

/* Nothing of a failed run is left: no actor, mbarrier or request. */
TEST_ROWS(test_runs_again_after_a_failure, FAILURES) {
    struct tma_result before = run_good();
    expect_failure(_i);
    struct tma_result after = run_good();
    ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
}

/* One of the two operations of a stage moves fewer bytes than the mbarrier expects. */
TEST(test_deadlock_of_two_operations) {
    struct tma_workload workload = make_workload(&kernel);
    struct tma_error error;
    struct tma_result result;
    workload.operations[1] = workload.operations[0];
    workload.maps[1] = line_map(2);
    workload.map_count = 2;
    workload.operations[1].map = 1;
    workload.operation_count = 2;
    workload.expect_bytes = 2 * TILE_BYTES;
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &result, &error), TMA_ERROR_DEADLOCK);
    ck_assert_ptr_nonnull(strstr(error.text, "1024 bytes expected, 768 arrived"));
}

static void take_event(void *context, const struct tma_event *event) {
    ck_assert_uint_ge(event->cycle, *(uint64_t *)context);
    *(uint64_t *)context = event->cycle;
}

/* The events up to the failure are in order. */
TEST_ROWS(test_failure_with_a_trace, FAILURES) {
    struct tma_workload workload = make_workload(&kernel);
    struct tma_result result;
    uint64_t cycle = 0;
    struct tma_event_sink sink = {take_event, &cycle};
    failures[_i].spoil(&workload);
    ck_assert_int_eq(tma_run(&machine, &workload, &sink, &result, NULL), failures[_i].code);
}

TEST_SUITE("failed runs", .set_up = set_up, .prepare = load_engine);
