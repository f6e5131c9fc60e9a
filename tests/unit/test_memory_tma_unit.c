/* The TMA unit: how many rows and requests an operation is, and when it makes them. In the small
 * machine a request is made every 2 cycles, and an operation starts 8 cycles after the one before,
 * at the earliest. */
#include "machine.h"
#include "suite.h"
#include "traffic.h"

enum { ISSUE = 10, DISPATCH = 8, ROW = 2 };

static struct tma_machine machine;
static struct tma_memory *memory;

static void set_up(void) {
    machine = small_machine();
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_memory_free(memory);
}

/* Boxes of a matrix of float16, whose rows lie `pitch` bytes apart from `offset` on. One request is
 * made for each row and each 128-byte line that it lies in. */
static const struct {
    const char *what;
    uint64_t columns, pitch, offset;
    uint32_t box[2], strides[2];
    int32_t start[2];
    uint32_t rows, out_of_bounds, requests, l2_requests, l2_sectors;
} boxes[] = {
    {"16-byte rows", 64, 128, 0, {8, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 16},
    {"32-byte rows", 64, 128, 0, {16, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 16},
    {"64-byte rows", 64, 128, 0, {32, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 32},
    {"128-byte rows", 64, 128, 0, {64, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 64},
    {"256-byte rows", 256, 512, 0, {128, 16}, {1, 1}, {0, 0}, 16, 0, 32, 32, 128},
    {"many rows in one line are a request each",
     8,
     16,
     0,
     {8, 16},
     {1, 1},
     {0, 0},
     16,
     0,
     16,
     16,
     16},
    {"32 bytes across two sectors", 64, 128, 0, {16, 4}, {1, 1}, {8, 0}, 4, 0, 4, 4, 8},
    {"128 bytes across two lines", 128, 256, 64, {64, 8}, {1, 1}, {0, 0}, 8, 0, 16, 16, 32},
    {"32 bytes across two lines", 256, 512, 0, {16, 8}, {1, 1}, {56, 0}, 8, 0, 16, 16, 16},
    {"256 bytes across three lines", 256, 512, 16, {128, 8}, {1, 1}, {0, 0}, 8, 0, 24, 24, 72},
    {"every other row", 64, 128, 0, {64, 16}, {1, 2}, {0, 0}, 8, 0, 8, 8, 32},
    {"the stride of a row's elements is ignored",
     64,
     128,
     0,
     {64, 4},
     {2, 1},
     {0, 0},
     4,
     0,
     4,
     4,
     16},
    /* Rows that are all fill ask L2 nothing, but are made all the same. */
    {"rows above the tensor", 64, 128, 0, {64, 8}, {1, 1}, {0, -3}, 8, 3, 8, 5, 20},
    {"rows below it", 64, 128, 0, {64, 8}, {1, 1}, {0, 4094}, 8, 6, 8, 2, 8},
    {"all rows beside it", 64, 128, 0, {64, 8}, {1, 1}, {64, 0}, 8, 8, 8, 0, 0},
    {"rows that end outside: their data alone",
     64,
     128,
     0,
     {64, 8},
     {1, 1},
     {32, 0},
     8,
     0,
     16,
     8,
     16},
};

START_TEST(test_requests) {
    struct tma_tensor_map map = line_map(1);
    map.global_address += boxes[_i].offset;
    map.global_dim[0] = boxes[_i].columns;
    map.global_strides[0] = boxes[_i].pitch;
    for (int d = 0; d < 2; d++) {
        map.box_dim[d] = boxes[_i].box[d];
        map.element_strides[d] = boxes[_i].strides[d];
    }
    struct tma_completion done = run_load(
        memory, &(struct load){.map = &map, .x = boxes[_i].start[0], .y = boxes[_i].start[1]});
    ck_assert_msg(done.rows == boxes[_i].rows, "%s: %u rows", boxes[_i].what, done.rows);
    ck_assert_msg(done.requests == boxes[_i].requests, "%s: %u requests", boxes[_i].what,
                  done.requests);
    ck_assert_uint_eq(done.rows_out_of_bounds, boxes[_i].out_of_bounds);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_msg(counters.requests == boxes[_i].l2_requests, "%s: %llu requests of L2",
                  boxes[_i].what, (unsigned long long)counters.requests);
    ck_assert_msg(counters.sectors == boxes[_i].l2_sectors, "%s: %llu sectors", boxes[_i].what,
                  (unsigned long long)counters.sectors);
    ck_assert_uint_eq(done.start_cycle, ISSUE);
    ck_assert_uint_eq(done.rows_cycle, ISSUE + done.requests * ROW);
}
END_TEST

/* Operations of `rows` rows, issued by one SM at these cycles. */
static const struct {
    const char *what;
    uint32_t rows;
    uint64_t issued[4], started[4];
} queues[] = {
    {"rows take longer than dispatch",
     16,
     {0, 0, 0, 0},
     {ISSUE, ISSUE + 16 * ROW, ISSUE + 32 * ROW, ISSUE + 48 * ROW}},
    {"dispatch takes longer than rows",
     1,
     {0, 0, 0, 0},
     {ISSUE, ISSUE + DISPATCH, ISSUE + 2 * DISPATCH, ISSUE + 3 * DISPATCH}},
    {"as long: neither waits",
     DISPATCH / ROW,
     {0, 0, 0, 0},
     {ISSUE, ISSUE + DISPATCH, ISSUE + 2 * DISPATCH, ISSUE + 3 * DISPATCH}},
    {"a unit that is free starts at once",
     1,
     {0, 100, 100 + DISPATCH, 200},
     {ISSUE, ISSUE + 100, ISSUE + 100 + DISPATCH, ISSUE + 200}},
    {"a cycle too early, and just in time",
     1,
     {0, DISPATCH - 1, 100, 100 + DISPATCH},
     {ISSUE, ISSUE + DISPATCH, ISSUE + 100, ISSUE + 100 + DISPATCH}},
};

START_TEST(test_starts) {
    struct tma_tensor_map map = line_map(queues[_i].rows);
    struct load loads[4];
    struct tma_completion done[4];
    for (uint32_t i = 0; i < 4; i++)
        loads[i] = (struct load){.map = &map, .cycle = queues[_i].issued[i], .tag = i};
    run_loads(memory, loads, 4, done);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_msg(done[i].start_cycle == queues[_i].started[i],
                      "%s: operation %u starts at %llu", queues[_i].what, i,
                      (unsigned long long)done[i].start_cycle);
}
END_TEST

/* Each SM has a unit of its own. */
START_TEST(test_units_work_side_by_side) {
    struct tma_tensor_map map = line_map(16);
    struct load loads[4];
    struct tma_completion done[4];
    for (uint32_t sm = 0; sm < 4; sm++)
        loads[sm] = (struct load){.map = &map, .sm = sm, .tag = sm};
    run_loads(memory, loads, 4, done);
    for (uint32_t sm = 0; sm < 4; sm++) {
        ck_assert_uint_eq(done[sm].sm, sm);
        ck_assert_uint_eq(done[sm].start_cycle, ISSUE);
        ck_assert_uint_eq(done[sm].rows_cycle, ISSUE + 16 * ROW);
    }
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, 4 * 16 * ROW);
}
END_TEST

/* Rows of 1.25 cycles: the exact time counts, not the rounded one. */
START_TEST(test_fraction_of_a_cycle) {
    tma_memory_free(memory);
    machine.tma.row_millicycles = 1250;
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
    struct tma_tensor_map map = line_map(100);
    struct tma_completion done = run_load(memory, &(struct load){.map = &map});
    ck_assert_uint_eq(done.rows_cycle, ISSUE + 125);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("TMA unit");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test_requests, 0, sizeof boxes / sizeof *boxes);
    tcase_add_loop_test(tests, test_starts, 0, sizeof queues / sizeof *queues);
    tcase_add_test(tests, test_units_work_side_by_side);
    tcase_add_test(tests, test_fraction_of_a_cycle);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
