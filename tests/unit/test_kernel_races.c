/* Races on shared memory: kernels that have one, and the same kernels put right. Each runs with
 * several timings, since a race is found by order and not by what one schedule does. Operands of
 * products: what fits them, and what does not. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "random_kernels.h"
#include "scenario/kernel_program.h"

/* 12 steps of tiles, a ring of 3 stages, and a buffer. */
#define BEFORE_RING                                                                                \
    "name: race\ngpu: configs/gpus/h200.yaml\n"                                                    \
    "tensor_maps:\n"                                                                               \
    "  A: {data_type: float16, global_dim: [1024, 256], box_dim: [64, 64], swizzle: 128b}\n"       \
    "  C: {data_type: float16, global_dim: [1024, 256], box_dim: [64, 64], swizzle: 128b}\n"       \
    "  F: {data_type: float32, global_dim: [1024, 256], box_dim: [32, 64], swizzle: 128b}\n"       \
    "  N: {data_type: float16, global_dim: [1024, 256], box_dim: [64, 64]}\n"                      \
    "  S: {data_type: float16, global_dim: [1024, 256], box_dim: [32, 64], swizzle: 64b}\n"        \
    "kernel:\n  ctas: 4\n  cluster: 2\n"
#define RING        "  rings: {t: {stages: 3}}\n"
#define BEHIND_RING "  buffers: {c: 16 KiB}\n  barriers: [meet, full]\n  roles:\n"
#define SCENARIO    BEFORE_RING RING BEHIND_RING
#define STEPS       "      program:\n        - for: {k: 12}\n          do:\n"
#define PRODUCER                                                                                   \
    "    producer:\n" STEPS                                                                        \
    "            - acquire: t\n            - load: {map: A, into: t, at: [64*k, 0]}\n"
#define CONSUMER    "    consumer:\n      warps: 4\n" STEPS
#define LINE(text)  "            - " text "\n"
#define LAST(text)  "        - " text "\n"
#define MMA(more)   LINE("mma: {shape: [64, 64, 64], a: t, b: t" more "}")
#define STORE(from) LINE("store: {map: C, from: " from ", at: [64*k, 0]}") LINE("commit")
#define DONE        LAST("wait_stores: read")
#define WAVES(more) LINE("shared_wavefronts: {count: 64, " more "}")

