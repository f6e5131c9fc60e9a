/* Whether roles wait for memory in their timed steps for too long. */
#include "engine/step_waits.h"
#include "suite.h"

START_TEST(waits_of_a_twentieth_are_few) {
    uint64_t spent[TMA_ROLE_CAUSE_COUNT] = {0};
    spent[TMA_ROLE_COMPUTE] = 900;
    spent[TMA_ROLE_EMPTY] = 50;
    spent[TMA_ROLE_FULL] = 30;
    spent[TMA_ROLE_STORES] = 20;
    ck_assert(!tma_steps_wait(spent, (struct tma_timed_loops){8, 8}));
    spent[TMA_ROLE_STORES]++;
    ck_assert(tma_steps_wait(spent, (struct tma_timed_loops){8, 8}));
}
END_TEST

START_TEST(later_loops_may_have_no_waits) {
    uint64_t spent[TMA_ROLE_CAUSE_COUNT] = {0};
    spent[TMA_ROLE_COMPUTE] = 800;
    spent[TMA_ROLE_FULL] = 200;
    ck_assert(!tma_steps_wait(spent, (struct tma_timed_loops){10, 40}));
    ck_assert(tma_steps_wait(spent, (struct tma_timed_loops){10, 39}));
    ck_assert(tma_steps_wait(spent, (struct tma_timed_loops){40, 39}));
}
END_TEST

START_TEST(nothing_timed_is_no_wait) {
    const uint64_t spent[TMA_ROLE_CAUSE_COUNT] = {0};
    ck_assert(!tma_steps_wait(spent, (struct tma_timed_loops){0, 0}));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("step_waits");
    TCase *tests = tcase_create("step_waits");
    tcase_add_test(tests, waits_of_a_twentieth_are_few);
    tcase_add_test(tests, later_loops_may_have_no_waits);
    tcase_add_test(tests, nothing_timed_is_no_wait);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
