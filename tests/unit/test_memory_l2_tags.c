/* L2 tags: allocation and replacement of ways, fills, dirty sectors, and what is counted. */
#include "machine.h"
#include "memory/l2/tags.h"
#include "suite.h"

static struct tma_machine machine;
static struct tma_address_map map;
static struct tma_l2_tags tags;

/* Allocates a way for an SM of the partition, and ignores the victim. */
static int allocate(struct tma_l2_set *set, uint32_t tag) {
    struct tma_l2_victim victim;
    return tma_tags_allocate(&tags, set, tag, &victim);
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
    struct tma_line_location location = tma_locate(&map, line);
    return tma_set_index(&map, partition, &location);
}

static uint32_t home_of(uint64_t line) {
    return tma_locate(&map, line).server.home;
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

/* A set of four ways, of which two keep lines with evict_last: what a fifth line evicts, and after
 * it a sixth. Hints of lines 0 to 3, in order of access. */
static const struct {
    enum tma_l2_hint hints[4];
    uint32_t victims[2];
} hinted[] = {
    {{TMA_L2_HINT_NONE, TMA_L2_HINT_NONE, TMA_L2_HINT_NONE, TMA_L2_HINT_NONE}, {0, 1}},
    {{TMA_L2_HINT_NONE, TMA_L2_HINT_NONE, TMA_L2_HINT_FIRST, TMA_L2_HINT_FIRST}, {2, 3}},
    {{TMA_L2_HINT_LAST, TMA_L2_HINT_LAST, TMA_L2_HINT_NONE, TMA_L2_HINT_NONE}, {2, 3}},
    {{TMA_L2_HINT_LAST, TMA_L2_HINT_LAST, TMA_L2_HINT_LAST, TMA_L2_HINT_NONE}, {0, 3}},
    {{TMA_L2_HINT_LAST, TMA_L2_HINT_FIRST, TMA_L2_HINT_NONE, TMA_L2_HINT_NORMAL}, {1, 2}},
};

TEST_ROWS(test_hints, TABLE_ROWS(hinted)) {
    struct tma_l2_set *set = first_set();
    struct tma_l2_victim victim;
    for (uint32_t tag = 0; tag < 4; tag++) {
        int way = allocate(set, 10 + tag);
        tma_tags_access(&tags, set, way, 1);
        tma_tags_hint(&tags, set, way, hinted[_i].hints[tag]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        int way = tma_tags_allocate(&tags, set, 20 + i, &victim);
        ck_assert_int_eq(tma_tags_find(&tags, set, 10 + hinted[_i].victims[i]), -1);
        tma_tags_access(&tags, set, way, 1);
        tma_tags_hint(&tags, set, way, TMA_L2_HINT_NONE);
    }
}

/* What a later access with another hint, or none, makes of a line: whether it is the next victim,
 * or stays, of a set whose other lines have no hint and were accessed before it (next) or behind
 * it.
 */
static const struct {
    enum tma_l2_hint first, again;
    bool next, stays;
} again[] = {
    {TMA_L2_HINT_FIRST, TMA_L2_HINT_NONE, false, false},
    {TMA_L2_HINT_NONE, TMA_L2_HINT_FIRST, true, false},
    {TMA_L2_HINT_LAST, TMA_L2_HINT_NONE, false, true},
    {TMA_L2_HINT_LAST, TMA_L2_HINT_FIRST, false, true},
    {TMA_L2_HINT_LAST, TMA_L2_HINT_NORMAL, false, false},
    {TMA_L2_HINT_FIRST, TMA_L2_HINT_LAST, false, true},
};

TEST_ROWS(test_hints_again, TABLE_ROWS(again)) {
    for (int newest = 0; newest < 2; newest++) {
        struct tma_l2_set *set = &tags.sets[newest];
        struct tma_l2_victim victim;
        for (uint32_t tag = 0; tag < 4; tag++) {
            int way = allocate(set, 10 + tag);
            tma_tags_access(&tags, set, way, 1);
            if (tag != (newest ? 3u : 0u))
                continue;
            tma_tags_hint(&tags, set, way, again[_i].first);
            tma_tags_hint(&tags, set, way, again[_i].again);
        }
        tma_tags_allocate(&tags, set, 20, &victim);
        bool gone = tma_tags_find(&tags, set, newest ? 13 : 10) < 0;
        ck_assert_int_eq(gone, newest ? again[_i].next : !again[_i].stays);
    }
}

/* Lines that are allocated in order at their homes fill L2 to its capacity without an eviction.
 * After that, each further line evicts one. */
TEST(test_capacity) {
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

TEST(test_home_and_copy_are_different_sets) {
    for (uint64_t line = 0; line < 64; line++) {
        uint32_t home = home_of(line);
        ck_assert_uint_ne(index_of(line, home).set, index_of(line, 1 - home).set);
        allocate_line(line, home);
        ck_assert_int_eq(find(line, 1 - home), -1);
    }
}

/* A fill from DRAM that nothing waits for: the sectors are present at `cycle`. */
static void fill_from_dram(struct tma_l2_tags *filled, struct tma_l2_set *set, int way,
                           uint32_t sectors, uint64_t cycle) {
    tma_tags_begin_fill(filled, set, way, sectors);
    ck_assert_uint_eq(tma_tags_end_fill(set, way, sectors, cycle), TMA_NONE);
}

static void fill(struct tma_l2_set *set, int way, uint32_t sectors, uint64_t cycle) {
    fill_from_dram(&tags, set, way, sectors, cycle);
}

/* The last line below the limit of addresses has a tag that differs from those of other lines. */
TEST(test_last_line_has_its_own_tag) {
    uint64_t last = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES - 1;
    ck_assert_int_eq(allocate_line(last, home_of(last)), 0);
    ck_assert_int_eq(find(last, home_of(last)), 0);
    for (uint64_t line = 0; line < 10000; line++)
        ck_assert_int_eq(find(line, home_of(line)), -1);
}

/* In the smallest L2 and in the small one, tags wrap around far below the last lines, those of rows
 * out of bounds. No line has the tag of an empty way: a set would seem to hold it already. */
TEST_ROWS(test_no_line_has_the_tag_of_an_empty_way, 4) {
    const uint64_t capacities[] = {UINT64_C(4) * 4 * TMA_LINE_BYTES, machine.l2.capacity_bytes};
    machine.l2.capacity_bytes = capacities[_i % 2];
    machine.l2.partitions = (uint32_t)_i / 2 + 1;
    map = tma_address_map_of(&machine);
    const uint64_t past = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES;
    for (uint64_t line = past - 100000; line < past; line++)
        for (uint32_t partition = 0; partition < machine.l2.partitions; partition++) {
            struct tma_line_location location = tma_locate(&map, line);
            struct tma_set_index index = tma_set_index(&map, partition, &location);
            ck_assert_uint_ne(index.tag, TMA_L2_EMPTY);
            if (map.partitions == 2) /* a copy stays one */
                ck_assert_uint_eq(index.tag % 2, location.server.home != partition);
        }
}

TEST(test_allocate_finds_a_line_that_is_present) {
    ck_assert_int_eq(tma_tags_find(&tags, first_set(), 77), -1);
    int way = allocate(first_set(), 77);
    fill(first_set(), way, 5, 0);
    ck_assert_int_eq(allocate(first_set(), 77), way);
    ck_assert_int_eq(tma_tags_find(&tags, first_set(), 77), way);
    ck_assert_uint_eq(tma_tags_access(&tags, first_set(), way, 15), 15 - 5);
}

/* Ways 0 to 3 of a set hold lines 0 to 3. Which of them does line 4 replace? */
static const struct {
    const char *what;
    int touched[5];   /* accesses in this order, up to -1 */
    uint32_t pending; /* ways with a pending fill: bit mask */
    int victim;
} replacements[] = {
    {"no accesses: the first that was allocated", {-1}, 0, 0},
    {"the first that was not accessed", {0, 1, -1}, 0, 2},
    {"one between two that were accessed", {2, 0, -1}, 0, 1},
    {"all were accessed: the LRU way", {0, 1, 2, 3, -1}, 0, 0},
    {"by the order of accesses", {1, 0, 3, 2, -1}, 0, 1},
    {"only the last access of a way counts", {1, 2, 0, 1, -1}, 0, 3},
    {"a pending way stays", {-1}, 1 << 0, 1},
    {"accessed or pending ways stay", {0, 1, -1}, 1 << 2, 3},
    {"an accessed way rather than a pending one", {0, 1, -1}, 3 << 2, 0},
    {"all but one are pending", {2, -1}, 11, 2},
    {"all are pending: none", {-1}, 15, -1},
};

TEST_ROWS(test_lru_victim, TABLE_ROWS(replacements)) {
    struct tma_l2_set *set = first_set();
    const uint32_t tag = machine.l2.ways * machine.l2.partitions;
    for (uint32_t i = 0; i < machine.l2.ways; i++)
        ck_assert_int_eq(allocate(set, i * machine.l2.partitions), (int)i);
    for (const int *way = replacements[_i].touched; *way >= 0; way++)
        tma_tags_access(&tags, set, *way, 1);
    set->pending = (uint16_t)replacements[_i].pending;
    ck_assert_msg(allocate(set, tag) == replacements[_i].victim, "%s", replacements[_i].what);
    ck_assert_int_eq(tma_tags_find(&tags, set, tag), replacements[_i].victim);
    ck_assert_uint_eq(tags.evictions, replacements[_i].victim >= 0);
}

/* A write to way 3 leaves more dirty ways than a set may have, or not. Which way is cleaned? -1:
 * none. Bit masks of ways. */
static const struct {
    uint32_t most; /* dirty ways that a set may have */
    uint32_t dirty, accessed;
    int cleaned;
} cleanings[] = {
    {3, 0xe, 0, -1},     {3, 0xf, 0, 0},  {2, 0xe, 0, 1},
    {2, 0xe, 1 << 1, 2}, {1, 0x8, 0, -1}, {2, 0xe, 3 << 1, 1},
};

TEST_ROWS(test_clean_lru_dirty_way, TABLE_ROWS(cleanings)) {
    struct tma_l2_set *set = first_set();
    for (uint32_t i = 0; i < 4; i++) {
        allocate(set, 2 * i);
        if ((cleanings[_i].dirty >> i & 1u) != 0)
            tma_tags_write(&tags, set, (int)i, i + 1);
    }
    for (uint32_t i = 0; i < 4; i++)
        if ((cleanings[_i].accessed >> i & 1u) != 0)
            tma_tags_access(&tags, set, (int)i, 1);
    struct tma_l2_victim victim = tma_tags_clean(&tags, set, 3, cleanings[_i].most);
    ck_assert_uint_eq(victim.sectors, (uint32_t)(cleanings[_i].cleaned + 1));
    if (cleanings[_i].cleaned < 0)
        return;
    ck_assert_uint_eq(victim.tag, 2 * (uint32_t)cleanings[_i].cleaned);
    ck_assert_uint_eq((uint32_t)set->dirty >> cleanings[_i].cleaned & 1u, 0);
    ck_assert_int_eq(tma_tags_find(&tags, set, victim.tag), cleanings[_i].cleaned);
}

/* Sectors count as unused from the fill until a request asks for them. In a line that is evicted
 * before that, they count for good. */
TEST(test_unused_sectors) {
    struct tma_l2_set *set = first_set();
    int way = allocate(set, 0);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 1), 1);
    fill(set, way, 15, 100);
    ck_assert_uint_eq(tags.unused_sectors, 3);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 3), 0);
    ck_assert_uint_eq(tags.unused_sectors, 2);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 3), 0);
    ck_assert_uint_eq(tags.unused_sectors, 2);
    bool missed;
    for (uint32_t tag = 1; tma_tags_find(&tags, set, 0) >= 0; tag++)
        tma_tags_preload(&tags, set, tag, 15, &missed);
    way = allocate(set, 0);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 15), 15);
    ck_assert_uint_eq(tags.unused_sectors, 2);
}

