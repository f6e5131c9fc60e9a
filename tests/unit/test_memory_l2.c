/* L2 tags: which set a line goes to, which way is replaced, what is counted. */
#include "machine.h"
#include "memory/l2.h"
#include "suite.h"

static struct tma_machine machine;
static struct tma_l2 l2;

static void set_up(void) {
    machine = small_machine();
    ck_assert_int_eq(tma_l2_create(&l2, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_l2_free(&l2);
}

static struct tma_l2_set *set_of(uint64_t line, uint32_t partition) {
    struct tma_place place = tma_place_line(&machine, line);
    return tma_l2_set(&l2, partition, &place);
}

/* The set of a line at its home. */
static struct tma_l2_set *home_set(uint64_t line) {
    return set_of(line, tma_place_line(&machine, line).home);
}

/* Line number `index` of those that share their home's set with line 0. */
static uint64_t same_set_line(uint32_t index) {
    uint64_t line = 0;
    for (uint32_t found = 0; found < index; found += home_set(line) == home_set(0))
        line++;
    return line;
}

/* Every group of as many lines as there are slices has one in each slice of each partition. */
START_TEST(test_lines_spread_over_slices) {
    for (uint64_t group = 0; group < 1000; group++) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < machine.l2.slices; i++) {
            struct tma_place place = tma_place_line(&machine, group * machine.l2.slices + i);
            ck_assert_uint_eq(place.group, group);
            ck_assert_uint_lt(place.home, machine.l2.partitions);
            seen |= 1u << (place.home * l2.slices + place.slice);
        }
        ck_assert_uint_eq(seen, (1u << machine.l2.slices) - 1);
    }
}
END_TEST

/* L2 holds as many lines as its capacity says, each once at its home, when lines come in order. */
START_TEST(test_capacity) {
    /* Half of the sets are for copies of the other partition's lines. */
    uint64_t lines = machine.l2.capacity_bytes / TMA_LINE_BYTES / 2;
    for (uint64_t line = 0; line < lines; line++)
        tma_l2_claim(&l2, home_set(line), line);
    for (uint64_t line = 0; line < lines; line++)
        ck_assert_int_ge(tma_l2_find(&l2, home_set(line), line), 0);
    ck_assert_uint_eq(l2.evictions, 0);
    for (uint64_t line = 0; line < lines; line++)
        tma_l2_claim(&l2, home_set(lines + line), lines + line);
    ck_assert_uint_eq(l2.evictions, lines);
}
END_TEST

START_TEST(test_copies_are_kept_apart) {
    for (uint64_t line = 0; line < 64; line++) {
        uint32_t home = tma_place_line(&machine, line).home;
        ck_assert_ptr_ne(set_of(line, home), set_of(line, 1 - home));
        tma_l2_claim(&l2, set_of(line, home), line);
        ck_assert_int_eq(tma_l2_find(&l2, set_of(line, 1 - home), line), -1);
    }
}
END_TEST

START_TEST(test_claim_finds_what_is_there) {
    struct tma_l2_set *set = home_set(0);
    ck_assert_int_eq(tma_l2_find(&l2, set, 0), -1);
    int way = tma_l2_claim(&l2, set, 0);
    ck_assert_uint_eq(set->valid[way], 0);
    set->valid[way] = 5;
    ck_assert_int_eq(tma_l2_claim(&l2, set, 0), way);
    ck_assert_uint_eq(set->valid[way], 5);
    ck_assert_int_eq(tma_l2_find(&l2, set, 0), way);
}
END_TEST

