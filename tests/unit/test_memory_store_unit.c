/* Stores and reductions: the time in which the store unit reads them from shared memory, the end of
 * their warps' waits, the time that writes take in L2, and draining. In the small machine the unit
 * reads a sector of a store in 1 cycle, and takes 2 more for a part of one. A request of a
 * reduction takes 1 cycle, and each sector 1.5 more. */
#include "machine.h"
#include "suite.h"
#include "tensormap/types.h"
#include "traffic.h"

enum { ISSUE = 10, ROWS = 8, STORED = 6, REDUCED = 9, LINE_SECTORS = 4 };

static struct tma_machine machine;
static struct tma_memory *memory;

static void set_up(void) {
    machine = small_machine();
    machine.tma.write_flits = 1000; /* no back-pressure */
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_memory_free(memory);
}

static void recreate(void) {
    tma_memory_free(memory);
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

/* Boxes of 8 rows of `bytes` bytes, which begin at `offset` in a line and lie end to end in shared
 * memory. L2 receives `flits` flits and writes `sectors` sectors. */
static const struct {
    const char *what;
    enum tma_direction direction;
    enum tma_data_type type;
    uint32_t bytes, offset, requests, sectors, flits;
    uint64_t read_halves; /* half cycles in which the unit reads all rows */
} boxes[] = {
    {"a line", TMA_STORE, TMA_FLOAT16, 128, 0, 8, 32, 32, 64},
    {"a sector", TMA_STORE, TMA_FLOAT16, 32, 0, 8, 8, 8, 16},
    {"two sectors", TMA_STORE, TMA_FLOAT16, 64, 32, 8, 16, 16, 32},
    {"half a sector", TMA_STORE, TMA_FLOAT16, 16, 0, 8, 8, 16, 48},
    {"its other half", TMA_STORE, TMA_FLOAT16, 16, 16, 8, 8, 16, 48},
    {"halves of two sectors", TMA_STORE, TMA_FLOAT16, 32, 16, 8, 16, 24, 64},
    {"two lines", TMA_STORE, TMA_FLOAT16, 256, 0, 16, 64, 64, 128},
    /* Lines of shared memory split every other row: rows take 6 cycles, or 4 and 5. */
    {"two halves, two sectors between", TMA_STORE, TMA_FLOAT16, 96, 16, 12, 36, 48, 120},
    /* They split two rows: into a sector and half a sector, and into two parts that begin or end
     * inside a sector. */
    {"a sector and a half", TMA_STORE, TMA_FLOAT16, 48, 0, 10, 17, 26, 70},
    {"a line", TMA_REDUCE, TMA_FLOAT16, 128, 0, 8, 32, 40, 112},
    {"a sector", TMA_REDUCE, TMA_FLOAT16, 32, 0, 8, 8, 16, 40},
    {"half of float16", TMA_REDUCE, TMA_FLOAT16, 16, 0, 8, 8, 8, 16},
    {"half of bfloat16", TMA_REDUCE, TMA_BFLOAT16, 16, 16, 8, 8, 8, 16},
    {"half of float32", TMA_REDUCE, TMA_FLOAT32, 16, 0, 8, 8, 8, 16},
    {"half of int32", TMA_REDUCE, TMA_INT32, 16, 0, 8, 8, 16, 40},
    {"half of uint64", TMA_REDUCE, TMA_UINT64, 16, 0, 8, 8, 16, 40},
    {"parts of two sectors", TMA_REDUCE, TMA_FLOAT16, 32, 16, 8, 16, 24, 64},
};

/* The parts of a slice that a write passes. Only one of them takes time. */
enum part { FLITS, REQUESTS, SECTORS, PARTS };

static void slow_part(enum part part) {
    machine.l2.write_flit_millicycles = part == FLITS ? 3000 : 0;
    machine.l2.write_request_millicycles = part == REQUESTS ? 3000 : 0;
    machine.l2.write_sector_millicycles = machine.l2.reduce_sector_millicycles =
        part == SECTORS ? 3000 : 0;
    recreate();
}

/* Cycles for which writes in flight held up the unit. */
static uint64_t held(const struct tma_completion *done) {
    return (uint64_t)done->crossbar_cycles + done->l2_cycles + done->dram_cycles;
}

/* Whether the unit has read for so many cycles, and waited for the rest. Cycles of each place are
 * rounded down. */
static void assert_reads_for(const struct tma_completion *done, uint64_t cycles) {
    uint64_t read = done->rows_cycle - done->start_cycle - held(done);
    ck_assert(done->writes);
    ck_assert_uint_ge(read, cycles);
    ck_assert_uint_lt(read, cycles + 3);
}

static struct tma_tensor_map box_map(int box) {
    struct tma_tensor_map map = line_map(ROWS);
    const uint32_t element = tma_type_info(boxes[box].type)->global_bits / 8;
    map.data_type = boxes[box].type;
    map.global_strides[0] = 512;
    map.global_dim[0] = 512 / element;
    map.box_dim[0] = boxes[box].bytes / element;
    return map;
}

TEST_ROWS(test_unit_reads_shared_memory, TABLE_ROWS(boxes)) {
    struct tma_tensor_map map = box_map(_i);
    const uint32_t element = tma_type_info(boxes[_i].type)->global_bits / 8;
    struct load load = {
        .map = &map, .direction = boxes[_i].direction, .x = (int32_t)(boxes[_i].offset / element)};
    struct tma_completion done = run_load(memory, &load);
    const uint64_t read = ISSUE + (boxes[_i].read_halves + 1) / 2;
    ck_assert_msg(done.requests == boxes[_i].requests, "%s: %u requests", boxes[_i].what,
                  done.requests);
    ck_assert_msg(done.rows_cycle == read, "%s: read at %llu, not %llu", boxes[_i].what,
                  (unsigned long long)done.rows_cycle, (unsigned long long)read);
    ck_assert_uint_eq(done.cycle, read + (load.direction == TMA_STORE ? STORED : REDUCED));
    ck_assert_uint_eq(tma_memory_count(memory).write_sectors, boxes[_i].sectors);
}

/* The time of writes in each part of the slices, at the home of the rows. */
TEST_ROWS(test_slice_writes, sizeof boxes / sizeof *boxes * PARTS) {
    const int box = _i / PARTS;
    const uint64_t units[PARTS] = {boxes[box].flits, boxes[box].requests, boxes[box].sectors};
    struct tma_tensor_map map = box_map(box);
    const uint32_t element = tma_type_info(boxes[box].type)->global_bits / 8;
    struct load load = {.map = &map,
                        .direction = boxes[box].direction,
                        .x = (int32_t)(boxes[box].offset / element)};
    slow_part((enum part)(_i % PARTS));
    warm_load(memory, &load);
    run_load(memory, &load);
    const uint64_t busy = tma_memory_count(memory).slice_busy;
    ck_assert_msg(busy == 3 * units[_i % PARTS], "%s: part %d: %llu", boxes[box].what, _i % PARTS,
                  (unsigned long long)busy);
}

/* A write to a line of the other partition first passes a slice of the SM's partition. That slice
 * takes the same time as the home slice, but none for the data array. The flit with the byte mask
 * of a store does not go on to the home. Rows are 512 bytes apart, and 4 KiB have one home. */
static const struct {
    const char *what;
    enum tma_direction direction;
    uint32_t columns;
    uint64_t passing[PARTS], arriving[PARTS]; /* for each row */
} ways[] = {
    {"a line stored", TMA_STORE, 64, {4, 1, 0}, {4, 1, 4}},
    {"half a sector stored", TMA_STORE, 8, {2, 1, 0}, {1, 1, 1}},
    {"a line reduced", TMA_REDUCE, 64, {5, 1, 0}, {5, 1, 4}},
    {"half a sector reduced", TMA_REDUCE, 8, {1, 1, 0}, {1, 1, 1}},
};

TEST_ROWS(test_other_partition, sizeof ways / sizeof *ways * PARTS) {
    const int way = _i / PARTS, part = _i % PARTS;
    struct tma_tensor_map map = line_map(ROWS);
    map.global_strides[0] = 512;
    map.box_dim[0] = ways[way].columns;
    struct load load = {.map = &map, .direction = ways[way].direction, .y = ROWS};
    slow_part((enum part)part);
    warm_load(memory, &load);
    run_load(memory, &load);
    ck_assert_uint_eq(tma_memory_count(memory).slice_busy,
                      3 * ROWS * (ways[way].passing[part] + ways[way].arriving[part]));
}

/* Copies after writes: does a load find its line in a copy, or does it fetch sectors from the other
 * partition? SMs 0 and 1 are next to the line's home, SMs 2 and 3 to the other partition. */
static const struct {
    const char *what;
    struct {
        enum tma_direction direction;
        uint32_t sm;
    } before[3];
    int count;
    uint64_t partition_sectors;
    bool invalidates; /* the last write takes time to invalidate the copy */
} copies[] = {
    {"stored by the other partition", {{TMA_STORE, 2}}, 1, 0, false},
    {"stored at home", {{TMA_STORE, 0}}, 1, 4, false},
    {"stored by the other partition, then at home", {{TMA_STORE, 2}, {TMA_STORE, 0}}, 2, 4, true},
    {"invalidated once", {{TMA_STORE, 2}, {TMA_STORE, 0}, {TMA_STORE, 1}}, 3, 4, false},
    {"stored at home, then by the other partition", {{TMA_STORE, 0}, {TMA_STORE, 2}}, 2, 0, false},
    {"stored and reduced by the other partition", {{TMA_STORE, 2}, {TMA_REDUCE, 3}}, 2, 4, false},
    {"reduced at home", {{TMA_STORE, 2}, {TMA_REDUCE, 0}}, 2, 4, true},
};

TEST_ROWS(test_copies_after_writes, TABLE_ROWS(copies)) {
    struct tma_tensor_map map = line_map(1);
    enum { FAR_APART = 10000 };
    uint64_t busy = 0, before = 0;
    machine.l2.write_request_millicycles = machine.l2.write_sector_millicycles =
        machine.l2.reduce_sector_millicycles = 0;
    machine.l2.write_flit_millicycles = 0;
    recreate();
    for (int i = 0; i < copies[_i].count; i++) {
        before = tma_memory_count(memory).slice_busy;
        run_load(memory, &(struct load){.map = &map,
                                        .direction = copies[_i].before[i].direction,
                                        .sm = copies[_i].before[i].sm,
                                        .cycle = (uint64_t)i * FAR_APART});
        busy = tma_memory_count(memory).slice_busy - before;
    }
    ck_assert_msg(busy == (copies[_i].invalidates ? 4 : 0), "%s: %llu cycles", copies[_i].what,
                  (unsigned long long)busy);
    run_load(memory, &(struct load){.map = &map, .sm = 3, .cycle = 9 * FAR_APART});
    ck_assert_msg(tma_memory_count(memory).partition_sectors == copies[_i].partition_sectors,
                  "%s: sectors from the other partition", copies[_i].what);
}

/* Warm start: the operations of an earlier kernel leave copies in the partition of their SM, and
 * dirty lines, which are written back later. */
static const struct {
    enum tma_direction direction;
    uint64_t partition_sectors, written_sectors;
} warmed[] = {{TMA_LOAD, 0, 0}, {TMA_STORE, 0, 4}, {TMA_REDUCE, 4, 4}, {TMA_PREFETCH, 4, 0}};

TEST_ROWS(test_warm_start, TABLE_ROWS(warmed)) {
    enum { LINES = 512 }; /* capacity of L2 */
    struct tma_tensor_map map = line_map(1), all = line_map(LINES / 2);
    const enum tma_direction direction = warmed[_i].direction;
    warm_load(memory, &(struct load){.map = &map, .direction = direction, .sm = 2});
    run_load(memory, &(struct load){.map = &map, .sm = 3});
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.partition_sectors, warmed[_i].partition_sectors);
    ck_assert_uint_eq(counters.dram_read_sectors, 0);
    machine.l2.dirty_ways = 1;
    recreate();
    for (int32_t y = 0; y < LINES; y += LINES / 2)
        warm_load(memory, &(struct load){.map = &all, .direction = direction, .y = y});
    run_load(memory, &(struct load){.map = &map, .direction = TMA_STORE, .y = LINES});
    ck_assert(tma_memory_drain(memory));
    ck_assert_uint_eq(tma_memory_count(memory).dram_write_sectors, warmed[_i].written_sectors);
}

