/* FIFO ports: order, waiting, and service times that are not whole cycles. */
#include "memory/core/port.h"
#include "suite.h"

static const struct {
    uint64_t ticks, cycle;
} roundings[] = {
    {0, 0}, {1, 1}, {TMA_TICKS - 1, 1}, {TMA_TICKS, 1}, {TMA_TICKS + 1, 2}, {10 * TMA_TICKS, 10},
};

TEST_ROWS(test_ticks_round_up, TABLE_ROWS(roundings)) {
    ck_assert_uint_eq(tma_ticks_to_cycle(roundings[_i].ticks), roundings[_i].cycle);
}

/* A port serves a client once it has arrived and all clients before it are done: served =
 * max(arrival, free) + service, rounded up to a whole cycle. The port itself keeps the exact time.
 */
static const struct {
    const char *what;
    struct {
        uint64_t arrival, service_ticks, served;
    } clients[4];
    uint64_t busy_ticks;
} queues[] = {
    {"idle in between",
     {{10, TMA_TICKS, 11}, {20, TMA_TICKS, 21}, {40, 2 * TMA_TICKS, 42}, {42, TMA_TICKS, 43}},
     5 * TMA_TICKS},
    {"back to back",
     {{10, 3 * TMA_TICKS, 13}, {10, TMA_TICKS, 14}, {11, TMA_TICKS, 15}, {15, TMA_TICKS, 16}},
     6 * TMA_TICKS},
    {"halves of a cycle",
     {{5, TMA_TICKS / 2, 6}, {5, TMA_TICKS / 2, 6}, {5, TMA_TICKS / 2, 7}, {5, TMA_TICKS / 2, 7}},
     2 * TMA_TICKS},
    {"one tick more is one cycle more",
     {{5, TMA_TICKS, 6}, {5, 1, 7}, {5, TMA_TICKS - 1, 7}, {5, 1, 8}},
     2 * TMA_TICKS + 1},
    {"a service of no time waits for its turn",
     {{5, 0, 5}, {5, 4 * TMA_TICKS, 9}, {6, 0, 9}, {9, 0, 9}},
     4 * TMA_TICKS},
};

TEST_ROWS(test_queue, TABLE_ROWS(queues)) {
    struct tma_port port = {0};
    for (unsigned i = 0; i < 4; i++)
        ck_assert_msg(tma_port_serve(&port, queues[_i].clients[i].arrival,
                                     queues[_i].clients[i].service_ticks) ==
                          queues[_i].clients[i].served,
                      "%s: client %u", queues[_i].what, i);
    ck_assert_uint_eq(port.busy_ticks, queues[_i].busy_ticks);
}

/* Back-pressure: the port is not free at t - 1 and free at t, and was not busy meanwhile. A stall
 * that ends before the port is free has no effect. */
TEST(test_stall) {
    struct tma_port port = {0};
    tma_port_stall(&port, 10);
    ck_assert_uint_eq(tma_port_serve(&port, 9, TMA_TICKS), 11);
    ck_assert_uint_eq(port.busy_ticks, TMA_TICKS);
    tma_port_stall(&port, 10);
    ck_assert_uint_eq(tma_port_serve(&port, 11, TMA_TICKS), 12);
    ck_assert_uint_eq(port.busy_ticks, 2 * TMA_TICKS);
}

/* A port serves 128 bytes at 107.3 bytes per cycle, 100000 times: the rate is exact to one part in
 * 1000. */
TEST(test_fractions_add_up) {
    const uint64_t count = 100000, service = 128 * 1000 * (uint64_t)TMA_TICKS / 107300;
    struct tma_port port = {0};
    uint64_t served = 0;
    for (uint64_t i = 0; i < count; i++)
        served = tma_port_serve(&port, 0, service);
    double expected = 128 * (double)count / 107.3;
    ck_assert_double_eq_tol((double)served, expected, expected / 1000);
}

TEST_SUITE("ports");
