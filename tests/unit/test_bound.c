/* The lower bound of a kernel's time is never above its simulation: random kernels, with loops,
 * tiles, branches, loads that run ahead, rings between roles, products and other work. */
#include <stdio.h>
#include <stdlib.h>

#include "bound/bound.h"
#include "bound/estimate.h"
#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "random_operation.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"
#include "yaml_text.h"

/* Kernels of the test (KERNELS in the environment: another number), and of one part, which runs in
 * a process of its own. TMASIM_BOUND_SHOW in the environment shows how near the bounds are. */
enum { RANDOM_KERNELS = 2000, PART = 500 };

static bool chance(uint64_t *state, int of) {
    return random_between(state, 1, of) == 1;
}

static int between(uint64_t *state, int low, int high) {
    return (int)random_between(state, low, high);
}

static void draw_work(uint64_t *state, struct yaml_text *text, const char *indent) {
    switch (between(state, 0, 6)) {
    case 0:
        add(text, "%s- mma: {shape: [%d, %d, %d], a: x, b: x, in_flight: %d}\n", indent,
            64 * between(state, 1, 2), 8 * between(state, 1, 32), 16 * between(state, 1, 8),
            between(state, 0, 2));
        break;
    case 1:
        add(text, "%s- compute: {fma: %d, alu: %d, other: %d, chain: %d}\n", indent,
            128 * between(state, 0, 60), 64 * between(state, 1, 60), 128 * between(state, 0, 9),
            between(state, 0, 40));
        break;
    case 2:
        add(text, "%s- sfu: %d\n", indent, 16 * between(state, 1, 40));
        break;
    case 3:
        add(text, "%s- shared_wavefronts: %d\n", indent, between(state, 1, 100));
        break;
    case 4:
        add(text, "%s- cycles: %d\n", indent, between(state, 1, 200));
        break;
    case 5:
        add(text, "%s- wait_mma: %d\n", indent, between(state, 0, 1));
        break;
    default:
        add(text, "%s- if: k > %d\n%s  then:\n%s    - cycles: %d\n", indent, between(state, 0, 3),
            indent, indent, between(state, 1, 300));
        break;
    }
}

static void draw_works(uint64_t *state, struct yaml_text *text, const char *indent, int most) {
    for (int i = between(state, 0, most); i > 0; i--)
        draw_work(state, text, indent);
}

/* What loads a stage: one box, or two halves of it. */
static void draw_loads(uint64_t *state, struct yaml_text *text, const char *indent, int rows,
                       bool multicast) {
    add(text, "%s- acquire: ab\n", indent);
    if (chance(state, 3))
        add(text,
            "%s- for: {part: 2}\n%s  do:\n%s    - load: {map: H, into: ab, offset: part*%d, at: "
            "[0, (m*STEPS + k)*%d + part*%d]%s}\n",
            indent, indent, indent, rows * 64, rows, rows / 2, multicast ? ", multicast: all" : "");
    else
        add(text, "%s- load: {map: A, into: ab, at: [%s, (m*STEPS + k)*%d]%s}\n", indent,
            chance(state, 6) ? "-8" : "0", rows, multicast ? ", multicast: all" : "");
}

static void draw_tiles(uint64_t *state, struct yaml_text *text, int tiles, int ahead) {
    static const char *const schedules[] = {"persistent", "one", "dynamic"};
    add(text, "        - for: {tile: {m: %d, schedule: %s}}\n", tiles,
        schedules[between(state, 0, ahead > 0 ? 1 : 2)]);
    if (ahead > 0 && chance(state, 2))
        add(text, "          ahead: %d\n", ahead);
    add(text, "          do:\n            - for: {k: STEPS}\n");
}

