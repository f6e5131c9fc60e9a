/* Runs of whole kernels: their cycles, derived from the parts of one load; where their time goes;
 * and that they depend on nothing but the machine and the workload. */
#include <string.h>

#include "engine.h"
#include "engine/slots/run.h"
#include "kernel.h"
#include "machine.h"
#include "suite.h"

enum {
    /* Load of one row whose line L2 has, in the partition of the SM. */
    HIT = 10 + 30 + 3 + 15 + 20 + 2 + 4 + 5,
    TURNAROUND = 7,
    DISPATCH = 8,
    ROW = 4, /* each further row of a box, at the SM port */
};

static struct tma_machine machine;

/* On this machine every load that hits L2 takes HIT. */
static void set_up(void) {
    machine = flat_machine();
}

static struct tma_result run_workload(const struct tma_workload *workload) {
    struct tma_result result;
    struct tma_error error = {0};
    ck_assert_msg(tma_run(&machine, workload, NULL, &result, &error) == TMA_OK, "%s", error.text);
    return result;
}

static struct tma_result run_kernel(const struct kernel *kernel) {
    struct tma_workload workload = make_workload(kernel);
    return run_workload(&workload);
}

/* Warm kernels on a single SM, and their cycles. */
static const struct {
    struct kernel kernel;
    uint64_t cycles;
} times[] = {
    {{"one load", 1, 1, 1, 1, 1, false, 0}, HIT},
    {{"one load of 8 rows", 1, 1, 1, 1, 8, false, 0}, HIT + 7 * ROW},
    {{"one after the other", 1, 1, 5, 1, 1, false, 0}, 5 * HIT + 4 * TURNAROUND},
    {{"two at a time", 1, 1, 2, 2, 1, false, 0}, HIT + DISPATCH},
    {{"four at a time", 1, 1, 4, 4, 1, false, 0}, HIT + 3 * DISPATCH},
    /* Slots that issue in the same cycle do so in order. Each issues again when its own tile is
     * there, whatever the others do. Slot 0 has the last tile of the last round. */
    {{"four at a time, three times", 1, 1, 12, 4, 1, false, 0},
     3 * HIT + 2 * TURNAROUND + 3 * DISPATCH},
    {{"the last round is not full", 1, 1, 9, 4, 1, false, 0}, 3 * HIT + 2 * TURNAROUND},
    {{"more slots than iterations", 1, 1, 2, 8, 1, false, 0}, HIT + DISPATCH},
    /* With enough loads in flight the port is busy from the first row to the last. */
    {{"limited by the port", 1, 1, 64, 8, 8, false, 0}, HIT + (64 * 8 - 1) * ROW},
    {{"CTAs one after the other on an SM", 3, 1, 1, 1, 1, false, 0}, 3 * HIT},
    {{"each with a pipeline of its own", 2, 1, 2, 2, 1, false, 0}, 2 * (HIT + DISPATCH)},
};

TEST_ROWS(test_cycles, TABLE_ROWS(times)) {
    struct tma_result result = run_kernel(&times[_i].kernel);
    ck_assert_msg(result.cycles == times[_i].cycles, "%s: %llu cycles, expected %llu",
                  times[_i].kernel.name, (unsigned long long)result.cycles,
                  (unsigned long long)times[_i].cycles);
}

/* Each kind of operation counts its own bytes, and only those of the tensor where it is no load. A
 * box of 4 rows that begins 2 rows before the end of the tensor is half out of bounds. */
