/* L2 tags: which set a line goes to, which way is replaced, what is counted. */
#include "machine.h"
#include "memory/l2/tags.h"
#include "suite.h"

static struct tma_machine machine;
static struct tma_address_map map;
static struct tma_l2_tags tags;

/* What a claim drove out is the tests' of writes. */
static int allocate(struct tma_l2_set *set, uint32_t tag) {
    struct tma_l2_victim victim;
    return tma_tags_allocate(&tags, set, tag, false, &victim);
}

static void set_up(void) {
    machine = small_machine();
    map = tma_address_map_of(&machine);
    ck_assert_int_eq(tma_tags_create(&tags, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_tags_free(&tags);
}

static struct tma_set_index index_of(uint64_t line, uint32_t partition) {
    struct tma_line_location place = tma_locate_set(&map, line);
    return tma_set_index(&map, partition, &place);
}

static uint32_t home_of(uint64_t line) {
    return tma_locate_set(&map, line).home;
}

static int allocate_line(uint64_t line, uint32_t partition) {
    struct tma_set_index index = index_of(line, partition);
    return allocate(&tags.sets[index.set], index.tag);
}

static int find(uint64_t line, uint32_t partition) {
    struct tma_set_index index = index_of(line, partition);
    return tma_tags_find(&tags, &tags.sets[index.set], index.tag);
}

static struct tma_l2_set *first_set(void) {
    return &tags.sets[0];
}

/* L2 holds as many lines as its capacity says, each once at its home, when lines come in order. */
START_TEST(test_capacity) {
    uint64_t lines = machine.l2.capacity_bytes / TMA_LINE_BYTES;
    for (uint64_t line = 0; line < lines; line++)
        allocate_line(line, home_of(line));
    for (uint64_t line = 0; line < lines; line++)
        ck_assert_int_ge(find(line, home_of(line)), 0);
    ck_assert_uint_eq(tags.evictions, 0);
    for (uint64_t line = lines; line < 2 * lines; line++)
        allocate_line(line, home_of(line));
    ck_assert_uint_eq(tags.evictions, lines);
}
END_TEST

START_TEST(test_copies_are_kept_apart) {
    for (uint64_t line = 0; line < 64; line++) {
        uint32_t home = home_of(line);
        ck_assert_uint_ne(index_of(line, home).set, index_of(line, 1 - home).set);
        allocate_line(line, home);
        ck_assert_int_eq(find(line, 1 - home), -1);
    }
}
END_TEST

/* No two lines have both set and tag in common, up to the limit of addresses. */
START_TEST(test_lines_have_tags_of_their_own) {
    uint64_t last = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES - 1;
    ck_assert_int_eq(allocate_line(last, home_of(last)), 0);
    ck_assert_int_eq(find(last, home_of(last)), 0);
    for (uint64_t line = 0; line < 10000; line++)
        ck_assert_int_eq(find(line, home_of(line)), -1);
}
END_TEST

START_TEST(test_claim_finds_what_is_there) {
    ck_assert_int_eq(tma_tags_find(&tags, first_set(), 77), -1);
    int way = allocate(first_set(), 77);
    tma_tags_fill(&tags, first_set(), way, 5, 0);
    ck_assert_int_eq(allocate(first_set(), 77), way);
    ck_assert_int_eq(tma_tags_find(&tags, first_set(), 77), way);
    ck_assert_uint_eq(tma_tags_access(&tags, first_set(), way, 15), 15 - 5);
}
END_TEST

/* Which of the ways 0 to 3, filled with lines 0 to 3 of a set, line 4 replaces. */
static const struct {
    const char *what;
    int touched[5]; /* in this order; ends at -1 */
    uint32_t waiting;
    int victim;
} replacements[] = {
    {"none was used: the first that came", {-1}, 0, 0},
    {"the first that was not used", {0, 1, -1}, 0, 2},
    {"of those that were not used", {2, 0, -1}, 0, 1},
    {"all were used: the one longest ago", {0, 1, 2, 3, -1}, 0, 0},
    {"by the order of use", {1, 0, 3, 2, -1}, 0, 1},
    {"of the last uses", {1, 2, 0, 1, -1}, 0, 3},
    {"one that is waited for stays", {-1}, 1 << 0, 1},
    {"used or waited for: all stay", {0, 1, -1}, 1 << 2, 3},
    {"rather one that was used than one that is waited for", {0, 1, -1}, 3 << 2, 0},
    {"all but one are waited for", {2, -1}, 11, 2},
    {"all are waited for: none", {-1}, 15, -1},
};

START_TEST(test_replacement) {
    struct tma_l2_set *set = first_set();
    const uint32_t tag = machine.l2.ways * machine.l2.partitions;
    for (uint32_t i = 0; i < machine.l2.ways; i++)
        ck_assert_int_eq(allocate(set, i * machine.l2.partitions), (int)i);
    for (const int *way = replacements[_i].touched; *way >= 0; way++)
        tma_tags_access(&tags, set, *way, 1);
    set->pending = (uint16_t)replacements[_i].waiting;
    ck_assert_msg(allocate(set, tag) == replacements[_i].victim, "%s", replacements[_i].what);
    ck_assert_int_eq(tma_tags_find(&tags, set, tag), replacements[_i].victim);
    ck_assert_uint_eq(tags.evictions, replacements[_i].victim >= 0);
}
END_TEST

/* As before, with lines that are passing in some ways: bit masks. */
static const struct {
    const char *what;
    uint32_t passing, touched, waiting;
    int victim;
} passings[] = {
    {"one that is passing first", 1 << 2, 0, 0, 2},
    {"and even one that was used", 1 << 2, 1 << 2, 0, 2},
    {"of those, one that was not used", 7 << 1, 1 << 1, 0, 2},
    {"another one before one that is waited for", 1 << 2, 1 << 0, 1 << 2, 1},
};

START_TEST(test_passing_lines_go_first) {
    struct tma_l2_set *set = first_set();
    struct tma_l2_victim victim;
    for (uint32_t i = 0; i < 4; i++)
        tma_tags_allocate(&tags, set, 2 * i, (passings[_i].passing >> i & 1u) != 0, &victim);
    for (int i = 0; i < 4; i++)
        if ((passings[_i].touched >> i & 1u) != 0)
            tma_tags_access(&tags, set, i, 1);
    set->pending = (uint16_t)passings[_i].waiting;
    ck_assert_msg(allocate(set, 100) == passings[_i].victim, "%s", passings[_i].what);
}
END_TEST

/* A line is no longer passing once an SM of its own partition has come for it; who comes for a copy
 * changes nothing. */
START_TEST(test_passing_lines_stay_for_their_own) {
    struct tma_l2_set *set = first_set();
    struct tma_l2_victim victim;
    for (uint32_t i = 0; i < 4; i++)
        tma_tags_allocate(&tags, set, 2 * i, i >= 2, &victim);
    ck_assert_int_eq(tma_tags_allocate(&tags, set, 4, false, &victim), 2);
    ck_assert_int_eq(tma_tags_allocate(&tags, set, 0, true, &victim), 0);
    ck_assert_int_eq(allocate(set, 100), 3);
    ck_assert_int_eq(allocate(set, 102), 0);
}
END_TEST

/* After a write into way 3, with dirty and used ways: which one is cleaned, or -1. */
static const struct {
    uint32_t most, dirty, touched;
    int cleaned;
} cleanings[] = {
    {3, 0xe, 0, -1},     {3, 0xf, 0, 0},  {2, 0xe, 0, 1},
    {2, 0xe, 1 << 1, 2}, {1, 0x8, 0, -1}, {2, 0xe, 3 << 1, 1},
};

START_TEST(test_clean) {
    struct tma_l2_set *set = first_set();
    for (uint32_t i = 0; i < 4; i++) {
        allocate(set, 2 * i);
        if ((cleanings[_i].dirty >> i & 1u) != 0)
            tma_tags_write(&tags, set, (int)i, i + 1);
    }
    for (uint32_t i = 0; i < 4; i++)
        if ((cleanings[_i].touched >> i & 1u) != 0)
            tma_tags_access(&tags, set, (int)i, 1);
    struct tma_l2_victim victim = tma_tags_clean(&tags, set, 3, cleanings[_i].most);
    ck_assert_uint_eq(victim.sectors, (uint32_t)(cleanings[_i].cleaned + 1));
    if (cleanings[_i].cleaned < 0)
        return;
    ck_assert_uint_eq(victim.tag, 2 * (uint32_t)cleanings[_i].cleaned);
    ck_assert_uint_eq((uint32_t)set->dirty >> cleanings[_i].cleaned & 1u, 0);
    ck_assert_int_eq(tma_tags_find(&tags, set, victim.tag), cleanings[_i].cleaned);
}
END_TEST

/* Unused: fetched, and not asked for until now; for ever in a line that has left. */
START_TEST(test_unused_sectors) {
    struct tma_l2_set *set = first_set();
    int way = allocate(set, 0);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 1), 1);
    tma_tags_fill(&tags, set, way, 15, 100);
    ck_assert_uint_eq(tags.unused_sectors, 3);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 3), 0);
    ck_assert_uint_eq(tags.unused_sectors, 2);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 3), 0);
    ck_assert_uint_eq(tags.unused_sectors, 2);
    for (uint32_t tag = 1; tma_tags_find(&tags, set, 0) >= 0; tag++)
        tma_tags_preload(&tags, set, tag, false, 15);
    way = allocate(set, 0);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 15), 15);
    ck_assert_uint_eq(tags.unused_sectors, 2);
}
END_TEST

