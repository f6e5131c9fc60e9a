/* The whole memory system under load: shared ports, promotion, lines that stay in L2, and counters
 * that add up. */
#include "memory/topology.h"
#include "small_memory.h"
#include "suite.h"

enum { ISSUE = 10, REQUEST = 30, LOOKUP = 15, RESPONSE = 20, COMPLETE = 5, ROWS = 8 };

/* The throughput of the ports of GPCs and SMs, and of links, for lines that hit L2, with slices
 * that take no time. Every SM of `sms` loads 8 lines of its own. Requests are 2 cycles apart, which
 * is faster than any of these ports. */
static const struct {
    const char *what;
    uint32_t gpc_bytes_per_kcycle, link_bytes_per_kcycle, sms[2], count;
    uint64_t ports; /* from the first data at the GPC's port to the last in shared memory */
} shares[] = {
    /* The SM's port takes 4 cycles a line, after the first line's 2 cycles in the GPC's port. */
    {"an SM alone", 64000, 64000, {0}, 1, 2 + ROWS * 4},
    {"two SMs of different GPCs", 64000, 64000, {0, 2}, 2, 2 + ROWS * 4},
    /* The GPC's port takes 8 cycles a line; the last line then takes 4 in the SM's port. */
    {"a narrow GPC port, one SM", 16000, 64000, {0}, 1, ROWS * 8 + 4},
    {"a narrow GPC port, two of its SMs", 16000, 64000, {0, 1}, 2, 2 * ROWS * 8 + 4},
    {"narrow GPC ports, an SM on each", 16000, 64000, {1, 3}, 2, ROWS * 8 + 4},
    /* The same with the one link that each GPC has here. */
    {"a narrow link, two SMs of its GPC", 64000, 16000, {0, 1}, 2, 2 * ROWS * 8 + 4},
    {"narrow links, an SM on each", 64000, 16000, {1, 3}, 2, ROWS * 8 + 4},
};

TEST_ROWS(test_port_throughput, TABLE_ROWS(shares)) {
    machine.l2.request_millicycles = machine.l2.sector_millicycles = 0;
    machine.crossbar.gpc_port_bytes_per_kcycle = shares[_i].gpc_bytes_per_kcycle;
    machine.crossbar.link_bytes_per_kcycle = shares[_i].link_bytes_per_kcycle;
    recreate();
    struct tma_tensor_map map = line_map(ROWS);
    struct load loads[2];
    struct tma_completion done[2];
    uint64_t last = 0;
    for (uint32_t i = 0; i < shares[_i].count; i++) {
        loads[i] =
            (struct load){.map = &map, .sm = shares[_i].sms[i], .y = (int32_t)i * ROWS, .tag = i};
        warm_load(memory, &loads[i]);
    }
    run_loads(memory, loads, shares[_i].count, done);
    for (uint32_t i = 0; i < shares[_i].count; i++)
        last = done[i].cycle > last ? done[i].cycle : last;
    ck_assert_msg(last == ISSUE + REQUEST + LOOKUP + RESPONSE + shares[_i].ports + COMPLETE,
                  "%s: %llu", shares[_i].what, (unsigned long long)last);
}

/* All rows are in one line, a sector each. The slice's tags take 10 cycles for a request, which is
 * more than the TMA unit and the ports take. */
TEST(test_slice_throughput) {
    machine.l2.request_millicycles = 10000;
    recreate();
    struct tma_tensor_map map = line_map(ROWS);
    map.global_dim[0] = map.box_dim[0] = TMA_LINE_BYTES / ROWS / 2;
    map.global_strides[0] = TMA_LINE_BYTES / ROWS;
    struct load load = {.map = &map};
    warm_load(memory, &load);
    /* The last sector takes half a cycle in the GPC's port, rounded up, and one in the SM's port.
     */
    ck_assert_uint_eq(run_load(memory, &load).cycle,
                      ISSUE + REQUEST + ROWS * 10 + LOOKUP + RESPONSE + 1 + 1 + COMPLETE);
    ck_assert_uint_eq(tma_memory_count(memory).slice_busy, ROWS * 10);
}

