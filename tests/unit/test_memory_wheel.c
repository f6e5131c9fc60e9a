/* The calendar: what is due comes at its cycle, in the order in which it was put there. */
#include "memory/wheel.h"
#include "suite.h"

enum { ENTRIES = 3000, RING = TMA_WHEEL_CYCLES };

static struct tma_wheel wheel;

static void set_up(void) {
    tma_wheel_init(&wheel);
}

static void tear_down(void) {
    ck_assert(!wheel.out_of_memory);
    tma_wheel_free(&wheel);
}

/* Takes what is due now: these entries. */
static void expect(uint64_t cycle, uint32_t count, const uint32_t *entries) {
    const uint32_t *due;
    uint32_t known;
    ck_assert_uint_eq(wheel.now, cycle);
    ck_assert_uint_eq(tma_wheel_take(&wheel, &due, &known), count);
    ck_assert_uint_eq(wheel.now, cycle + 1);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(due[i], entries[i]);
}

/* Nothing is due until `cycle`, whose turn it then is. */
static void expect_nothing_until(uint64_t cycle) {
    while (wheel.now < cycle)
        expect(wheel.now, 0, NULL);
}

START_TEST(test_empty) {
    expect_nothing_until(2 * RING + 1);
    ck_assert_uint_eq(wheel.count, 0);
}
END_TEST

START_TEST(test_order_within_a_cycle) {
    tma_wheel_put(&wheel, 7, 5);
    tma_wheel_put(&wheel, 3, 6);
    tma_wheel_put(&wheel, 9, 5);
    tma_wheel_put(&wheel, 1, 5);
    ck_assert_uint_eq(wheel.count, 4);
    expect_nothing_until(5);
    expect(5, 3, (uint32_t[]){7, 9, 1});
    expect(6, 1, (uint32_t[]){3});
    ck_assert_uint_eq(wheel.count, 0);
}
END_TEST

START_TEST(test_entry_can_be_put_again) {
    tma_wheel_put(&wheel, 4, 2);
    expect_nothing_until(2);
    expect(2, 1, (uint32_t[]){4});
    tma_wheel_put(&wheel, 4, 3);
    expect(3, 1, (uint32_t[]){4});
}
END_TEST

/* What was taken stays as it is while its user puts more, up to the next time. */
START_TEST(test_taken_entries_stay) {
    const uint32_t *due;
    uint32_t known;
    tma_wheel_put(&wheel, 1, 0);
    tma_wheel_put(&wheel, 2, 0);
    ck_assert_uint_eq(tma_wheel_take(&wheel, &due, &known), 2);
    for (uint32_t i = 0; i < ENTRIES; i++)
        tma_wheel_put(&wheel, 100 + i, 1 + i % 2);
    ck_assert_uint_eq(due[0], 1);
    ck_assert_uint_eq(due[1], 2);
}
END_TEST

/* Many in one cycle: fewer than a chunk has room for, as many, and several chunks full, in two
 * cycles by turns so that their chunks lie among each other. Again and again: chunks come back. */
static const uint32_t crowds[] = {TMA_WHEEL_CHUNK - 1, TMA_WHEEL_CHUNK,         TMA_WHEEL_CHUNK + 1,
                                  2 * TMA_WHEEL_CHUNK, 2 * TMA_WHEEL_CHUNK + 1, ENTRIES / 2};

START_TEST(test_order_across_chunks) {
    uint32_t entries[2][ENTRIES / 2];
    size_t chunks = 0;
    for (uint32_t i = 0; i < crowds[_i]; i++) {
        entries[0][i] = 2 * i;
        entries[1][i] = 2 * i + 1;
    }
    for (uint64_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 2 * crowds[_i]; i++)
            tma_wheel_put(&wheel, i, 2 * round + i % 2);
        expect(2 * round, crowds[_i], entries[0]);
        expect(2 * round + 1, crowds[_i], entries[1]);
        chunks = round == 0 ? wheel.chunk_count : chunks;
    }
    ck_assert_uint_eq(wheel.chunk_count, chunks);
}
END_TEST

