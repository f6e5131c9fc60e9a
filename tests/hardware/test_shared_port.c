/* Replays shared_port.tsv: warps of an SM access shared memory while its TMA unit loads, stores,
 * reduces or copies tiles. A record has the rates of both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/traffic.h"
#include "gpus.h"

/* `START`: the slots have their first operations behind them. */
enum { WINDOW = 40000, START = 4000, MAX_SLOTS = 8, TENSOR_ROWS = 16384, PITCH = 256 };

/* The largest error of a rate, averaged over the records: today's, rounded up. */
static const double tma_ceiling = 0.07, warp_ceiling = 0.08, alone_ceiling = 0.055;

static struct tma_machine machine;
static struct tma_tsv records;

static void set_up(void) {
    read_h200(&machine);
    read_records(FOLDER "shared_port.tsv", &records);
}

static void tear_down(void) {
    tma_tsv_free(&records);
}

static uint32_t number(size_t row, const char *column) {
    return record_number(&records, row, column);
}

static bool is(size_t row, const char *column, const char *text) {
    return strcmp(tma_tsv_cell(&records, row, column), text) == 0;
}

/* Wavefronts of the record's instruction; 0 for wgmma, which has no warps' accesses, and none. */
static uint32_t wavefronts(size_t row) {
    static const struct {
        const char *name;
        uint32_t phases;
    } instructions[] = {{"ld.shared.b32", 1}, {"ld.shared.b64", 2}, {"ld.shared.b128", 4},
                        {"st.shared.b32", 1}, {"st.shared.b64", 2}, {"st.shared.b128", 4},
                        {"ldmatrix.x1", 1},   {"ldmatrix.x4", 4},   {"stmatrix.x4", 4}};
    for (int i = 0; i < TABLE_ROWS(instructions); i++)
        if (is(row, "instruction", instructions[i].name))
            return instructions[i].phases * number(row, "ways");
    return 0;
}

/* Wavefronts a cycle of the warps of a record. */
static double warp_rate(size_t row) {
    return (double)number(row, "instructions") * wavefronts(row) / number(row, "cycles");
}

/* Bytes a cycle of the TMA unit of a record. */
static double tma_rate(size_t row) {
    return (double)number(row, "operations") * number(row, "row_bytes") * number(row, "rows") /
           number(row, "cycles");
}

/* The slots of a record as they run in the model: each issues its next operation when its warp has
 * seen the end of the last one. */
struct slots {
    struct tma_memory *memory;
    struct tma_tensor_map map;
    uint32_t count, tiles, tile[MAX_SLOTS];
    enum tma_direction directions[MAX_SLOTS];
    uint64_t next[MAX_SLOTS]; /* cycle of the next issue; UINT64_MAX: an operation is in flight */
    uint64_t bytes;           /* of operations that have completed in the window */
};

static struct slots slots_of(size_t row) {
    uint32_t row_bytes = number(row, "row_bytes"), rows = number(row, "rows");
    struct slots slots = {.count = number(row, "slots"), .tiles = TENSOR_ROWS / rows};
    slots.map = (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                        .data_type = TMA_INT32,
                                        .rank = 2,
                                        .global_address = 0x10000000,
                                        .global_dim = {row_bytes / 4, TENSOR_ROWS},
                                        .global_strides = {PITCH},
                                        .box_dim = {row_bytes / 4, rows},
                                        .element_strides = {1, 1}};
    bool copies = is(row, "operation", "copy");
    for (uint32_t s = 0; s < slots.count; s++) {
        slots.tile[s] = s * (slots.tiles / MAX_SLOTS);
        slots.directions[s] = is(row, "operation", "load") || (copies && s % 2 == 0) ? TMA_LOAD
                              : is(row, "operation", "reduce")                       ? TMA_REDUCE
                                                                                     : TMA_STORE;
    }
    return slots;
}

static void issue(struct slots *slots, uint32_t s, uint64_t cycle) {
    struct load load = {.map = &slots->map,
                        .cycle = cycle,
                        .y = (int32_t)(slots->tile[s] * slots->map.box_dim[1]),
                        .tag = s,
                        .direction = slots->directions[s],
                        .warp = s};
    slots->tile[s] = (slots->tile[s] + 1) % slots->tiles;
    slots->next[s] = UINT64_MAX;
    issue_load(slots->memory, &load);
}

static void warm_tensor(struct slots *slots) {
    for (uint32_t tile = 0; tile < slots->tiles; tile++) {
        struct load load = {.map = &slots->map, .y = (int32_t)(tile * slots->map.box_dim[1])};
        warm_load(slots->memory, &load);
    }
}

static void complete(struct slots *slots) {
    struct tma_completion done;
    while (tma_memory_take(slots->memory, &done)) {
        uint64_t later = tma_writes_tensor(slots->directions[done.tag])
                             ? machine.tma.store_turnaround_cycles
                             : machine.tma.turnaround_cycles;
        slots->next[done.tag] = done.cycle + later;
        if (done.cycle >= START && done.cycle < START + WINDOW)
            slots->bytes +=
                done.bytes > 0 ? done.bytes : slots->map.box_dim[0] * slots->map.box_dim[1] * 4;
    }
}

