/* Operations of kernels that lanes of warps carry out, and copies without a tensor map: what they
 * ask of L1 and L2, when they are done, and which rows a table names. */
#include <string.h>

#include "engine.h"
#include "engine/roles/kernel_check.h"
#include "engine/roles/kernel_run.h"
#include "random_kernels.h"
#include "scenario/kernel_program.h"
#include "shipped_machine.h"

#define HEAD                                                                                       \
    "name: lanes\ngpu: configs/gpus/h100_sxm.yaml\n"                                               \
    "tensor_maps:\n"                                                                               \
    "  X: {data_type: float32, global_dim: [256, 64], box_dim: [64, 8]}\n"                         \
    "  I: {data_type: uint32, global_dim: [256, 64], box_dim: [64, 8]}\n"                          \
    "  R: {data_type: float32, global_dim: [256, 64], box_dim: [64, 1]}\n"                         \
    "  W: {data_type: float32, global_dim: [256, 64], box_dim: [256, 2]}\n"                        \
    "kernel:\n  ctas: 1\n  tables: {ids: [63, 1, 1, 7, 8, 9, 10, 11, 12], big: [4294967296]}\n"    \
    "  rings: {t: {stages: 2}}\n  roles:\n"                                                        \
    "    consumer:\n      program:\n        - wait: t\n        - release: t\n"                     \
    "    producer:\n      warps: 4\n      program:\n        - acquire: t\n"
#define FILL       "        - bulk: {map: X, into: t, at: [0, 0]}\n"
#define LINE(text) "        - " text "\n"

/* A tile is 8 rows of 256 bytes: 64 sectors. */
static const struct {
    const char *name, *text;
    uint64_t accesses, sectors, bytes, loaded, hits, repeats, stored, reduced;
} kernels[] = {
    {"a tile: 128 lanes of 16 bytes",
     HEAD FILL LINE("load: {map: X, by: warps, at: [0, 8]}") LINE("wait_loads: 0"), 4, 64, 2048, 64,
     0, 0, 0, 0},
    {"4 bytes a lane",
     HEAD FILL LINE("load: {map: X, by: warps, lane_bytes: 4, at: [0, 8]}") LINE("wait_loads: 0"),
     16, 64, 2048, 64, 0, 0, 0, 0},
    {"lanes that go from row to row: the second to fourth word of a sector hits",
     HEAD FILL LINE("load: {map: X, by: warps, lane_bytes: 4, lanes: strided, at: [0, 8]}")
         LINE("wait_loads: 0"),
     16, 128, 2048, 128, 0, 0, 0, 0},
    {"the same tile again: L1 has it",
     HEAD FILL LINE("load: {map: X, by: warps, at: [0, 8]}") LINE("wait_loads: 0")
         LINE("load: {map: X, by: warps, at: [0, 8]}") LINE("wait_loads: 0"),
     8, 128, 4096, 128, 64, 0, 0, 0},
    {"past L1 it has not",
     HEAD FILL LINE("load: {map: X, by: warps, cache: l2, at: [0, 8]}") LINE("wait_loads: 0")
         LINE("load: {map: X, by: warps, cache: l2, at: [0, 8]}") LINE("wait_loads: 0"),
     8, 128, 4096, 128, 0, 0, 0, 0},
    {"a word of each sector of a row",
     HEAD FILL LINE("load: {map: X, by: warps, lane_bytes: 4, "
                    "lanes: strided, active: 8, at: [0, 8]}") LINE("wait_loads: 0"),
     1, 8, 32, 8, 0, 0, 0, 0},
    {"half of the tile is behind the tensor",
     HEAD FILL LINE("load: {map: X, by: warps, at: [0, 60]}") LINE("wait_loads: 0"), 2, 32, 1024,
     32, 0, 0, 0, 0},
    {"rows of a table, one of them twice",
     HEAD FILL LINE("load: {map: X, by: warps, table: ids, at: [0, 0]}") LINE("wait_loads: 0"), 4,
     64, 2048, 64, 0, 0, 0, 0},
    {"a store", HEAD FILL LINE("store: {map: X, by: warps, at: [0, 8]}"), 4, 64, 2048, 0, 0, 0,
     2048, 0},
    {"cp.async into a stage", HEAD LINE("cp_async: {map: X, into: t, at: [0, 8]}"), 4, 64, 2048, 64,
     0, 0, 0, 0},
    {"an atomic of a lane each", HEAD FILL LINE("atomic: {map: I, reduction: add, at: [0, 8]}"), 16,
     64, 2048, 0, 0, 0, 0, 2048},
    {"all lanes of the role at one address",
     HEAD FILL LINE("atomic: {map: I, reduction: add, lanes: same, at: [0, 8]}"), 4, 4, 512, 0, 0,
     124, 0, 2048},
    {"one lane, which waits for what it gets",
     HEAD FILL LINE(
         "atomic: {map: I, reduction: add, lanes: same, active: 1, returns: value, at: [0, 8]}")
         LINE("wait_loads: 0"),
     1, 1, 4, 0, 0, 0, 0, 2048},
};

