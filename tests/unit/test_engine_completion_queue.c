/* The order in which warps see their phases. */
#include "engine/completion_queue.h"
#include "machine.h"
#include "suite.h"

enum { INTERVAL = 4, SEEDS = 64, CYCLE = 101, VISIBLE = 104 };

/* Of two operations of an SM, the cycles of their completions, and whether the first one is always
 * seen first. */
static const struct {
    const char *what;
    uint64_t cycles[2];
    bool always_first;
} orders[] = {
    {"one interval, a cycle apart", {CYCLE, CYCLE + 1}, true},
    {"one interval, the same cycle", {CYCLE, CYCLE}, false},
};

TEST_ROWS(test_order_in_an_interval, TABLE_ROWS(orders)) {
    struct tma_machine machine = small_machine();
    uint32_t first = 0;
    machine.tma.wake_interval_cycles = INTERVAL;
    for (machine.topology.seed = 1; machine.topology.seed <= SEEDS; machine.topology.seed++) {
        struct tma_completion_queue queue = tma_completion_queue_of(&machine);
        for (uint64_t tag = 2; tag-- > 0;)
            ck_assert(tma_completion_queue_push(
                &queue, &(struct tma_completion){.cycle = orders[_i].cycles[tag], .tag = tag},
                tag));
        struct tma_visible_completion seen = tma_completion_queue_pop(&queue);
        ck_assert_uint_eq(seen.visible_cycle, VISIBLE);
        first += seen.completion.tag == 0;
        ck_assert_uint_eq(tma_completion_queue_pop(&queue).visible_cycle, VISIBLE);
        tma_completion_queue_free(&queue);
    }
    if (orders[_i].always_first)
        ck_assert_uint_eq(first, SEEDS);
    else
        ck_assert_msg(first > SEEDS / 4 && first < SEEDS * 3 / 4, "%s: %u", orders[_i].what, first);
}

TEST_SUITE("completion queue");
