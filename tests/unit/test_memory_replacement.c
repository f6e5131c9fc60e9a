/* Replacement policies: which way of a full L2 set is the victim. LRU is compared with a plain list
 * of ways; random replacement with the bounds that its distribution must keep. */
#include "machine.h"
#include "memory/core/random.h"
#include "memory/l2/replacement.h"
#include "memory/l2/tags.h"
#include "suite.h"

enum { WAYS = TMA_L2_MAX_WAYS, ALL_WAYS = (1 << WAYS) - 1, SETS = 64 };

/* Test inputs: the n-th random number of a test. */
static uint32_t number(uint64_t n) {
    return (uint32_t)(tma_random(1, n) >> 32);
}

/* The reference for LRU: ways in a list, the one whose last access is longest ago first. */
struct lru_list {
    int ways[WAYS];
};

static void list_touch(struct lru_list *list, int way) {
    int at = 0;
    while (list->ways[at] != way)
        at++;
    for (; at < WAYS - 1; at++)
        list->ways[at] = list->ways[at + 1];
    list->ways[WAYS - 1] = way;
}

static int list_victim(const struct lru_list *list, uint32_t candidates) {
    for (int i = 0; i < WAYS; i++)
        if ((candidates >> list->ways[i] & 1u) != 0)
            return list->ways[i];
    return -1;
}

TEST(test_lru_follows_a_list) {
    const struct tma_replacement_policy *lru = tma_replacement_policy(TMA_REPLACEMENT_lru);
    struct lru_list list;
    uint64_t state = lru->initial_state(0, 0);
    for (int way = 0; way < WAYS; way++)
        list.ways[way] = way;
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t candidates = number(2 * i) & ALL_WAYS, way = number(2 * i + 1) % WAYS;
        ck_assert_int_eq(lru->victim(&state, ALL_WAYS), list_victim(&list, ALL_WAYS));
        ck_assert_int_eq(lru->victim(&state, candidates), list_victim(&list, candidates));
        state = tma_recency_touch(state, (int)way);
        list_touch(&list, (int)way);
    }
}

TEST_ROWS(test_no_candidate_no_victim, TMA_REPLACEMENT_COUNT) {
    const struct tma_replacement_policy *policy = tma_replacement_policy((enum tma_replacement)_i);
    uint64_t state = policy->initial_state(1, 0);
    ck_assert_int_eq(policy->victim(&state, 0), -1);
    for (int way = 0; way < WAYS; way++)
        ck_assert_int_eq(policy->victim(&state, 1u << way), way);
}

static const struct tma_replacement_policy *random_policy(void) {
    return tma_replacement_policy(TMA_REPLACEMENT_random);
}

/* Bit masks of ways, among which victims are chosen. */
static const uint32_t masks[] = {ALL_WAYS, 0x000f, 0xf000, 0x5555, 0x8001, 0x0070, 0x7fff, 1 << 9};

/* Every candidate is chosen as often as every other one, within six standard deviations. Seeds are
 * fixed, so the test gives the same result every time. */
TEST_ROWS(test_random_victims_spread_over_candidates, TABLE_ROWS(masks)) {
    enum { CHOICES = 1 << 16 };
    const uint32_t candidates = masks[_i];
    const double count = __builtin_popcount(candidates), expected = CHOICES / count;
    const double variance = expected * (1 - 1 / count);
    for (uint32_t seed = 0; seed < 4; seed++) {
        uint32_t chosen[WAYS] = {0};
        uint64_t state = random_policy()->initial_state(seed, seed * 1000);
        for (int i = 0; i < CHOICES; i++) {
            int way = random_policy()->victim(&state, candidates);
            if (way < 0 || way >= WAYS)
                ck_abort_msg("way %d of %d", way, WAYS);
            chosen[way]++;
        }
        for (int way = 0; way < WAYS; way++) {
            double more = chosen[way] - expected;
            if ((candidates >> way & 1u) == 0)
                ck_assert_uint_eq(chosen[way], 0);
            else
                ck_assert_double_le(more * more, 36 * variance);
        }
    }
}

TEST(test_random_victims_are_candidates) {
    uint64_t state = random_policy()->initial_state(3, 14);
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t candidates = number(i) & ALL_WAYS;
        int way = random_policy()->victim(&state, candidates);
        ck_assert(candidates == 0 ? way == -1 : (candidates >> way & 1u) != 0);
    }
}

