/* Kernels with roles: what the reader makes of a program, and what happens when memory runs
 * out. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"

static const char text[] =
    "name: all\n"
    "gpu: configs/gpus/h200.yaml\n"
    "parameters: {BM: 128, BK: 64, STEPS: 8}\n"
    "tensor_maps:\n"
    "  A: {data_type: float16, global_dim: [4096, 4096], box_dim: [BK, BM], swizzle: 128b}\n"
    "  B: {data_type: float16, global_dim: [4096, 4096], box_dim: [BK, BM / 4], swizzle: 128b}\n"
    "kernel:\n"
    "  ctas: 8\n"
    "  cluster: 4\n"
    "  sm_clock: 1500 MHz\n"
    "  initial_cache: warm\n"
    "  rings:\n"
    "    ab: {stages: 4, operands: {a: BM*BK*2 - 16, b: 16 KiB}, release_to: [rank, 0], "
    "release_scope: cluster}\n"
    "    own: {stages: 2}\n"
    "  buffers: {c: 32 KiB}\n"
    "  barriers: {meet: 2}\n"
    "  roles:\n"
    "    producer:\n"
    "      program:\n"
    "        - for: {tile: {m: 32, n: STEPS, group_m: 2, schedule: dynamic}}\n" /* 0 */
    "          do:\n"
    "            - for: {k: [1, STEPS + m, 2]}\n" /* 1 */
    "              do:\n"
    "                - acquire: ab\n" /* 2 */
    "                - load: {map: B, into: ab.b, offset: rank * 4096,"
    " at: [k*BK, n*BM + rank*32], multicast: all}\n"                                /* 3 */
    "                - load: {map: B, into: ab.b, at: [0, 0], multicast: [0, 3]}\n" /* 4 */
    "    consumer:\n"
    "      warps: 8\n"
    "      program:\n"
    "        - for: {i: STEPS}\n" /* 5 */
    "          ahead: 1\n"
    "          do:\n"
    "            - ahead: [{acquire: own}, {load: {map: A, into: own, at: [0, 0]}}]\n" /* 6 7 8 */
    "            - wait: own\n"                                                        /* 9 */
    "            - access: {tile: own, instruction: ldmatrix.x4, lanes: matrix}\n"     /* 10 */
    "            - release: own\n"                                                     /* 11 */
    "            - wait: ab\n"                                                         /* 12 */
    "            - mma: {shape: [BM, i + 8, 64], in_flight: 1, a: registers, b: {tile: ab.b, at: "
    "[0, i]}}\n"                                                          /* 13
                                                                           */
    "            - if: i > 0\n"                                           /* 14 */
    "              then: [{release: {ring: ab, behind: 1}}]\n"            /* 15 */
    "              else: [{sfu: 3 * BM}, {alu: i}]\n"                     /* 16 17 */
    "            - sync: meet\n"                                          /* 18 */
    "            - store: {map: A, from: c, offset: 16384, at: [0, i]}\n" /* 19 */
    "            - commit\n"                                              /* 20 */
    "            - wait_stores: {until: read, in_flight: 2}\n"            /* 21 */
    "        - wait_stores: complete\n"                                   /* 22 */
    "    third:\n"
    "      program:\n"
    "        - arrive: meet\n"         /* 23 */
    "        - shared_wavefronts: 5\n" /* 24 */
    "        - wait_mma: 0\n"          /* 25 */
    "        - exit\n";                /* 26 */

static void read_good(const char *yaml, struct tma_scenario *scenario) {
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read_text(yaml, "text", NULL, 0, scenario, &list);
    ck_assert_msg(good, "%u: %s", list.count > 0 ? list.items[0].at.line : 0,
                  list.count > 0 ? list.items[0].text : "no reason");
    ck_assert_ptr_nonnull(scenario->program);
    tma_diagnostics_free(&list);
}