/* The scenario of a kernel whose loops over tiles are the same text in all roles. */
static void draw_kernel(uint64_t *state, struct yaml_text *text) {
    int rows = 8 * between(state, 1, 16), stages = between(state, 1, 4),
        tiles = between(state, 1, 9);
    int steps = between(state, 1, 7), cluster = chance(state, 4) ? 2 : 1;
    int ctas = cluster * between(state, 1, 5), sms = 2 * between(state, 1, 2);
    bool alone = chance(state, 2), multicast = cluster == 2 && chance(state, 2) && !alone;
    *text = (struct yaml_text){.used = 0};
    add(text,
        "name: random\ngpu: configs/gpus/h200.yaml\nparameters: {STEPS: %d}\ntensor_maps:\n"
        "  A: {data_type: float16, global_dim: [64, %d], box_dim: [64, %d]%s}\n"
        "  H: {data_type: float16, global_dim: [64, %d], box_dim: [64, %d]}\n"
        "  C: {data_type: float32, global_dim: [32, %d], box_dim: [32, 8]}\n",
        steps, rows * tiles * steps, rows, chance(state, 2) ? ", swizzle: 128b" : "",
        rows * tiles * steps, rows / 2, 8 * tiles);
    add(text, "kernel:\n  ctas: %d\n  cluster: %d\n  sms: %d\n  initial_cache: %s\n", ctas,
        multicast ? 2 : cluster, sms, chance(state, 2) ? "warm" : "cold");
    if (chance(state, 2))
        add(text, "  sm_clock: %d MHz\n", between(state, 1400, 2100));
    if (chance(state, 2))
        add(text, "  costs: {wait: 30 cycles, issue: 15 cycles, barrier: 20 cycles}\n");
    add(text,
        "  rings:\n    ab: {stages: %d, operands: {a: %d}%s}\n  buffers: {c: 1024, x: 65536}\n  "
        "roles:\n",
        alone ? stages + 1 : stages, rows * 128, multicast ? ", release_to: all" : "");
    struct yaml_text loop = {.used = 0};
    draw_tiles(state, &loop, multicast ? ctas * between(state, 1, 2) : tiles, alone ? stages : 0);
    bool outer = strstr(loop.bytes, "ahead") != NULL, exits = chance(state, 6) && !multicast;
    const char *indent = "                ";
    if (!alone) {
        add(text, "    producer:\n      program:\n%s              do:\n", loop.bytes);
        draw_loads(state, text, indent, rows, multicast);
    }
    add(text, "    consumer:\n      warps: %d\n      program:\n", chance(state, 2) ? 4 : 8);
    if (exits && alone)
        add(text, "        - if: cta == 1\n          then:\n            - exit\n");
    add(text, "%s%s              do:\n", loop.bytes, "");
    if (alone && !outer) { /* the loads of the inner loop run ahead */
        text->used -= strlen("              do:\n");
        add(text, "              ahead: %d\n              do:\n", stages);
    }
    draw_works(state, text, indent, 2);
    add(text, "%s- wait: ab\n", indent);
    draw_works(state, text, indent, 4);
    add(text, "%s- wait_mma: 0\n%s- release: ab\n", indent, indent);
    if (alone) {
        add(text, "%s- ahead:\n", indent);
        draw_loads(state, text, "                    ", rows, false);
    }
    bool stores = chance(state, 2);
    if (stores)
        add(text,
            "            - cycles: %d\n            - store: {map: C, from: c, at: [0, m*8]}\n"
            "            - commit\n            - wait_stores: read\n",
            between(state, 1, 500));
    add(text, "        - wait_mma: 0\n%s", stores ? "        - wait_stores: complete\n" : "");
}

static double ratio_sum;
static unsigned ratio_count;

static double last_ratio_sum; /* of the bound in the last look at a run */

/* The bounds that looks at a run find. */
struct live_bound {
    struct tma_kernel_bound bound;
    uint64_t most, last;
};

static bool look_at_bound(void *context, const struct tma_run_state *state) {
    struct live_bound *live = context;
    live->last = tma_kernel_bound_of_run(&live->bound, state);
    if (live->last > live->most)
        live->most = live->last;
    return true;
}

