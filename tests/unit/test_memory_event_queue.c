/* The event queue: an event comes out at its cycle, and events of one cycle in the order in which
 * they were pushed. */
#include "memory/core/event_queue.h"
#include "suite.h"

enum { EVENTS = 3000, TURN = TMA_EVENT_QUEUE_CYCLES };

static struct tma_event_queue queue;

static void set_up(void) {
    tma_event_queue_init(&queue);
}

static void tear_down(void) {
    ck_assert(!queue.out_of_memory);
    tma_event_queue_free(&queue);
}

/* Pops the events of the current cycle, which have to be these. */
static void expect(uint64_t cycle, uint32_t count, const uint32_t *events) {
    const uint32_t *due;
    uint32_t known;
    ck_assert_uint_eq(queue.now, cycle);
    ck_assert_uint_eq(tma_event_queue_pop(&queue, &due, &known), count);
    ck_assert_uint_eq(queue.now, cycle + 1);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(due[i], events[i]);
}

/* No event is due before `cycle`, which becomes the current one. */
static void expect_nothing_until(uint64_t cycle) {
    while (queue.now < cycle)
        expect(queue.now, 0, NULL);
}

TEST(test_empty) {
    expect_nothing_until(2 * TURN + 1);
    ck_assert_uint_eq(queue.count, 0);
}

TEST(test_order_within_a_cycle) {
    tma_event_queue_push(&queue, 7, 5);
    tma_event_queue_push(&queue, 3, 6);
    tma_event_queue_push(&queue, 9, 5);
    tma_event_queue_push(&queue, 1, 5);
    ck_assert_uint_eq(queue.count, 4);
    expect_nothing_until(5);
    expect(5, 3, (uint32_t[]){7, 9, 1});
    expect(6, 1, (uint32_t[]){3});
    ck_assert_uint_eq(queue.count, 0);
}

TEST(test_event_can_be_pushed_again) {
    tma_event_queue_push(&queue, 4, 2);
    expect_nothing_until(2);
    expect(2, 1, (uint32_t[]){4});
    tma_event_queue_push(&queue, 4, 3);
    expect(3, 1, (uint32_t[]){4});
}

/* Popped events stay valid while further ones are pushed, until the next pop. */
TEST(test_popped_events_stay) {
    const uint32_t *due;
    uint32_t known;
    tma_event_queue_push(&queue, 1, 0);
    tma_event_queue_push(&queue, 2, 0);
    ck_assert_uint_eq(tma_event_queue_pop(&queue, &due, &known), 2);
    for (uint32_t i = 0; i < EVENTS; i++)
        tma_event_queue_push(&queue, 100 + i, 1 + i % 2);
    ck_assert_uint_eq(due[0], 1);
    ck_assert_uint_eq(due[1], 2);
}

/* Numbers of events in one cycle: one chunk almost full, full, and several chunks. The events go to
 * two cycles in turn, so that the chunks of both are mixed. Later rounds reuse the chunks. */
static const uint32_t crowds[] = {TMA_EVENT_CHUNK - 1, TMA_EVENT_CHUNK,         TMA_EVENT_CHUNK + 1,
                                  2 * TMA_EVENT_CHUNK, 2 * TMA_EVENT_CHUNK + 1, EVENTS / 2};

TEST_ROWS(test_order_across_chunks, TABLE_ROWS(crowds)) {
    uint32_t events[2][EVENTS / 2];
    size_t chunks = 0;
    for (uint32_t i = 0; i < crowds[_i]; i++) {
        events[0][i] = 2 * i;
        events[1][i] = 2 * i + 1;
    }
    for (uint64_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 2 * crowds[_i]; i++)
            tma_event_queue_push(&queue, i, 2 * round + i % 2);
        expect(2 * round, crowds[_i], events[0]);
        expect(2 * round + 1, crowds[_i], events[1]);
        chunks = round == 0 ? queue.chunk_count : chunks;
    }
    ck_assert_uint_eq(queue.chunk_count, chunks);
}

/* Events that are due a whole turn of the wheel or more from now share a bucket with those that are
 * due now. They do not come out early. */
TEST(test_beyond_a_turn) {
    tma_event_queue_push(&queue, 1, 5 + 2 * TURN);
    tma_event_queue_push(&queue, 2, 5 + TURN);
    tma_event_queue_push(&queue, 3, 5);
    tma_event_queue_push(&queue, 4, 5 + 2 * TURN);
    ck_assert_uint_eq(queue.count, 4);
    expect_nothing_until(5);
    expect(5, 1, (uint32_t[]){3});
    expect_nothing_until(5 + TURN);
    expect(5 + TURN, 1, (uint32_t[]){2});
    tma_event_queue_push(&queue, 5, 5 + 2 * TURN);
    expect_nothing_until(5 + 2 * TURN);
    expect(5 + 2 * TURN, 3, (uint32_t[]){1, 4, 5});
    ck_assert_uint_eq(queue.count, 0);
}

/* All events are due in one cycle, and each is pushed so many cycles before it: some go to the list
 * of far events and some into a bucket. They come out in the order of insertion, wherever in the
 * wheel the cycle lies. */