TEST(test_bytes_by_kind) {
    enum { ROWS = 4, STAGES = 6, BOX = ROWS * TMA_LINE_BYTES, HALF = BOX / 2 };
    static const enum tma_direction kinds[] = {TMA_LOAD, TMA_STORE, TMA_REDUCE, TMA_PREFETCH};
    struct tma_workload workload =
        make_workload(&(struct kernel){"all kinds", 1, 1, STAGES, 2, ROWS, true, 0});
    workload.operation_count = TABLE_ROWS(kinds);

    workload.stage_bytes = TABLE_ROWS(kinds) * BOX;
    for (int i = 0; i < TABLE_ROWS(kinds); i++) {
        workload.operations[i] = workload.operations[0];
        workload.operations[i].operation.direction = kinds[i];
        workload.operations[i].operation.shared_address = (uint32_t)i * BOX;
        workload.operations[i].walk.start[1] = MATRIX_ROWS - ROWS / 2;
        workload.operations[i].walk.step[1] = 0;
    }
    struct tma_result result = run_workload(&workload);
    const struct tma_counters *counters = &result.counters;
    ck_assert_uint_eq(counters->operations, STAGES * TABLE_ROWS(kinds));
    ck_assert_uint_eq(counters->bytes, STAGES * BOX);
    ck_assert_uint_eq(counters->tensor_bytes, STAGES * HALF);
    ck_assert_uint_eq(counters->stored_bytes, STAGES * HALF);
    ck_assert_uint_eq(counters->reduced_bytes, STAGES * HALF);
    ck_assert_uint_eq(counters->prefetched_bytes, STAGES * HALF);
    ck_assert_uint_eq(counters->copied_bytes, 0);
}

/* A kernel of prefetches ends before DRAM has read what it asked for. No server is busy for more
 * than the time until then. */
TEST(test_memory_works_after_the_end) {
    struct tma_workload workload =
        make_workload(&(struct kernel){"prefetches", 8, 1, 16, 4, 8, true, 0});
    workload.operations[0].operation.direction = TMA_PREFETCH;
    workload.expect_bytes = 0;
    struct tma_result result = run_workload(&workload);
    ck_assert_uint_gt(result.memory_cycles, result.cycles);
    ck_assert(result.busy_dram > 0 && result.busy_dram <= 1);
    ck_assert(result.busy_l2 <= 1);
}

/* By how much the first operations of each CTA are late. */
static const struct {
    const char *what;
    enum tma_direction direction;
    uint32_t ctas, depth;
    uint64_t late;
} first_passes[] = {
    {"one slot", TMA_LOAD, 1, 1, 100}, {"two slots", TMA_LOAD, 1, 2, 100},
    {"two CTAs", TMA_LOAD, 2, 2, 200}, {"a prefetch", TMA_PREFETCH, 1, 2, 100},
    {"a store", TMA_STORE, 1, 1, 300}, {"a reduction", TMA_REDUCE, 1, 2, 300},
};

TEST_ROWS(test_first_pass, TABLE_ROWS(first_passes)) {
    struct tma_workload workload = make_workload(
        &(struct kernel){"", first_passes[_i].ctas, 1, 4, first_passes[_i].depth, 1, false, 0});
    workload.operations[0].operation.direction = first_passes[_i].direction;
    if (first_passes[_i].direction != TMA_LOAD)
        workload.expect_bytes = 0;
    uint64_t before = run_workload(&workload).cycles;
    machine.tma.first_pass_cycles = 100;
    machine.tma.store_first_pass_cycles = 300;
    ck_assert_msg(run_workload(&workload).cycles == before + first_passes[_i].late, "%s",
                  first_passes[_i].what);
}

/* Notes the latency of each operation. It tells in which order the TMA unit worked on them. */
static void take_latency(void *context, const struct tma_event *event) {
    uint64_t *latencies = context;
    if (event->kind == TMA_EVENT_ARRIVAL)
        latencies[event->figures[0]] = event->figures[2];
}

/* Without a seed, slot 0 issues first, and each further slot a wake_interval later. With a seed,
 * another slot begins. */
TEST(test_slots_that_issue_at_once) {
    enum { APART = 3 };
    struct tma_workload workload =
        make_workload(&(struct kernel){"four slots", 1, 1, 4, 4, 1, false, 0});
    uint32_t began[4] = {0};
    machine.tma.wake_interval_cycles = APART;
    machine.tma.first_scheduler_percent = 25;
    for (uint32_t seed = 0; seed < 32; seed++) {
        uint64_t latencies[4];
        struct tma_event_sink sink = {take_latency, latencies};
        struct tma_result result;
        machine.topology.seed = seed;
        ck_assert_int_eq(tma_run(&machine, &workload, &sink, &result, NULL), TMA_OK);
        uint32_t first = 0;
        while (latencies[first] != HIT)
            ck_assert_uint_lt(++first, 4);
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_uint_eq(latencies[(first + i) % 4], HIT + i * (DISPATCH - APART));
        ck_assert(seed > 0 || first == 0);
        began[first]++;
    }
    for (uint32_t slot = 0; slot < 4; slot++)
        ck_assert_uint_ge(began[slot], 2);
}