/* Which of the ways 0 to 3, filled with lines 0 to 3 of a set, line 4 replaces. */
static const struct {
    const char *what;
    int touched[5]; /* in this order; ends at -1 */
    uint32_t waiting;
    int victim;
} replacements[] = {
    {"none was used", {-1}, 0, 0},
    {"the first that was not used", {0, 1, -1}, 0, 2},
    {"the order of use does not count", {2, 0, -1}, 0, 1},
    {"when all were used, the last one counts", {0, 1, 2, 3, -1}, 0, 0},
    {"and stays itself", {1, 2, 3, 0, -1}, 0, 1},
    {"one that is waited for stays", {-1}, 1 << 0, 1},
    {"used or waited for: all stay", {0, 1, -1}, 1 << 2, 3},
    {"rather one that was used than one that is waited for", {0, 1, -1}, 3 << 2, 0},
    {"all but one are waited for", {2, -1}, 11, 2},
    {"all are waited for: none", {-1}, 15, -1},
};

START_TEST(test_replacement) {
    struct tma_l2_set *set = home_set(0);
    for (uint32_t i = 0; i < machine.l2.ways; i++)
        ck_assert_int_eq(tma_l2_claim(&l2, set, same_set_line(i)), (int)i);
    for (const int *way = replacements[_i].touched; *way >= 0; way++)
        tma_l2_touch(&l2, set, *way);
    set->waiting = (uint16_t)replacements[_i].waiting;
    uint64_t line = same_set_line(machine.l2.ways);
    ck_assert_msg(tma_l2_claim(&l2, set, line) == replacements[_i].victim, "%s",
                  replacements[_i].what);
    ck_assert_int_eq(tma_l2_find(&l2, set, line), replacements[_i].victim);
    ck_assert_uint_eq(l2.evictions, replacements[_i].victim >= 0);
}
END_TEST

/* Unused: fetched and never asked for, in lines that are there and in those that left. */
START_TEST(test_unused_sectors) {
    static const struct { uint8_t valid, asked; } lines[] = {{15, 1}, {15, 15}, {3, 2}, {0, 0}};
    struct tma_l2_set *set = home_set(0);
    for (uint32_t i = 0; i < machine.l2.ways; i++) {
        int way = tma_l2_claim(&l2, set, same_set_line(i));
        set->valid[way] = lines[i].valid;
        set->asked[way] = lines[i].asked;
    }
    ck_assert_uint_eq(tma_l2_count_unused(&l2), 3 + 0 + 1 + 0);
    ck_assert_uint_eq(l2.unused_sectors, 0);
    tma_l2_claim(&l2, set, same_set_line(machine.l2.ways)); /* way 0 leaves, with 3 of them */
    ck_assert_uint_eq(l2.unused_sectors, 3);
    ck_assert_uint_eq(tma_l2_count_unused(&l2), 1);
}
END_TEST

START_TEST(test_settle_keeps_lines_and_forgets_the_rest) {
    struct tma_l2_set *set = home_set(0);
    int way = tma_l2_claim(&l2, set, 0);
    set->valid[way] = 3;
    set->ready[way] = 1000;
    tma_l2_settle(&l2);
    ck_assert_int_eq(tma_l2_find(&l2, set, 0), way);
    ck_assert_uint_eq(set->valid[way], 3);
    ck_assert_uint_eq(set->ready[way], 0);
    ck_assert_uint_eq(tma_l2_count_unused(&l2), 0);
}
END_TEST

START_TEST(test_flush_empties) {
    for (uint64_t line = 0; line < 1000; line++)
        tma_l2_claim(&l2, home_set(line), line);
    ck_assert_uint_gt(l2.evictions, 0);
    tma_l2_flush(&l2);
    for (uint64_t line = 0; line < 1000; line++)
        ck_assert_int_eq(tma_l2_find(&l2, home_set(line), line), -1);
    ck_assert_uint_eq(l2.evictions, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("L2 tags");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_lines_spread_over_slices);
    tcase_add_test(tests, test_capacity);
    tcase_add_test(tests, test_copies_are_kept_apart);
    tcase_add_test(tests, test_claim_finds_what_is_there);
    tcase_add_loop_test(tests, test_replacement, 0, sizeof replacements / sizeof *replacements);
    tcase_add_test(tests, test_unused_sectors);
    tcase_add_test(tests, test_settle_keeps_lines_and_forgets_the_rest);
    tcase_add_test(tests, test_flush_empties);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