/* A reduction of 32 bytes fetches 64 bytes from DRAM at its own partition, and 32 bytes at the
 * other one, whatever the promotion. */
TEST_ROWS(test_fills_of_a_reduction, 2) {
    struct tma_tensor_map map = line_map(1);
    map.l2_promotion = TMA_L2_256B;
    map.box_dim[0] = 16;
    run_load(memory,
             &(struct load){.map = &map, .direction = TMA_REDUCE, .sm = _i == 0 ? 0 : 2, .x = 16});
    ck_assert_uint_eq(tma_memory_count(memory).dram_read_sectors, _i == 0 ? 2 : 1);
}

/* The slice keeps the operands of reductions whose line DRAM brings, so they do not hold up their
 * SM, which could have eight of them in flight: the unit reads them as fast as those of lines that
 * L2 has. A slice keeps only so many operands, and another reduction as long as it has room for one
 * unit more. Then the SM waits for DRAM. */
TEST(test_reductions_wait_in_their_slice) {
    enum { LINES = 64, EACH = 5 };            /* four sectors and the operation */
    enum { BEFORE = (LINES / 4 - 1) * EACH }; /* in a slice, before its last line */
    const struct {
        bool warm;
        uint32_t operands;
    } runs[] = {{true, 1}, {false, BEFORE + 1}, {false, 1}, {false, EACH}, {false, EACH + 1}};
    struct tma_tensor_map map = line_map(LINES);
    struct load load = {.map = &map, .direction = TMA_REDUCE};
    uint64_t read[TABLE_ROWS(runs)];
    machine.tma.write_flits = 8 * EACH;
    for (size_t i = 0; i < TABLE_ROWS(runs); i++) {
        machine.l2.reduction_operands = runs[i].operands;
        recreate();
        if (runs[i].warm)
            warm_load(memory, &load);
        const struct tma_completion done = run_load(memory, &load);
        read[i] = done.rows_cycle;
        assert_reads_for(&done, LINES * 7);
        ck_assert_int_eq(done.dram_cycles > 0, i >= 2);
        ck_assert(tma_memory_drain(memory));
        ck_assert_uint_eq(tma_memory_count(memory).dram_read_sectors,
                          runs[i].warm ? 0 : LINES * LINE_SECTORS);
        ck_assert_uint_eq(tma_memory_count(memory).write_sectors, LINES * LINE_SECTORS);
    }
    ck_assert_uint_eq(read[1], read[0]);
    ck_assert_uint_gt(read[2], read[0] + 100); /* a line takes at least so long from DRAM */
    ck_assert_uint_eq(read[3], read[2]);       /* the first line takes all that there is */
    ck_assert_uint_lt(read[4], read[3]);       /* and leaves room for a second one */
}

