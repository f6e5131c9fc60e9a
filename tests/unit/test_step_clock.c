/* The clock of steps by itself: which steps count, and what it makes of them for those that were
 * left out. */
#include "engine/step_clock.h"
#include "suite.h"

enum { FIRST = 2, LAST = 6, STEPS = 100 };

static const struct tma_timed_steps timed = {FIRST, LAST};

/* One loop in a place, each step of which takes so long. Returns when it has ended. */
static uint64_t run_loop(struct tma_step_clock *clock, uint32_t place, uint64_t begin,
                         const uint64_t cycles[LAST + 1]) {
    for (uint64_t step = 1; step <= LAST + 2; step++) {
        begin += cycles[step <= LAST ? step : LAST];
        tma_step_clock_pass(clock, place, 0, step, begin);
    }
    return begin;
}

START_TEST(late_steps_stand_for_those_left_out) {
    static const uint64_t cycles[LAST + 1] = {900, 900, 900, 500, 500, 400, 400};
    struct tma_step_clock clock;
    ck_assert(tma_step_clock_create(&clock, timed, 1, 1, 1));
    for (int loop = 0; loop < 3; loop++) {
        tma_step_clock_start(&clock, 0, 0);
        tma_step_clock_end(&clock, 0, 0, run_loop(&clock, 0, (uint64_t)loop * 10000, cycles));
    }
    struct tma_step_stretch stretch = tma_step_clock_stretch(&clock, 0, STEPS);
    ck_assert_uint_eq(stretch.cycles, 3 * STEPS * 400);
    ck_assert_uint_eq(stretch.error_cycles, 3 * STEPS * 100);
    tma_step_clock_free(&clock);
}
END_TEST

/* Two CTAs of an SM take 600 cycles for a step while both are within timed steps. The second one
 * starts later, and each is as fast as 300 cycles when the other one is not. */
START_TEST(steps_count_while_all_ctas_of_an_sm_are_within_them) {
    struct tma_step_clock clock;
    ck_assert(tma_step_clock_create(&clock, timed, 2, 1, 2));
    tma_step_clock_start(&clock, 0, 0);
    tma_step_clock_start(&clock, 1, 0);
    tma_step_clock_pass(&clock, 0, 0, FIRST, 1000);
    tma_step_clock_pass(&clock, 0, 0, FIRST + 1, 1300); /* alone */
    tma_step_clock_pass(&clock, 1, 0, FIRST, 1400);
    tma_step_clock_pass(&clock, 0, 0, FIRST + 2, 1700); /* in part */
    for (uint64_t step = 3; step <= LAST - FIRST; step++) {
        tma_step_clock_pass(&clock, 1, 0, FIRST + step - 2, 1400 + (step - 2) * 600);
        tma_step_clock_pass(&clock, 0, 0, FIRST + step, 1700 + (step - 2) * 600);
    }
    for (uint64_t step = 3; step <= LAST - FIRST; step++) /* alone again */
        tma_step_clock_pass(&clock, 1, 0, FIRST + step, 2600 + (step - 2) * 300);
    const struct tma_step_rate *rate = &clock.rates[2];
    ck_assert_uint_eq(rate->halves[0].count, 2);
    ck_assert_uint_eq(rate->halves[0].cycles, 2 * 600);
    ck_assert_uint_eq(rate->halves[1].count, 2);
    ck_assert_uint_eq(rate->halves[1].cycles, 2 * 600);
    ck_assert_uint_eq(tma_step_clock_stretch(&clock, 0, STEPS).cycles, STEPS * 600);
    tma_step_clock_free(&clock);
}
END_TEST

/* A loop that no timed step of its kind stands for: all steps count, with an error of a tenth. */
START_TEST(without_such_steps_all_count) {
    struct tma_step_clock clock;
    ck_assert(tma_step_clock_create(&clock, timed, 2, 1, 2));
    static const uint64_t cycles[LAST + 1] = {300, 300, 300, 300, 300, 300, 300};
    tma_step_clock_start(&clock, 0, 0);
    tma_step_clock_start(&clock, 1, 0);
    run_loop(&clock, 0, 0, cycles);
    struct tma_step_stretch stretch = tma_step_clock_stretch(&clock, 0, STEPS);
    ck_assert_uint_eq(stretch.cycles, STEPS * 300);
    ck_assert_uint_eq(stretch.error_cycles, STEPS * 30);
    ck_assert_uint_eq(tma_step_clock_stretch(&clock, 1, STEPS).cycles, 0);
    tma_step_clock_free(&clock);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("step_clock");
    TCase *tests = tcase_create("step_clock");
    tcase_add_test(tests, late_steps_stand_for_those_left_out);
    tcase_add_test(tests, steps_count_while_all_ctas_of_an_sm_are_within_them);
    tcase_add_test(tests, without_such_steps_all_count);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