/* Data is not ready a cycle before the fill's, and ready then; of two fills the later one counts.
 */
static const struct {
    uint64_t filled[2], now, ready;
} fills[] = {
    {{0, 0}, 0, 0},
    {{100, 0}, 99, 100},
    {{100, 0}, 100, 100},
    {{100, 0}, 101, 101},
    {{100, 150}, 99, 150},
    {{150, 100}, 99, 150},
    {{150, 100}, 151, 151},
    /* Cycles are kept modulo 2^32. */
    {{UINT64_C(0x100000005), 0}, UINT64_C(0xfffffff0), UINT64_C(0x100000005)},
    {{UINT64_C(0x100000005), 0}, UINT64_C(0x100000005), UINT64_C(0x100000005)},
    {{UINT64_C(0xfffffffe), UINT64_C(0x100000005)}, UINT64_C(0xfffffff0), UINT64_C(0x100000005)},
    {{UINT64_C(0x500000100), 0}, UINT64_C(0x5000000ff), UINT64_C(0x500000100)},
};

START_TEST(test_ready) {
    struct tma_l2_set *set = first_set();
    int way = allocate(set, 0);
    for (int i = 0; i < 2 && fills[_i].filled[i] > 0; i++)
        tma_tags_fill(&tags, set, way, 1, fills[_i].filled[i]);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, fills[_i].now), fills[_i].ready);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, fills[_i].now + 1000), fills[_i].now + 1000);
}
END_TEST