/* With eight slots each scheduler has two. The schedulers take turns. The seed decides which of its
 * slots a scheduler begins with. */
TEST(test_eight_slots_that_issue_at_once) {
    enum { APART = 3, SLOTS = 8 };
    struct tma_workload workload =
        make_workload(&(struct kernel){"eight slots", 1, 1, SLOTS, SLOTS, 1, false, 0});
    uint32_t began[TMA_SCHEDULERS] = {0};
    machine.tma.wake_interval_cycles = APART;
    for (uint32_t seed = 1; seed <= 32; seed++) {
        uint64_t latencies[SLOTS], seen = 0;
        struct tma_event_sink sink = {take_latency, latencies};
        struct tma_result result;
        machine.topology.seed = seed;
        ck_assert_int_eq(tma_run(&machine, &workload, &sink, &result, NULL), TMA_OK);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            uint64_t place = (latencies[slot] - HIT) / (DISPATCH - APART);
            ck_assert_uint_eq(latencies[slot], HIT + place * (DISPATCH - APART));
            seen |= 1u << place;
            uint64_t other = (latencies[slot ^ TMA_SCHEDULERS] - HIT) / (DISPATCH - APART);
            ck_assert_uint_eq(place ^ other, TMA_SCHEDULERS);
            began[slot % TMA_SCHEDULERS] += slot < TMA_SCHEDULERS && place < other;
        }
        ck_assert_uint_eq(seen, (1u << SLOTS) - 1);
    }
    for (uint32_t i = 0; i < TMA_SCHEDULERS; i++)
        ck_assert(began[i] >= 4 && began[i] <= 28);
}

/* The cycles from the end of one round to that of the next: a warp looks at its phase every
 * wake_interval. (test_engine_reference.c tests this with several slots.) */
static const struct {
    uint32_t interval;
    uint64_t rounds_apart;
} wakes[] = {
    {0, TURNAROUND + HIT},
    {1, TURNAROUND + HIT},
    {HIT, TURNAROUND + HIT + (HIT - TURNAROUND % HIT)},
};

TEST_ROWS(test_wake_interval, TABLE_ROWS(wakes)) {
    uint64_t cycles[3];
    machine.tma.wake_interval_cycles = wakes[_i].interval;
    for (uint32_t rounds = 1; rounds <= 3; rounds++)
        cycles[rounds - 1] = run_kernel(&(struct kernel){"", 1, 1, rounds, 1, 1, false, 0}).cycles;
    ck_assert_uint_eq(cycles[2] - cycles[1], wakes[_i].rounds_apart);
}

/* The polling of the other slots of a scheduler takes a random time, from nothing to twice the
 * average. So the cycles of a kernel lie between these two. */
TEST(test_polling) {
    enum { SEEDS = 16, POLL = 9000 };
    const struct kernel kernel = {"eight slots", 1, 1, 64, 8, 1, false, 0};
    machine.tma.poll_millicycles = 2 * POLL;
    uint64_t most = run_kernel(&kernel).cycles, different = 0;
    machine.tma.poll_millicycles = 0;
    uint64_t least = run_kernel(&kernel).cycles, last = 0;
    machine.tma.poll_millicycles = POLL;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        machine.topology.seed = seed;
        uint64_t cycles = run_kernel(&kernel).cycles;
        ck_assert_uint_gt(cycles, least);
        ck_assert_uint_lt(cycles, most);
        different += cycles != last;
        last = cycles;
    }
    ck_assert_uint_ge(different, SEEDS / 2);
}

/* Slots of other schedulers do not delay a slot. */
TEST(test_schedulers) {
    const struct kernel four = {"four slots", 1, 1, 64, 4, 1, false, 0},
                        five = {"five slots", 1, 1, 64, 5, 1, false, 0};
    uint64_t without[2] = {run_kernel(&four).cycles, run_kernel(&five).cycles};
    machine.tma.poll_millicycles = 9000;
    ck_assert_uint_eq(run_kernel(&four).cycles, without[0]);
    ck_assert_uint_gt(run_kernel(&five).cycles, without[1]);
}

