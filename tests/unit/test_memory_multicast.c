/* Multicast loads: the cycle at which each SM has the data, and what is counted once for all SMs;
 * and the placement of clusters on SMs. Times are those of the small machine. */
#include "machine.h"
#include "memory/core/sectors.h"
#include "memory/topology.h"
#include "suite.h"
#include "traffic.h"

enum {
    COMPLETE = 5,
    GPC_PORT = 2, /* of a line */
    SM_PORT = 4,
    ROW = 2, /* of the TMA unit */
    RESPONSE = 20,
    HIT = 10 + 30 + 3 + 15 + RESPONSE + GPC_PORT + SM_PORT + COMPLETE,
    SMS = 3, /* of GPC 0 */
};

static struct tma_machine machine;
static struct tma_memory *memory;
static const uint32_t others[] = {1, 2};

static void set_up(void) {
    machine = flat_machine();
    machine.topology.gpc_size[0] = SMS;
    machine.topology.gpc_size[1] = 1;
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_memory_free(memory);
}

/* SM 0 loads one line for itself and `copies` others. */
static struct load warm_line(const struct tma_tensor_map *map, uint32_t copies) {
    struct load load = {
        .map = map, .y = row_at_home(&machine, map, 0, 0), .copies = others, .copy_count = copies};
    warm_load(memory, &load);
    return load;
}

/* Every SM has the line at cycle HIT, and not a cycle before. L2 and the GPC's port pass it once.
 */
TEST_ROWS(test_one_line_for_all, SMS) {
    uint32_t copies = (uint32_t)_i;
    struct tma_tensor_map map = line_map(1);
    struct load load = warm_line(&map, copies);
    struct tma_completion completion;
    issue_load(memory, &load);
    ck_assert(tma_memory_advance(memory, HIT - COMPLETE - SM_PORT - RESPONSE - GPC_PORT));
    ck_assert(!tma_memory_take(memory, &completion));
    ck_assert(tma_memory_advance(memory, HIT - COMPLETE - SM_PORT - RESPONSE - GPC_PORT + 1));
    for (uint32_t sm = 0; sm <= copies; sm++) {
        ck_assert(tma_memory_take(memory, &completion));
        ck_assert_uint_eq(completion.cycle, HIT);
        ck_assert_uint_eq(completion.bytes, TMA_LINE_BYTES);
        ck_assert_uint_eq(completion.tensor_bytes, TMA_LINE_BYTES);
        ck_assert_int_eq(completion.copied, completion.sm != 0);
        ck_assert_uint_eq(completion.requests, completion.copied ? 0 : 1);
    }
    ck_assert(!tma_memory_take(memory, &completion));
    ck_assert_uint_eq(tma_memory_in_flight(memory), 0);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.requests, 1);
    ck_assert_uint_eq(counters.sectors, TMA_SECTORS);
    ck_assert_uint_eq(counters.gpc_port_busy, GPC_PORT);
    ck_assert_uint_eq(counters.response_sectors, (1 + copies) * TMA_SECTORS);
    ck_assert_uint_eq(counters.shared_write_wavefronts, 1 + copies);
    ck_assert_uint_eq(counters.sm_port_busy, (1 + copies) * SM_PORT);
}

/* Drains the memory system. cycles[sm]: the completion of the load with tag 0 in that SM. */
static void finish(uint64_t cycles[SMS]) {
    struct tma_completion completion;
    ck_assert(tma_memory_drain(memory));
    while (tma_memory_take(memory, &completion))
        if (completion.tag == 0)
            cycles[completion.sm] = completion.cycle;
}

/* A busy port of one SM delays its own copy and no other. */
TEST(test_busy_port_of_one_sm) {
    enum { ROWS = 8, LATER = ROWS * ROW };
    struct tma_tensor_map map = line_map(1), many = line_map(ROWS);
    struct load load = warm_line(&map, 2);
    struct load own = {.map = &many, .sm = 1, .y = 100, .tag = 1};
    uint64_t cycles[SMS] = {0};
    warm_load(memory, &own);
    load.cycle = LATER;
    issue_load(memory, &own);
    issue_load(memory, &load);
    finish(cycles);
    ck_assert_uint_eq(cycles[0], LATER + HIT);
    ck_assert_uint_eq(cycles[1], HIT + ROWS * SM_PORT);
    ck_assert_uint_eq(cycles[2], LATER + HIT);
}