static const struct {
    const char *name, *text;
    const char *race; /* part of the message; NULL: none */
} kernels[] = {
    {"a multicast into a stage that nobody there released to the CTA that loads",
     SCENARIO "    producer:\n" STEPS LINE(
         "acquire: t") "            - if: rank == 0\n"
                       "              then: [{load: {map: A, into: t, at: [64*k, 0], multicast: "
                       "all}}]\n" CONSUMER LINE("wait: t") MMA("") LINE("release: t"),
     "(release_to)"},
    {"the same with release_to",
     BEFORE_RING
     "  rings: {t: {stages: 3, release_to: all}}\n" BEHIND_RING "    producer:\n" STEPS LINE(
         "acquire: t") "            - if: rank == 0\n"
                       "              then: [{load: {map: A, into: t, at: [64*k, 0], multicast: "
                       "all}}]\n" CONSUMER LINE("wait: t") MMA("") LINE("release: t"),
     NULL},
    {"a stage that is released while a product reads it",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") MMA(", in_flight: 1") LINE("release: t"),
     "has not waited for this product (wait_mma)"},
    {"the stage before it",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") MMA(", in_flight: 1")
         LINE("if: k > 0\n              then: [{release: {ring: t, behind: 1}}]")
             LAST("wait_mma: 0") LAST("release: t"),
     NULL},
    {"the stage before it, with two products in flight",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") MMA(", in_flight: 2")
         LINE("if: k > 0\n              then: [{release: {ring: t, behind: 1}}]"),
     "has not waited for this product (wait_mma)"},
    {"a role that ends before its last product",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") MMA(", in_flight: 1")
         LINE("if: k > 0\n              then: [{release: {ring: t, behind: 1}}]"),
     "is known to have written: its result is lost (wait_mma)"},
    {"a load into a stage that a store reads",
     SCENARIO PRODUCER "    consumer:\n" STEPS LINE("wait: t") STORE("t") LINE("release: t"),
     "has not waited until this store has read (wait_stores)"},
    {"after the store",
     SCENARIO PRODUCER "    consumer:\n" STEPS LINE("wait: t") STORE("t") LINE("wait_stores: read")
         LINE("release: t"),
     NULL},
    {"one store too many in flight",
     SCENARIO PRODUCER "    consumer:\n" STEPS LINE("wait: t") STORE("t")
         LINE("wait_stores: {until: read, in_flight: 1}") LINE("release: t"),
     "has not waited until this store has read (wait_stores)"},
    {"a store from a buffer before the barrier that completes it",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("wait_stores: read")
         LINE("sync: meet") WAVES("write: c") STORE("c"),
     "other warps of the role are (sync)"},
    {"behind the barrier",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("wait_stores: read")
         LINE("sync: meet") WAVES("write: c") LINE("sync: meet") STORE("c") DONE,
     NULL},
    {"a role that ends before its last store has read",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("wait_stores: read")
         LINE("sync: meet") WAVES("write: c") LINE("sync: meet") STORE("c"),
     "its role ends, cycle"},
    {"a buffer that is written before all warps know that the store has read it",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("wait_stores: read")
         WAVES("write: c") LINE("sync: meet") STORE("c"),
     "where other warps of the role write"},
    {"a buffer that an access statement writes, before its barrier",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("wait_stores: read")
         LINE("sync: meet") LINE("access: {tile: c, instruction: stmatrix.x4, lanes: matrix}")
             STORE("c"),
     "other warps of the role are (sync)"},
    {"behind it",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("wait_stores: read")
         LINE("sync: meet") LINE("access: {tile: c, instruction: stmatrix.x4, lanes: matrix}")
             LINE("sync: meet") STORE("c") DONE,
     NULL},
    {"two halves of a buffer in turns",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t")
         LINE("wait_stores: {until: read, in_flight: 1}") LINE("sync: meet")
             WAVES("write: c, offset: k % 2 * 8192, bytes: 8192") LINE("sync: meet")
                 LINE("store: {map: C, from: c, offset: k % 2 * 8192, at: [64*k, 0]}")
                     LINE("commit") DONE,
     NULL},
    {"the same half each time",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t")
         LINE("wait_stores: {until: read, in_flight: 1}") LINE("sync: meet")
             WAVES("write: c, bytes: 8192") LINE("sync: meet") STORE("c"),
     "has not waited until this store has read (wait_stores)"},
    {"a role that stores what another one writes",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("sync: meet") WAVES(
         "write: c") "    storer:\n" STEPS LINE("sync: meet") STORE("c") LINE("wait_stores: read"),
     "race on buffer c"},
    {"when it has arrived for the last time",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") LINE("release: t") LINE("sync: meet")
         WAVES("write: c") LINE("arrive: full") "    storer:\n" STEPS LINE(
             "if: k > 0\n              then: [{wait_stores: read}]") LINE("arrive: meet")
             LINE("sync: full") STORE("c") DONE,
     NULL},
    {"loads of the next tile into the memory of a buffer",
     BEFORE_RING RING
     "  buffers: {c: {bytes: 8 KiB, over: t}}\n  barriers: [meet]\n  roles:\n" PRODUCER CONSUMER
         LINE("wait: t") LINE("release: t")
             LINE("if: k == 5\n              then: [{shared_wavefronts: {count: 64, write: c}}]"),
     "shared_wavefronts of CTA"},
    {"a buffer in the memory of a ring that is no longer used",
     BEFORE_RING RING
     "  buffers: {c: {bytes: 8 KiB, over: t}}\n  barriers: [meet]\n  roles:\n" PRODUCER CONSUMER
         LINE("wait: t") LINE("release: t") LAST("shared_wavefronts: {count: 64, write: c}")
             LAST("sync: meet") LAST("store: {map: C, from: c, at: [0, 0]}") LAST("commit") DONE,
     NULL},
    {"one thread that loads what other warps still read",
     SCENARIO "    all:\n      warps: 4\n" STEPS LINE("acquire: t")
         LINE("load: {map: A, into: t, at: [64*k, 0]}") LINE("wait: t") WAVES("read: t")
             LINE("release: t"),
     "other warps of the role are (sync)"},
    {"one warp that does so",
     SCENARIO "    all:\n" STEPS LINE("acquire: t") LINE("load: {map: A, into: t, at: [64*k, 0]}")
         LINE("wait: t") WAVES("read: t") LINE("release: t"),
     NULL},
    {"a tile that is changed in place and read by another role",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") WAVES("write: t")
         LINE("release: t") "    other:\n      warps: 4\n" STEPS LINE("wait: t") WAVES("read: t")
             LINE("release: t"),
     "no release, arrival or barrier orders them"},
    {"behind a barrier of both",
     SCENARIO PRODUCER CONSUMER LINE("wait: t") WAVES("write: t") LINE("sync: meet")
         LINE("release: t") "    other:\n      warps: 4\n" STEPS LINE("wait: t") LINE("sync: meet")
             WAVES("read: t") LINE("release: t"),
     NULL},
};

