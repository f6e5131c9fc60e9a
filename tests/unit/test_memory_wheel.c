/* The calendar: what is due comes at its cycle, in the order in which it was put there. */
#include "memory/wheel.h"
#include "suite.h"

enum { ENTRIES = 3000 };

static struct tma_wheel wheel;

static void set_up(void) {
    tma_wheel_init(&wheel);
}

static void tear_down(void) {
    tma_wheel_free(&wheel);
}

/* What is due at a cycle, which is the next one. */
static void expect(uint64_t cycle, uint32_t count, const uint32_t *entries) {
    const uint32_t *due;
    ck_assert_uint_eq(wheel.now, cycle);
    ck_assert_uint_eq(tma_wheel_take(&wheel, &due), count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(due[i], entries[i]);
}

/* Goes through the cycles from `from` on, up to and without `to`: nothing is due. */
static void expect_nothing(uint64_t from, uint64_t to) {
    for (uint64_t cycle = from; cycle < to; cycle++)
        expect(cycle, 0, NULL);
}

START_TEST(test_empty) {
    expect_nothing(0, 2 * TMA_WHEEL_CYCLES + 1);
    ck_assert_uint_eq(wheel.count, 0);
}
END_TEST

START_TEST(test_order_within_a_cycle) {
    tma_wheel_put(&wheel, 7, 5);
    tma_wheel_put(&wheel, 3, 6);
    tma_wheel_put(&wheel, 9, 5);
    tma_wheel_put(&wheel, 1, 5);
    ck_assert_uint_eq(wheel.count, 4);
    expect_nothing(0, 5);
    expect(5, 3, (uint32_t[]){7, 9, 1});
    expect(6, 1, (uint32_t[]){3});
    ck_assert_uint_eq(wheel.count, 0);
}
END_TEST

START_TEST(test_entry_can_be_put_again) {
    tma_wheel_put(&wheel, 4, 2);
    expect_nothing(0, 2);
    expect(2, 1, (uint32_t[]){4});
    tma_wheel_put(&wheel, 4, 3);
    expect(3, 1, (uint32_t[]){4});
}
END_TEST

/* Due a whole ring or more from now: they share a bucket with what is due now. */
START_TEST(test_beyond_the_ring) {
    const uint64_t ring = TMA_WHEEL_CYCLES;
    tma_wheel_put(&wheel, 1, 5 + 2 * ring);
    tma_wheel_put(&wheel, 2, 5 + ring);
    tma_wheel_put(&wheel, 3, 5);
    tma_wheel_put(&wheel, 4, 5 + 2 * ring);
    expect_nothing(0, 5);
    expect(5, 1, (uint32_t[]){3});
    expect_nothing(6, 5 + ring);
    expect(5 + ring, 1, (uint32_t[]){2});
    tma_wheel_put(&wheel, 5, 5 + 2 * ring);
    expect_nothing(6 + ring, 5 + 2 * ring);
    expect(5 + 2 * ring, 3, (uint32_t[]){1, 4, 5});
    ck_assert_uint_eq(wheel.count, 0);
}
END_TEST

START_TEST(test_many_entries_in_a_cycle) {
    uint32_t entries[ENTRIES];
    for (uint32_t i = 0; i < ENTRIES; i++) {
        entries[i] = i * 7 % ENTRIES;
        tma_wheel_put(&wheel, entries[i], 3);
        tma_wheel_put(&wheel, i, 4);
    }
    expect_nothing(0, 3);
    expect(3, ENTRIES, entries);
    ck_assert_uint_eq(wheel.count, ENTRIES);
}
END_TEST

/* An empty calendar can move on at once; entries then come as ever. */
START_TEST(test_skip) {
    const uint64_t far = 10 * TMA_WHEEL_CYCLES + 17;
    tma_wheel_skip(&wheel, far);
    tma_wheel_put(&wheel, 1, far);
    tma_wheel_put(&wheel, 2, far + TMA_WHEEL_CYCLES);
    expect(far, 1, (uint32_t[]){1});
    expect_nothing(far + 1, far + TMA_WHEEL_CYCLES);
    expect(far + TMA_WHEEL_CYCLES, 1, (uint32_t[]){2});
}
END_TEST

static uint32_t random_number(void) {
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Entries at random cycles over three rings, put while time passes: each comes at its cycle, those
 * of one cycle in order of insertion. */
START_TEST(test_random) {
    uint64_t due[ENTRIES];
    uint32_t number = 0, taken = 0;
    for (uint64_t cycle = 0; taken < ENTRIES; cycle++) {
        for (int i = 0; i < 2 && number < ENTRIES; i++, number++) {
            due[number] = cycle + random_number() % (3 * TMA_WHEEL_CYCLES);
            tma_wheel_put(&wheel, number, due[number]);
        }
        const uint32_t *now;
        uint32_t count = tma_wheel_take(&wheel, &now);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_uint_eq(due[now[i]], cycle);
            ck_assert(i == 0 || now[i - 1] < now[i]);
        }
        taken += count;
        ck_assert_uint_eq(wheel.count, number - taken);
        ck_assert_uint_lt(cycle, 4 * TMA_WHEEL_CYCLES);
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
    tcase_add_test(tests, test_beyond_the_ring);
    tcase_add_test(tests, test_many_entries_in_a_cycle);
    tcase_add_test(tests, test_skip);
    tcase_add_test(tests, test_random);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