/* A read of one sector from DRAM: the fills that the promotion makes, and the unused sectors.
 * Promotion to 256 bytes applies to requests for the first sector; for others it is one to 128. */
static const struct {
    enum tma_l2_promotion promotion;
    struct {
        uint64_t fills, sectors;
    } first, other; /* sector 0 of an even line, and all else */
} promotions[] = {{TMA_L2_NONE, {1, 2}, {1, 2}},
                  {TMA_L2_64B, {1, 2}, {1, 2}},
                  {TMA_L2_128B, {1, 4}, {1, 4}},
                  {TMA_L2_256B, {2, 8}, {1, 4}}};

TEST_ROWS(test_fills_of_a_promotion, 32) {
    struct tma_tensor_map map = line_map(1);
    map.l2_promotion = promotions[_i / 8].promotion;
    map.box_dim[0] = 16;
    struct load load = {.map = &map, .x = _i % 4 * 16, .y = _i / 4 % 2};
    struct tma_completion done = run_load(memory, &load);
    struct tma_memory_counters counters = tma_memory_count(memory);
    bool first = _i % 8 == 0;
    uint64_t fills = first ? promotions[_i / 8].first.fills : promotions[_i / 8].other.fills;
    uint64_t sectors = first ? promotions[_i / 8].first.sectors : promotions[_i / 8].other.sectors;
    ck_assert_uint_eq(done.fills, fills);
    ck_assert_uint_eq(done.fill_sectors, sectors);
    ck_assert_uint_eq(done.miss_sectors, 1);
    ck_assert_uint_eq(counters.fill_sectors, sectors);
    ck_assert_uint_eq(counters.dram_read_sectors, sectors);
    ck_assert_uint_eq(counters.unused_sectors, sectors - 1);
}

/* Later requests hit the sectors of a fill: those of the aligned block around sector 0 of the
 * matrix, which are sectors 0 to 1, 3 or 7. */
TEST_ROWS(test_promotion_serves_neighbours, 4) {
    struct tma_tensor_map map = line_map(1);
    map.l2_promotion = promotions[_i].promotion;
    map.box_dim[0] = 16;
    for (int32_t sector = 1; sector < 16; sector++) {
        recreate();
        run_load(memory, &(struct load){.map = &map});
        struct load load = {
            .map = &map, .cycle = tma_memory_now(memory), .x = sector % 4 * 16, .y = sector / 4};
        uint64_t missed = run_load(memory, &load).miss_sectors;
        ck_assert_uint_eq(missed, (uint64_t)sector >= promotions[_i].first.sectors);
    }
}

/* Lines that were read or warmed are present. A new memory system holds no line. */
TEST(test_lines_stay_in_l2) {
    struct tma_tensor_map map = line_map(ROWS);
    struct load load = {.map = &map};
    const uint64_t sectors = ROWS * TMA_LINE_BYTES / TMA_SECTOR_BYTES;
    ck_assert_uint_eq(run_load(memory, &load).miss_sectors, sectors);
    load.cycle = tma_memory_now(memory);
    ck_assert_uint_eq(run_load(memory, &load).miss_sectors, 0);
    ck_assert_uint_eq(tma_memory_count(memory).sectors, 2 * sectors);
    recreate();
    load.cycle = 0;
    ck_assert_uint_eq(run_load(memory, &load).miss_sectors, sectors);
    recreate();
    warm_load(memory, &load);
    ck_assert_uint_eq(run_load(memory, &load).miss_sectors, 0);
    ck_assert_uint_eq(tma_memory_count(memory).dram_read_sectors, 0);
    ck_assert_uint_eq(tma_memory_count(memory).unused_sectors, 0);
}

/* Latency does not change after so many idle cycles. L2 keeps cycles modulo 2^32, so the wait for
 * an old fill must not come back. */
static const uint64_t idles[] = {1000, UINT64_C(1) << 31, (UINT64_C(1) << 31) + (1 << 20),
                                 UINT64_C(3) << 30, UINT64_C(1) << 32};