/* What changes the order in which things happen to come. */
static const char *const timings[][2] = {
    {NULL, NULL},
    {"kernel.costs.wake=3000 cycles", NULL},
    {"kernel.costs.issue=3000 cycles", NULL},
    {"kernel.costs.mma_issue=5000 cycles", "kernel.costs.barrier=2000 cycles"},
    {"kernel.costs.arrive=4000 cycles", NULL},
    {"kernel.sm_clock=300 MHz", "kernel.initial_cache=warm"},
};

static enum tma_error_code run(int number, size_t timing, bool allowed, struct tma_result *result,
                               struct tma_error *error) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    size_t settings = 0;
    while (settings < 2 && timings[timing][settings] != NULL)
        settings++;
    bool good = tma_scenario_read_text(kernels[number].text, "text", timings[timing], settings,
                                       &scenario, &list);
    ck_assert_msg(good, "%s: %u: %s", kernels[number].name,
                  list.count > 0 ? list.items[0].at.line : 0,
                  list.count > 0 ? list.items[0].text : "no reason");
    scenario.program->kernel.allow_races = allowed;
    enum tma_error_code code =
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, result, NULL, error);
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
    return code;
}

TEST_ROWS(races, TABLE_ROWS(kernels)) {
    static struct tma_result result;
    for (size_t t = 0; t < TABLE_ROWS(timings); t++) {
        struct tma_error error = {0};
        enum tma_error_code code = run(_i, t, false, &result, &error);
        ck_assert_msg(code == (kernels[_i].race != NULL ? TMA_ERROR_RACE : TMA_OK),
                      "%s, timing %zu: %d, %s", kernels[_i].name, t, code, error.text);
        if (kernels[_i].race == NULL)
            continue;
        ck_assert_msg(strstr(error.text, kernels[_i].race) != NULL, "%s, timing %zu: %s",
                      kernels[_i].name, t, error.text);
        ck_assert_ptr_nonnull(strstr(error.text, "k = "));
        ck_assert_int_eq(run(_i, t, true, &result, &error), TMA_OK);
        ck_assert_uint_gt(result.races, 0);
        ck_assert_ptr_nonnull(strstr(result.first_race, "race on "));
    }
}

#define PRODUCT_OF(loads, product)                                                                 \
    BEFORE_RING "  rings: {t: {stages: 2, operands: {a: 16 KiB, b: 16 KiB}}}\n" BEHIND_RING        \
                "    producer:\n" STEPS LINE("acquire: t") loads CONSUMER LINE("wait: t")          \
                    LINE("mma: {" product "}") LINE("release: t")
#define LOAD(map, place) LINE("load: {map: " map ", into: t." place ", at: [64*k, 0]}")
#define LOAD_AT(map, place, offset)                                                                \
    LINE("load: {map: " map ", into: t." place ", offset: " offset ", at: [64*k, 0]}")