/* CTAs on SMs 0, 1 and 2. SMs 0 and 1 share a GPC, so SM 1 starts `interval` cycles after SM 0. Its
 * further CTAs start as soon as it is free. */
static const struct {
    uint32_t interval, ctas, sms;
    uint64_t cycles;
} launches[] = {
    {1000, 2, 2, HIT}, /* one in each GPC */
    {1000, 3, 3, 1000 + HIT},
    {10, 3, 3, 10 + HIT},
    {10, 6, 3, 10 + 2 * HIT},
    /* The other SMs run all further CTAs before SM 1 starts its first. */
    {4 * HIT + 10, 11, 3, 5 * HIT + 10},
};

TEST_ROWS(test_launch, TABLE_ROWS(launches)) {
    machine.topology.launch_interval_cycles = launches[_i].interval;
    struct tma_result result = run_kernel(&(struct kernel){"", launches[_i].ctas, launches[_i].sms,
                                                           1, 1, 1, false, TMA_WALK_GRID_STRIDED});
    ck_assert_uint_eq(result.cycles, launches[_i].cycles);
    ck_assert_uint_eq(result.cta_cycles.max, HIT);
}

/* With more CTAs than SMs, each SM takes the next CTA as soon as it is free. */
TEST(test_more_ctas_than_sms) {
    struct tma_result result =
        run_kernel(&(struct kernel){"", 9, 4, 1, 1, 1, false, TMA_WALK_GRID_STRIDED});
    ck_assert_uint_eq(result.cta_cycles.count, 9);
    ck_assert_uint_eq(result.counters.operations, 9);
    ck_assert_uint_eq(result.cta_cycles.min, HIT);
    /* GPC ports take 2 cycles for a row of each of their 2 SMs. */
    ck_assert_uint_le(result.cta_cycles.max, HIT + 2);
    ck_assert_uint_ge(result.cycles, 3 * HIT);
    ck_assert_uint_le(result.cycles, 3 * (HIT + 2));
}

/* Nine CTAs on four SMs are two whole waves and one CTA. Three SMs have nothing to do in its time
 * once the second wave has ended. */
TEST(test_waves) {
    struct tma_result result =
        run_kernel(&(struct kernel){"", 9, 4, 1, 1, 1, false, TMA_WALK_GRID_STRIDED});
    ck_assert_uint_eq(result.waves.count, 3);
    ck_assert_uint_eq(result.waves.ctas, 4);
    ck_assert_uint_eq(result.waves.last_ctas, 1);
    ck_assert_uint_ge(result.waves.last_cycles, HIT);
    ck_assert_uint_le(result.waves.last_cycles, HIT + 4);
    ck_assert_uint_ge(result.waves.last_idle_place_cycles, 3 * HIT - 8);
    ck_assert_uint_le(result.waves.last_idle_place_cycles, 3 * HIT + 8);
    ck_assert_uint_ge(result.waves.idle_place_cycles, result.waves.last_idle_place_cycles);
    result = run_kernel(&(struct kernel){"", 8, 4, 1, 1, 1, false, TMA_WALK_GRID_STRIDED});
    ck_assert_uint_eq(result.waves.count, 2);
    ck_assert_uint_eq(result.waves.last_ctas, 0);
    ck_assert_uint_eq(result.waves.last_cycles, 0);
    result = run_kernel(&(struct kernel){"", 3, 4, 1, 1, 1, false, TMA_WALK_GRID_STRIDED});
    ck_assert_uint_eq(result.waves.count, 1);
    ck_assert_uint_eq(result.waves.ctas, 3);
    ck_assert_uint_eq(result.waves.last_ctas, 0);
}