TEST_ROWS(accesses, TABLE_ROWS(kernels)) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_error error = {.text = ""};
    ck_assert_msg(read_scenario_text(kernels[_i].text, "text", NULL, 0, &scenario, NULL), "%s",
                  kernels[_i].name);
    enum tma_error_code code =
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL, &error);
    ck_assert_msg(code == TMA_OK, "%s: %s", kernels[_i].name, error.text);
    const struct tma_counters *counters = &result.counters;
    ck_assert_msg(
        counters->accesses == kernels[_i].accesses &&
            counters->access_sectors == kernels[_i].sectors &&
            counters->access_bytes == kernels[_i].bytes &&
            counters->l1_sectors == kernels[_i].loaded &&
            counters->l1_hit_sectors == kernels[_i].hits &&
            counters->access_repeats == kernels[_i].repeats &&
            counters->stored_bytes == kernels[_i].stored &&
            counters->reduced_bytes == kernels[_i].reduced,
        "%s: %llu accesses, %llu sectors, %llu B, %llu loaded, %llu hits, %llu repeats, "
        "%llu B stored, %llu B reduced",
        kernels[_i].name, (unsigned long long)counters->accesses,
        (unsigned long long)counters->access_sectors, (unsigned long long)counters->access_bytes,
        (unsigned long long)counters->l1_sectors, (unsigned long long)counters->l1_hit_sectors,
        (unsigned long long)counters->access_repeats, (unsigned long long)counters->stored_bytes,
        (unsigned long long)counters->reduced_bytes);
    tma_scenario_free(&scenario);
}

/* The cycles of a kernel with one role. */
static uint64_t cycles_of(const char *program) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_error error = {.text = ""};
    char text[2000];
    snprintf(text, sizeof text,
             "name: lanes\ngpu: configs/gpus/h100_sxm.yaml\ntensor_maps:\n"
             "  X: {data_type: float32, global_dim: [256, 64], box_dim: [4, 1]}\n"
             "kernel:\n  ctas: 1\n  roles:\n    one:\n      program:\n%s",
             program);
    ck_assert_msg(read_scenario_text(text, "text", NULL, 0, &scenario, NULL), "%s", program);
    enum tma_error_code code =
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL, &error);
    ck_assert_msg(code == TMA_OK, "%s", error.text);
    tma_scenario_free(&scenario);
    return result.cycles;
}

/* A hit takes what L1's rows say: issue, a wavefront and hit, behind the slot of the load. */
TEST(a_hit_takes_its_latency) {
    char text[200];
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "        - for: {i: %d}\n          do:\n"
                 "            - load: {map: X, by: warps, at: [0, 0]}\n"
                 "            - wait_loads: 0\n",
                 i == 0 ? 10 : 110);
        cycles[i] = cycles_of(text);
    }
    struct tma_machine machine = shipped_machine("h100_sxm");
    uint64_t hit = machine.l1.issue_cycles + 1 + machine.l1.hit_cycles;
    ck_assert_uint_ge((cycles[1] - cycles[0]) / 100, hit);
    ck_assert_uint_le((cycles[1] - cycles[0]) / 100, hit + 1); /* the actor's step */
}

/* Two CTAs of a cluster reach each other's shared memory: what a run counts. */
#define PAIR                                                                                       \
    "name: dsmem\ngpu: configs/gpus/h100_sxm.yaml\ntensor_maps:\n"                                 \
    "  X: {data_type: float32, global_dim: [256, 64], box_dim: [4, 1]}\n"                          \
    "kernel:\n  ctas: 2\n  cluster: 2\n  buffers: {c: 1024}\n"                                     \
    "  rings: {x: {stages: 1, operands: {a: 1024}}}\n  roles:\n    one:\n      warps: 4\n"         \
    "      program:\n"
