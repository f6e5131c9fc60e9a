/* The port of an SM's shared memory: wavefronts of arriving data alternate with those of warps that
 * read. A wavefront takes W cycles. */
#include "memory/sm/shared_memory_port.h"
#include "suite.h"

enum { W = 2, TICKS = W * TMA_TICKS };

static const struct {
    const char *what;
    uint64_t from, until; /* cycles in which warps read */
    uint64_t now;  /* the first of four wavefronts arrives; the others follow by a cycle each */
    uint64_t last; /* cycle at which the fourth one is in shared memory */
} cases[] = {
    {"no warp reads", 0, 0, 10, 13},
    {"the warps are done", 0, 10, 10, 13},
    {"the warps read later", 14, 20, 10, 13},
    /* Each wavefront waits for one of the warps and for the pairs ahead of it: 10 + 4 * 2 W - W. */
    {"all alternate with the warps", 10, 100, 10, 10 + 4 * 2 * W - W},
    /* Two pairs take until 10 + 2 * 2 W. The other wavefronts wait for them alone. */
    {"the last two behind the first two", 10, 12, 10, 10 + 2 * 2 * W},
};

START_TEST(test_data_and_warps_alternate) {
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

/* Data with a longer way do not delay data that arrive sooner. */
START_TEST(test_longer_ways_delay_no_other_data) {
    struct tma_shared_port shared = {0};
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, 10, 60, TICKS), 60);
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, 11, 20, TICKS), 20);
    ck_assert_uint_eq(tma_shared_port_arrive(&shared, 12, 61, TICKS), 61);
}
END_TEST

/* Beyond the number of periods that the port remembers, the last ones become one period. */
START_TEST(test_periods_beyond_the_ring_are_merged) {
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

/* Periods that touch become one. */
START_TEST(test_touching_periods_are_merged) {
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
    Suite *suite = suite_create("shared-memory port");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, test_data_and_warps_alternate, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(all, test_longer_ways_delay_no_other_data);
    tcase_add_test(all, test_periods_beyond_the_ring_are_merged);
    tcase_add_test(all, test_touching_periods_are_merged);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
