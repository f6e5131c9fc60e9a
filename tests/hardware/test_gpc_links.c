/* Replays gpc_links.tsv: how fast one to four GPCs next to the same partition of L2 read lines of
 * one slice, of one group of eight slices, of parts of two groups, and of all. As in
 * scripts/capture/gpc_links.cu, the SMs issue all their operations without waiting for them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpus.h"
#include "memory/core/address_map.h"
#include "memory/core/random.h"
#include "memory/system.h"
#include "memory/topology.h"

enum {
    GPC_SMS = 16, /* of each GPC that takes part */
    OPERATIONS = 512,
    ROWS = 4, /* of an operation: lines l, l + 1, l + 4 and l + 5 */
    OWN_GROUPS = 8,
    SLICE_GROUPS = 64 * OWN_GROUPS, /* of four lines, of each slice: for all SMs */
    MAX_SLICES = 64,
    BLOCK = 8,     /* lines, in which two groups of four begin */
    LATENCY = 500, /* cycles: subtracted, as in the capture */
    ISSUE_CYCLES =
        12, /* between operations of an SM: rows of 32 bytes of all slices take so long */
};

static const uint64_t base_line = FIRST_ADDRESS / TMA_LINE_BYTES;

static struct tma_machine machine;
static int32_t groups[MAX_SLICES][SLICE_GROUPS]; /* of each slice: their first lines, halved */

static uint32_t slice_of(const struct tma_address_map *map, uint64_t line) {
    return tma_locate(map, base_line + line).server.slice;
}

static void find_groups(void) {
    struct tma_address_map map = tma_address_map_of(&machine);
    uint32_t slices = machine.l2.slices / machine.l2.partitions, full = 0;
    uint32_t found[MAX_SLICES] = {0};
    for (uint64_t line = 0; full < slices; line += 2) {
        if (line % BLOCK >= 4)
            continue;
        uint32_t slice = slice_of(&map, line);
        ck_assert_uint_eq(slice_of(&map, line + 5), slice);
        if (found[slice] < SLICE_GROUPS) {
            groups[slice][found[slice]++] = (int32_t)(line / 2);
            full += found[slice] == SLICE_GROUPS;
        }
    }
}

/* A row of each line of a group. */
static struct tma_tensor_map map_of(uint32_t row_bytes) {
    return (struct tma_tensor_map){
        .kind = TMA_MAP_TILED,
        .data_type = TMA_UINT32,
        .rank = 4,
        .global_address = base_line * TMA_LINE_BYTES,
        .global_dim = {TMA_LINE_BYTES / 4, 2, 2, 1 << 24},
        .global_strides = {TMA_LINE_BYTES, 4 * TMA_LINE_BYTES, 2 * TMA_LINE_BYTES},
        .box_dim = {row_bytes / 4, 2, 2, 1},
        .element_strides = {1, 1, 1, 1},
    };
}

static void begin_rows(const struct tma_tensor_map *map, int32_t group, struct tma_row_stream *rows,
                       struct tma_operation_size *size) {
    const struct tma_operation operation = {
        .direction = TMA_LOAD, .access = TMA_ACCESS_TILE, .coordinates = {0, 0, 0, group}};
    struct tma_error error;
    ck_assert(tma_rows_begin(rows, map, &operation, size, &error) == TMA_OK);
}

/* SMs of GPCs next to the partition that has most of them. */
static uint32_t choose_sms(uint32_t gpcs, uint32_t sms[]) {
    uint32_t gpc_of_sm[TMA_MAX_SMS], size[TMA_MAX_GPCS] = {0}, near[2] = {0};
    tma_machine_gpcs(&machine, gpc_of_sm);
    for (uint32_t sm = 0; sm < machine.sm_count; sm++)
        size[gpc_of_sm[sm]]++;
    for (uint32_t gpc = 0; gpc < machine.topology.gpc_count; gpc++)
        near[machine.topology.gpc_partition[gpc]] += size[gpc] >= GPC_SMS;
    uint32_t partition = near[1] > near[0], count = 0;
    for (uint32_t gpc = 0; gpc < machine.topology.gpc_count; gpc++) {
        if (machine.topology.gpc_partition[gpc] != partition || size[gpc] < GPC_SMS ||
            count == gpcs * GPC_SMS)
            continue;
        for (uint32_t sm = 0, taken = 0; sm < machine.sm_count && taken < GPC_SMS; sm++)
            if (gpc_of_sm[sm] == gpc)
                sms[count++] = sm, ++taken;
    }
    ck_assert_uint_eq(count, gpcs * GPC_SMS);
    return count;
}