/* Reductions of the sectors of one line, which DRAM brings once: those that come while it is on its
 * way wait for it. Each writes its sector, and all give their credits back. */
TEST(test_reductions_of_a_pending_line) {
    struct tma_tensor_map map = line_map(1);
    machine.l2.reduction_operands = 4;
    recreate();
    map.box_dim[0] = 16;
    for (int32_t x = 0; x < LINE_ELEMENTS; x += 16)
        issue_load(memory, &(struct load){.map = &map, .direction = TMA_REDUCE, .x = x});
    ck_assert(tma_memory_drain(memory));
    ck_assert_uint_eq(tma_memory_count(memory).dram_read_sectors, LINE_SECTORS);
    ck_assert_uint_eq(tma_memory_count(memory).write_sectors, LINE_SECTORS);
}

/* Back-pressure: an SM may have 12 flits in flight, which are 3 lines. It sends the fourth line
 * when L2 has received the first one, 30 cycles after that was read in 4 cycles. Reading the fourth
 * line takes 4 cycles more. */
TEST(test_flits_in_flight) {
    struct tma_tensor_map map = line_map(4);
    machine.tma.write_flits = 12;
    recreate();
    struct load load = {.map = &map, .direction = TMA_STORE};
    warm_load(memory, &load);
    const struct tma_completion done = run_load(memory, &load);
    ck_assert_uint_eq(done.rows_cycle, ISSUE + 4 + 30 + 4 + 4);
    /* The unit waits for 26 cycles for a line, which was on its way for 30 and in its slice for 4.
     */
    ck_assert_uint_eq(done.crossbar_cycles, 26 * 30 / 34);
    ck_assert_uint_eq(done.l2_cycles, 26 * 4 / 34);
    ck_assert_uint_eq(done.dram_cycles, 0);
    assert_reads_for(&done, 4 * 4);
}

