/* The sampler by itself, on runs that are made up: when it finds that a run is steady, how much it
 * lets the run skip, and what that counts as. */
#include "engine/sampling/sampler.h"
#include "suite.h"

enum { WINDOW = 100, TOTAL = 100000, STEP = 50, TAIL = 300 };

static const struct tma_sample_plan plan = {.total = TOTAL,
                                            .window = WINDOW,
                                            .step = STEP,
                                            .tail = TAIL,
                                            .window_cycles = 1000,
                                            .guard_bytes = UINT64_C(32) * 500 * 40,
                                            .factor = 64};

/* A made-up run: what each unit takes and causes, with a percent more in each window. */
struct made_up {
    const char *name;
    uint64_t cycles, more_cycles; /* in thousandths */
    uint64_t misses, more_misses;
    uint64_t skipped_at; /* progress at which the run is steady; 0: never */
};

static const struct made_up runs[] = {
    /* The guard is 40 sectors of 500 units; then three windows, and the mark before them. */
    {"steady", 12000, 0, 8000, 0, 500 + 3 * WINDOW},
    {"nearly steady", 12000, 2, 8000, 3, 500 + 3 * WINDOW},
    {"slower and slower", 12000, 300, 8000, 0, 0},
    {"more and more misses", 12000, 0, 8000, 400, 0},
    {"too few cycles in the shortest windows", 6000, 0, 8000, 0, 500 + 6 * WINDOW},
};

static struct tma_sample_mark mark_at(const struct made_up *run, uint64_t progress) {
    uint64_t windows = progress / WINDOW, growth = windows * (windows - 1) / 2;
    struct tma_sample_mark mark = {.parts = progress * TMA_UNIT_PARTS};
    struct tma_memory_counters *memory = &mark.tally.memory;
    mark.cycle = (progress * run->cycles + growth * WINDOW * run->more_cycles) / 1000;
    memory->sectors = 40 * progress;
    memory->miss_sectors = (progress * run->misses + growth * WINDOW * run->more_misses) / 1000;
    memory->hit_sectors = memory->sectors - memory->miss_sectors;
    mark.tally.counters.operations = progress;
    return mark;
}

TEST_ROWS(a_run_is_steady_when_three_windows_agree, TABLE_ROWS(runs)) {
    const struct made_up *run = &runs[_i];
    struct tma_sampler sampler;
    ck_assert(tma_sampler_create(&sampler, &plan));
    uint64_t found = 0, skipped = 0;
    for (uint64_t progress = 0; progress < 4000 && skipped == 0; progress++) {
        if (!tma_sampler_is_due(&sampler, progress))
            continue;
        ck_assert_uint_eq(progress % WINDOW, 0);
        struct tma_sample_mark mark = mark_at(run, progress);
        skipped = tma_sampler_look(&sampler, progress, &mark);
        found = skipped > 0 ? progress : 0;
    }
    ck_assert_msg(found == run->skipped_at, "%s: at %lu", run->name, (unsigned long)found);
    if (found > 0) {
        uint64_t left = TOTAL - found - skipped;
        ck_assert_uint_eq(skipped % STEP, 0);
        /* At most 64 times what came before, and no less than that where the tail is far. */
        ck_assert_uint_eq(skipped, found * 64);
        ck_assert_uint_ge(left, TAIL);
        tma_sampler_skip(&sampler, skipped);
        struct tma_sample_mark from = mark_at(run, found - 3 * WINDOW), to = mark_at(run, found);
        uint64_t most = (to.cycle - from.cycle) * skipped / (3 * WINDOW);
        ck_assert_uint_le(sampler.skipped_cycles, most);
        ck_assert_uint_ge(sampler.skipped_cycles + 1 + most / 1000000, most);
        ck_assert_uint_eq(sampler.tally.counters.operations, skipped);
        ck_assert_uint_ge(sampler.error_cycles, sampler.skipped_cycles / 100 - 1);
    }
    tma_sampler_free(&sampler);
}