/* Bytes a cycle that some GPCs read from the slices `first` to `last`. */
static double rate(uint32_t gpcs, uint32_t first, uint32_t last, uint32_t row_bytes) {
    struct tma_memory *memory;
    struct tma_error error;
    struct tma_tensor_map map = map_of(row_bytes);
    uint32_t sms[TMA_MAX_SMS], count = choose_sms(gpcs, sms);
    uint64_t begin = 1000, end = 0;
    ck_assert(tma_memory_create(&memory, &machine, &error) == TMA_OK);
    static int32_t lists[TMA_MAX_SMS][OPERATIONS];
    struct tma_row_stream rows;
    struct tma_operation_size size;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < OPERATIONS; k++) {
            uint64_t random = tma_mix64((uint64_t)i * OPERATIONS + k);
            uint32_t slice = first + (uint32_t)(random % (last - first + 1));
            uint32_t group = i * OWN_GROUPS + (uint32_t)(random >> 32) % OWN_GROUPS;
            lists[i][k] = groups[slice][group % SLICE_GROUPS];
            begin_rows(&map, lists[i][k], &rows, &size);
            tma_memory_warm(memory, sms[i], TMA_LOAD, map.l2_promotion, &rows, false);
        }
    for (uint32_t k = 0; k < OPERATIONS; k++)
        for (uint32_t i = 0; i < count; i++) {
            begin_rows(&map, lists[i][k], &rows, &size);
            struct tma_issue issue = {.cycle = begin + (uint64_t)k * ISSUE_CYCLES,
                                      .tag = k,
                                      .sm = sms[i],
                                      .direction = TMA_LOAD,
                                      .warp = k % 8,
                                      .map = &map,
                                      .rows = &rows,
                                      .size = &size};
            ck_assert(tma_memory_issue(memory, &issue));
        }
    ck_assert(tma_memory_drain(memory));
    struct tma_completion completion;
    while (tma_memory_take(memory, &completion))
        end = completion.cycle > end ? completion.cycle : end;
    tma_memory_free(memory);
    return (double)count * OPERATIONS * ROWS * row_bytes / (double)(end - begin - LATENCY);
}

TEST(test_links) {
    const double ceiling = 0.16; /* today's largest error, rounded up */
    struct tma_tsv records;
    read_h200(&machine);
    find_groups();
    read_records(FOLDER "gpc_links.tsv", &records);
    ck_assert_uint_gt(records.rows, 0);
    for (size_t row = 0; row < records.rows; row += (size_t)case_step()) {
        uint32_t gpcs = record_number(&records, row, "gpcs"),
                 bytes = record_number(&records, row, "row_bytes");
        unsigned first, last;
        ck_assert_int_eq(sscanf(tma_tsv_cell(&records, row, "slices"), "%u-%u", &first, &last), 2);
        double measured = strtod(tma_tsv_cell(&records, row, "bytes_per_cycle"), NULL);
        double predicted = rate(gpcs, first, last, bytes);
        ck_assert_msg(fabs(predicted / measured - 1) <= ceiling,
                      "%u GPCs, slices %u to %u, %u bytes: %.1f B/cycle, measured %.1f", gpcs,
                      first, last, bytes, predicted, measured);
    }
    tma_tsv_free(&records);
}

TEST_SUITE("links to GPCs", .timeout = 300);