/* Back-pressure: writes wait in front of a slice while its DRAM channel holds as many writes as its
 * queue takes. L2 is full of dirty lines, of which each store sends one to DRAM. */
TEST(test_back_pressure_of_dram) {
    enum { LINES = 512 }; /* capacity of L2 */
    struct tma_tensor_map map = line_map(64), all = line_map(LINES / 2);
    uint64_t read[2];
    machine.tma.write_flits = 40;
    machine.l2.dirty_ways = 1;
    for (uint32_t i = 0; i < 2; i++) {
        machine.dram.write_queue = i == 0 ? 1000 : 1;
        recreate();
        for (int32_t y = 0; y < LINES; y += LINES / 2)
            warm_load(memory, &(struct load){.map = &all, .direction = TMA_STORE, .y = y});
        const struct load load = {.map = &map, .direction = TMA_STORE, .y = LINES};
        const struct tma_completion done = run_load(memory, &load);
        read[i] = done.rows_cycle;
        assert_reads_for(&done, 64 * 4);
        ck_assert_int_eq(done.dram_cycles > 0, i == 1);
        ck_assert(tma_memory_drain(memory));
        ck_assert_uint_eq(tma_memory_count(memory).dram_write_sectors, 64 * 4);
    }
    ck_assert_uint_gt(read[1], read[0]);
}