/* Returns false where the kernel cannot run: some deadlock, as they are drawn. */
static bool check_bound(const char *name, const char *text) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    struct tma_error error = {.text = ""};
    struct live_bound live = {.most = 0};
    const struct tma_watch watch = {.look = look_at_bound, .context = &live};
    static struct tma_result result;
    bool good = tma_scenario_read_text(text, name, NULL, 0, &scenario, &list);
    if (good) {
        tma_kernel_bound(&scenario.machine, &scenario.program->kernel, &live.bound);
        good = tma_kernel_run_watched(&scenario.machine, &scenario.program->kernel, NULL, &watch,
                                      &result, NULL, &error) == TMA_OK;
    }
    if (good) {
        const struct tma_kernel_bound bound = live.bound;
        ck_assert_msg(bound.cycles <= result.cycles, "%s: %s bounds it to %lu, %lu simulated\n%s",
                      name, tma_bound_key(bound.kind), (unsigned long)bound.cycles,
                      (unsigned long)result.cycles, text);
        ck_assert_uint_gt(bound.cycles, 0);
        ratio_sum += (double)bound.cycles / (double)result.cycles;
        ratio_count++;
        ck_assert_msg(live.most <= result.cycles,
                      "%s: bounded to %lu while it ran, %lu simulated\n%s", name,
                      (unsigned long)live.most, (unsigned long)result.cycles, text);
        ck_assert_uint_ge(live.last, bound.cycles);
        last_ratio_sum += (double)live.last / (double)result.cycles;
    } else if (getenv("TMASIM_BOUND_SHOW") != NULL) {
        printf("%s: %s%s\n", name, list.count > 0 ? list.items[0].text : "", error.text);
    }
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
    return good;
}

TEST_ROWS(random_kernels, (kernels_to_try(RANDOM_KERNELS) + PART - 1) / PART) {
    int ran = 0;
    for (int seed = 1 + _i * PART; seed <= (_i + 1) * PART; seed++) {
        uint64_t state = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);
        struct yaml_text text;
        char name[32];
        snprintf(name, sizeof name, "seed %d", seed);
        draw_kernel(&state, &text);
        ran += check_bound(name, text.bytes);
    }
    if (getenv("TMASIM_BOUND_SHOW") != NULL)
        printf("%d of %d ran, mean ratio %.3f, at the last look %.3f\n", ran, PART,
               ratio_sum / ratio_count, last_ratio_sum / ratio_count);
    ck_assert_int_gt(ran, PART / 2);
}

/* A table looks linear where a bound looks, and names the same rows between: a call is no
 * polynomial, with blanks before its parenthesis neither. */
TEST_ROWS(tables_are_not_linear, 2) {
    static const char *const calls[] = {"ids(i)", "ids (i)"};
    enum { COUNT = 1024 };
    char entries[4 * COUNT] = "", text[5 * COUNT];
    for (int i = 0, at = 0; i < COUNT; i++)
        at += snprintf(entries + at, sizeof entries - (size_t)at, "%s%d", i > 0 ? ", " : "",
                       i <= 1 || i == COUNT / 2 || i == COUNT - 1 ? 64 * i : 0);
    snprintf(text, sizeof text,
             "name: tables\ngpu: configs/gpus/h100_sxm.yaml\ntensor_maps:\n"
             "  X: {data_type: float32, global_dim: [128, 65536], box_dim: [128, 64]}\n"
             "kernel:\n  ctas: 128\n  initial_cache: cold\n  tables: {ids: [%s]}\n"
             "  rings: {t: {stages: 1}}\n  roles:\n    one:\n      program:\n"
             "        - for: {i: [cta, 1024, ctas]}\n          do:\n            - acquire: t\n"
             "            - load: {map: X, into: t, at: [0, %s]}\n"
             "            - wait: t\n            - release: t\n",
             entries, calls[_i]);
    ck_assert(check_bound(calls[_i], text));
}

/* Kernels of the library with small numbers, on a few SMs. */
static const struct {
    const char *name, *settings[9];
    double least; /* the bound is at least this part of the simulated time */
} library[] = {
    {"gemm", {"M=256", "N=256", "K=1024", "STAGES=2"}, 0.4},
    {"gemm", {"M=256", "N=512", "K=1024", "BM=64", "BN=256"}, 0.5},
    {"gemm", {"M=512", "N=512", "K=512", "WARPS=8", "kernel.sms=4"}, 0.7},
    {"gemm_persistent", {"M=512", "N=512", "K=512", "CTAS=4", "kernel.sms=4"}, 0.6},
    {"gemm_persistent", {"M=512", "N=256", "K=256", "BM=64", "BK=32", "STAGES=3", "CTAS=3"}, 0.3},
    {"attention", {"H=2", "L=512", "kernel.sms=4"}, 0.3},
    {"read", {"M=2048", "N=512", "kernel.sms=2"}, 0.1},
    {"copy", {"M=1024", "N=512", "kernel.sms=2"}, 0.1},
};