/* Every SM gets the fill of rows that are out of bounds. L2 sees one request for each row. */
TEST(test_out_of_bounds) {
    struct tma_tensor_map map = line_map(4);
    struct load load = {.map = &map, .y = MATRIX_ROWS, .copies = others, .copy_count = 2};
    uint64_t cycles[SMS] = {0};
    issue_load(memory, &load);
    finish(cycles);
    ck_assert_uint_gt(cycles[0], 0);
    ck_assert_uint_eq(cycles[1], cycles[0]);
    ck_assert_uint_eq(cycles[2], cycles[0]);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.requests, 4);
    ck_assert_uint_eq(counters.sectors, 4 * TMA_SECTORS);
    ck_assert_uint_eq(counters.response_sectors, SMS * 4 * TMA_SECTORS);
}

/* Clusters on 8 SMs in two GPCs. A growing grid takes SMs in the order 0, 4, 1, 5, 2, 6, 3, 7. */
static const struct {
    uint32_t gpc_size[2];
    uint32_t ctas, count;
    uint32_t placed, sms[8];
} placements[] = {
    {{4, 4}, 2, 1, 1, {0, 1}},
    {{4, 4}, 2, 2, 2, {0, 1, 4, 5}},
    {{4, 4}, 2, 3, 3, {0, 1, 4, 5, 2, 3}},
    {{4, 4}, 2, 9, 4, {0, 1, 4, 5, 2, 3, 6, 7}},
    {{4, 4}, 4, 9, 2, {0, 1, 2, 3, 4, 5, 6, 7}},
    {{4, 4}, 8, 1, 0, {0}},
    {{8, 0}, 8, 1, 1, {0, 1, 2, 3, 4, 5, 6, 7}},
    {{5, 3}, 4, 9, 1, {0, 1, 2, 3}},
    {{5, 3}, 2, 9, 4, {0, 1, 4, 5, 2, 3, 6, 7}}, /* a TPC in two GPCs */
    {{1, 7}, 4, 1, 1, {4, 5, 6, 7}},
    {{2, 6}, 4, 1, 1, {4, 5, 6, 7}},
    {{2, 6}, 2, 9, 4, {0, 1, 4, 5, 2, 3, 6, 7}},
};

/* SMs 2 and 3, and 4 and 5, form clusters of two only. */
TEST_ROWS(test_lone_tpcs, 4) {
    static const struct {
        uint32_t ctas, placed, sms[8];
    } cases[] = {
        {2, 4, {0, 1, 4, 5, 2, 3, 6, 7}}, {3, 1, {0, 1, 6}}, {4, 1, {0, 1, 6, 7}}, {8, 0, {0}}};
    uint32_t sms[8];
    machine = (struct tma_machine){.sm_count = 8,
                                   .topology = {.gpc_count = 1,
                                                .gpc_size = {8},
                                                .sms = {0, 1, 2, 3, 4, 5, 6, 7},
                                                .placement = {0, 4, 1, 5, 2, 6, 3, 7},
                                                .lone_tpcs = {1, 2},
                                                .lone_tpc_count = 2}};
    ck_assert_uint_eq(tma_machine_place_clusters(&machine, cases[_i].ctas, 8, sms),
                      cases[_i].placed);
    for (uint32_t i = 0; i < cases[_i].placed * cases[_i].ctas; i++)
        ck_assert_uint_eq(sms[i], cases[_i].sms[i]);
}

TEST_ROWS(test_placement_of_clusters, TABLE_ROWS(placements)) {
    uint32_t sms[8];
    machine = (struct tma_machine){
        .sm_count = 8,
        .topology = {.gpc_count = 2,
                     .gpc_size = {placements[_i].gpc_size[0], placements[_i].gpc_size[1]},
                     .sms = {0, 1, 2, 3, 4, 5, 6, 7},
                     .placement = {0, 4, 1, 5, 2, 6, 3, 7}}};
    uint32_t placed =
        tma_machine_place_clusters(&machine, placements[_i].ctas, placements[_i].count, sms);
    ck_assert_uint_eq(placed, placements[_i].placed);
    for (uint32_t i = 0; i < placed * placements[_i].ctas; i++)
        ck_assert_uint_eq(sms[i], placements[_i].sms[i]);
}