/* Kernels whose counters, causes and traces are tested. */
static const struct kernel kernels[] = {
    {"one", 1, 1, 1, 1, 1, true, TMA_WALK_GRID_STRIDED},
    {"warm stream", 4, 4, 32, 4, 16, false, TMA_WALK_GRID_STRIDED},
    {"cold stream", 4, 4, 32, 4, 16, true, TMA_WALK_GRID_STRIDED},
    {"blocked", 4, 4, 32, 3, 16, true, TMA_WALK_BLOCKED},
    {"the same tiles", 4, 4, 16, 2, 16, true, TMA_WALK_SAME},
    {"its own tile", 4, 4, 16, 2, 16, true, TMA_WALK_FIXED},
    {"more CTAs than SMs", 11, 3, 7, 2, 8, true, TMA_WALK_GRID_STRIDED},
    {"more slots than iterations", 2, 2, 3, 8, 8, true, TMA_WALK_GRID_STRIDED},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

TEST_ROWS(test_counters, KERNELS) {
    const struct kernel *kernel = &kernels[_i];
    struct tma_result result = run_kernel(kernel);
    const struct tma_counters *counters = &result.counters;
    uint64_t operations = (uint64_t)kernel->ctas * kernel->iterations;
    ck_assert_uint_eq(counters->operations, operations);
    ck_assert_uint_eq(result.latency_cycles.count, operations);
    ck_assert_uint_eq(result.cta_cycles.count, kernel->ctas);
    ck_assert_uint_eq(counters->rows, operations * kernel->rows);
    ck_assert_uint_eq(counters->bytes, operations * kernel->rows * TMA_LINE_BYTES);
    ck_assert_uint_eq(counters->tensor_bytes, counters->bytes);
    ck_assert_uint_eq(counters->l2_requests, counters->rows);
    ck_assert_uint_eq(counters->l2_sectors, counters->bytes / TMA_SECTOR_BYTES);
    ck_assert_uint_eq(counters->l2_sector_hits + counters->l2_sector_misses, counters->l2_sectors);
    ck_assert_uint_eq(counters->l2_fill_sectors, counters->dram_read_sectors);
    ck_assert_uint_eq(counters->l2_sector_misses > 0, kernel->cold || _i == 1);
    ck_assert_uint_ge(result.cycles, result.cta_cycles.max);
    ck_assert_uint_ge(result.latency_cycles.min, HIT);
}

/* The time of a slot by its events: from its first issue to its last completion or end of a
 * consumer. */
struct slot_time {
    uint64_t first, last;
};

struct slot_times {
    struct slot_time times[16][8]; /* by CTA and slot */
};

static void take_slot_time(void *context, const struct tma_event *event) {
    struct slot_time *time = &((struct slot_times *)context)->times[event->cta][event->slot];
    if (event->kind == TMA_EVENT_ISSUE && time->last == 0)
        time->first = event->cycle;
    if (event->kind == TMA_EVENT_MBARRIER || event->kind == TMA_EVENT_CONSUME)
        time->last = event->cycle;
}

/* Adds a consumer that reads the tile's words in order, `passes` times: a wavefront a row. */
static void add_consumer(struct tma_workload *workload, uint32_t passes) {
    workload->consumers[workload->consumer_count++] = (struct tma_consumer){
        .instruction = TMA_LD_SHARED_B32, .lanes = TMA_LANES_ROW, .repeat = passes};
}

TEST_ROWS(test_causes_are_the_slots_time, 2 * KERNELS) {
    struct tma_workload workload = make_workload(&kernels[_i % KERNELS]);
    if (_i >= KERNELS)
        add_consumer(&workload, 3);
    struct slot_times slots = {0};
    struct tma_result result;
    struct tma_event_sink sink = {take_slot_time, &slots};
    ck_assert_int_eq(tma_run(&machine, &workload, &sink, &result, NULL), TMA_OK);
    uint64_t from_events = 0, causes = 0;
    for (int cta = 0; cta < 16; cta++)
        for (int slot = 0; slot < 8; slot++)
            from_events += slots.times[cta][slot].last - slots.times[cta][slot].first;
    for (int cause = 0; cause < TMA_CAUSE_COUNT; cause++)
        causes += result.cause_cycles[cause];
    ck_assert_uint_eq(result.slot_cycles, causes);
    ck_assert_uint_eq(result.slot_cycles, from_events);
}

/* Each part of the time of a load is a cause. */
TEST(test_causes_of_a_hit) {
    struct tma_result result = run_kernel(&(struct kernel){"", 1, 1, 5, 1, 1, false, 0});
    const struct {
        enum tma_cause cause;
        uint64_t cycles;
    } expected[] = {
        {TMA_CAUSE_ISSUE, 5 * 10},
        {TMA_CAUSE_CROSSBAR, 5 * 50},
        {TMA_CAUSE_CROSSBAR_QUEUE, 5 * 6},
        {TMA_CAUSE_L2, 5 * 18},
        {TMA_CAUSE_DRAM, 0},
        {TMA_CAUSE_SHARED_WRITE, 5 * 5},
        {TMA_CAUSE_WAKE, 4 * TURNAROUND},
        {TMA_CAUSE_TMA_QUEUE, 0},
        {TMA_CAUSE_CONSUME, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_msg(result.cause_cycles[expected[i].cause] == expected[i].cycles, "%s: %llu",
                      tma_cause_key(expected[i].cause),
                      (unsigned long long)result.cause_cycles[expected[i].cause]);
}

/* A consumer begins after the warp's turnaround, and takes a wavefront for each row and pass. The
 * slot issues again after it. */
TEST_ROWS(test_consumer_delays, 3) {
    struct tma_workload workload = make_workload(&(struct kernel){"", 1, 1, 3, 1, 8, false, 0});
    add_consumer(&workload, (uint32_t)_i + 1);
    struct tma_result result = run_workload(&workload);
    const uint64_t passes = (uint64_t)_i + 1, load = HIT + 7 * ROW, wavefronts = 8 * passes;
    ck_assert_uint_eq(result.cycles, 3 * (load + TURNAROUND + wavefronts));
    ck_assert_uint_eq(result.consumers[0].wavefronts, 3 * wavefronts);
    ck_assert_uint_eq(result.consumers[0].ideal_wavefronts, 3 * wavefronts);
    ck_assert_uint_eq(result.cause_cycles[TMA_CAUSE_CONSUME], 3 * wavefronts);
    ck_assert_uint_eq(result.cause_cycles[TMA_CAUSE_CONSUME_QUEUE], 0);
}

/* The tiles of two slots of an SM arrive 8 cycles apart. The second slot's consumer waits for the
 * rest of the first one's 100 wavefronts. */
TEST(test_consumers_wait_for_each_other) {
    struct tma_workload workload = make_workload(&(struct kernel){"", 1, 1, 2, 2, 1, false, 0});
    add_consumer(&workload, 100);
    struct tma_result result = run_workload(&workload);
    ck_assert_uint_eq(result.cycles, HIT + TURNAROUND + 2 * 100);
    ck_assert_uint_eq(result.cause_cycles[TMA_CAUSE_CONSUME_QUEUE], 100 - DISPATCH);
}

/* A stage of two operations is complete when both are. */
TEST(test_stage_of_two_operations) {
    struct tma_workload workload = make_workload(&(struct kernel){"", 1, 1, 2, 1, 1, false, 0});
    workload.operations[1] = workload.operations[0];
    workload.operations[1].operation.shared_address = 128;
    workload.operation_count = 2;
    workload.stage_bytes = 256;
    workload.expect_bytes = 256;
    struct tma_result result = run_workload(&workload);
    ck_assert_uint_eq(result.cycles, 2 * (HIT + DISPATCH) + TURNAROUND);
    ck_assert_uint_eq(result.counters.operations, 4);
}

/* Where a run finds its tensor maps. The cache of an SM holds two, that of a GPC four. */
static const struct {
    uint32_t maps;
    bool global, cold, profiled;
    uint64_t fetches;   /* by the SM */
    uint64_t from_l2;   /* fetches that the GPC's cache cannot serve */
    uint64_t from_dram; /* fetches that L2 cannot serve */
} starts[] = {
    {1, false, false, false, 1, 0, 0}, {1, false, true, false, 1, 0, 0},
    {1, false, true, true, 1, 1, 0},   {1, true, false, false, 1, 1, 0},
    {1, true, true, false, 1, 1, 1},   {4, false, false, false, 8, 0, 0},
    {4, false, true, false, 8, 0, 0},  {4, false, true, true, 8, 4, 0},
    {6, false, false, false, 8, 8, 0}, {6, true, true, false, 8, 8, 6},
};

TEST_ROWS(test_starts, TABLE_ROWS(starts)) {
    machine.tma.descriptor_fetch_cycles = 6;
    struct tma_workload workload =
        make_workload(&(struct kernel){"", 1, 1, 8, 1, 1, starts[_i].cold, 0});
    workload.profiled = starts[_i].profiled;
    workload.operations[0].walk.tiles[1] = 1;
    workload.arrays[0] = (struct tma_map_array){
        .global = starts[_i].global, .count = starts[_i].maps, .pitch_bytes = TMA_LINE_BYTES};
    struct tma_result result = run_workload(&workload);
    const struct tma_counters *counters = &result.counters;
    ck_assert_uint_eq(counters->descriptor_fetches, starts[_i].fetches);
    ck_assert_uint_eq(counters->descriptor_l2_fetches, starts[_i].from_l2);
    ck_assert_uint_eq(counters->descriptor_dram_fetches, starts[_i].from_dram);
    ck_assert_uint_eq(result.cause_cycles[TMA_CAUSE_DESCRIPTOR], counters->descriptor_cycles);
    ck_assert_uint_ge(counters->descriptor_cycles, 6 * starts[_i].fetches);
}

struct recording {
    uint64_t hash, events;
};

static void record(void *context, const struct tma_event *event) {
    struct recording *recording = context;
    const uint64_t words[] = {event->cycle,      event->sm,         event->cta,
                              event->slot,       event->kind,       event->figures[0],
                              event->figures[1], event->figures[2], event->figures[3]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        recording->hash = (recording->hash ^ words[i]) * UINT64_C(1099511628211);
    recording->events++;
}

static struct recording run_recorded(const struct kernel *kernel, struct tma_result *result) {
    struct recording recording = {0};
    struct tma_workload workload = make_workload(kernel);
    struct tma_event_sink sink = {record, &recording};
    memset(result, 0xff, sizeof *result);
    ck_assert_int_eq(tma_run(&machine, &workload, &sink, result, NULL), TMA_OK);
    return recording;
}

/* The same kernel gives the same result and the same trace, whichever kernel ran before. */
TEST_ROWS(test_repeats, KERNELS) {
    struct tma_result first, again;
    struct recording expected = run_recorded(&kernels[_i], &first);
    for (int other = 0; other < KERNELS; other++) {
        run_kernel(&kernels[other]);
        struct recording recording = run_recorded(&kernels[_i], &again);
        ck_assert_uint_eq(recording.events, expected.events);
        ck_assert_uint_eq(recording.hash, expected.hash);
        ck_assert_int_eq(memcmp(&first, &again, sizeof first), 0);
    }
}

/* A trace does not change the run. */
TEST_ROWS(test_trace_changes_nothing, KERNELS) {
    struct tma_result watched, alone = run_kernel(&kernels[_i]);
    run_recorded(&kernels[_i], &watched);
    ck_assert_int_eq(memcmp(&watched.cta_cycles, &alone.cta_cycles, sizeof alone.cta_cycles), 0);
    ck_assert_uint_eq(watched.cycles, alone.cycles);
    ck_assert_uint_eq(watched.slot_cycles, alone.slot_cycles);
}

static void expect_later(void *context, const struct tma_event *event) {
    uint64_t *cycle = context;
    ck_assert_uint_ge(event->cycle, *cycle);
    *cycle = event->cycle;
}

/* Events are in order, however late warps see completions. */
TEST_ROWS(test_events_are_in_order, 3 * KERNELS) {
    static const uint32_t intervals[] = {0, 3, 64};
    enum { INTERVALS = sizeof intervals / sizeof *intervals };
    struct tma_workload workload = make_workload(&kernels[_i / INTERVALS]);
    struct tma_result result;
    uint64_t cycle = 0;
    struct tma_event_sink sink = {expect_later, &cycle};
    machine.tma.wake_interval_cycles = intervals[_i % INTERVALS];
    ck_assert_int_eq(tma_run(&machine, &workload, &sink, &result, NULL), TMA_OK);
    ck_assert_uint_eq(cycle, result.cycles);
}

TEST_SUITE("runs", .timeout = 60, .set_up = set_up,
           .prepare = load_engine); /* sanitizers are slow */
