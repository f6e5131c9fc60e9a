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

/* Begins the loops of CTAs that stay: each takes `cycles` in all, and a step of it `step`. */
static uint64_t run_tiles(struct tma_step_clock *clock, uint64_t begin, int tiles, uint64_t step,
                          uint64_t cycles) {
    for (int t = 0; t < tiles; t++, begin += cycles)
        for (uint64_t s = FIRST; s <= LAST; s++)
            tma_step_clock_pass(clock, 0, 0, s, begin + s * step);
    return begin;
}

/* A round that is left out takes as long as the measured one, and its own further steps. */
START_TEST(a_round_is_as_long_as_the_measured_one) {
    struct tma_step_clock clock;
    ck_assert(tma_step_clock_create(&clock, timed, 1, 1, 1));
    clock.stays = true;
    tma_step_clock_start(&clock, 0, 0);
    uint64_t now = run_tiles(&clock, 1000, 2, 500, 9000);
    run_tiles(&clock, now, 2, 400, 7000);
    ck_assert_uint_eq(tma_step_clock_loop(&clock, 0, STEPS).cycles, STEPS * 500);
    ck_assert_uint_eq(tma_step_clock_round(&clock, 0, STEPS).cycles, 9000 + STEPS * 500);
    ck_assert_uint_eq(tma_step_clock_round(&clock, 2, STEPS).cycles, 7000 + STEPS * 400);
    tma_step_clock_free(&clock);
}
END_TEST

/* In a grid a round is the time of a CTA, with what lies between it and the one before. */
START_TEST(a_round_of_a_grid_ends_with_its_cta) {
    struct tma_step_clock clock;
    ck_assert(tma_step_clock_create(&clock, timed, 1, 1, 1));
    for (uint64_t cta = 0; cta < 3; cta++) {
        tma_step_clock_start(&clock, 0, 0);
        run_tiles(&clock, 1000 + cta * 8000, 1, 300, 0);
        tma_step_clock_end(&clock, 0, 0, 7000 + cta * 8000);
    }
    ck_assert_uint_eq(tma_step_clock_round(&clock, 1, STEPS).cycles, 8000 + STEPS * 300);
    tma_step_clock_free(&clock);
}
END_TEST

START_TEST(rounds_agree_within_two_percent) {
    static const struct {
        uint64_t before, step;
        bool agree;
    } cases[] = {{1000, 1000, true}, {1000, 981, true}, {1000, 979, false}, {1000, 1021, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tma_step_clock clock;
        ck_assert(tma_step_clock_create(&clock, timed, 1, 1, 1));
        clock.stays = true;
        tma_step_clock_start(&clock, 0, 0);
        uint64_t now = run_tiles(&clock, 1000, 1, cases[i].before, 20000);
        run_tiles(&clock, now, 1, cases[i].step, 20000);
        ck_assert_int_eq(tma_step_clock_agrees(&clock, 1), cases[i].agree);
        ck_assert(!tma_step_clock_agrees(&clock, 2)); /* has not begun */
        tma_step_clock_free(&clock);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("step_clock");
    TCase *tests = tcase_create("step_clock");
    tcase_add_test(tests, late_steps_stand_for_those_left_out);
    tcase_add_test(tests, steps_count_while_all_ctas_of_an_sm_are_within_them);
    tcase_add_test(tests, without_such_steps_all_count);
    tcase_add_test(tests, a_round_is_as_long_as_the_measured_one);
    tcase_add_test(tests, a_round_of_a_grid_ends_with_its_cta);
    tcase_add_test(tests, rounds_agree_within_two_percent);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