TEST_ROWS(kernels_of_the_library, TABLE_ROWS(library)) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    struct tma_error error = {.text = ""};
    struct tma_kernel_bound bound;
    static struct tma_result result;
    char path[100];
    size_t settings = 0;
    while (settings < 9 && library[_i].settings[settings] != NULL)
        settings++;
    snprintf(path, sizeof path, "configs/kernels/%s.yaml", library[_i].name);
    bool good = tma_scenario_read(path, library[_i].settings, settings, &scenario, &list);
    ck_assert_msg(good, "%s: %s", path, list.count > 0 ? list.items[0].text : "");
    tma_kernel_bound(&scenario.machine, &scenario.program->kernel, &bound);
    ck_assert_msg(tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL,
                                 &error) == TMA_OK,
                  "%s: %s", path, error.text);
    double ratio = (double)bound.cycles / (double)result.cycles;
    if (getenv("TMASIM_BOUND_SHOW") != NULL)
        printf("%s: %s %.3f\n", path, tma_bound_key(bound.kind), ratio);
    ck_assert_msg(ratio <= 1, "%s: %s bounds it to %lu, %lu simulated", path,
                  tma_bound_key(bound.kind), (unsigned long)bound.cycles,
                  (unsigned long)result.cycles);
    ck_assert_msg(ratio >= library[_i].least, "%s: the bound is %.3f of the time", path, ratio);
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
}

/* Kernels that are long enough to be looked at, on a few SMs. */
static const char *const long_kernels[][9] = {
    {"gemm", "M=2048", "N=512", "K=4096", "kernel.sms=4", "kernel.initial_cache=warm"},
    {"gemm_persistent", "M=2048", "N=512", "K=4096", "CTAS=4", "kernel.sms=4",
     "kernel.initial_cache=warm"},
    {"gemm", "M=8192", "N=2048", "K=256", "STAGES=2", "kernel.sms=4"}, /* tiles of few steps */
    /* So few operations for each place of a CTA that the first marks are too early. */
    {"gemm", "M=2048", "N=2048", "K=768", "kernel.sms=16"},
};

static void read_kernel(const char *const *kernel, const char *further,
                        struct tma_scenario *scenario) {
    const char *settings[10];
    struct tma_diagnostics list = {0};
    char path[100];
    size_t count = 0;
    for (; kernel[count + 1] != NULL; count++)
        settings[count] = kernel[count + 1];
    if (further != NULL)
        settings[count++] = further;
    snprintf(path, sizeof path, "configs/kernels/%s.yaml", kernel[0]);
    ck_assert(tma_scenario_read(path, settings, count, scenario, &list));
}

/* Runs a kernel up to limits. */
static struct tma_kernel_estimate estimate(const char *const *kernel, const char *further,
                                           const struct tma_estimate_limits *limits,
                                           uint64_t *operations) {
    struct tma_scenario scenario;
    struct tma_error error;
    struct tma_kernel_estimate found;
    static struct tma_result result;
    read_kernel(kernel, further, &scenario);
    ck_assert_int_eq(tma_kernel_estimate(&scenario.machine, &scenario.program->kernel, limits,
                                         &result, &found, &error),
                     TMA_OK);
    if (operations != NULL)
        *operations = result.counters.operations;
    tma_scenario_free(&scenario);
    return found;
}

static const struct tma_estimate_limits no_limits = {.last_mark = TMA_ESTIMATE_MARK_COUNT};