/* After it has skipped something, the guard begins anew; the tail stays. */
TEST(the_tail_is_simulated) {
    struct tma_sampler sampler;
    ck_assert(tma_sampler_create(&sampler, &plan));
    uint64_t progress = 0, skips = 0, last = 0;
    for (; progress + sampler.skipped < TOTAL; progress++) {
        if (!tma_sampler_is_due(&sampler, progress))
            continue;
        struct tma_sample_mark mark = mark_at(&runs[0], progress);
        uint64_t units = tma_sampler_look(&sampler, progress, &mark);
        if (units == 0)
            continue;
        ck_assert_uint_ge(progress - last, 500 + 3 * WINDOW);
        tma_sampler_skip(&sampler, units);
        last = progress;
        skips++;
    }
    ck_assert_uint_eq(skips, 2);
    ck_assert_uint_ge(progress - last, TAIL);
    ck_assert_uint_lt(progress - last, TAIL + STEP);
    ck_assert_uint_eq((progress * 12) + sampler.skipped_cycles, (uint64_t)TOTAL * 12);
    tma_sampler_free(&sampler);
}

/* Sums stay sums, whatever the ratio. */
TEST(a_tally_adds_up) {
    struct tma_tally from = {.ended_ctas = 1}, to = {.ended_ctas = 8}, sum = {0};
    to.memory.hit_sectors = 101;
    to.memory.miss_sectors = 52;
    to.memory.sectors = 153;
    to.counters.operations = 7;
    from.memory.unused_sectors = 3; /* which has become less */
    for (int i = 0; i < 3; i++)
        tma_tally_extend(&sum, &from, &to, 10, 7);
    ck_assert_uint_eq(sum.memory.hit_sectors, 3 * (1010 / 7));
    ck_assert_uint_eq(sum.memory.miss_sectors, 3 * (520 / 7));
    ck_assert_uint_eq(sum.memory.sectors, sum.memory.hit_sectors + sum.memory.miss_sectors);
    ck_assert_uint_eq(sum.memory.unused_sectors, 0);
    ck_assert_uint_eq(sum.counters.operations, 30);
    ck_assert_uint_eq(sum.ended_ctas, 30);
    struct tma_result result = {.counters.operations = 5};
    struct tma_memory_counters memory = {.sectors = 10, .hit_sectors = 10, .last_cycle = 99};
    tma_tally_add(&sum, &result, &memory);
    ck_assert_uint_eq(result.counters.operations, 35);
    ck_assert_uint_eq(memory.sectors, memory.hit_sectors + memory.miss_sectors);
    ck_assert_uint_eq(memory.last_cycle, 99);
}

/* Two places: progress after each half, and what each skips of 1000 units on average. */
static const struct {
    const char *name;
    uint64_t earlier[2], now[2];
    uint64_t least, most; /* that the first place skips */
} halves[] = {
    {"ahead in both halves", {1100, 900}, {2200, 1800}, 1085, 1095}, /* nine tenths of it */
    {"ahead in the first half", {1100, 900}, {2000, 2000}, 1000, 1000},
    {"ahead by half as much", {1100, 900}, {2150, 1850}, 1035, 1040},
    {"equal", {1000, 1000}, {2000, 2000}, 1000, 1000},
};

TEST_ROWS(those_that_stay_ahead_skip_more, TABLE_ROWS(halves)) {
    struct tma_sample_shares shares;
    ck_assert(tma_sample_shares_create(&shares, 2));
    for (int i = 0; i < 2; i++)
        shares.now[i] = halves[_i].earlier[i];
    tma_sample_shares_record(&shares, 1000);
    for (int i = 0; i < 2; i++)
        shares.now[i] = halves[_i].now[i];
    tma_sample_shares_record(&shares, 2000);
    tma_sample_share_out(&shares, 1000);
    ck_assert_msg(shares.shares[0] >= halves[_i].least && shares.shares[0] <= halves[_i].most,
                  "%s: %lu", halves[_i].name, (unsigned long)shares.shares[0]);
    uint64_t sum = shares.shares[0] + shares.shares[1];
    ck_assert(sum >= 1999 && sum <= 2000);
    tma_sample_shares_free(&shares);
}

TEST_SUITE("sampler");