TEST_ROWS(test_idle_for_long, TABLE_ROWS(idles)) {
    struct tma_tensor_map map = line_map(ROWS);
    struct load load = {.map = &map};
    warm_load(memory, &load);
    uint64_t latency = run_load(memory, &load).cycle;
    recreate();
    run_load(memory, &load);
    load.cycle = idles[_i];
    ck_assert(tma_memory_advance(memory, load.cycle));
    ck_assert_uint_eq(tma_memory_now(memory), load.cycle);
    ck_assert_uint_eq(run_load(memory, &load).cycle, load.cycle + latency);
}

#define SEED 2463534242U

static uint32_t state = SEED; /* of the random numbers */

static uint32_t random_below(uint32_t limit) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

enum { LOADS = 400 };

/* Loads of all SMs at random rows and cycles. They read much more than L2 holds. */
static void random_loads(const struct tma_tensor_map *map, struct load *loads) {
    uint64_t cycle = 0;
    state = SEED;
    for (uint32_t i = 0; i < LOADS; i++, cycle += random_below(60))
        loads[i] = (struct load){.map = map,
                                 .sm = random_below(4),
                                 .cycle = cycle,
                                 .y = (int32_t)random_below(MATRIX_ROWS / 2) - 10,
                                 .tag = i};
}

/* Advances cycle by cycle and issues the loads that are due: every completion is known
 * complete_cycles before its cycle. */
TEST(test_completions_are_known_in_time) {
    struct tma_tensor_map map = line_map(16);
    struct load loads[LOADS];
    struct tma_completion done;
    uint32_t issued = 0, taken = 0;
    random_loads(&map, loads);
    for (uint64_t now = 0; taken < LOADS; now++) {
        while (issued < LOADS && loads[issued].cycle <= now)
            issue_load(memory, &loads[issued++]);
        ck_assert(tma_memory_advance(memory, now + 1));
        while (tma_memory_take(memory, &done)) {
            ck_assert_uint_ge(done.cycle, now + COMPLETE);
            ck_assert_uint_eq(done.sm, loads[done.tag].sm);
            ck_assert_uint_eq(done.issue_cycle, loads[done.tag].cycle);
            taken++;
        }
        ck_assert_uint_eq(tma_memory_in_flight(memory), issued - taken);
    }
}

/* Advancing in steps of any length gives the same completions. */
TEST(test_step_length_does_not_matter) {
    static const uint64_t steps[] = {7, 64, 1000000};
    struct tma_tensor_map map = line_map(16);
    struct load loads[LOADS];
    struct tma_completion done[LOADS], once;
    random_loads(&map, loads);
    run_loads(memory, loads, LOADS, done);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        recreate();
        for (uint32_t i = 0; i < LOADS; i++)
            issue_load(memory, &loads[i]);
        while (tma_memory_in_flight(memory) > 0)
            ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + steps[s]));
        while (tma_memory_take(memory, &once))
            ck_assert_uint_eq(once.cycle, done[once.tag].cycle);
    }
}

/* Random replacement is reproducible: the same seed gives the same completions. It replaces other
 * lines than LRU does. */
TEST(test_random_replacement_is_reproducible) {
    struct tma_tensor_map map = line_map(16);
    struct load loads[LOADS];
    static struct tma_completion lru[LOADS], done[2][LOADS];
    random_loads(&map, loads);
    run_loads(memory, loads, LOADS, lru);
    machine.l2.replacement = TMA_REPLACEMENT_random;
    for (int run = 0; run < 2; run++) {
        recreate();
        run_loads(memory, loads, LOADS, done[run]);
        ck_assert_uint_gt(tma_memory_count(memory).evictions, 0);
    }
    uint32_t same = 0;
    for (uint32_t i = 0; i < LOADS; i++) {
        ck_assert_uint_eq(done[0][i].cycle, done[1][i].cycle);
        same += done[0][i].cycle == lru[i].cycle;
    }
    ck_assert_uint_lt(same, LOADS);
}