/* At each mark, the time that the run seems to take is near the one that it takes. */
TEST_ROWS(projections_are_near, some_of(TABLE_ROWS(long_kernels))) {
    uint64_t part, all;
    struct tma_kernel_estimate whole = estimate(long_kernels[_i], NULL, &no_limits, &all);
    ck_assert_int_eq(whole.kind, TMA_ESTIMATE_WHOLE);
    ck_assert_uint_eq(tma_last_mark(&whole.projections), TMA_ESTIMATE_MARK_COUNT - 1);
    for (uint32_t mark = 0; mark < TMA_ESTIMATE_MARK_COUNT; mark++) {
        if (mark < TMA_ESTIMATE_MARK_8 && whole.projections.cycles[mark] == 0)
            continue; /* too early */
        double ratio = (double)whole.projections.cycles[mark] / (double)whole.cycles;
        double error = mark < TMA_ESTIMATE_MARK_8 ? 0.3 : 0.2;
        if (getenv("TMASIM_BOUND_SHOW") != NULL)
            printf("%s: mark %u: %.3f of the time\n", long_kernels[_i][0], mark, ratio);
        ck_assert_msg(ratio > 1 - error && ratio < 1 + error, "mark %u: %.3f of the time", mark,
                      ratio);
    }
    const struct tma_estimate_limits early = {.last_mark = TMA_ESTIMATE_MARK_4};
    struct tma_kernel_estimate first = estimate(long_kernels[_i], NULL, &early, &part);
    ck_assert_int_eq(first.kind, TMA_ESTIMATE_PROJECTED);
    uint32_t last = tma_last_mark(&first.projections);
    ck_assert(last == TMA_ESTIMATE_MARK_4 ||
              (last == TMA_ESTIMATE_MARK_8 && whole.projections.cycles[TMA_ESTIMATE_MARK_4] == 0));
    ck_assert_uint_eq(first.cycles, whole.projections.cycles[last]);
    ck_assert_uint_lt(part, all / (last == TMA_ESTIMATE_MARK_4 ? 8 : 4));
}

/* A kernel ends where it is too slow for a rival, and not where it is the faster one. */
TEST(the_slower_one_ends_early) {
    const char *const *kernel = long_kernels[1];
    struct tma_estimate_limits limits = no_limits;
    struct tma_kernel_estimate fast = estimate(kernel, "STAGES=4", &no_limits, NULL);
    struct tma_kernel_estimate slow = estimate(kernel, "STAGES=2", &no_limits, NULL);
    ck_assert_uint_gt(slow.cycles, fast.cycles + fast.cycles / 4);
    limits.rival = (struct tma_estimate_rival){fast.cycles, fast.projections};
    struct tma_kernel_estimate ended = estimate(kernel, "STAGES=2", &limits, NULL);
    ck_assert_int_eq(ended.kind, TMA_ESTIMATE_PROJECTED);
    ck_assert_uint_eq(ended.projections.cycles[TMA_ESTIMATE_MARK_32], 0);
    limits.rival = (struct tma_estimate_rival){slow.cycles, slow.projections};
    ended = estimate(kernel, "STAGES=4", &limits, NULL);
    ck_assert_int_eq(ended.kind, TMA_ESTIMATE_WHOLE);
    ck_assert_uint_eq(ended.cycles, fast.cycles);
}

/* A kernel ends as soon as its work that is left shows that it takes more than a limit, and not
 * before its own time. */
TEST_ROWS(a_bound_ends_a_run, some_of(TABLE_ROWS(long_kernels))) {
    const char *const *kernel = long_kernels[_i];
    struct tma_estimate_limits limits = no_limits;
    uint64_t part, all;
    struct tma_kernel_estimate whole = estimate(kernel, NULL, &no_limits, &all);
    limits.most_cycles = whole.cycles;
    ck_assert_int_eq(estimate(kernel, NULL, &limits, NULL).kind, TMA_ESTIMATE_WHOLE);
    limits.most_cycles = whole.cycles * 9 / 10;
    struct tma_kernel_estimate ended = estimate(kernel, NULL, &limits, &part);
    ck_assert_int_eq(ended.kind, TMA_ESTIMATE_BOUND);
    ck_assert_uint_gt(ended.cycles, limits.most_cycles);
    ck_assert_uint_le(ended.cycles, whole.cycles);
    ck_assert_uint_lt(part, all);
}

TEST_SUITE("bound", .timeout = 300, .prepare = load_engine);
