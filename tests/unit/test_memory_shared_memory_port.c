/* The shared memory of an SM. Accesses of warps and operands of products take one wavefront after
 * the other, products first. They do not delay arriving data, nor does that delay them. The TMA
 * unit works on loads and stores in the order of their issue. In the small machine a request of a
 * load takes the unit 2 cycles, and a line of a store 4. */
#include "small_memory.h"

enum { ISSUE = 10, ROWS = 8, ROW = 2, LINE = 4, W = 3 };

static const struct {
    const char *what;
    uint32_t sm;
    uint64_t asked; /* cycle at which the access asks */
    uint64_t wavefronts;
    uint64_t end;
} accesses[] = {
    {"an idle port", 0, 10, 3, 10 + 3 * W},   {"behind the access before", 0, 11, 1, 10 + 4 * W},
    {"another SM", 1, 11, 1, 11 + W},         {"the port is idle again", 0, 100, 5, 100 + 5 * W},
    {"no wavefront", 0, 100, 0, 100 + 5 * W},
};

TEST(test_warps_take_turns) {
    machine.shared.wavefront_cycles = W;
    recreate();
    uint64_t wavefronts = 0;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        uint64_t end = tma_memory_access_shared(memory, accesses[i].sm, accesses[i].asked,
                                                accesses[i].wavefronts);
        ck_assert_msg(end == accesses[i].end, "%s: %lu", accesses[i].what, (unsigned long)end);
        wavefronts += accesses[i].wavefronts;
    }
    ck_assert_uint_eq(tma_memory_count(memory).shared_busy, wavefronts * W);
}

/* Products come first: they read evenly until they end, and accesses have the cycles between, at
 * least one of 16, for which the next product waits. */
static const struct {
    const char *what;
    uint64_t asked, wavefronts;
    uint64_t product_end; /* 0: an access */
    uint64_t end, waits;  /* of accesses, so far */
} takers[] = {
    {"operands that come in time", 10, 100, 310, 310, 0},
    {"an access has two cycles of three", 10, 50, 0, 10 + 75, 25},
    {"and all behind the product", 11, 200, 0, 310 + 50, 25 + 75},
    {"operands behind what was promised", 22, 10, 100, 360 + 10, 100},
    {"operands without a pause", 370, 160, 400, 370 + 160, 100},
    {"an access has one cycle of 16", 370, 1, 0, 370 + 16, 115},
    {"for which the next product waits", 530, 10, 540, 541, 115},
    {"an access when all is done", 550, 5, 0, 550 + 5, 115},
    {"a product without operands", 555, 0, 600, 600, 115},
    {"an access that does not wait", 560, 5, 0, 560 + 5, 115},
    {"another one", 590, 0, 610, 610, 115},
};

TEST(test_operands_and_warps_share_the_port) {
    enum { COUNT = sizeof takers / sizeof *takers };
    uint64_t accessed = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t asked = takers[i].asked, wavefronts = takers[i].wavefronts,
                 end = takers[i].product_end;
        end = end == 0 ? tma_memory_access_shared(memory, 0, asked, wavefronts)
                       : tma_memory_read_operands(memory, 0, asked, wavefronts, end);
        ck_assert_msg(end == takers[i].end, "%s: %lu", takers[i].what, (unsigned long)end);
        ck_assert_msg(tma_memory_waited_cycles(memory, 0) == takers[i].waits, "%s: %lu waits",
                      takers[i].what, (unsigned long)tma_memory_waited_cycles(memory, 0));
        accessed += takers[i].product_end == 0 ? wavefronts : 0;
    }
    ck_assert_uint_eq(tma_memory_count(memory).shared_busy, accessed);
    ck_assert_uint_eq(tma_memory_operands_end(memory, 0), takers[COUNT - 1].end);
    ck_assert(tma_memory_is_conserved(memory, takers[COUNT - 1].end));
    ck_assert_uint_eq(tma_memory_operands_end(memory, 1), 0);
}

