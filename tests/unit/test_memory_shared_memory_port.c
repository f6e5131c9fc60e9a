/* The port of shared memory: arriving data and consumers take turns. A wavefront takes W cycles. */
#include "memory/sm/shared_memory_port.h"
#include "suite.h"

enum { W = 2, TICKS = W * TMA_TICKS };

static const struct {
    const char *what;
    uint64_t from, until; /* of a consumer */
    uint64_t now;         /* when the first of four wavefronts is decided on; it arrives then */
    uint64_t last;        /* when the fourth, each a cycle behind the other, is in shared memory */
} cases[] = {
    {"nobody else", 0, 0, 10, 13},
    {"the consumer is through", 0, 10, 10, 13},
    {"the consumer is yet to come", 14, 20, 10, 13},
    /* Each waits for a consumer's wavefront, and for the pairs ahead of it: 10 + 4 * 2 W - W. */
    {"all behind the consumer's", 10, 100, 10, 10 + 4 * 2 * W - W},
    /* Two pairs, until 10 + 2 * 2 W; the others find only those ahead of them. */
    {"the last two behind the first two", 10, 12, 10, 10 + 2 * 2 * W},
};

START_TEST(test_turns) {
    struct tma_shared_port shared = {0};
    if (cases[_i].until > 0)
        tma_shared_port_occupy(&shared, cases[_i].from, cases[_i].until);
    uint64_t last = 0;
    for (uint64_t i = 0; i < 4; i++)
        last = tma_shared_port_arrive(&shared, cases[_i].now + i, cases[_i].now + i, TICKS);
    ck_assert_msg(last == cases[_i].last, "%s: %lu, not %lu", cases[_i].what, (unsigned long)last,
                  (unsigned long)cases[_i].last);
}
END_TEST

/* Data that come from further hold up nobody who is there sooner. */
START_TEST(test_distances) {
    struct tma_shared_port shared = {0};
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, 10, 60, TICKS), 60);
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, 11, 20, TICKS), 20);
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, 12, 61, TICKS), 61);
}
END_TEST

/* More periods than are kept: the last ones become one, so that none is forgotten. */
START_TEST(test_many_periods) {
    struct tma_shared_port shared = {0};
    enum { PERIODS = 3 * TMA_SHARED_PERIODS };
    for (uint64_t i = 0; i < PERIODS; i++)
        tma_shared_port_occupy(&shared, 100 * i, 100 * i + 10);
    ck_assert_uint_eq(shared.count, TMA_SHARED_PERIODS);
    uint64_t in_last = 100 * (PERIODS - 1) + 5;
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, in_last, in_last, TICKS), in_last + W);
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, in_last + 5, in_last + 5, TICKS),
                      in_last + 5);
    ck_assert_uint_eq(shared.count, 0);
}
END_TEST

/* Periods that touch are one. */
START_TEST(test_touching_periods) {
    struct tma_shared_port shared = {0};
    tma_shared_port_occupy(&shared, 10, 20);
    tma_shared_port_occupy(&shared, 20, 30);
    ck_assert_uint_eq(shared.count, 1);
    ck_assert_uint_eq(shared.periods[0].until_cycle, 30);
    tma_shared_port_occupy(&shared, 31, 40);
    ck_assert_uint_eq(shared.count, 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shared_port");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, test_turns, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(all, test_distances);
    tcase_add_test(all, test_many_periods);
    tcase_add_test(all, test_touching_periods);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