/* Filled data is not ready at t - 1 and ready at t, the cycle of the fill. Of two fills the one
 * that DRAM served last counts. */
static const struct {
    uint64_t filled[2], now, ready;
} fills[] = {
    {{0, 0}, 0, 0},
    {{100, 0}, 99, 100},
    {{100, 0}, 100, 100},
    {{100, 0}, 101, 101},
    {{100, 150}, 99, 150},
    {{100, 150}, 151, 151},
    /* A set keeps cycles modulo 2^32. */
    {{UINT64_C(0x100000005), 0}, UINT64_C(0xfffffff0), UINT64_C(0x100000005)},
    {{UINT64_C(0x100000005), 0}, UINT64_C(0x100000005), UINT64_C(0x100000005)},
    {{UINT64_C(0xfffffffe), UINT64_C(0x100000005)}, UINT64_C(0xfffffff0), UINT64_C(0x100000005)},
    {{UINT64_C(0x500000100), 0}, UINT64_C(0x5000000ff), UINT64_C(0x500000100)},
};

TEST_ROWS(test_ready_at_the_fill, TABLE_ROWS(fills)) {
    struct tma_l2_set *set = first_set();
    int way = allocate(set, 0);
    for (int i = 0; i < 2 && fills[_i].filled[i] > 0; i++)
        fill(set, way, 1, fills[_i].filled[i]);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, fills[_i].now), fills[_i].ready);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, fills[_i].now + 1000), fills[_i].now + 1000);
}