/* Due a whole ring or more from now: they would share a bucket with what is due now. */
START_TEST(test_beyond_the_ring) {
    tma_wheel_put(&wheel, 1, 5 + 2 * RING);
    tma_wheel_put(&wheel, 2, 5 + RING);
    tma_wheel_put(&wheel, 3, 5);
    tma_wheel_put(&wheel, 4, 5 + 2 * RING);
    ck_assert_uint_eq(wheel.count, 4);
    expect_nothing_until(5);
    expect(5, 1, (uint32_t[]){3});
    expect_nothing_until(5 + RING);
    expect(5 + RING, 1, (uint32_t[]){2});
    tma_wheel_put(&wheel, 5, 5 + 2 * RING);
    expect_nothing_until(5 + 2 * RING);
    expect(5 + 2 * RING, 3, (uint32_t[]){1, 4, 5});
    ck_assert_uint_eq(wheel.count, 0);
}
END_TEST

/* Whether the ring reaches a cycle already or not: an entry that was put sooner comes sooner. Each
 * is put so many cycles ahead of the one cycle where all are due, wherever in the ring that is. */
static const uint64_t ahead[] = {3 * RING, 2 * RING + 1, 2 * RING,     RING + 1, RING,
                                 RING - 1, RING * 3 / 4, RING / 2 + 1, RING / 2, 1};
static const uint64_t phases[] = {0, 1, RING / 2 - 1, RING / 2, RING - 1};

START_TEST(test_order_of_far_and_near) {
    uint64_t due_cycle = 3 * RING + phases[_i];
    uint32_t order[sizeof ahead / sizeof *ahead];
    for (uint32_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        expect_nothing_until(due_cycle - ahead[i]);
        tma_wheel_put(&wheel, i, due_cycle);
        order[i] = i;
    }
    expect_nothing_until(due_cycle);
    expect(due_cycle, sizeof ahead / sizeof *ahead, order);
}
END_TEST

/* A calendar that is empty goes anywhere at once, and works as well from there. */
static const uint64_t skips[] = {
    0, 1, RING / 2, RING - 1, RING, 10 * RING + 7, (UINT64_C(1) << 40) - 1};

START_TEST(test_skip) {
    uint64_t cycle = skips[_i];
    tma_wheel_skip(&wheel, cycle);
    tma_wheel_put(&wheel, 1, cycle + RING + 3);
    tma_wheel_put(&wheel, 2, cycle + RING - 1);
    tma_wheel_put(&wheel, 3, cycle);
    expect(cycle, 1, (uint32_t[]){3});
    expect_nothing_until(cycle + RING - 1);
    expect(cycle + RING - 1, 1, (uint32_t[]){2});
    expect_nothing_until(cycle + RING + 3);
    expect(cycle + RING + 3, 1, (uint32_t[]){1});
}
END_TEST

static uint32_t random_number(void) {
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Entries at random cycles over so many, put while time passes: each comes at its cycle, those of
 * one cycle in order of insertion. */
static const uint32_t spans[] = {1, 20, RING, 3 * RING};

START_TEST(test_random) {
    uint64_t due_cycle[ENTRIES];
    uint32_t number = 0, taken = 0;
    for (uint64_t cycle = 0; taken < ENTRIES; cycle++) {
        for (int i = 0; i < 2 && number < ENTRIES; i++, number++) {
            due_cycle[number] = cycle + random_number() % spans[_i];
            tma_wheel_put(&wheel, number, due_cycle[number]);
        }
        const uint32_t *due;
        uint32_t known;
        uint32_t count = tma_wheel_take(&wheel, &due, &known);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_uint_eq(due_cycle[due[i]], cycle);
            ck_assert(i == 0 || due[i - 1] < due[i]);
        }
        taken += count;
        ck_assert_uint_eq(wheel.count, number - taken);
        ck_assert_uint_lt(cycle, 4 * RING);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("calendar");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_empty);
    tcase_add_test(tests, test_order_within_a_cycle);
    tcase_add_test(tests, test_entry_can_be_put_again);
    tcase_add_test(tests, test_taken_entries_stay);
    tcase_add_loop_test(tests, test_order_across_chunks, 0, sizeof crowds / sizeof *crowds);
    tcase_add_test(tests, test_beyond_the_ring);
    tcase_add_loop_test(tests, test_order_of_far_and_near, 0, sizeof phases / sizeof *phases);
    tcase_add_loop_test(tests, test_skip, 0, sizeof skips / sizeof *skips);
    tcase_add_loop_test(tests, test_random, 0, sizeof spans / sizeof *spans);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