TEST_ROWS(test_counters_add_up, 4) {
    struct tma_tensor_map map = line_map(16);
    struct load loads[LOADS];
    struct tma_completion done[LOADS];
    uint64_t rows = 0, requests = 0, fills = 0, fill_sectors = 0, missed = 0, counted = 0;
    map.l2_promotion = promotions[_i].promotion;
    random_loads(&map, loads);
    run_loads(memory, loads, LOADS, done);
    for (uint32_t i = 0; i < LOADS; i++) {
        ck_assert_uint_eq(done[i].bytes, 16 * TMA_LINE_BYTES);
        ck_assert_uint_eq(done[i].rows, 16);
        counted += done[i].rows - done[i].rows_out_of_bounds;
        counted += done[i].rows_out_of_bounds < 8 ? done[i].rows_out_of_bounds : 8;
        rows += done[i].rows;
        requests += done[i].requests;
        fills += done[i].fills;
        fill_sectors += done[i].fill_sectors;
        missed += done[i].miss_sectors;
    }
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(requests, rows);
    ck_assert_uint_eq(counters.shared_write_wavefronts, requests);
    ck_assert_uint_eq(counters.tma_busy, requests * 2);
    ck_assert_uint_eq(counters.hit_sectors + counters.miss_sectors, counters.sectors);
    ck_assert_uint_eq(counters.fills, fills);
    ck_assert_uint_eq(counters.fill_sectors, fill_sectors);
    ck_assert_uint_eq(counters.dram_read_sectors, fill_sectors);
    ck_assert_uint_gt(counters.evictions, 0);
    ck_assert_uint_gt(counters.hit_sectors, 0);
    ck_assert_uint_ge(fill_sectors, missed);
    if (map.l2_promotion == TMA_L2_256B)
        return; /* promotions near the SM count as requests */
    ck_assert_uint_eq(counters.requests, counted);
    ck_assert_uint_eq(counters.sectors, counted * TMA_LINE_BYTES / TMA_SECTOR_BYTES);
    ck_assert_uint_eq(counters.miss_sectors, missed);
    ck_assert_uint_eq(fill_sectors, missed); /* whole lines were asked for */
    ck_assert_uint_eq(counters.unused_sectors, 0);
}

/* SMs of both partitions read sectors of few lines: every sector that was fetched is one that was
 * asked for or an unused one. */
TEST_ROWS(test_unused_of_both_partitions, 4) {
    enum { LINES = 100 };
    struct tma_tensor_map map = line_map(1);
    struct load loads[LOADS];
    struct tma_completion done[LOADS];
    bool asked[LINES][4] = {{false}};
    uint64_t asked_count = 0;
    map.l2_promotion = promotions[_i].promotion;
    map.box_dim[0] = 16;
    for (uint32_t i = 0; i < LOADS; i++) {
        uint32_t line = random_below(LINES), sector = random_below(_i % 2 == 0 ? 2 : 4);
        loads[i] = (struct load){.map = &map,
                                 .sm = random_below(4),
                                 .cycle = 20 * i,
                                 .x = (int32_t)sector * 16,
                                 .y = (int32_t)line,
                                 .tag = i};
        asked_count += !asked[line][sector];
        asked[line][sector] = true;
    }
    run_loads(memory, loads, LOADS, done);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.evictions, 0);
    ck_assert_uint_eq(counters.unused_sectors, counters.fill_sectors - asked_count);
}

/* A growing grid takes SMs in the order 0, 2, 1, 3. Its CTAs are numbered GPC by GPC. */
TEST_ROWS(test_placement_of_ctas, 4) {
    static const uint32_t expected[4][4] = {{0}, {0, 2}, {0, 1, 2}, {0, 1, 2, 3}};
    uint32_t sms[4];
    tma_machine_place(&machine, (uint32_t)_i + 1, sms);
    for (int i = 0; i <= _i; i++)
        ck_assert_uint_eq(sms[i], expected[_i][i]);
}

TEST_SUITE("memory system", .set_up = set_up, .tear_down = tear_down);