static const uint64_t ahead[] = {3 * TURN, 2 * TURN + 1, 2 * TURN,     TURN + 1, TURN,
                                 TURN - 1, TURN * 3 / 4, TURN / 2 + 1, TURN / 2, 1};
static const uint64_t phases[] = {0, 1, TURN / 2 - 1, TURN / 2, TURN - 1};

TEST_ROWS(test_order_of_far_and_near, TABLE_ROWS(phases)) {
    uint64_t due_cycle = 3 * TURN + phases[_i];
    uint32_t order[sizeof ahead / sizeof *ahead];
    for (uint32_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        expect_nothing_until(due_cycle - ahead[i]);
        tma_event_queue_push(&queue, i, due_cycle);
        order[i] = i;
    }
    expect_nothing_until(due_cycle);
    expect(due_cycle, sizeof ahead / sizeof *ahead, order);
}

/* An empty queue skips to any cycle, and works in the same way from there. */
static const uint64_t skips[] = {
    0, 1, TURN / 2, TURN - 1, TURN, 10 * TURN + 7, (UINT64_C(1) << 40) - 1};

TEST_ROWS(test_skip, TABLE_ROWS(skips)) {
    uint64_t cycle = skips[_i];
    tma_event_queue_skip(&queue, cycle);
    tma_event_queue_push(&queue, 1, cycle + TURN + 3);
    tma_event_queue_push(&queue, 2, cycle + TURN - 1);
    tma_event_queue_push(&queue, 3, cycle);
    expect(cycle, 1, (uint32_t[]){3});
    expect_nothing_until(cycle + TURN - 1);
    expect(cycle + TURN - 1, 1, (uint32_t[]){2});
    expect_nothing_until(cycle + TURN + 3);
    expect(cycle + TURN + 3, 1, (uint32_t[]){1});
}

/* Behind the due events, the queue lists the first events of the next cycle, which stay in it. */
TEST(test_events_of_the_next_cycle) {
    const uint32_t *due;
    uint32_t known;
    for (uint32_t i = 0; i < 3; i++) {
        tma_event_queue_push(&queue, 10 + i, 0);
        tma_event_queue_push(&queue, 20 + i, 1);
        tma_event_queue_push(&queue, 30 + i, 2);
    }
    ck_assert_uint_eq(tma_event_queue_pop(&queue, &due, &known), 3);
    ck_assert_uint_eq(known, 6);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(due[i], 10 + i);
        ck_assert_uint_eq(due[3 + i], 20 + i);
    }
    ck_assert_uint_eq(queue.count, 6);
    expect(1, 3, (uint32_t[]){20, 21, 22});
    expect(2, 3, (uint32_t[]){30, 31, 32});
    ck_assert_uint_eq(tma_event_queue_pop(&queue, &due, &known), 0);
    ck_assert_uint_eq(known, 0);
}

/* Pairs of events that are due in the same cycle, near or far. The second one is pushed when the
 * first one has come nearer by `later` cycles; it still comes out second. */
TEST_ROWS(test_order_of_pairs, 10) {
    static const uint64_t distances[] = {1,    2,        TURN / 2 - 1, TURN / 2, TURN - 1,
                                         TURN, TURN + 1, TURN * 3 / 2, 2 * TURN, 2 * TURN + 1};
    const uint64_t distance = distances[_i];
    const uint64_t waits[] = {0, 1, distance / 2, distance - 1, distance};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        const uint64_t cycle = queue.now + distance;
        tma_event_queue_push(&queue, 1, cycle);
        expect_nothing_until(cycle - distance + waits[i]);
        tma_event_queue_push(&queue, 2, cycle);
        expect_nothing_until(cycle); /* not due at cycle - 1 */
        expect(cycle, 2, (uint32_t[]){1, 2});
    }
}

static uint32_t random_number(void) {
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Events at random cycles, which are pushed while time passes. Each comes out at its cycle, and
 * events of one cycle in the order of insertion. A span is the number of cycles ahead, at most. */
static const uint32_t spans[] = {1, 20, TURN, 3 * TURN};

TEST_ROWS(test_random, TABLE_ROWS(spans)) {
    uint64_t due_cycle[EVENTS];
    uint32_t number = 0, taken = 0;
    for (uint64_t cycle = 0; taken < EVENTS; cycle++) {
        for (int i = 0; i < 2 && number < EVENTS; i++, number++) {
            due_cycle[number] = cycle + random_number() % spans[_i];
            tma_event_queue_push(&queue, number, due_cycle[number]);
        }
        const uint32_t *due;
        uint32_t known;
        uint32_t count = tma_event_queue_pop(&queue, &due, &known);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_uint_eq(due_cycle[due[i]], cycle);
            ck_assert(i == 0 || due[i - 1] < due[i]);
        }
        taken += count;
        ck_assert_uint_eq(queue.count, number - taken);
        ck_assert_uint_lt(cycle, 4 * TURN);
    }
}

TEST_SUITE("event queue", .set_up = set_up, .tear_down = tear_down);