/* Runs the slots of a record, and warps that always access shared memory with `wavefronts`
 * wavefronts each. Both rates are per cycle. */
static void simulate(size_t row, uint32_t wavefronts, double *tma, double *warps) {
    struct slots slots = slots_of(row);
    uint64_t free_cycle = 0, count = 0;
    ck_assert_int_eq(tma_memory_create(&slots.memory, &machine, NULL), TMA_OK);
    warm_tensor(&slots);
    for (uint64_t cycle = 0; cycle < START + WINDOW; cycle++) {
        complete(&slots);
        for (uint32_t s = 0; s < slots.count; s++)
            if (slots.next[s] <= cycle)
                issue(&slots, s, cycle);
        if (wavefronts > 0 && free_cycle <= cycle) {
            free_cycle = tma_memory_access_shared(slots.memory, 0, cycle, wavefronts);
            count += cycle >= START ? wavefronts : 0;
        }
        ck_assert(tma_memory_advance(slots.memory, cycle + 1));
    }
    *tma = (double)slots.bytes / WINDOW;
    *warps = (double)count / WINDOW;
    tma_memory_free(slots.memory);
}

/* The record of the same warps without operations. */
static size_t alone(size_t row) {
    size_t other = 0;
    while (!is(other, "operation", "none") ||
           !is(other, "instruction", tma_tsv_cell(&records, row, "instruction")) ||
           !is(other, "ways", tma_tsv_cell(&records, row, "ways")) ||
           !is(other, "warps", tma_tsv_cell(&records, row, "warps")))
        other++;
    return other;
}

/* Records whose slots, of all those with the same operations, the model has simulated: one
 * simulation is enough, as its rates do not depend on the warps. */
struct kind {
    char text[64];
    double tma, tma_alone, warps;
};

static struct kind kind_of(size_t row) {
    struct kind kind;
    snprintf(kind.text, sizeof kind.text, "%s %u %u %u", tma_tsv_cell(&records, row, "operation"),
             number(row, "row_bytes"), number(row, "rows"), number(row, "slots"));
    return kind;
}

/* Warps that take nearly all wavefronts when alone, beside every kind of operation. */
TEST(test_rates_beside_each_other) {
    struct kind kinds[16];
    uint32_t kind_count = 0, count = 0;
    double tma_error = 0, warp_error = 0;
    for (size_t row = 0; row < records.rows; row++) {
        if (is(row, "operation", "none") || wavefronts(row) == 0 || warp_rate(alone(row)) < 0.99)
            continue;
        struct kind kind = kind_of(row), *known = kinds;
        while (known < &kinds[kind_count] && strcmp(known->text, kind.text) != 0)
            known++;
        if (known == &kinds[kind_count]) {
            double none;
            ck_assert_uint_lt(kind_count++, TABLE_ROWS(kinds));
            simulate(row, 32, &kind.tma, &kind.warps);
            simulate(row, 0, &kind.tma_alone, &none);
            *known = kind;
            /* Warps do not slow down the TMA unit, nor does it slow them down. */
            ck_assert_msg(fabs(kind.tma - kind.tma_alone) < 1e-9, "%s", kind.text);
            ck_assert_msg(kind.warps > 0.999 && kind.warps < 1.002, "%s: %f", kind.text,
                          kind.warps);
        }
        tma_error += fabs(known->tma / tma_rate(row) - 1);
        warp_error += fabs(known->warps / warp_rate(row) - 1);
        count++;
    }
    ck_assert_uint_eq(kind_count, 11);
    ck_assert_uint_eq(count, 319);
    ck_assert_msg(tma_error / count < tma_ceiling, "TMA unit: mean error %.4f", tma_error / count);
    ck_assert_msg(warp_error / count < warp_ceiling, "warps: mean error %.4f", warp_error / count);
}

/* Without warps: among others, loads and stores that share the unit. */
TEST(test_rates_alone) {
    uint32_t count = 0;
    double sum = 0;
    for (size_t row = 0; row < records.rows; row++) {
        double tma, warps;
        if (!is(row, "instruction", "none"))
            continue;
        simulate(row, 0, &tma, &warps);
        double error = fabs(tma / tma_rate(row) - 1);
        ck_assert_msg(error < 0.15, "%s: %.2f, measured %.2f", kind_of(row).text, tma,
                      tma_rate(row));
        sum += error;
        count++;
    }
    ck_assert_uint_eq(count, 11);
    ck_assert_msg(sum / count < alone_ceiling, "mean error %.4f", sum / count);
}

TEST_SUITE("shared-memory port of an H200", .set_up = set_up, .tear_down = tear_down,
           .timeout = 60);
