/* The calendar: what is due comes at its cycle, in the order in which it was put there. */
#include "memory/wheel.h"
#include "suite.h"

enum { ENTRIES = 3000 };

static struct tma_wheel wheel;

static void set_up(void) {
    ck_assert(tma_wheel_create(&wheel));
    ck_assert(tma_wheel_reserve(&wheel, ENTRIES));
}

static void tear_down(void) {
    tma_wheel_free(&wheel);
}

/* Takes what is due at a cycle into `entries`, and returns how many. */
static size_t take(uint64_t cycle, uint32_t *entries) {
    size_t count = 0;
    for (uint32_t entry = tma_wheel_take(&wheel, cycle); entry != TMA_NONE;
         entry = wheel.next[entry])
        entries[count++] = entry;
    return count;
}

static void expect(uint64_t cycle, size_t count, const uint32_t *entries) {
    uint32_t due[ENTRIES];
    ck_assert_uint_eq(take(cycle, due), count);
    for (size_t i = 0; i < count; i++)
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
}
END_TEST

START_TEST(test_growing_keeps_entries) {
    tma_wheel_put(&wheel, 1, 1);
    tma_wheel_put(&wheel, ENTRIES - 1, 1);
    ck_assert(tma_wheel_reserve(&wheel, 100 * ENTRIES));
    tma_wheel_put(&wheel, 100 * ENTRIES - 1, 1);
    expect_nothing(0, 1);
    expect(1, 3, (uint32_t[]){1, ENTRIES - 1, 100 * ENTRIES - 1});
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
        uint32_t now[ENTRIES];
        size_t count = take(cycle, now);
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_eq(due[now[i]], cycle);
            ck_assert(i == 0 || now[i - 1] < now[i]);
        }
        taken += (uint32_t)count;
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
    tcase_add_test(tests, test_growing_keeps_entries);
    tcase_add_test(tests, test_random);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
