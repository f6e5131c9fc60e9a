/* The load unit of the TMA: the rows and line requests of an operation, and when the unit makes
 * them. In the small machine the unit makes a request every 2 cycles, and starts an operation 8
 * cycles after the one before at the earliest. */
#include "small_memory.h"
#include "suite.h"

enum { ISSUE = 10, DISPATCH = 8, ROW = 2 };

/* Boxes of a float16 matrix, whose rows begin at `offset` and are `pitch` bytes apart. A request is
 * for bytes of one row, of one 128-byte line of global memory and one of shared memory, and for
 * whole sectors or part of one. */
static const struct {
    const char *what;
    uint64_t columns, pitch, offset;
    uint32_t box[2], strides[2];
    int32_t start[2];
    uint32_t rows, out_of_bounds, requests, l2_requests, l2_sectors;
} boxes[] = {
    {"16-byte rows", 64, 128, 0, {8, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 16},
    {"32-byte rows", 64, 128, 0, {16, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 16},
    {"64-byte rows", 64, 128, 0, {32, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 32},
    {"128-byte rows", 64, 128, 0, {64, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 64},
    {"256-byte rows", 256, 512, 0, {128, 16}, {1, 1}, {0, 0}, 16, 0, 32, 32, 128},
    {"rows of one line are a request each", 8, 16, 0, {8, 16}, {1, 1}, {0, 0}, 16, 0, 16, 16, 16},
    {"32 bytes across two sectors", 64, 128, 0, {16, 4}, {1, 1}, {8, 0}, 4, 0, 8, 8, 8},
    {"128 bytes across two lines", 128, 256, 64, {64, 8}, {1, 1}, {0, 0}, 8, 0, 16, 16, 32},
    {"32 bytes across two lines", 256, 512, 0, {16, 8}, {1, 1}, {56, 0}, 8, 0, 16, 16, 16},
    /* 16 bytes, 96, 16 up to the end of the line of shared memory, 16, 96, 16. */
    {"256 bytes across three lines", 256, 512, 16, {128, 8}, {1, 1}, {0, 0}, 8, 0, 48, 48, 80},
    {"every other row", 64, 128, 0, {64, 16}, {1, 2}, {0, 0}, 8, 0, 8, 8, 32},
    {"the stride of a row's elements is ignored",
     64,
     128,
     0,
     {64, 4},
     {2, 1},
     {0, 0},
     4,
     0,
     4,
     4,
     16},
    /* The unit asks for fill too, apart from data. */
    {"rows above the tensor", 64, 128, 0, {64, 8}, {1, 1}, {0, -3}, 8, 3, 8, 8, 32},
    {"rows below it", 64, 128, 0, {64, 8}, {1, 1}, {0, 4094}, 8, 6, 8, 8, 32},
    {"all rows beside it", 64, 128, 0, {64, 8}, {1, 1}, {64, 0}, 8, 8, 8, 8, 32},
    {"rows that begin outside", 64, 128, 0, {64, 8}, {1, 1}, {-16, 0}, 8, 0, 16, 16, 32},
    {"rows that end outside", 64, 128, 0, {64, 8}, {1, 1}, {32, 0}, 8, 0, 16, 16, 32},
};

TEST_ROWS(test_requests, TABLE_ROWS(boxes)) {
    struct tma_tensor_map map = line_map(1);
    map.global_address += boxes[_i].offset;
    map.global_dim[0] = boxes[_i].columns;
    map.global_strides[0] = boxes[_i].pitch;
    for (int d = 0; d < 2; d++) {
        map.box_dim[d] = boxes[_i].box[d];
        map.element_strides[d] = boxes[_i].strides[d];
    }
    struct tma_completion done = run_load(
        memory, &(struct load){.map = &map, .x = boxes[_i].start[0], .y = boxes[_i].start[1]});
    ck_assert_msg(done.rows == boxes[_i].rows, "%s: %u rows", boxes[_i].what, done.rows);
    ck_assert_msg(done.requests == boxes[_i].requests, "%s: %u requests", boxes[_i].what,
                  done.requests);
    ck_assert_uint_eq(done.rows_out_of_bounds, boxes[_i].out_of_bounds);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_msg(counters.requests == boxes[_i].l2_requests, "%s: %llu requests of L2",
                  boxes[_i].what, (unsigned long long)counters.requests);
    ck_assert_msg(counters.sectors == boxes[_i].l2_sectors, "%s: %llu sectors", boxes[_i].what,
                  (unsigned long long)counters.sectors);
    ck_assert_uint_eq(done.start_cycle, ISSUE);
    ck_assert_uint_eq(done.rows_cycle, ISSUE + done.requests * ROW);
}

/* Line requests of 8 rows of `bytes` bytes, which begin at `offset` in a line and lie end to end in
 * shared memory. */
static const struct {
    uint32_t bytes, offset, requests;
} packed[] = {
    /* Measured on an H200. */
    {32, 16, 16},
    {48, 0, 17},
    {64, 16, 24},
    {64, 96, 16},
    {80, 0, 21},
    {96, 0, 12},
    {112, 0, 25},
    {128, 16, 24},
    {128, 32, 16},
    {128, 48, 32},
    {128, 112, 24},
    {160, 0, 22},
    /* By the same rule, not measured. */
    {16, 0, 8},
    {16, 16, 8},
    {16, 112, 8},
    {32, 0, 8},
    {32, 96, 8},
    {64, 0, 8},
    {128, 0, 8},
    {256, 0, 16},
};

TEST_ROWS(test_packed_rows, TABLE_ROWS(packed)) {
    struct tma_tensor_map map = line_map(8);
    map.global_dim[0] = 256;
    map.global_strides[0] = 512;
    map.box_dim[0] = packed[_i].bytes / 2;
    struct load load = {.map = &map, .x = (int32_t)packed[_i].offset / 2};
    uint32_t requests = run_load(memory, &load).requests;
    ck_assert_msg(requests == packed[_i].requests, "%u bytes at %u: %u requests, not %u",
                  packed[_i].bytes, packed[_i].offset, requests, packed[_i].requests);
    ck_assert_uint_eq(tma_memory_count(memory).requests, requests);
}

/* Rows of `bytes` bytes that are out of bounds altogether. Each is a request, which takes its time
 * in the unit and has a response. The rows ask for the eight fill lines in turn, so the coalescer
 * merges 32 rows into 8 requests to L2. */
static const struct {
    uint32_t rows, bytes, l2_requests;
} fills[] = {
    {1, 128, 1},  {7, 128, 7},   {8, 128, 8},   {9, 128, 8},   {16, 128, 8}, {32, 128, 8},
    {33, 128, 9}, {40, 128, 16}, {41, 128, 16}, {64, 128, 16}, {64, 64, 16}, {64, 32, 16},
};

TEST_ROWS(test_rows_out_of_bounds, TABLE_ROWS(fills)) {
    machine.l2.lookup_cycles = 100;
    machine.crossbar.coalesced_requests = 4;
    recreate();
    struct tma_tensor_map map = line_map(fills[_i].rows);
    const uint32_t rows = fills[_i].rows, sectors = fills[_i].bytes / TMA_SECTOR_BYTES;
    map.box_dim[0] = fills[_i].bytes / 2;
    struct tma_completion done = run_load(memory, &(struct load){.map = &map, .y = MATRIX_ROWS});
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(done.rows_out_of_bounds, rows);
    ck_assert_uint_eq(done.requests, rows);
    ck_assert_uint_eq(done.rows_cycle, ISSUE + rows * ROW);
    ck_assert_uint_eq(counters.requests, fills[_i].l2_requests);
    ck_assert_uint_eq(counters.sectors, fills[_i].l2_requests * sectors);
    ck_assert_uint_eq(counters.response_sectors, rows * sectors);
    ck_assert_uint_eq(counters.fills, rows < 8 ? rows : 8);
}

/* Prefetches make requests for rows that are out of bounds, but do not send them to L2. As they
 * write no shared memory, its lines do not split them. They do not ask for parts of sectors apart.
 */
static const struct {
    const char *what;
    uint32_t bytes, offset;
    int32_t y;
    uint32_t requests, l2_requests;
} prefetches[] = {
    {"a line", 128, 0, 0, 8, 8},
    {"48 bytes", 48, 0, 0, 8, 8},
    {"part of a sector and more", 64, 16, 0, 8, 8},
    {"across two lines", 64, 96, 0, 16, 16},
    {"half of the rows out of bounds", 128, 0, -4, 8, 4},
    {"all of them", 128, 0, -8, 8, 0},
};

TEST_ROWS(test_prefetches, TABLE_ROWS(prefetches)) {
    struct tma_tensor_map map = line_map(8);
    map.global_dim[0] = 256;
    map.global_strides[0] = 512;
    map.box_dim[0] = prefetches[_i].bytes / 2;
    struct tma_completion done =
        run_load(memory, &(struct load){.map = &map,
                                        .direction = TMA_PREFETCH,
                                        .x = (int32_t)prefetches[_i].offset / 2,
                                        .y = prefetches[_i].y});
    ck_assert_msg(done.requests == prefetches[_i].requests, "%s: %u requests", prefetches[_i].what,
                  done.requests);
    ck_assert_uint_eq(tma_memory_count(memory).requests, prefetches[_i].l2_requests);
    ck_assert_uint_eq(tma_memory_count(memory).response_sectors, 0);
}

/* One SM issues operations of `rows` rows at these cycles. */
static const struct {
    const char *what;
    uint32_t rows;
    uint64_t issued[4], started[4];
} queues[] = {
    {"rows take longer than dispatch",
     16,
     {0, 0, 0, 0},
     {ISSUE, ISSUE + 16 * ROW, ISSUE + 32 * ROW, ISSUE + 48 * ROW}},
    {"dispatch takes longer than rows",
     1,
     {0, 0, 0, 0},
     {ISSUE, ISSUE + DISPATCH, ISSUE + 2 * DISPATCH, ISSUE + 3 * DISPATCH}},
    {"rows take as long as dispatch",
     DISPATCH / ROW,
     {0, 0, 0, 0},
     {ISSUE, ISSUE + DISPATCH, ISSUE + 2 * DISPATCH, ISSUE + 3 * DISPATCH}},
    {"an idle unit starts at once",
     1,
     {0, 100, 100 + DISPATCH, 200},
     {ISSUE, ISSUE + 100, ISSUE + 100 + DISPATCH, ISSUE + 200}},
    {"not ready at t - 1, ready at t",
     1,
     {0, DISPATCH - 1, 100, 100 + DISPATCH},
     {ISSUE, ISSUE + DISPATCH, ISSUE + 100, ISSUE + 100 + DISPATCH}},
};

TEST_ROWS(test_start_of_operations, TABLE_ROWS(queues)) {
    struct tma_tensor_map map = line_map(queues[_i].rows);
    struct load loads[4];
    struct tma_completion done[4];
    for (uint32_t i = 0; i < 4; i++)
        loads[i] = (struct load){.map = &map, .cycle = queues[_i].issued[i], .tag = i};
    run_loads(memory, loads, 4, done);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_msg(done[i].start_cycle == queues[_i].started[i],
                      "%s: operation %u starts at %llu", queues[_i].what, i,
                      (unsigned long long)done[i].start_cycle);
}

/* The units of the SMs work at the same time. */
TEST(test_units_work_in_parallel) {
    struct tma_tensor_map map = line_map(16);
    struct load loads[4];
    struct tma_completion done[4];
    for (uint32_t sm = 0; sm < 4; sm++)
        loads[sm] = (struct load){.map = &map, .sm = sm, .tag = sm};
    run_loads(memory, loads, 4, done);
    for (uint32_t sm = 0; sm < 4; sm++) {
        ck_assert_uint_eq(done[sm].sm, sm);
        ck_assert_uint_eq(done[sm].start_cycle, ISSUE);
        ck_assert_uint_eq(done[sm].rows_cycle, ISSUE + 16 * ROW);
    }
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, 4 * 16 * ROW);
}

/* Requests of 1.25 cycles: the unit keeps the exact time, not the rounded one. */
TEST(test_fraction_of_a_cycle) {
    machine.tma.row_millicycles = 1250;
    recreate();
    struct tma_tensor_map map = line_map(100);
    struct tma_completion done = run_load(memory, &(struct load){.map = &map});
    ck_assert_uint_eq(done.rows_cycle, ISSUE + 125);
}

/* The SM (0 or 1) of a TPC that is first at the slice which both ask in one cycle, under a seed. */
static uint32_t first_of_tpc(const struct tma_tensor_map *map, uint32_t tpc, uint32_t seed) {
    machine.topology.seed = seed;
    recreate();
    struct load loads[2] = {{.map = map, .sm = 2 * tpc}, {.map = map, .sm = 2 * tpc + 1, .tag = 1}};
    struct tma_completion done[2];
    warm_load(memory, &loads[0]);
    warm_load(memory, &loads[1]);
    run_loads(memory, loads, 2, done);
    ck_assert_uint_ne(done[0].cycle, done[1].cycle);
    return done[0].cycle < done[1].cycle ? 0 : 1;
}

/* Without a seed the first SM of each TPC goes first. A seed selects the one or the other, for each
 * TPC independently. */
TEST(test_seed_orders_the_sms_of_a_tpc) {
    struct tma_tensor_map map = line_map(1);
    uint32_t seen[4] = {0};
    for (uint32_t seed = 0; seed < 32; seed++) {
        uint32_t both = first_of_tpc(&map, 0, seed) + 2 * first_of_tpc(&map, 1, seed);
        ck_assert(seed > 0 || both == 0);
        seen[both]++;
    }
    for (uint32_t both = 0; both < 4; both++)
        ck_assert_uint_ge(seen[both], 2);
}

TEST_SUITE("load unit", .set_up = set_up, .tear_down = tear_down);
