/* The bank model's rules, one by one. (tests/hardware/test_banks.c replays records.) */
#include "banks/banks.h"
#include "suite.h"

/* Lane l of the access is at base + (l div run) * step. */
struct rule {
    const char *name;
    enum tma_shared_instruction instruction;
    uint32_t lane_mask, base, step, run;
    struct tma_bank_report report;
};

#define ALL UINT32_MAX

/* report: wavefronts, ideal, conflicts, ways, bank, phase, lanes, banks */
static const struct rule rules[] = {
    {"consecutive words", TMA_LD_SHARED_B32, ALL, 0, 4, 1, {1, 1, 0, 1, 0, 0, 1, ALL}},
    {"one word for all", TMA_LD_SHARED_B32, ALL, 12, 0, 1, {1, 1, 0, 1, 3, 0, ALL, 1U << 3}},
    {"every other word",
     TMA_LD_SHARED_B32,
     ALL,
     4,
     8,
     1,
     {2, 1, 1, 2, 1, 0, 0x00010001, 0xAAAAAAAA}},
    {"one bank", TMA_ST_SHARED_B32, ALL, 8, 128, 1, {32, 1, 31, 32, 2, 0, ALL, 1U << 2}},
    {"one bank, half the lanes",
     TMA_LD_SHARED_B32,
     0xFFFF,
     8,
     128,
     1,
     {16, 1, 15, 16, 2, 0, 0xFFFF, 1U << 2}},
    {"no lane", TMA_LD_SHARED_B32, 0, 8, 128, 1, {0}},
    {"bytes of a word", TMA_LD_SHARED_B8, ALL, 0, 1, 1, {1, 1, 0, 1, 0, 0, 0xF, 0xFF}},
    /* 8 bytes: two phases; of one address, one. A store of one address stays two. */
    {"pairs", TMA_LD_SHARED_B64, ALL, 0, 8, 1, {2, 2, 0, 1, 0, 0, 1, ALL}},
    {"one pair for all", TMA_LD_SHARED_B64, ALL, 16, 0, 1, {1, 1, 0, 1, 4, 0, ALL, 3U << 4}},
    {"one pair for all, stored",
     TMA_ST_SHARED_B64,
     ALL,
     16,
     0,
     1,
     {2, 2, 0, 1, 4, 0, 0xFFFF, 3U << 4}},
    {"two pairs", TMA_LD_SHARED_B64, ALL, 16, 8, 16, {2, 2, 0, 1, 4, 0, 0xFFFF, 0xF << 4}},
    /* 16 bytes: four phases, each lane with four banks; a phase without lanes costs nothing. */
    {"chunks", TMA_LD_SHARED_B128, ALL, 0, 16, 1, {4, 4, 0, 1, 0, 0, 1, ALL}},
    {"chunks of one column",
     TMA_LD_SHARED_B128,
     ALL,
     32,
     128,
     1,
     {32, 4, 28, 8, 8, 0, 0xFF, 0xF00}},
    {"chunks, two phases idle",
     TMA_LD_SHARED_B128,
     0x00FF00FF,
     0,
     128,
     1,
     {16, 2, 14, 8, 0, 0, 0xFF, 0xF}},
    {"matrices give as many addresses as they need",
     TMA_LDMATRIX_X2,
     ALL,
     0,
     128,
     1,
     {16, 2, 14, 8, 0, 0, 0xFF, 0xF}},
    {"a matrix", TMA_STMATRIX_X1, ALL, 0, 16, 1, {1, 1, 0, 1, 0, 0, 1, ALL}},
    /* Reductions on one word take turns. */
    {"reduce on one word", TMA_RED_SHARED_B32, ALL, 0, 0, 1, {32, 1, 31, 32, 0, 0, ALL, 1}},
    {"reduce, words of one bank and the same word",
     TMA_RED_SHARED_B32,
     0xF,
     0,
     128,
     1,
     {4, 1, 3, 4, 0, 0, 0xF, 1}},
};

static struct tma_warp_access access_of(const struct rule *rule) {
    struct tma_warp_access access = {.instruction = rule->instruction,
                                     .lane_mask = rule->lane_mask};
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        access.address[lane] = rule->base + lane / rule->run * rule->step;
    return access;
}

START_TEST(bank_rule) {
    const struct rule *rule = &rules[_i];
    struct tma_warp_access access = access_of(rule);
    struct tma_bank_report got = tma_bank_conflicts(&access);
    const struct tma_bank_report *expected = &rule->report;
    const struct {
        const char *what;
        uint32_t got, expected;
    } figures[] = {{"wavefronts", got.wavefronts, expected->wavefronts},
                   {"ideal", got.ideal_wavefronts, expected->ideal_wavefronts},
                   {"conflicts", got.bank_conflicts, expected->bank_conflicts},
                   {"ways", got.ways, expected->ways},
                   {"worst bank", got.worst_bank, expected->worst_bank},
                   {"worst phase", got.worst_phase, expected->worst_phase},
                   {"worst lanes", got.worst_lanes, expected->worst_lanes},
                   {"banks used", got.banks_used, expected->banks_used}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        ck_assert_msg(figures[i].got == figures[i].expected, "%s: %s is %#x, not %#x", rule->name,
                      figures[i].what, figures[i].got, figures[i].expected);
}
END_TEST

/* Lanes of one wavefront want at most one word of a bank (a reduction: one lane), and wavefronts
 * count on without a gap. */
START_TEST(schedule_has_no_conflict_in_a_wavefront) {
    const struct rule *rule = &rules[_i];
    struct tma_warp_access access = access_of(rule);
    uint8_t wavefront[TMA_WARP_LANES];
    uint32_t count = tma_bank_schedule(&access, wavefront), seen = 0;
    ck_assert_uint_eq(count, rule->report.wavefronts);
    uint32_t lanes =
        rule->lane_mask &
        (uint32_t)((UINT64_C(1) << tma_shared_instruction_info(rule->instruction)->lanes) - 1);
    for (uint32_t number = 0; number < count; number++) {
        struct tma_warp_access part = access;
        part.lane_mask = 0;
        for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
            if ((lanes >> lane & 1) != 0 && wavefront[lane] == number)
                part.lane_mask |= 1U << lane;
        seen |= part.lane_mask;
        ck_assert_uint_eq(tma_bank_conflicts(&part).wavefronts, 1);
    }
    ck_assert_uint_eq(seen, lanes);
}
END_TEST

START_TEST(misaligned_addresses_round_down) {
    struct tma_warp_access access = {.instruction = TMA_LD_SHARED_B128, .lane_mask = 3};
    access.address[0] = 0;
    access.address[1] = 12;
    ck_assert_uint_eq(tma_bank_conflicts(&access).wavefronts, 1);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

int main(void) {
    Suite *suite = suite_create("banks");
    TCase *cases = tcase_create("banks");
    tcase_add_loop_test(cases, bank_rule, 0, COUNT(rules));
    tcase_add_loop_test(cases, schedule_has_no_conflict_in_a_wavefront, 0, COUNT(rules));
    tcase_add_test(cases, misaligned_addresses_round_down);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