/* As long as a fill is pending, the way is no victim, and packets that wait for it are returned in
 * the end: once DRAM has served all sectors that it was asked for. */
TEST(test_pending_fill) {
    struct tma_l2_set *set = first_set();
    int way = allocate(set, 0);
    tma_tags_begin_fill(&tags, set, way, 3);
    for (uint32_t tag = 1; tag <= 2 * machine.l2.ways; tag++)
        ck_assert_int_ne(allocate(set, tag), way);
    ck_assert_uint_eq(tma_tags_access(&tags, set, way, 3), 0);
    ck_assert_uint_eq(tma_tags_wait(set, way, 77), TMA_NONE); /* a packet waits */
    tma_tags_begin_fill(&tags, set, way, 12);
    ck_assert_uint_eq(tma_tags_end_fill(set, way, 12, 100), TMA_NONE);
    ck_assert_uint_eq(tma_tags_end_fill(set, way, 3, 120), 77);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, 119), 120);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, 120), 120);
}

/* A line does not wait for the fill of its victim. */
TEST(test_allocate_forgets_the_fill_of_the_victim) {
    struct tma_l2_set *set = first_set();
    for (uint32_t tag = 0; tag < machine.l2.ways; tag++)
        fill(set, allocate(set, tag), TMA_ALL_SECTORS, 1000);
    int way = allocate(set, machine.l2.ways);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, 10), 10);
    fill(set, way, TMA_ALL_SECTORS, 500);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, way, 10), 500);
}

