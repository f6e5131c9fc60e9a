/* Which slice answers for a line, and what comes of it. */
#include "memory/address.h"
#include "small_memory.h"
#include "suite.h"

enum { PAGES = 16, SLICES = TMA_H200_SLICES };

static struct tma_dealing hashed(void) {
    struct tma_machine h200 = small_machine();
    h200.l2.slices = 2 * SLICES;
    h200.l2.hash = TMA_HASH_H200;
    return tma_dealing_of(&h200);
}

static uint32_t server(const struct tma_dealing *dealing, uint64_t line) {
    return tma_route_line(dealing, line).server;
}

/* Of 1 KiB, two slices have four lines each; of 4 KiB, eight. */
START_TEST(test_neighbours) {
    struct tma_dealing dealing = hashed();
    for (uint64_t line = 0; line < (uint64_t)PAGES * TMA_HASHED_LINES; line += 32) {
        uint64_t seen = 0;
        for (uint64_t at = line; at < line + 32; at += 8) {
            uint32_t first = server(&dealing, at), second = server(&dealing, at + 2);
            ck_assert_uint_ne(first, second);
            for (uint64_t i = 0; i < 8; i++)
                ck_assert_uint_eq(server(&dealing, at + i), (i & 2) != 0 ? second : first);
            seen |= UINT64_C(1) << first | UINT64_C(1) << second;
        }
        ck_assert_int_eq(__builtin_popcountll(seen), 8);
    }
}
END_TEST

/* Of each 2 MiB, every slice has its share, to 4 in 100; and no two pages are alike. */
START_TEST(test_shares) {
    struct tma_dealing dealing = hashed();
    uint32_t alike = 0;
    for (uint64_t page = 0; page < PAGES; page++) {
        uint32_t counts[SLICES] = {0};
        for (uint64_t line = 0; line < TMA_HASHED_LINES; line++) {
            uint32_t number = server(&dealing, page * TMA_HASHED_LINES + line);
            ck_assert_uint_lt(number, SLICES);
            counts[number]++;
            alike += page > 0 && number == server(&dealing, line);
        }
        for (uint32_t i = 0; i < SLICES; i++) {
            ck_assert_uint_ge(counts[i] * 100 * SLICES, 96 * TMA_HASHED_LINES);
            ck_assert_uint_le(counts[i] * 100 * SLICES, 104 * TMA_HASHED_LINES);
        }
    }
    ck_assert_uint_lt(alike, PAGES * TMA_HASHED_LINES / 4);
}
END_TEST

/* Sets are dealt as they are without: what L2 holds does not depend on the hash. */
START_TEST(test_sets_are_dealt_evenly) {
    struct tma_dealing dealing = hashed(), even = hashed();
    even.hashed = NULL;
    for (uint64_t line = 0; line < TMA_HASHED_LINES; line++) {
        struct tma_place place = tma_route_line(&dealing, line),
                         other = tma_route_line(&even, line);
        ck_assert_uint_eq(place.group, other.group);
        ck_assert_uint_eq(place.slice, other.slice);
        ck_assert_uint_eq(place.home, other.home);
        ck_assert_uint_eq(other.server, other.slice);
    }
}
END_TEST

/* What is written back has the channel that it was read from. */
START_TEST(test_line_of_a_place) {
    const uint64_t starts[] = {0, 123456789, UINT64_C(0xfe0000000), TMA_L2_ADDRESS_LIMIT / 256};
    struct tma_dealing dealing = hashed();
    dealing.partitions = (uint32_t)_i % 2 + 1;
    if (_i >= 2)
        dealing.hashed = NULL;
    for (uint32_t i = 0; i < 4; i++)
        for (uint64_t line = starts[i]; line < starts[i] + 10000; line++) {
            struct tma_place place = tma_place_line(&dealing, line);
            ck_assert_uint_eq(tma_line_at(&dealing, place.home, place.slice, place.group), line);
        }
}
END_TEST

/* Two lines are read at once by two SMs: one waits for the other where one slice answers for both.
 */
START_TEST(test_lines_of_one_slice) {
    enum { LONG = 100 };
    machine.l2.slices = 2 * SLICES;
    machine.l2.capacity_bytes = (uint64_t)2 * SLICES * 64 * 1024;
    machine.l2.hash = TMA_HASH_H200;
    machine.l2.request_millicycles = LONG * 1000;
    machine.topology.gpc_partition[1] = 0;
    const uint64_t others[] = {1, 2};
    uint64_t cycles[2];
    struct tma_tensor_map map = line_map(1);
    for (int i = 0; i < 2; i++) {
        recreate();
        struct load loads[2] = {{.map = &map}, {.map = &map, .sm = 2, .tag = 1}};
        struct tma_completion done[2];
        loads[0].y = row_at_home(&machine, &map, 0, 0);
        loads[1].y = loads[0].y + (int32_t)others[i];
        warm_load(memory, &loads[0]);
        warm_load(memory, &loads[1]);
        run_loads(memory, loads, 2, done);
        cycles[i] = done[1].cycle;
    }
    ck_assert_uint_gt(cycles[0], cycles[1] + LONG / 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("addresses");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_neighbours);
    tcase_add_test(tests, test_shares);
    tcase_add_test(tests, test_sets_are_dealt_evenly);
    tcase_add_loop_test(tests, test_line_of_a_place, 0, 4);
    tcase_add_test(tests, test_lines_of_one_slice);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
