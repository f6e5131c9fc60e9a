/* Events come out in their order, whatever the order in which they are added. An event waits as
 * long as an earlier one may come. */
#include <string.h>

#include "engine/observe/event_order.h"
#include "suite.h"

enum { EVENTS = 2000 };

static struct tma_event_order *order;
static struct tma_event given[EVENTS];
static size_t given_count;

static void take_event(void *context, const struct tma_event *event) {
    (void)context;
    ck_assert_uint_lt(given_count, EVENTS);
    given[given_count++] = *event;
}

static void set_up(void) {
    given_count = 0;
    order = tma_event_order_new(&(struct tma_event_sink){take_event, NULL});
    ck_assert_ptr_nonnull(order);
}

static void tear_down(void) {
    tma_event_order_free(order);
}

static void add(uint64_t cycle, uint32_t sm) {
    ck_assert(tma_event_order_add(order, &(struct tma_event){.cycle = cycle, .sm = sm}));
}

static uint64_t open_window(uint64_t cycle) {
    uint64_t number;
    ck_assert(tma_event_order_open(order, cycle, &number));
    return number;
}

/* The order of event.h: cycle, SM, CTA, slot, kind, first figure. */
static int compare(const void *left, const void *right) {
    const struct tma_event *a = left, *b = right;
    const uint64_t keys[][2] = {
        {a->cycle, b->cycle}, {a->sm, b->sm},     {a->cta, b->cta},
        {a->slot, b->slot},   {a->kind, b->kind}, {a->figures[0], b->figures[0]},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static uint32_t random_below(uint32_t limit) {
    static uint32_t state = 2463534242;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

/* Each key has few different values, so that each one decides at times. Events with equal keys are
 * equal. */
TEST(test_random_insertion_sorts) {
    static struct tma_event events[EVENTS];
    for (size_t i = 0; i < EVENTS; i++) {
        events[i] =
            (struct tma_event){.cycle = random_below(12),
                               .sm = random_below(3),
                               .cta = random_below(3),
                               .slot = random_below(3),
                               .kind = (enum tma_event_kind)random_below(TMA_EVENT_KIND_COUNT),
                               .figures = {random_below(3)}};
        ck_assert(tma_event_order_add(order, &events[i]));
    }
    qsort(events, EVENTS, sizeof *events, compare);
    for (uint64_t cycle = 0; cycle <= 12; cycle += 3) {
        tma_event_order_flush(order, cycle);
        ck_assert(given_count == EVENTS || events[given_count].cycle >= cycle);
        ck_assert(given_count == 0 || events[given_count - 1].cycle < cycle);
    }
    ck_assert_uint_eq(given_count, EVENTS);
    for (size_t i = 0; i < EVENTS; i++)
        ck_assert_int_eq(compare(&given[i], &events[i]), 0);
}

TEST(test_flush_gives_what_is_before) {
    add(5, 0);
    add(6, 0);
    tma_event_order_flush(order, 5);
    ck_assert_uint_eq(given_count, 0);
    tma_event_order_flush(order, 6);
    ck_assert_uint_eq(given_count, 1);
    tma_event_order_flush(order, UINT64_MAX);
    ck_assert_uint_eq(given_count, 2);
}

/* An open window holds back events of its cycle and later: those of its operation may come first.
 */
TEST(test_open_operation_holds_back) {
    uint64_t window = open_window(10);
    add(9, 1);
    add(10, 1);
    add(30, 1);
    tma_event_order_flush(order, 100);
    ck_assert_uint_eq(given_count, 1);
    add(10, 0);
    add(20, 0);
    tma_event_order_close(order, window);
    tma_event_order_flush(order, 100);
    static const uint64_t cycles[] = {9, 10, 10, 20, 30};
    ck_assert_uint_eq(given_count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_uint_eq(given[i].cycle, cycles[i]);
    ck_assert_uint_eq(given[1].sm, 0);
}

/* The earliest open window counts, in whatever order windows are closed. */
TEST(test_earliest_open_counts) {
    static const struct {
        int closes;
        size_t given;
    } steps[] = {{1, 0}, {0, 2}, {3, 2}, {2, 4}};
    uint64_t windows[4];
    for (uint64_t i = 0; i < 4; i++) {
        windows[i] = open_window(10 * i);
        add(10 * i, 0);
    }
    for (size_t i = 0; i < 4; i++) {
        tma_event_order_close(order, windows[steps[i].closes]);
        tma_event_order_flush(order, 1000);
        ck_assert_uint_eq(given_count, steps[i].given);
    }
}

/* Many windows, a few of them open at a time: the ring of windows is used again and again. */
TEST(test_many_operations) {
    uint64_t windows[8];
    for (uint64_t i = 0; i < EVENTS; i++) {
        if (i >= 8)
            tma_event_order_close(order, windows[i % 8]);
        windows[i % 8] = open_window(i);
        add(i, 0);
        tma_event_order_flush(order, i + 1);
        ck_assert_uint_eq(given_count, i < 8 ? 0 : i - 7);
    }
}

TEST_SUITE("event order", .set_up = set_up, .tear_down = tear_down);