/* A line that was filled long ago is ready, although the low 32 bits of the fill's cycle seem to
 * lie ahead again. */
TEST(test_age_forgets_old_fills) {
    const uint64_t later = UINT64_C(0xc0000000);
    struct tma_l2_set *set = first_set();
    int old = allocate(set, 0), fresh = allocate(set, 1);
    fill(set, old, 1, 1000);
    tma_tags_age(&tags, UINT64_C(0x60000000));
    fill(set, fresh, 1, later + 50);
    tma_tags_age(&tags, later);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, old, later), later);
    ck_assert_uint_eq(tma_tags_ready_cycle(set, fresh, later), later + 50);
}

/* Preloaded sectors are present and count neither as evictions nor as unused. */
TEST(test_preload) {
    bool missed;
    tma_tags_preload(&tags, first_set(), 9, 3, &missed);
    ck_assert(missed);
    tma_tags_preload(&tags, first_set(), 9, 3, &missed);
    ck_assert(!missed);
    int way = tma_tags_find(&tags, first_set(), 9);
    ck_assert_int_ge(way, 0);
    ck_assert_uint_eq(tma_tags_ready_cycle(first_set(), way, 0), 0);
    ck_assert_uint_eq(tma_tags_access(&tags, first_set(), way, 15), 15 - 3);
    for (uint32_t tag = 10; tag < 100; tag++)
        tma_tags_preload(&tags, first_set(), tag, 15, &missed);
    ck_assert_uint_eq(tags.evictions, 0);
    ck_assert_uint_eq(tags.unused_sectors, 0);
}

/* Tags that differ from an earlier one in the high half alone, or whose low half is that of an
 * empty way. From then on sets store both halves. */
static const uint32_t high_tags[] = {0x10004, 0xffff0004, 0xffff, 0x1ffff, TMA_L2_EMPTY - 1};

TEST_ROWS(test_high_halves_of_tags, TABLE_ROWS(high_tags)) {
    struct tma_l2_set *set = first_set();
    const uint32_t high_tag = high_tags[_i];
    int near = allocate(set, 4), later;
    ck_assert_int_eq(tma_tags_find(&tags, set, high_tag), -1);
    later = allocate(set, high_tag);
    ck_assert_int_ne(later, near);
    ck_assert_int_eq(tma_tags_find(&tags, set, 4), near);
    ck_assert_int_eq(tma_tags_find(&tags, set, high_tag), later);
    ck_assert_int_eq(tma_tags_find(&tags, set, high_tag ^ 0x20000), -1);
    tma_tags_invalidate(&tags, set, 4);
    ck_assert_int_eq(tma_tags_find(&tags, set, 4), -1);
    ck_assert_int_eq(allocate(set, high_tag ^ 0x20000), near);
    tma_tags_write(&tags, set, later, 3);
    struct tma_l2_victim victim = {0};
    for (uint32_t tag = 100; victim.sectors == 0; tag += 2)
        tma_tags_access(&tags, set, tma_tags_allocate(&tags, set, tag, &victim), 1);
    ck_assert_uint_eq(victim.tag, high_tag);
    ck_assert_int_eq(tma_tags_find(&tags, set, high_tag), -1);
}