TEST(test_keys) {
    struct tma_scenario scenario;
    read_good(text, &scenario);
    const struct tma_kernel *kernel = &scenario.program->kernel;
    ck_assert_uint_eq(kernel->cta_count, 8);
    ck_assert_uint_eq(kernel->cluster_ctas, 4);
    ck_assert_uint_eq(kernel->sm_clock_mhz, 1500);
    ck_assert(!kernel->cold);
    ck_assert_uint_eq(kernel->ring_count, 2);
    ck_assert_uint_eq(kernel->rings[0].depth, 4);
    ck_assert_uint_eq(kernel->rings[0].stage_bytes,
                      32768); /* operands begin at multiples of 1 KiB */
    ck_assert_uint_eq(kernel->rings[1].stage_bytes, 16384); /* that of its load */
    ck_assert(kernel->rings[0].release_cluster);
    ck_assert_str_eq(tma_expression_text(kernel->rings[0].release_mask.expression),
                     "pow2(rank) + pow2(0)");
    ck_assert_uint_eq(kernel->shared_bytes, 4 * 32768 + 2 * 16384 + 32768);
    ck_assert_uint_eq(kernel->barriers[0].arrivals, 2);
    ck_assert_uint_eq(kernel->role_count, 3);
    ck_assert_uint_eq(kernel->roles[0].warps, 1);
    ck_assert_uint_eq(kernel->roles[1].warps, 8);
    ck_assert_uint_eq(kernel->roles[1].first, 5);
    ck_assert_uint_eq(kernel->roles[1].end, 23);
    tma_scenario_free(&scenario);
}

static const struct {
    enum tma_statement_kind kind;
    uint32_t end, otherwise;
} shapes[] = {
    {TMA_STATEMENT_TILES, 5, 1},         {TMA_STATEMENT_FOR, 5, 2},
    {TMA_STATEMENT_ACQUIRE, 3, 3},       {TMA_STATEMENT_OPERATION, 4, 4},
    {TMA_STATEMENT_OPERATION, 5, 5},     {TMA_STATEMENT_FOR, 22, 6},
    {TMA_STATEMENT_AHEAD, 9, 7},         {TMA_STATEMENT_ACQUIRE, 8, 8},
    {TMA_STATEMENT_OPERATION, 9, 9},     {TMA_STATEMENT_WAIT, 10, 10},
    {TMA_STATEMENT_COMPUTE, 11, 11},     {TMA_STATEMENT_RELEASE, 12, 12},
    {TMA_STATEMENT_WAIT, 13, 13},        {TMA_STATEMENT_COMPUTE, 14, 14},
    {TMA_STATEMENT_IF, 18, 16},          {TMA_STATEMENT_RELEASE, 16, 16},
    {TMA_STATEMENT_COMPUTE, 17, 17},     {TMA_STATEMENT_COMPUTE, 18, 18},
    {TMA_STATEMENT_BARRIER, 19, 19},     {TMA_STATEMENT_OPERATION, 20, 20},
    {TMA_STATEMENT_COMMIT, 21, 21},      {TMA_STATEMENT_WAIT_STORES, 22, 22},
    {TMA_STATEMENT_WAIT_STORES, 23, 23}, {TMA_STATEMENT_BARRIER, 24, 24},
    {TMA_STATEMENT_COMPUTE, 25, 25},     {TMA_STATEMENT_WAIT_MMA, 26, 26},
    {TMA_STATEMENT_EXIT, 27, 27},
};