#define FILLED LINE("acquire: x") LINE("bulk: {rank: 1 - rank, from: c, into: x}") LINE("wait: x")

static const struct {
    const char *text, *error;
    uint64_t accesses, bytes, flits; /* without those of FILLED */
} exchanges[] = {
    {PAIR FILLED, NULL, 0, 0, 0},
    /* 64 lanes of 16 bytes each: two instructions, of 16 sectors each and a head */
    {PAIR FILLED LINE("dsmem: {rank: 1 - rank, write: c}"), NULL, 4, 2048, 68},
    /* a request each, and 4 sectors back */
    {PAIR FILLED LINE("dsmem: {rank: 1 - rank, read: c, lane_bytes: 4}") LINE("wait_loads: 0"),
     NULL, 16, 2048, 80},
    {PAIR FILLED LINE("dsmem: {rank: 1 - rank, write: c, reduction: add, bytes: 128}"), NULL, 2,
     256, 18},
    {PAIR FILLED LINE("dsmem: {rank: 1 - rank, write: c, bytes: 16, lanes: same, active: 1}"), NULL,
     2, 32, 2},
    /* the own shared memory */
    {PAIR FILLED LINE("dsmem: {rank: rank, read: c, bytes: 64}") LINE("wait_loads: 0"), NULL, 2,
     128, 0},
    /* st.async */
    {PAIR LINE("acquire: x") LINE("dsmem: {rank: 1 - rank, write: x}") LINE("wait: x"), NULL, 4,
     2048 - 2048, 68 - 64},
    {PAIR FILLED LINE("dsmem: {rank: 2, read: c}") LINE("wait_loads: 0"),
     "its rank is 2; the cluster has the ranks 0 to 1", 0, 0, 0},
    {PAIR FILLED LINE("dsmem: {rank: 1, read: c, offset: 1008, bytes: 32}") LINE("wait_loads: 0"),
     "it moves 32 B from offset 1008 B on, of a place of 1024 B", 0, 0, 0},
    {PAIR FILLED LINE("dsmem: {rank: 1, read: c, offset: 8, bytes: 32}") LINE("wait_loads: 0"),
     "both have to be multiples of 16 B", 0, 0, 0},
    {PAIR FILLED LINE("if: rank == 1") "          then: [exit]\n" LINE("cycles: 20000")
         LINE("dsmem: {rank: 1, read: c}") LINE("wait_loads: 0"),
     "the CTA of rank 1 of its cluster, which has ended", 0, 0, 0},
    {PAIR LINE("acquire: {ring: x, expect: 1040}") LINE("bulk: {rank: 1 - rank, from: c, into: x}")
         LINE("wait: x"),
     "deadlock", 0, 0, 0},
};

TEST_ROWS(exchanges_between_ctas, TABLE_ROWS(exchanges)) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_error error = {.text = ""};
    ck_assert(read_scenario_text(exchanges[_i].text, "text", NULL, 0, &scenario, NULL));
    enum tma_error_code code =
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL, &error);
    tma_scenario_free(&scenario);
    if (exchanges[_i].error != NULL) {
        ck_assert_int_ne(code, TMA_OK);
        ck_assert_msg(strstr(error.text, exchanges[_i].error) != NULL, "%s", error.text);
        return;
    }
    ck_assert_msg(code == TMA_OK, "%s", error.text);
    /* FILLED: two copies of 1024 bytes, 32 flits each */
    ck_assert_uint_eq(result.counters.dsmem_accesses, exchanges[_i].accesses);
    ck_assert_uint_eq(result.counters.dsmem_bytes, 2048 + exchanges[_i].bytes);
    ck_assert_uint_eq(result.counters.dsmem_flits, 64 + exchanges[_i].flits);
}

