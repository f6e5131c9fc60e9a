/* A bounded number of spans: whole SMs are left out, and the order does not depend on that in which
 * they came. */
#include "report/span_sample.h"
#include "suite.h"

enum { CAPACITY = 8 };

static struct tma_span_sample sample;
static struct tma_span_sink sink;

static void set_up(void) {
    ck_assert(tma_span_sample_create(&sample, CAPACITY));
    sample.kinds[TMA_SPAN_CTA] = true;
    sample.kinds[TMA_SPAN_OPERATION] = true;
    sink = tma_span_sample_sink(&sample);
}

static void tear_down(void) {
    tma_span_sample_free(&sample);
}

static void add(enum tma_span_kind kind, uint32_t sm, uint32_t cta, uint64_t start) {
    struct tma_span span = {
        .kind = kind, .sm = sm, .cta = cta, .start_cycle = start, .end_cycle = start + 5};
    sink.span(sink.context, &span);
}

TEST(keeps_the_wanted_kinds) {
    add(TMA_SPAN_CTA, 1, 0, 0);
    add(TMA_SPAN_SLOT, 1, 0, 0);
    add(TMA_SPAN_OPERATION, 1, 0, 0);
    ck_assert_uint_eq(sample.count, 2);
    ck_assert_uint_eq(sample.sm_step, 1);
}

TEST(an_sm_that_stays_has_all_spans) {
    for (uint64_t round = 0; round < 2; round++)
        for (uint32_t sm = 0; sm < 12; sm++)
            add(TMA_SPAN_CTA, sm, sm, 10 * round);
    ck_assert_uint_eq(sample.sm_step, 4);
    ck_assert(!sample.cut);
    ck_assert_uint_eq(sample.count, 6);
    tma_span_sample_sort(&sample);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(sample.items[i].sm, i / 2 * 4);
        ck_assert_uint_eq(sample.items[i].start_cycle, i % 2 * 10);
    }
}

/* Without SMs whose numbers are multiples of two, nothing would stay. */
TEST(the_first_spans_of_one_sm_stay) {
    for (uint64_t start = 0; start < 20; start++)
        add(TMA_SPAN_CTA, 125, (uint32_t)start, start);
    ck_assert_uint_eq(sample.count, CAPACITY);
    ck_assert(sample.cut);
    for (uint32_t i = 0; i < CAPACITY; i++)
        ck_assert_uint_eq(sample.items[i].start_cycle, i);
}

TEST(operations_are_in_the_order_of_time) {
    add(TMA_SPAN_OPERATION, 2, 1, 30);
    add(TMA_SPAN_OPERATION, 2, 9, 10);
    add(TMA_SPAN_CTA, 3, 1, 50);
    add(TMA_SPAN_CTA, 2, 9, 10);
    add(TMA_SPAN_CTA, 2, 1, 40);
    tma_span_sample_sort(&sample);
    static const uint64_t starts[] = {40, 10, 50, 10, 30};
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_uint_eq(sample.items[i].start_cycle, starts[i]);
}

TEST_SUITE("span sample", .set_up = set_up, .tear_down = tear_down);