TEST(test_statements) {
    struct tma_scenario scenario;
    read_good(text, &scenario);
    const struct tma_kernel *kernel = &scenario.program->kernel;
    const struct tma_statement *at = kernel->statements;
    ck_assert_uint_eq(kernel->statement_count, TABLE_ROWS(shapes));
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        ck_assert_msg(at[i].kind == shapes[i].kind, "statement %u", i);
        ck_assert_msg(at[i].end == shapes[i].end, "statement %u ends at %u", i, at[i].end);
        ck_assert_msg(at[i].otherwise == shapes[i].otherwise, "statement %u", i);
    }
    ck_assert_int_eq(at[0].schedule, TMA_TILES_DYNAMIC);
    ck_assert_int_eq(at[0].tiles_m.constant, 32);
    ck_assert_int_eq(at[0].tiles_n.constant, 8);
    ck_assert_int_eq(at[0].group.constant, 2);
    ck_assert_str_eq(kernel->variables[at[0].variable_n], "n");
    ck_assert_int_eq(at[1].from.constant, 1);
    ck_assert_str_eq(tma_expression_text(at[1].to.expression), "STEPS + m");
    ck_assert_uint_eq(tma_expression_variables(at[1].to.expression), 1u << at[0].variable_m);
    ck_assert_int_eq(at[1].step.constant, 2);
    ck_assert_int_eq(at[3].cta_mask.constant, 15);
    ck_assert_uint_eq(at[3].operation.shared_address, 16384);
    ck_assert_uint_eq(tma_expression_variables(at[3].shared_offset.expression),
                      1u << TMA_VARIABLE_RANK);
    ck_assert_int_eq(at[4].cta_mask.constant, 9);
    ck_assert_uint_eq(at[5].ahead, 1);
    ck_assert_uint_eq(at[8].ring, 1);
    ck_assert_uint_eq(at[10].consumer.operation, 8);
    ck_assert_int_eq(at[13].type, TMA_MMA_HALF);
    ck_assert_int_eq(at[13].operands[TMA_MMA_B].place.kind, TMA_PLACE_RING);
    ck_assert_uint_eq(at[13].operands[TMA_MMA_B].place.offset_bytes, 16384);
    ck_assert_uint_eq(at[13].operands[TMA_MMA_B].place.bytes, 16384);
    ck_assert_ptr_nonnull(at[13].operands[TMA_MMA_B].at[1].expression);
    ck_assert(at[13].a_in_registers);
    ck_assert_uint_eq(at[13].leaving, 1);
    ck_assert_ptr_nonnull(at[13].amount[1].expression);
    ck_assert_int_eq(at[13].amount[0].constant, 128);
    ck_assert_uint_eq(at[15].lag, 1);
    ck_assert_int_eq(at[16].amount[TMA_SFU].constant, 384);
    ck_assert(!at[18].arrive_only && at[23].arrive_only);
    ck_assert_int_eq(at[19].shared_offset.constant, 16384);
    ck_assert_uint_eq(at[19].buffer, 0);
    ck_assert_uint_eq(at[19].ring, TMA_NO_RING);
    ck_assert(at[21].read_only && !at[22].read_only);
    ck_assert_uint_eq(at[21].leaving, 2);
    ck_assert_uint_eq(at[2].line, 24);
    tma_scenario_free(&scenario);
}

static uint64_t allocations, failing; /* the number of the one that fails */

static bool fails_at_its_turn(void) {
    return ++allocations == failing;
}

/* Each allocation fails in turn: the kernel is whole, or an error says that memory ran out. */
TEST(test_lack_of_memory) {
    struct tma_scenario whole;
    read_good(text, &whole);
    struct tma_digests expected, digests;
    ck_assert(tma_scenario_digest(&whole, &expected));
    bool complete = false;
    for (failing = 1; !complete; failing++) {
        struct tma_scenario scenario;
        struct tma_diagnostics list = {0};
        allocations = 0;
        tma_allocation_fails = fails_at_its_turn;
        bool good = tma_scenario_read_text(text, "text", NULL, 0, &scenario, &list);
        tma_allocation_fails = NULL;
        complete = allocations < failing;
        if (good) {
            ck_assert(tma_scenario_digest(&scenario, &digests));
            ck_assert_mem_eq(&digests, &expected, sizeof digests);
        } else {
            ck_assert_msg(tma_diagnostics_lack_memory(&list), "allocation %llu: %s",
                          (unsigned long long)failing,
                          list.count > 0 ? list.items[0].text : "no error");
        }
        tma_scenario_free(&scenario);
        tma_diagnostics_free(&list);
    }
    ck_assert_uint_gt(failing, 100);
    tma_scenario_free(&whole);
}

TEST_SUITE("kernel_reader", .timeout = 60);