/* A row that no entry names, or that is no coordinate, stops the run. */
static const struct {
    const char *text, *error;
    enum tma_error_code code;
} bad_rows[] = {
    {HEAD FILL LINE("load: {map: X, by: warps, table: ids, entry: 2, at: [0, 0]}"),
     "row 9 from a table of 9 entries", TMA_ERROR_FAULT},
    {HEAD LINE("bulk: {map: X, into: t, table: ids, entry: 2, at: [0, 0]}"),
     "row 9 from a table of 9 entries", TMA_ERROR_FAULT},
    {HEAD LINE("bulk: {map: R, into: t, table: ids, entry: 9, at: [0, 0]}"),
     "row 9 from a table of 9 entries", TMA_ERROR_FAULT},
    {HEAD FILL LINE("load: {map: R, by: warps, table: big, at: [0, 0]}"),
     "entry 0 of its table is 4294967296; allowed: 32 bits with a sign", TMA_ERROR_ARGUMENT},
    {HEAD LINE("bulk: {map: R, into: t, table: big, at: [0, 0]}"),
     "entry 0 of its table is 4294967296; allowed: 32 bits with a sign", TMA_ERROR_ARGUMENT},
};

TEST_ROWS(rows_of_tables, TABLE_ROWS(bad_rows)) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_error error = {.text = ""};
    ck_assert(read_scenario_text(bad_rows[_i].text, "text", NULL, 0, &scenario, NULL));
    ck_assert_int_eq(
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL, &error),
        bad_rows[_i].code);
    ck_assert_msg(strstr(error.text, bad_rows[_i].error) != NULL, "%s", error.text);
    tma_scenario_free(&scenario);
}

/* What the launch before has gathered is in L2: the rows that its table names, not those of the
 * box. */
static const char *const gathers[] = {
    HEAD LINE("cp_async: {map: X, into: t, table: ids, at: [0, 0]}"),
    HEAD LINE("bulk: {map: X, into: t, table: ids, at: [0, 0]}"),
    HEAD FILL LINE("load: {map: X, by: warps, table: ids, entry: 1, at: [0, 0]}")
        LINE("wait_loads: 0"),
};

TEST_ROWS(gathered_rows_stay, TABLE_ROWS(gathers)) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_error error = {.text = ""};
    for (int cold = 1; cold >= 0; cold--) {
        ck_assert(read_scenario_text(gathers[_i], "text", NULL, 0, &scenario, NULL));
        scenario.program->kernel.cold = cold;
        enum tma_error_code code = tma_kernel_run(&scenario.machine, &scenario.program->kernel,
                                                  NULL, &result, NULL, &error);
        ck_assert_msg(code == TMA_OK, "%s", error.text);
        ck_assert_int_eq(result.counters.dram_read_sectors > 0, cold);
        tma_scenario_free(&scenario);
    }
}

/* What a run is planned for is what it counts: a copy for each row that does not lie behind the one
 * before. Samples, projections and the progress of a run rely on it. */
static const struct {
    const char *text;
    uint64_t operations;
} copies[] = {
    {HEAD FILL, 8},
    {HEAD LINE("bulk: {map: X, into: t, table: ids, at: [0, 0]}"), 8},
    {HEAD LINE("bulk: {map: R, into: t, table: ids, at: [0, 0]}"), 1},
    {HEAD LINE("bulk: {map: W, into: t, at: [0, 0]}"), 1},
    {HEAD LINE("bulk: {map: W, into: t, table: ids, at: [0, 0]}"), 2},
    {HEAD LINE("cp_async: {map: X, into: t, at: [0, 8]}"), 1},
};

TEST_ROWS(copies_are_counted, TABLE_ROWS(copies)) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_error error = {.text = ""};
    struct tma_kernel_place place;
    struct tma_cta_work work;
    ck_assert(read_scenario_text(copies[_i].text, "text", NULL, 0, &scenario, NULL));
    const struct tma_kernel *kernel = &scenario.program->kernel;
    enum tma_error_code code =
        tma_kernel_check_and_count(&scenario.machine, kernel, &work, &place, &error);
    ck_assert_msg(code == TMA_OK, "%s", error.text);
    code = tma_kernel_run(&scenario.machine, kernel, NULL, &result, NULL, &error);
    ck_assert_msg(code == TMA_OK, "%s", error.text);
    ck_assert_uint_eq(work.operations, copies[_i].operations);
    ck_assert_uint_eq(result.counters.operations, copies[_i].operations);
    tma_scenario_free(&scenario);
}

TEST_SUITE("lanes of kernels", .prepare = load_engine);
