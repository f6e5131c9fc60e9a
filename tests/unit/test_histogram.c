/* Names of events and causes; distributions of cycles, exact and from a histogram. */
#include <string.h>

#include "engine/observe/event.h"
#include "engine/observe/histogram.h"
#include "suite.h"

TEST_ROWS(test_every_event_has_a_word_and_figures, TMA_EVENT_KIND_COUNT) {
    enum tma_event_kind kind = (enum tma_event_kind)_i;
    ck_assert_str_ne(tma_event_word(kind), "");
    for (int other = 0; other < _i; other++)
        ck_assert_str_ne(tma_event_word(kind), tma_event_word((enum tma_event_kind)other));
    /* Figures have no gaps: no name follows an empty one. */
    for (unsigned i = 0; i < TMA_EVENT_FIGURES; i++)
        if (*tma_event_figure(kind, i) == '\0')
            ck_assert_str_eq(tma_event_figure(kind, i + 1), "");
    ck_assert_str_eq(tma_event_figure(kind, TMA_EVENT_FIGURES), "");
}

TEST_ROWS(test_every_cause_has_a_key_and_a_text, TMA_CAUSE_COUNT) {
    enum tma_cause cause = (enum tma_cause)_i;
    ck_assert_str_ne(tma_cause_key(cause), "");
    ck_assert_str_ne(tma_cause_text(cause), "");
    for (int other = 0; other < _i; other++)
        ck_assert_str_ne(tma_cause_key(cause), tma_cause_key((enum tma_cause)other));
}

/* Percentiles are nearest-rank: of n sorted values, number ceil(n / 2) is the median and number
 * ceil(0.95 n) is the 95th percentile. */
static const struct {
    size_t count;
    uint64_t values[8];
    struct tma_distribution expected;
} lists[] = {
    {0, {0}, {0, 0, 0, 0, 0}},
    {1, {123456789}, {1, 123456789, 123456789, 123456789, 123456789}},
    {2, {9, 4}, {2, 4, 4, 9, 9}},
    {3, {9, 4, 6}, {3, 4, 6, 9, 9}},
    {8, {8, 7, 6, 5, 4, 3, 2, 1}, {8, 1, 4, 8, 8}},
    {5, {0, 0, 0, 0, 4095}, {5, 0, 0, 4095, 4095}},
};

static void check_equal(const struct tma_distribution *a, const struct tma_distribution *b) {
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_uint_eq(a->min, b->min);
    ck_assert_uint_eq(a->median, b->median);
    ck_assert_uint_eq(a->p95, b->p95);
    ck_assert_uint_eq(a->max, b->max);
}

TEST_ROWS(test_distribution_of_list, TABLE_ROWS(lists)) {
    uint64_t values[8];
    memcpy(values, lists[_i].values, sizeof values);
    struct tma_distribution distribution = tma_distribution_of(values, lists[_i].count);
    check_equal(&distribution, &lists[_i].expected);
}

TEST_ROWS(test_histogram_matches_the_list, TABLE_ROWS(lists)) {
    struct tma_histogram *histogram = tma_histogram_new();
    for (size_t i = 0; i < lists[_i].count; i++)
        tma_histogram_add(histogram, lists[_i].values[i]);
    struct tma_distribution distribution = tma_histogram_distribution(histogram);
    check_equal(&distribution, &lists[_i].expected);
    tma_histogram_free(histogram);
}

/* Of 100 values, the 50th is the median and the 95th is the 95th percentile. */
TEST(test_percentile_ranks_of_100) {
    uint64_t values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = 100 - i;
    struct tma_distribution distribution = tma_distribution_of(values, 100);
    ck_assert_uint_eq(distribution.median, 50);
    ck_assert_uint_eq(distribution.p95, 95);
}

/* Over the whole range of 64 bits, a histogram is exact below 4096, and at most one part in 2048
 * too low above. */
TEST(test_histogram_precision) {
    for (unsigned shift = 0; shift < 64; shift++)
        for (int64_t offset = -1; offset <= 1; offset++) {
            uint64_t value = ((uint64_t)1 << shift) + (uint64_t)offset;
            struct tma_histogram *histogram = tma_histogram_new();
            tma_histogram_add(histogram, 0);
            tma_histogram_add(histogram, value);
            tma_histogram_add(histogram, UINT64_MAX);
            uint64_t median = tma_histogram_distribution(histogram).median;
            ck_assert_uint_le(median, value);
            ck_assert_uint_le(value - median, value < 4096 ? 0 : value / 2048);
            tma_histogram_free(histogram);
        }
}

TEST_SUITE("names and distributions");