/* Warps issue operations of so many rows in one cycle. `started`: cycle at which the unit begins
 * with each; `known`: cycle at which its warp can know that it was read, without STORED. */
static const struct {
    const char *what;
    uint32_t count;
    struct {
        uint32_t warp, rows;
    } operations[5];
    uint64_t started[5], known[5];
    uint32_t in_turn; /* operations that the unit works on in round robin */
    uint32_t backlog; /* tma.store_backlog */
} commits[] = {
    {"one", 1, {{0, 8}}, {0}, {32}, 1, 0},
    {"other schedulers", 2, {{0, 1}, {1, 2}}, {0, 4}, {4, 12}, 1, 0},
    {"in the order of issue", 2, {{0, 2}, {1, 1}}, {0, 4}, {12, 12}, 2, 0},
    {"one scheduler: after the operation of the other warp",
     2,
     {{0, 1}, {4, 1}},
     {0, 4},
     {8, 8},
     1,
     0},
    {"three warps, the unit is busy: each after the next one",
     3,
     {{0, 1}, {4, 1}, {8, 1}},
     {0, 4, 8},
     {8, 12, 12},
     1,
     3},
    {"three warps, the unit is not busy: all after the last one",
     3,
     {{0, 1}, {4, 1}, {8, 1}},
     {0, 4, 8},
     {12, 12, 12},
     1,
     4},
    {"not those of another scheduler",
     4,
     {{0, 1}, {4, 1}, {1, 1}, {8, 1}},
     {0, 4, 8, 12},
     {16, 16, 12, 16},
     1,
     100},
    {"warps of other schedulers do not wait",
     3,
     {{0, 1}, {1, 1}, {4, 1}},
     {0, 4, 8},
     {12, 8, 12},
     1,
     0},
    {"two operations of a warp", 2, {{0, 1}, {0, 1}}, {0, 4}, {4, 8}, 1, 0},
};

TEST_ROWS(test_warps_of_a_scheduler_wait, TABLE_ROWS(commits)) {
    struct tma_tensor_map maps[5];
    struct tma_completion done;
    machine.tma.store_operations = commits[_i].in_turn;
    machine.tma.store_backlog_cycles = commits[_i].backlog;
    recreate();
    for (uint32_t i = 0; i < commits[_i].count; i++) {
        maps[i] = line_map(commits[_i].operations[i].rows);
        issue_load(memory, &(struct load){.map = &maps[i],
                                          .direction = TMA_STORE,
                                          .warp = commits[_i].operations[i].warp,
                                          .tag = i});
    }
    ck_assert(tma_memory_drain(memory));
    for (uint32_t taken = 0; taken < commits[_i].count; taken++) {
        ck_assert(tma_memory_take(memory, &done));
        ck_assert_uint_eq(done.start_cycle, ISSUE + commits[_i].started[done.tag]);
        ck_assert_msg(done.cycle == ISSUE + commits[_i].known[done.tag] + STORED,
                      "%s: operation %llu at %llu", commits[_i].what, (unsigned long long)done.tag,
                      (unsigned long long)done.cycle);
    }
}