/* A line does not wait for the data of the one that it drove out. */
START_TEST(test_claim_forgets_filling) {
    struct tma_l2_set *set = first_set();
    for (uint32_t tag = 0; tag < machine.l2.ways; tag++)
        tma_tags_fill(&tags, set, allocate(set, tag), TMA_ALL_SECTORS, 1000);
    int way = allocate(set, machine.l2.ways);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, 10), 10);
    tma_tags_fill(&tags, set, way, TMA_ALL_SECTORS, 500);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, 10), 500);
}
END_TEST

/* A line that was filled long ago is ready, though its cycle seems to lie ahead again. */
START_TEST(test_age) {
    const uint64_t later = UINT64_C(0xc0000000);
    struct tma_l2_set *set = first_set();
    int old = allocate(set, 0), fresh = allocate(set, 1);
    tma_tags_fill(&tags, set, old, 1, 1000);
    tma_tags_age(&tags, UINT64_C(0x60000000));
    tma_tags_fill(&tags, set, fresh, 1, later + 50);
    tma_tags_age(&tags, later);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, old, later), later);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, fresh, later), later + 50);
}
END_TEST

START_TEST(test_leave) {
    tma_tags_preload(&tags, first_set(), 9, false, 3);
    int way = tma_tags_find(&tags, first_set(), 9);
    ck_assert_int_ge(way, 0);
    ck_assert_uint_eq(tma_tags_ready_cycle(first_set(), way, 0), 0);
    ck_assert_uint_eq(tma_tags_access(&tags, first_set(), way, 15), 15 - 3);
    for (uint32_t tag = 10; tag < 100; tag++)
        tma_tags_preload(&tags, first_set(), tag, false, 15);
    ck_assert_uint_eq(tags.evictions, 0); /* of the run that follows */
    ck_assert_uint_eq(tags.unused_sectors, 0);
}
END_TEST