static const struct {
    const char *text;
    const char *error; /* part of the message; NULL: none */
} products[] = {
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [64, 64, 64], a: t.a, b: t.b"), NULL},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [128, 64, 64], a: t.a, b: t.b"),
     "a of the mma is 128 rows of 64 elements (K-major, mn x k); its tile in ring t is 1 box of 64 "
     "rows of 64 elements"},
    /* Two boxes are a tile of 64 x 128 elements of K, or of 128 x 64. */
    {PRODUCT_OF(LOAD("A", "a") LOAD_AT("A", "a", "8192") LOAD("A", "b") LOAD_AT("A", "b", "8192"),
                "shape: [64, 64, 128], a: t.a, b: t.b"),
     NULL},
    {PRODUCT_OF(LOAD("A", "a") LOAD_AT("A", "a", "8192") LOAD("A", "b") LOAD_AT("A", "b", "8192"),
                "shape: [64, 128, 64], a: {tile: t.a, at: [0, 64]}, b: {tile: t.b, major: mn}"),
     NULL},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [192, 64, 64], a: t.a, b: t.b"),
     "a of the mma has 192 x 64 elements, 24576 bytes; its place in t has 16384"},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"),
                "shape: [128, 64, 64], a: {tile: t.a, at: [0, 64]}, b: t.b"),
     "a of the mma is 192 rows of 64 elements"},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [64, 64, 192], a: t.a, b: t.b"),
     "a of the mma has 64 x 192 elements"},
    {PRODUCT_OF(LOAD("A", "a"), "shape: [64, 64, 64], a: t.a, b: t.b"),
     "b of the mma is in a stage of ring t, at offset 16384, where no load puts a tile"},
    {PRODUCT_OF(LOAD("A", "a") LOAD("F", "b"), "shape: [64, 64, 64], a: t.a, b: t.b"),
     "b of the mma is loaded into ring t with elements of type float32; a product of its type "
     "takes float16 or bfloat16"},
    {PRODUCT_OF(LOAD("F", "a") LOAD("F", "b"),
                "shape: [64, 64, 32], a: t.a, b: t.b, type: tfloat32"),
     NULL},
    {PRODUCT_OF(LOAD("N", "a") LOAD("A", "b"), "shape: [64, 64, 64], a: t.a, b: t.b"),
     "a of the mma: the tile does not have the layout of the wgmma descriptor"},
    {PRODUCT_OF(LOAD("S", "a") LOAD("A", "b"), "shape: [64, 64, 32], a: t.a, b: t.b"), NULL},
    {PRODUCT_OF(LOAD("S", "a") LOAD_AT("A", "a", "8192") LOAD("A", "b"),
                "shape: [64, 64, 64], a: t.a, b: t.b"),
     "a of the mma has boxes with rows of 64 and of 128 bytes"},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [64, 64, 64], a: t.a"), "mma.b is missing"},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [64, 64, 64], a: registers, b: registers"),
     "\"registers\" is neither a ring nor a buffer"},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [64, 64, 64], a: c, b: t.b"), NULL},
    {PRODUCT_OF(LOAD("A", "a") LOAD("A", "b"), "shape: [256, 64, 64], a: c, b: t.b"),
     "a of the mma has 256 x 64 elements, 32768 bytes; its place in c has 16384"},
};

TEST_ROWS(operands, TABLE_ROWS(products)) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read_text(products[_i].text, "text", NULL, 0, &scenario, &list);
    const char *text = list.count > 0 ? list.items[0].text : "";
    ck_assert_msg(good == (products[_i].error == NULL), "%d: %s", _i, text);
    ck_assert_msg(good || strstr(text, products[_i].error) != NULL, "%d: %s", _i, text);
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
}

/* Of random kernels, each timing finds a race, or none does. Those that deadlock or fault with one
 * of them are left out. */
enum { RANDOM_KERNELS = 400, RANDOM_TIMINGS = 4 };

/* Rings release their stages to their own CTA alone: multicasts of other CTAs then race. */
static void release_to_no_other(struct yaml_text *yaml) {
    static const char words[] = ", release_to: all";
    for (char *at; (at = strstr(yaml->bytes, words)) != NULL;)
        memset(at, ' ', sizeof words - 1);
}

TEST(random_kernels_race_in_any_timing) {
    static struct yaml_text yaml;
    static struct tma_scenario scenario;
    static struct tma_result result;
    uint64_t state = first_random_state(11);
    int count = kernels_to_try(RANDOM_KERNELS), racing = 0, clean = 0;
    for (int i = 0; i < count; i++) {
        draw_kernel_text(&state, i, &yaml);
        if (i % 2 == 1)
            release_to_no_other(&yaml);
        int found = 0, ran = 0;
        bool good = read_scenario_text(yaml.bytes, "random", NULL, 0, &scenario, NULL);
        for (int t = 0; t < RANDOM_TIMINGS && good; t++) {
            struct tma_machine machine = draw_machine(&state);
            struct tma_kernel *kernel = &scenario.program->kernel;
            kernel->allow_races = true;
            ran += tma_kernel_run(&machine, kernel, NULL, &result, NULL, NULL) == TMA_OK;
            found += result.races > 0;
        }
        tma_scenario_free(&scenario);
        if (ran < RANDOM_TIMINGS)
            continue;
        ck_assert_msg(found == 0 || found == RANDOM_TIMINGS, "kernel %d: %d of %d race\n%.3000s", i,
                      found, RANDOM_TIMINGS, yaml.bytes);
        racing += found > 0;
        clean += found == 0;
    }
    ck_assert_int_gt(20 * clean, count);
    ck_assert_msg(racing > 0 || count < RANDOM_KERNELS, "no kernel races");
}

TEST_SUITE("races of kernels", .timeout = 36000, .prepare = load_engine); /* a soak takes long */