/* Random replacement does not look at accesses. */
TEST(test_random_ignores_accesses) {
    uint64_t state = random_policy()->initial_state(3, 14), before = state;
    for (int way = 0; way < WAYS; way++)
        random_policy()->touch(&state, way);
    ck_assert_uint_eq(state, before);
}

/* L2 with random replacement: tags of 64 sets, which a test fills beyond their ways. */
static struct tma_machine machine;

static void set_up(void) {
    machine = small_machine();
    machine.l2.replacement = TMA_REPLACEMENT_random;
    machine.l2.ways = WAYS;
    machine.l2.capacity_bytes = (uint64_t)SETS * WAYS * TMA_LINE_BYTES;
    machine.topology.seed = 1;
}

enum { LINES = 4 * WAYS, VICTIMS = LINES - WAYS };

/* Allocates more lines than ways in every set. victims[set] lists the ways that were replaced. */
static void replace_lines(uint32_t seed, int victims[SETS][VICTIMS]) {
    struct tma_l2_tags tags;
    struct tma_l2_victim victim;
    machine.topology.seed = seed;
    ck_assert_int_eq(tma_tags_create(&tags, &machine, NULL), TMA_OK);
    ck_assert_uint_eq(tags.set_count, SETS);
    for (int set = 0; set < SETS; set++)
        for (uint32_t tag = 0; tag < LINES; tag++) {
            int way = tma_tags_allocate(&tags, &tags.sets[set], tag, &victim);
            if (tag < WAYS)
                ck_assert_int_eq(way, (int)tag); /* empty ways go first */
            else
                victims[set][tag - WAYS] = way;
        }
    ck_assert_uint_eq(tags.evictions, SETS * VICTIMS);
    tma_tags_free(&tags);
}

static uint32_t equal_victims(const int *a, const int *b) {
    uint32_t equal = 0;
    for (int i = 0; i < VICTIMS; i++)
        equal += a[i] == b[i];
    return equal;
}

TEST_ROWS(test_same_seed_same_victims, 4) {
    static int victims[2][SETS][VICTIMS];
    replace_lines((uint32_t)_i, victims[0]);
    replace_lines((uint32_t)_i, victims[1]);
    ck_assert_mem_eq(victims[0], victims[1], sizeof victims[0]);
}

/* Two seeds choose the same way as often as by chance, once in 16 times, and not in whole sets. */
TEST_ROWS(test_other_seed_other_victims, 4) {
    static int victims[2][SETS][VICTIMS];
    uint32_t equal = 0;
    replace_lines((uint32_t)_i, victims[0]);
    replace_lines((uint32_t)_i + 1, victims[1]);
    for (int set = 0; set < SETS; set++) {
        uint32_t of_set = equal_victims(victims[0][set], victims[1][set]);
        ck_assert_uint_lt(of_set, VICTIMS / 2);
        equal += of_set;
    }
    ck_assert_uint_lt(equal, 2 * SETS * VICTIMS / WAYS);
}

TEST_ROWS(test_sets_have_victims_of_their_own, 4) {
    static int victims[SETS][VICTIMS];
    replace_lines((uint32_t)_i, victims);
    for (int set = 1; set < SETS; set++)
        ck_assert_uint_lt(equal_victims(victims[0], victims[set]), VICTIMS / 2);
}

/* A way with a pending fill is never a victim. */
TEST(test_random_spares_pending_fills) {
    struct tma_l2_tags tags;
    struct tma_l2_victim victim;
    ck_assert_int_eq(tma_tags_create(&tags, &machine, NULL), TMA_OK);
    struct tma_l2_set *set = &tags.sets[0];
    for (uint32_t tag = 0; tag < WAYS; tag++)
        tma_tags_allocate(&tags, set, tag, &victim);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t pending = number(i) & ALL_WAYS, settled = ALL_WAYS & ~pending;
        set->pending = (uint16_t)pending;
        int way = tma_tags_allocate(&tags, set, WAYS + i, &victim);
        ck_assert(settled == 0 ? way == -1 : (settled >> way & 1u) != 0);
    }
    tma_tags_free(&tags);
}

TEST_SUITE("replacement policies", .set_up = set_up);
