/* Replays slice_rates.tsv, slice_conflicts.tsv and slice_misses.tsv: what one slice of L2 in each
 * partition does in a time, and how long hits wait behind misses. As in
 * scripts/capture/slice_rates.cu, each warp makes one operation of one row after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpus.h"
#include "memory/core/address_map.h"
#include "memory/system.h"
#include "memory/topology.h"

enum {
    SMS = 132,
    WARPS = 16,
    SLICE = 5,
    ROW_LINES = 65536 + SMS, /* of the slice, at most */
    COOL_LINES = 2048,       /* that loads choose from, besides hot ones */
    MOST_HOT = 64,
    ALLOCATION = 1 << 24, /* lines */
    STEP = 40,            /* cycles between advances */
    RING = 1 << 15,       /* cycles: longer than an operation takes */
    NONE = -1,
};

static const uint64_t base_line = FIRST_ADDRESS / TMA_LINE_BYTES;

/* From the end of an operation to the next one of its warp. More where slices are no limit. */
static const uint64_t think_cycles = 90;

static struct tma_machine machine;
static uint32_t gpcs[SMS];
static int32_t lines[ROW_LINES]; /* of home 0 and the slice */

struct warp {
    uint32_t sm, next_line, line_step;
    int32_t next; /* in the list of a cycle */
    uint64_t issued;
    bool reads; /* hits, whose time counts */
    uint32_t random;
};

/* A closed loop of warps. */
struct loop {
    struct tma_memory *memory;
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct warp warps[SMS * WARPS];
    uint32_t count;
    int32_t due[RING];   /* the warps that issue in a cycle: lists */
    uint64_t begin, end; /* what ends in between counts */
    uint32_t ended;
    uint32_t cycles[1 << 14], cycle_count; /* of reads */
    /* If `hot` is not 0, a load is of one of so many lines with a probability of `share` / 256. */
    uint32_t hot, share;
};

static void find_lines(bool even, uint32_t count) {
    struct tma_address_map map = tma_address_map_of(&machine);
    uint32_t found = 0;
    for (int32_t line = 0; found < count; line++) {
        struct tma_line_location location = tma_locate(&map, base_line + (uint64_t)line);
        ck_assert_int_lt(line, ALLOCATION);
        if (location.server.home == 0 && location.server.slice == SLICE && !(even && line % 2 != 0))
            lines[found++] = line;
    }
}

static void set_up(int gpu) {
    read_gpu(gpu, &machine);
    ck_assert_uint_eq(machine.sm_count, SMS);
    tma_machine_gpcs(&machine, gpcs);
}

static struct loop *new_loop(enum tma_direction direction, uint32_t row_bytes, uint32_t offset,
                             enum tma_l2_promotion promotion) {
    struct loop *loop = calloc(1, sizeof *loop);
    struct tma_error error;
    ck_assert_ptr_nonnull(loop);
    ck_assert(tma_memory_create(&loop->memory, &machine, &error) == TMA_OK);
    loop->map = (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                        .data_type = TMA_UINT32,
                                        .rank = 2,
                                        .global_address = base_line * TMA_LINE_BYTES,
                                        .global_dim = {TMA_LINE_BYTES / 4, ALLOCATION},
                                        .global_strides = {TMA_LINE_BYTES},
                                        .box_dim = {row_bytes / 4, 1},
                                        .element_strides = {1, 1},
                                        .l2_promotion = promotion};
    loop->operation = (struct tma_operation){.direction = direction, .access = TMA_ACCESS_TILE};
    loop->operation.coordinates[0] = (int32_t)offset / 4;
    memset(loop->due, 0xff, sizeof loop->due);
    return loop;
}

static void free_loop(struct loop *loop) {
    tma_memory_drain(loop->memory);
    tma_memory_free(loop->memory);
    free(loop);
}

static void make_due(struct loop *loop, int32_t number, uint64_t cycle) {
    int32_t *list = &loop->due[cycle % RING];
    loop->warps[number].next = *list;
    *list = number;
}

static void begin_rows(struct loop *loop, uint32_t line, struct tma_row_stream *rows,
                       struct tma_operation_size *size) {
    struct tma_error error;
    loop->operation.coordinates[1] = lines[line];
    ck_assert(tma_rows_begin(rows, &loop->map, &loop->operation, size, &error) == TMA_OK);
}

/* A warp whose lines L2 holds, if `warm`; `step`: to its next line. */
static void add_warp(struct loop *loop, uint32_t sm, uint32_t line, uint32_t step, bool warm) {
    const uint64_t first_cycles = 700; /* in which all warps begin */
    struct tma_row_stream rows;
    struct tma_operation_size size;
    loop->warps[loop->count] = (struct warp){.sm = sm,
                                             .next_line = line,
                                             .line_step = step,
                                             .reads = step == 0,
                                             .random = loop->count * 2654435761u + 1};
    if (warm) {
        begin_rows(loop, line, &rows, &size);
        tma_memory_warm(loop->memory, sm, loop->operation.direction, loop->map.l2_promotion, &rows,
                        false);
    }
    make_due(loop, (int32_t)loop->count, 1000 + loop->count * 7919 % first_cycles);
    loop->count++;
}