/* A set after random accesses, with and without the short way of plain hits: the only one of its
 * tags. */
struct tested_set {
    struct tma_l2_tags tags;
    struct tma_l2_set set;
    uint16_t remote_copies;
};

static void begin_test(struct tested_set *tested) {
    *tested = (struct tested_set){.tags = tags, .set = *first_set()};
    tested->tags.sets = &tested->set;
    tested->tags.remote_copies = &tested->remote_copies;
}

/* An SM reads sectors of a line, as reads.c does without the short way: at the home, or in a copy.
 * Returns the cycle at which the data is present; UINT64_MAX where sectors are missing. */
static uint64_t read_slowly(struct tested_set *tested, uint32_t tag, uint32_t sectors, bool copy,
                            uint64_t now) {
    struct tma_l2_victim victim;
    bool first = false;
    int way = tma_tags_allocate(&tested->tags, &tested->set, tag, &victim);
    uint32_t missing = copy
                           ? tma_tags_access_copy(&tested->tags, &tested->set, way, sectors, &first)
                           : tma_tags_access(&tested->tags, &tested->set, way, sectors);
    if (missing == 0)
        return tma_tags_ready_cycle(&tested->set, way, now);
    fill_from_dram(&tested->tags, &tested->set, way, missing, now + 50);
    return UINT64_MAX;
}

static void compare_sets(const struct tested_set *a, const struct tested_set *b) {
    const struct tma_l2_set *left = &a->set, *right = &b->set;
    ck_assert_mem_eq(left->low_tags, right->low_tags, sizeof left->low_tags);
    ck_assert_uint_eq(left->valid, right->valid);
    ck_assert_uint_eq(left->requested, right->requested);
    ck_assert_uint_eq(left->replacement, right->replacement);
    ck_assert_uint_eq(left->filling, right->filling);
    ck_assert_uint_eq(a->tags.unused_sectors, b->tags.unused_sectors);
    ck_assert_uint_eq(a->tags.evictions, b->tags.evictions);
}

/* A plain hit leaves what the accesses that it stands for leave, and says that the data is present
 * at once. */
TEST_ROWS(test_plain_hit_equals_the_slow_way, 6) {
    struct tested_set slow, fast;
    begin_test(&slow);
    begin_test(&fast);
    uint32_t random = (uint32_t)_i + 1, hits = 0;
    bool copy = _i % 2 != 0;
    for (uint64_t now = 0; now < 4000; now += 5) {
        random = random * 1664525 + 1013904223;
        uint32_t tag = (random >> 24) % (tags.ways + 1), sectors = 1 + (random >> 20) % 15;
        if ((random >> 16) % 8 == 0) { /* for the other partition */
            struct tma_l2_victim victim;
            tma_tags_allocate(&slow.tags, &slow.set, tag, &victim);
            tma_tags_allocate(&fast.tags, &fast.set, tag, &victim);
            continue;
        }
        uint64_t ready = read_slowly(&slow, tag, sectors, copy, now);
        if (tma_tags_hit(&fast.tags, &fast.set, tag, sectors)) {
            ck_assert_uint_eq(ready, now);
            hits++;
        } else {
            ck_assert_uint_eq(read_slowly(&fast, tag, sectors, copy, now), ready);
        }
        compare_sets(&slow, &fast);
    }
    ck_assert_uint_gt(hits, 50);
}

/* A miss, missing sectors, the first request of sectors, and fills are no plain hits. */
TEST(test_what_is_no_plain_hit) {
    struct tma_l2_set *set = first_set();
    ck_assert(!tma_tags_hit(&tags, set, 3, 1));
    int way = allocate(set, 3);
    ck_assert(!tma_tags_hit(&tags, set, 3, 1));
    fill_from_dram(&tags, set, way, 3, 10);
    tma_tags_access(&tags, set, way, 1);
    ck_assert(!tma_tags_hit(&tags, set, 3, 1));
    tma_tags_ready_cycle(set, way, 10);
    ck_assert(tma_tags_hit(&tags, set, 3, 1));
    ck_assert(!tma_tags_hit(&tags, set, 3, 2));
    ck_assert(!tma_tags_hit(&tags, set, 3, 5));
    set->pending = (uint16_t)(1u << way);
    ck_assert(!tma_tags_hit(&tags, set, 3, 1));
}

TEST_ROWS(test_sector_count, 16) {
    ck_assert_uint_eq(tma_sector_count((uint32_t)_i), (unsigned)__builtin_popcount((unsigned)_i));
}

TEST_SUITE("L2 tags", .set_up = set_up, .tear_down = tear_down);