/* Tags that differ in their high halves alone, after some that do not; or whose low half is that of
 * an empty way. */
static const uint32_t far_tags[] = {0x10004, 0xffff0004, 0xffff, 0x1ffff, TMA_L2_EMPTY - 1};

START_TEST(test_far_tags) {
    struct tma_l2_set *set = first_set();
    const uint32_t far_tag = far_tags[_i];
    int near = allocate(set, 4), later;
    ck_assert_int_eq(tma_tags_find(&tags, set, far_tag), -1);
    later = allocate(set, far_tag);
    ck_assert_int_ne(later, near);
    ck_assert_int_eq(tma_tags_find(&tags, set, 4), near);
    ck_assert_int_eq(tma_tags_find(&tags, set, far_tag), later);
    ck_assert_int_eq(tma_tags_find(&tags, set, far_tag ^ 0x20000), -1);
    tma_tags_invalidate(&tags, set, 4);
    ck_assert_int_eq(tma_tags_find(&tags, set, 4), -1);
    ck_assert_int_eq(allocate(set, far_tag ^ 0x20000), near);
    tma_tags_write(&tags, set, later, 3);
    struct tma_l2_victim victim = {0};
    for (uint32_t tag = 100; victim.sectors == 0; tag += 2)
        tma_tags_access(&tags, set, tma_tags_allocate(&tags, set, tag, false, &victim), 1);
    ck_assert_uint_eq(victim.tag, far_tag);
    ck_assert_int_eq(tma_tags_find(&tags, set, far_tag), -1);
}
END_TEST

START_TEST(test_sector_count) {
    ck_assert_uint_eq(tma_sector_count((uint32_t)_i), (unsigned)__builtin_popcount((unsigned)_i));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("L2 tags");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_capacity);
    tcase_add_test(tests, test_copies_are_kept_apart);
    tcase_add_test(tests, test_lines_have_tags_of_their_own);
    tcase_add_test(tests, test_claim_finds_what_is_there);
    tcase_add_loop_test(tests, test_replacement, 0, sizeof replacements / sizeof *replacements);
    tcase_add_loop_test(tests, test_passing_lines_go_first, 0, sizeof passings / sizeof *passings);
    tcase_add_test(tests, test_passing_lines_stay_for_their_own);
    tcase_add_loop_test(tests, test_clean, 0, sizeof cleanings / sizeof *cleanings);
    tcase_add_test(tests, test_unused_sectors);
    tcase_add_loop_test(tests, test_ready, 0, sizeof fills / sizeof *fills);
    tcase_add_test(tests, test_claim_forgets_filling);
    tcase_add_test(tests, test_age);
    tcase_add_test(tests, test_leave);
    tcase_add_loop_test(tests, test_far_tags, 0, sizeof far_tags / sizeof *far_tags);
    tcase_add_loop_test(tests, test_sector_count, 0, 16);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