static uint32_t random_below(struct warp *warp, uint32_t limit) {
    warp->random = warp->random * 1664525u + 1013904223u;
    return (warp->random >> 8) % limit;
}

/* The next row is of a sector and of a line at random. */
static void choose(struct loop *loop, struct warp *warp) {
    bool hot = random_below(warp, 256) < loop->share;
    warp->next_line =
        hot ? random_below(warp, loop->hot) : loop->hot + random_below(warp, COOL_LINES);
    loop->operation.coordinates[0] = (int32_t)random_below(warp, 4) * 8;
}

static void issue(struct loop *loop, int32_t number, uint64_t cycle) {
    struct warp *warp = &loop->warps[number];
    struct tma_row_stream rows;
    struct tma_operation_size size;
    if (loop->hot != 0)
        choose(loop, warp);
    begin_rows(loop, warp->next_line, &rows, &size);
    warp->issued = cycle;
    warp->next_line += warp->line_step;
    struct tma_issue issue = {.cycle = cycle,
                              .tag = (uint64_t)number,
                              .sm = warp->sm,
                              .direction = loop->operation.direction,
                              .warp = (uint32_t)number % WARPS,
                              .map = &loop->map,
                              .rows = &rows,
                              .size = &size};
    ck_assert(tma_memory_issue(loop->memory, &issue));
}

static void take_completions(struct loop *loop, bool pauses) {
    struct tma_completion completion;
    while (tma_memory_take(loop->memory, &completion)) {
        struct warp *warp = &loop->warps[completion.tag];
        bool counts = completion.cycle >= loop->begin && completion.cycle < loop->end;
        uint64_t pause = pauses && warp->reads ? 300 + warp->issued % 256 : 0;
        loop->ended += counts;
        if (counts && warp->reads)
            loop->cycles[loop->cycle_count++ % TABLE_ROWS(loop->cycles)] =
                (uint32_t)(completion.cycle - warp->issued);
        make_due(loop, (int32_t)completion.tag, completion.cycle + think_cycles + pause);
    }
}

static void run(struct loop *loop, uint64_t warm_up, uint64_t window, bool pauses) {
    loop->begin = 1000 + warm_up;
    loop->end = loop->begin + window;
    for (uint64_t now = 1000; now < loop->end; now += STEP) {
        for (uint64_t cycle = now; cycle < now + STEP; cycle++) {
            int32_t number = loop->due[cycle % RING];
            loop->due[cycle % RING] = NONE;
            for (int32_t next; number != NONE; number = next) {
                next = loop->warps[number].next;
                issue(loop, number, cycle);
            }
        }
        ck_assert(tma_memory_advance(loop->memory, now + STEP));
        take_completions(loop, pauses);
    }
}

static bool is(const struct tma_tsv *records, size_t row, const char *column, const char *value) {
    return strcmp(tma_tsv_cell(records, row, column), value) == 0;
}

static enum tma_direction direction_of(const struct tma_tsv *records, size_t row) {
    return is(records, row, "operation", "load")    ? TMA_LOAD
           : is(records, row, "operation", "store") ? TMA_STORE
                                                    : TMA_REDUCE;
}

static enum tma_l2_promotion promotion_of(const struct tma_tsv *records, size_t row) {
    uint32_t bytes = record_number(records, row, "promotion");
    return bytes == 256 ? TMA_L2_256B : bytes == 128 ? TMA_L2_128B : TMA_L2_NONE;
}

/* Warps on as many SMs as the record has. Groups of SMs that share a line are of one GPC. */
static void add_warps(struct loop *loop, const struct tma_tsv *records, size_t row) {
    uint32_t sharing = record_number(records, row, "sharing"),
             sms = record_number(records, row, "sms");
    bool of_sm = is(records, row, "of", "sm");
    uint32_t group = of_sm ? 1 : sharing, groups = 0, members = 0;
    for (uint32_t gpc = 0; gpc < machine.topology.gpc_count; gpc++, members = 0)
        for (uint32_t sm = 0; sm < SMS; sm++) {
            if (gpcs[sm] != gpc || groups * group + members >= sms)
                continue;
            for (uint32_t warp = 0; warp < WARPS; warp++)
                add_warp(loop, sm, groups * WARPS + (of_sm ? warp / sharing : warp), 0, true);
            if (++members == group) {
                members = 0;
                groups++;
            }
        }
}

/* The operations that ended are those of a record, which counted for 30000 cycles. */
static void check_operations(const struct loop *loop, const struct tma_tsv *records, size_t row,
                             double ceiling) {
    double measured =
        record_number(records, row, "operations") * (double)(loop->end - loop->begin) / 30000;
    double error = (double)loop->ended / measured - 1;
    ck_assert_msg(fabs(error) <= ceiling, "row %zu: %u operations, measured %.0f", row + 1,
                  loop->ended, measured);
}