TEST(test_warps_and_loads_delay_neither) {
    enum { MANY = 1000 };
    struct tma_tensor_map map = line_map(ROWS);
    struct load load = {.map = &map};
    warm_load(memory, &load);
    uint64_t alone = run_load(memory, &load).cycle;
    recreate();
    warm_load(memory, &load);
    ck_assert_uint_eq(tma_memory_access_shared(memory, 0, 0, MANY), MANY);
    ck_assert_uint_eq(run_load(memory, &load).cycle, alone);
    ck_assert_uint_eq(tma_memory_access_shared(memory, 0, 0, 1), MANY + 1);
}

/* A line is written in two cycles, to the half of its tile. */
TEST(test_stores_meet_what_arrives) {
    enum { HALF = 128 << 10 };
    struct tma_tensor_map map = line_map(1);
    struct load load = {.map = &map};
    warm_load(memory, &load);
    uint64_t arrival = run_load(memory, &load).arrival_cycle;
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 0, 0, arrival - 1, 1), 0);
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 0, 0, arrival - 1, 2), 2);
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 0, HALF - 1, arrival, 1), 2);
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 0, 0, arrival + 1, 1), 1);
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 0, 0, arrival + 2, 9), 0);
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 0, HALF, arrival, 1), 0);
    ck_assert_uint_eq(tma_memory_shared_conflicts(memory, 1, 0, arrival, 1), 0);
}

/* A load, a store behind it, and a load behind both, of one SM. */
TEST(test_loads_and_stores_follow_each_other) {
    struct tma_tensor_map map = line_map(ROWS);
    struct load all[] = {
        {.map = &map, .tag = 0},
        {.map = &map, .tag = 1, .y = ROWS, .cycle = 1, .direction = TMA_STORE},
        {.map = &map, .tag = 2, .cycle = 2},
    };
    struct tma_completion done[3];
    warm_load(memory, &all[0]);
    run_loads(memory, all, 3, done);
    ck_assert_uint_eq(done[0].sent_cycle, ISSUE + (ROWS - 1) * ROW);
    ck_assert_uint_eq(done[1].arrival_cycle, ISSUE + ROWS * (ROW + LINE));
    ck_assert_uint_eq(done[2].start_cycle, ISSUE + ROWS * (ROW + LINE));
    ck_assert_uint_eq(done[2].sent_cycle, ISSUE + ROWS * (ROW + LINE) + (ROWS - 1) * ROW);
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, ROWS * (2 * ROW + LINE));
}

/* A load of another warp waits for a store as one of the same warp does. */
TEST(test_a_load_waits_for_stores_of_other_warps) {
    struct tma_tensor_map map = line_map(ROWS);
    struct load both[] = {
        {.map = &map, .tag = 0, .y = ROWS, .direction = TMA_STORE},
        {.map = &map, .tag = 1, .cycle = 1, .warp = 1},
    };
    struct tma_completion done[2];
    warm_load(memory, &both[1]);
    run_loads(memory, both, 2, done);
    ck_assert_uint_eq(done[1].start_cycle, ISSUE + ROWS * LINE);
}

/* Two SMs each have a TMA unit of their own. */
TEST(test_units_of_two_sms) {
    struct tma_tensor_map map = line_map(ROWS);
    struct load both[] = {
        {.map = &map, .tag = 0},
        {.map = &map, .tag = 1, .sm = 1, .y = ROWS, .direction = TMA_STORE},
    };
    struct tma_completion done[2];
    warm_load(memory, &both[0]);
    run_loads(memory, both, 2, done);
    ck_assert_uint_eq(done[0].sent_cycle, ISSUE + (ROWS - 1) * ROW);
    ck_assert_uint_eq(done[1].arrival_cycle, ISSUE + ROWS * LINE);
}

TEST_SUITE("shared-memory port", .set_up = set_up, .tear_down = tear_down);