/* A scheduler issues stores of two warps at least 6 cycles apart. */
TEST_ROWS(test_issue_interval, 10) {
    struct tma_tensor_map map = line_map(1);
    struct tma_completion done[2];
    const uint64_t late = (uint64_t)_i;
    machine.tma.store_issue_cycles = 6;
    recreate();
    run_loads(
        memory,
        (struct load[]){{.map = &map, .direction = TMA_STORE, .tag = 0},
                        {.map = &map, .direction = TMA_STORE, .warp = 4, .cycle = late, .tag = 1}},
        2, done);
    ck_assert_uint_eq(done[1].start_cycle, ISSUE + (late < 6 ? 6 : late));
    ck_assert_uint_eq(done[0].cycle, ISSUE + (late <= 6 ? 10 : 4) + STORED);
}

/* A load completes with its last data. Other operations complete while their last packets are still
 * in flight; draining processes these. */
static const struct {
    enum tma_direction direction;
    bool waits; /* completes with its last data */
} directions[] = {{TMA_LOAD, true}, {TMA_STORE, false}, {TMA_REDUCE, false}, {TMA_PREFETCH, false}};

/* Three stores of 8 lines at once: the cycle at which each has been read, by the number of
 * operations that the unit works on in round robin. */
static const struct {
    uint32_t operations;
    uint64_t read[3];
} turns[] = {{1, {32, 64, 96}}, {2, {64, 64, 96}}, {3, {96, 96, 96}}, {9, {96, 96, 96}}};

TEST_ROWS(test_round_robin_of_stores, TABLE_ROWS(turns)) {
    struct tma_tensor_map map = line_map(ROWS);
    struct tma_completion done;
    machine.tma.store_operations = turns[_i].operations;
    recreate();
    for (uint32_t i = 0; i < 3; i++)
        issue_load(memory, &(struct load){.map = &map, .direction = TMA_STORE, .tag = i});
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert(tma_memory_take(memory, &done));
        ck_assert_uint_eq(done.tag, i);
        ck_assert_uint_eq(done.rows_cycle, ISSUE + turns[_i].read[i]);
    }
}

/* Round robin: a store has the unit for a row, here of two lines, before the unit goes on with a
 * store of one line. That one ends with its next turn. */
TEST(test_turn_is_a_row) {
    struct tma_tensor_map wide = line_map(2), narrow = line_map(1);
    struct tma_completion done[2];
    wide.global_dim[0] = wide.box_dim[0] = 2 * LINE_ELEMENTS;
    wide.global_strides[0] = 2 * TMA_LINE_BYTES;
    run_loads(memory,
              (struct load[]){{.map = &wide, .direction = TMA_STORE, .tag = 0},
                              {.map = &narrow, .direction = TMA_STORE, .warp = 1, .tag = 1}},
              2, done);
    ck_assert_uint_eq(done[1].rows_cycle, ISSUE + (2 + 1 + 2) * LINE_SECTORS);
}

TEST_ROWS(test_drain, TABLE_ROWS(directions)) {
    struct tma_tensor_map map = line_map(ROWS);
    struct tma_completion done;
    issue_load(memory, &(struct load){.map = &map, .direction = directions[_i].direction});
    while (!tma_memory_take(memory, &done))
        ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + 1));
    const uint64_t known = tma_memory_now(memory);
    ck_assert_uint_eq(tma_memory_in_flight(memory), directions[_i].waits ? 0 : 1);
    ck_assert_int_eq(tma_memory_count(memory).requests == ROWS, directions[_i].waits);
    ck_assert(tma_memory_drain(memory));
    ck_assert_uint_eq(tma_memory_in_flight(memory), 0);
    ck_assert_uint_eq(tma_memory_count(memory).requests, ROWS);
    ck_assert_int_eq(tma_memory_now(memory) == known, directions[_i].waits);
    ck_assert(!tma_memory_take(memory, &done));
}

/* Draining an idle system takes no time. Draining also runs operations that have not begun. */
TEST(test_drain_idle_and_waiting) {
    struct tma_tensor_map map = line_map(ROWS);
    struct tma_completion done;
    ck_assert(tma_memory_drain(memory));
    ck_assert_uint_eq(tma_memory_now(memory), 0);
    for (uint32_t i = 0; i < 4; i++)
        issue_load(memory, &(struct load){.map = &map, .sm = i, .cycle = 100000 * i, .tag = i});
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert(tma_memory_take(memory, &done));
        ck_assert_uint_eq(done.tag, i);
    }
    ck_assert(!tma_memory_take(memory, &done));
    ck_assert_uint_eq(tma_memory_in_flight(memory), 0);
}

TEST_SUITE("stores", .set_up = set_up, .tear_down = tear_down);