/* SMs are in GPCs of these sizes, in order. CTA or cluster k of a GPC starts 10 * k cycles after
 * the first one of that GPC. */
static const struct {
    uint32_t gpc_size[3], ctas, count, sms[8];
    uint64_t cycles[8];
} launches[] = {
    {{4, 4}, 1, 1, {3}, {0}},
    {{4, 4}, 1, 4, {0, 1, 2, 3}, {0, 10, 20, 30}},
    {{4, 4}, 1, 4, {0, 4, 1, 5}, {0, 0, 10, 10}},
    {{4, 4}, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 10, 20, 30, 0, 10, 20, 30}},
    {{1, 2, 5}, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 10, 0, 10, 20, 30, 40}},
    {{4, 4}, 2, 8, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 10, 10, 0, 0, 10, 10}},
    {{4, 4}, 4, 8, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 0, 0, 0, 0, 0}},
    {{8}, 4, 8, {4, 5, 6, 7, 0, 1, 2, 3}, {0, 0, 0, 0, 10, 10, 10, 10}},
    {{4, 4}, 1, 6, {0, 1, 4, 0, 1, 4}, {0, 10, 0, 20, 30, 10}},
};

TEST_ROWS(test_launch_cycles, TABLE_ROWS(launches)) {
    uint64_t cycles[8];
    uint32_t gpcs[8];
    machine = (struct tma_machine){.sm_count = 8,
                                   .topology = {.gpc_count = 3,
                                                .sms = {0, 1, 2, 3, 4, 5, 6, 7},
                                                .launch_interval_cycles = 10}};
    for (uint32_t i = 0; i < 3; i++)
        machine.topology.gpc_size[i] = launches[_i].gpc_size[i];
    tma_machine_launch(&machine, launches[_i].sms, launches[_i].count, launches[_i].ctas, 1,
                       cycles);
    for (uint32_t i = 0; i < launches[_i].count; i++)
        ck_assert_uint_eq(cycles[i], launches[_i].cycles[i]);
    tma_machine_gpcs(&machine, gpcs);
    for (uint32_t gpc = 0, sm = 0; gpc < 3; gpc++)
        for (uint32_t i = 0; i < launches[_i].gpc_size[gpc]; i++)
            ck_assert_uint_eq(gpcs[sm++], gpc);
}

/* The nearest SMs of a GPC are first, and have their second CTAs after the others' first ones. A
 * warp of a CTA takes 3 cycles more, up to four warps at once. */
static const struct {
    uint32_t warps;
    uint64_t cycles[4];
} warp_launches[] = {
    {1, {26, 39, 0, 13}}, {2, {32, 48, 0, 16}}, {4, {44, 66, 0, 22}}, {12, {44, 66, 0, 22}}};

TEST_ROWS(test_launch_by_distance, TABLE_ROWS(warp_launches)) {
    static const uint32_t sms[8] = {0, 1, 2, 3, 0, 1, 2, 3};
    uint64_t cycles[8];
    machine = (struct tma_machine){.sm_count = 4,
                                   .topology = {.gpc_count = 1,
                                                .gpc_size = {4},
                                                .sms = {0, 1, 2, 3},
                                                .tpc_distances = {9, 2},
                                                .tpc_distance_count = 2,
                                                .launch_interval_cycles = 10,
                                                .launch_warp_millicycles = 3000}};
    tma_machine_launch(&machine, sms, 8, 1, warp_launches[_i].warps, cycles);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(cycles[i], warp_launches[_i].cycles[i]);
        ck_assert_uint_eq(cycles[4 + i], cycles[i] + 2 * cycles[0]);
    }
}

/* The numbers of SMs need not follow the order of GPCs. */
TEST(test_gpc_of_each_sm) {
    static const uint32_t expected[4] = {1, 0, 0, 1};
    uint32_t gpcs[4];
    machine = (struct tma_machine){
        .sm_count = 4, .topology = {.gpc_count = 2, .gpc_size = {2, 2}, .sms = {2, 1, 3, 0}}};
    tma_machine_gpcs(&machine, gpcs);
    for (int sm = 0; sm < 4; sm++)
        ck_assert_uint_eq(gpcs[sm], expected[sm]);
}

TEST_SUITE("multicast", .set_up = set_up, .tear_down = tear_down);