/* The largest error of a rate: today's, rounded up. */
static const struct {
    const char *operation;
    double ceiling;
} rates[] = {{"load", 0.16}, {"store", 0.18}, {"reduce", 0.39}};

TEST_ROWS(test_rates, GPUS *TABLE_ROWS(rates)) {
    const int gpu = _i % GPUS, kind = _i / GPUS;
    const uint64_t warm_up = kind == 0 ? 3000 : 10000, window = kind == 0 ? 6000 : 30000;
    struct tma_tsv records;
    uint32_t replayed = 0;
    int found = 0;
    set_up(gpu);
    find_lines(true, SMS * WARPS);
    read_gpu_records(gpu, "slice_rates.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        if (!is(&records, row, "operation", rates[kind].operation) || found++ % case_step() != 0)
            continue;
        struct loop *loop =
            new_loop(direction_of(&records, row), record_number(&records, row, "row_bytes"),
                     record_number(&records, row, "offset"), promotion_of(&records, row));
        add_warps(loop, &records, row);
        run(loop, warm_up, window, false);
        check_operations(loop, &records, row, rates[kind].ceiling);
        free_loop(loop);
        replayed++;
    }
    ck_assert_uint_gt(replayed, 0);
    tma_tsv_free(&records);
}

/* Both partitions of L2 hold all sectors of all lines: an SM of each loads them. */
static void warm_lines(struct loop *loop, uint32_t count) {
    uint32_t partition = 0;
    for (uint32_t sm = 0; sm < SMS && partition < machine.l2.partitions; sm++) {
        if (tma_memory_partition(loop->memory, sm) != partition)
            continue;
        for (uint32_t part = 0; part < 4 * count; part++) {
            struct tma_row_stream rows;
            struct tma_operation_size size;
            loop->operation.coordinates[0] = (int32_t)(part % 4) * 8;
            begin_rows(loop, part / 4, &rows, &size);
            tma_memory_warm(loop->memory, sm, TMA_LOAD, TMA_L2_NONE, &rows, false);
        }
        partition++;
    }
    ck_assert_uint_eq(partition, machine.l2.partitions);
}

TEST_ROWS(test_conflicts, GPUS) {
    const uint64_t warm_up = 3000, window = 6000;
    const double ceiling = 0.1; /* today's largest error, rounded up */
    struct tma_tsv records;
    set_up(_i);
    find_lines(false, COOL_LINES + MOST_HOT);
    read_gpu_records(_i, "slice_conflicts.tsv", &records);
    ck_assert_uint_eq(records.rows, 24);
    for (size_t row = 0; row < records.rows; row += (size_t)case_step()) {
        struct loop *loop = new_loop(TMA_LOAD, 32, 0, TMA_L2_NONE);
        loop->hot = record_number(&records, row, "hot");
        loop->share = record_number(&records, row, "share");
        warm_lines(loop, loop->hot + COOL_LINES);
        for (uint32_t i = 0; i < SMS * WARPS; i++)
            add_warp(loop, i / WARPS, 0, 0, false);
        run(loop, warm_up, window, false);
        check_operations(loop, &records, row, ceiling);
        free_loop(loop);
    }
    tma_tsv_free(&records);
}

static int compare(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median time of hits while `loads` misses are on their way. */
static double median_of_hits(uint32_t loads) {
    const uint32_t readers = 12, cold = 65536;
    const uint64_t warm_up = 8000, window = 16000;
    struct loop *loop = new_loop(TMA_LOAD, 32, 0, TMA_L2_NONE);
    uint32_t loaders = loads / (SMS - readers);
    for (uint32_t sm = 0; sm < readers; sm++)
        add_warp(loop, sm * 11, cold + sm, 0, true);
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint32_t warp = 0; warp < loaders && sm % 11 != 0; warp++)
            add_warp(loop, sm, (sm - 1 - sm / 11) * loaders + warp, loads, false);
    run(loop, warm_up, window, true);
    qsort(loop->cycles, loop->cycle_count, sizeof *loop->cycles, compare);
    ck_assert_uint_gt(loop->cycle_count, 50);
    double median = loop->cycles[loop->cycle_count / 2];
    free_loop(loop);
    return median;
}

TEST(test_hits_wait_behind_misses) {
    struct tma_tsv records;
    set_up(H200);
    find_lines(false, ROW_LINES);
    read_records(FOLDER "slice_misses.tsv", &records);
    const double most_apart = 100;
    double alone = median_of_hits(0), measured_alone = record_number(&records, 0, "cycles");
    for (size_t row = 1; row < records.rows; row += (size_t)case_step()) {
        double predicted = median_of_hits(record_number(&records, row, "loads")) - alone;
        double measured = record_number(&records, row, "cycles") - measured_alone;
        ck_assert_msg(fabs(predicted - measured) <= measured * 2 / 3 + most_apart,
                      "%s loads: hits wait for %.0f cycles, measured %.0f",
                      tma_tsv_cell(&records, row, "loads"), predicted, measured);
    }
    tma_tsv_free(&records);
}

TEST_SUITE("L2 slices", .timeout = 300);
