/* The policies that machine files pick by name: the tables of names, and the functions behind every
 * name. */
#include "memory/core/slice_hash.h"
#include "memory/dram/refresh.h"
#include "memory/dram/scheduler.h"
#include "memory/l2/promotion.h"
#include "memory/l2/replacement.h"
#include "memory/policies.h"
#include "suite.h"

/* The names of each kind of policy, in the order of the enumeration. The first one is the default:
 * a machine that names no policy has value 0. */
static const struct {
    const struct tma_names *names;
    int count; /* of the enumeration */
    struct {
        const char *name;
        int value;
    } policies[3]; /* up to the first NULL */
} kinds[] = {
    {&tma_replacement_names,
     TMA_REPLACEMENT_COUNT,
     {{"lru", TMA_REPLACEMENT_lru}, {"random", TMA_REPLACEMENT_random}}},
    {&tma_promotion_names,
     TMA_PROMOTION_COUNT,
     {{"first_sector", TMA_PROMOTION_first_sector}, {"none", TMA_PROMOTION_none}}},
    {&tma_slice_hash_names,
     TMA_SLICE_HASH_COUNT,
     {{"even", TMA_SLICE_HASH_even}, {"h200", TMA_SLICE_HASH_h200}}},
    {&tma_dram_scheduler_names,
     TMA_DRAM_SCHEDULER_COUNT,
     {{"fr_fcfs", TMA_DRAM_SCHEDULER_fr_fcfs}, {"fcfs", TMA_DRAM_SCHEDULER_fcfs}}},
    {&tma_refresh_names,
     TMA_REFRESH_COUNT,
     {{"per_bank", TMA_REFRESH_per_bank},
      {"all_banks", TMA_REFRESH_all_banks},
      {"none", TMA_REFRESH_none}}},
};

START_TEST(test_names) {
    const struct tma_names *names = kinds[_i].names;
    int value, count = 0;
    for (; count < 3 && kinds[_i].policies[count].name != NULL; count++) {
        const char *name = kinds[_i].policies[count].name;
        ck_assert_int_eq(kinds[_i].policies[count].value, count);
        ck_assert_str_eq(tma_name_of(names, count), name);
        ck_assert_msg(tma_value_of(names, name, &value), "no %s \"%s\"", names->what, name);
        ck_assert_int_eq(value, count);
    }
    ck_assert_int_eq(count, kinds[_i].count);
    ck_assert_uint_eq(names->count, (size_t)count);
}
END_TEST

START_TEST(test_unknown_names) {
    static const char *const unknown[] = {"", "LRU", "fifo", "first-sector", "none ", "default"};
    int value;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        ck_assert(!tma_value_of(kinds[_i].names, unknown[i], &value));
}
END_TEST

/* Every value of the enumerations has the functions of the policy with its name. */
START_TEST(test_functions) {
    ck_assert_ptr_eq(tma_replacement_policy(TMA_REPLACEMENT_lru), &tma_replacement_lru);
    ck_assert_ptr_eq(tma_replacement_policy(TMA_REPLACEMENT_random), &tma_replacement_random);
    ck_assert_ptr_eq(tma_promotion_policy(TMA_PROMOTION_first_sector), &tma_promotion_first_sector);
    ck_assert_ptr_eq(tma_promotion_policy(TMA_PROMOTION_none), &tma_promotion_none);
    ck_assert_ptr_eq(tma_slice_hash_policy(TMA_SLICE_HASH_even), &tma_slice_hash_even);
    ck_assert_ptr_eq(tma_slice_hash_policy(TMA_SLICE_HASH_h200), &tma_slice_hash_h200);
    ck_assert_ptr_eq(tma_dram_scheduler_policy(TMA_DRAM_SCHEDULER_fcfs), &tma_dram_scheduler_fcfs);
    ck_assert_ptr_eq(tma_dram_scheduler_policy(TMA_DRAM_SCHEDULER_fr_fcfs),
                     &tma_dram_scheduler_fr_fcfs);
    ck_assert_ptr_eq(tma_refresh_policy(TMA_REFRESH_per_bank), &tma_refresh_per_bank);
    ck_assert_ptr_eq(tma_refresh_policy(TMA_REFRESH_all_banks), &tma_refresh_all_banks);
    ck_assert_ptr_eq(tma_refresh_policy(TMA_REFRESH_none), &tma_refresh_none);
}
END_TEST

/* Functions that have to be there. (NULL for `touch` means that the tags keep the order.) */
START_TEST(test_no_function_is_missing) {
    for (int i = 0; i < TMA_REPLACEMENT_COUNT; i++) {
        const struct tma_replacement_policy *policy =
            tma_replacement_policy((enum tma_replacement)i);
        ck_assert(policy->initial_state != NULL && policy->victim != NULL);
    }
    for (int i = 0; i < TMA_SLICE_HASH_COUNT; i++)
        ck_assert(tma_slice_hash_policy((enum tma_slice_hash)i)->server != NULL);
    for (int i = 0; i < TMA_DRAM_SCHEDULER_COUNT; i++) {
        const struct tma_dram_scheduler_policy *policy =
            tma_dram_scheduler_policy((enum tma_dram_scheduler)i);
        ck_assert(policy->window != NULL && policy->pick != NULL);
    }
    for (int i = 0; i < TMA_REFRESH_COUNT; i++)
        ck_assert(tma_refresh_policy((enum tma_refresh_kind)i)->next != NULL);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("policies");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, test_names, 0, sizeof kinds / sizeof *kinds);
    tcase_add_loop_test(tests, test_unknown_names, 0, sizeof kinds / sizeof *kinds);
    tcase_add_test(tests, test_functions);
    tcase_add_test(tests, test_no_function_is_missing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
