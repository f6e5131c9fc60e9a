/* What must hold whatever runs. The engine itself asserts, in every run of every test, that no
 * server was busy for longer than the run, and that every request was answered
 * (tma_memory_is_conserved, units_fit). Here bytes and sectors add up from the SMs to DRAM, the
 * time of slots and roles is shared out to its causes, and no figure of a report is above 100 % or
 * negative: for all scenarios of configs/scenarios, random workloads and random kernels with roles.
 * A failure prints its seed. */
#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conservation.h"
#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "machine.h"
#include "random_workload.h"
#include "report/figures.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"
#include "yaml_text.h"

enum { WORKLOADS = 1000, PART = 100, KERNELS = 300, TEXT_BYTES = 1 << 16 };

static void check_fraction(const char *name, const char *what, double value) {
    ck_assert_msg(value >= 0 && value <= 1, "%s: %s is %f", name, what, value);
}

/* No percentage above 100, and nothing negative. */
static void check_text(const char *name, const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        bool begins =
            isdigit((unsigned char)*at) && (at == text || !isalnum((unsigned char)at[-1]));
        if (!begins || (at > text && at[-1] == '.'))
            continue;
        char *end;
        double value = strtod(at, &end);
        ck_assert_msg(at == text || at[-1] != '-' || (at > text + 1 && isalnum(at[-2])),
                      "%s: negative: %.40s", name, at - 1);
        ck_assert_msg(strncmp(end, " %", 2) != 0 || value <= 100, "%s: %.40s", name, at);
        at = end - 1;
    }
}

/* The share of each limit follows from the two numbers that are printed before it: rates with two
 * digits after the point, requests with one, or whole cycles. Only some workloads use those behind
 * DRAM's. */
static void check_printed_limits(const char *name, const char *text) {
    const char *line = strstr(text, "\nlimits ");
    ck_assert_msg(line != NULL, "%s: no limits", name);
    for (int i = 0; i < TMA_LIMIT_COUNT; i++, line = strchr(line + 1, '\n')) {
        static const struct {
            const char *form;
            double rounding;
        } forms[] = {{"%*[^:\n]: %lf of %lf bytes/cycle/SM (%lf", 0.005},
                     {"%*[^:\n]: busy for %lf of %lf cycles, %*[^(] (%lf", 0.5},
                     {"%*[^:\n]: %lf of %lf requests on their way, on average (%lf", 0.05}};
        double used, limit, percent, rounding = 0;
        for (size_t f = 0; rounding == 0 && f < sizeof forms / sizeof *forms; f++)
            if (sscanf(line + 1, forms[f].form, &used, &limit, &percent) == 3)
                rounding = forms[f].rounding;
        if (rounding == 0 && i > TMA_LIMIT_DRAM)
            break;
        ck_assert_msg(rounding > 0, "%s: %.80s", name, line);
        double error = limit > 0 ? 100 * rounding * (1 + used / limit) / limit : 0;
        ck_assert_msg(used <= limit, "%s: %.80s", name, line);
        ck_assert_msg(fabs(percent - (limit > 0 ? 100 * used / limit : 0)) < 0.051 + error,
                      "%s: %.80s", name, line);
    }
}

/* What the reports of both kinds derive from the counts of L2 and DRAM. */
static void check_memory(const char *name, const struct tma_limit_figure *limits,
                         const struct tma_memory_figures *memory, const struct tma_result *result) {
    const struct tma_counters *counters = &result->counters;
    for (int i = 0; i < TMA_LIMIT_COUNT; i++)
        check_fraction(name, limits[i].key, limits[i].used);
    check_fraction(name, "hits", memory->l2_hit_fraction);
    check_fraction(name, "over-fetch", memory->l2_over_fetch_fraction);
    ck_assert_uint_eq(memory->l2_fill_bytes, 32 * counters->l2_fill_sectors);
    ck_assert_uint_le(memory->l2_fill_unused_bytes, memory->l2_fill_bytes);
    ck_assert_uint_ge(counters->dram_read_sectors, counters->l2_fill_sectors);
}

/* Checks the report of a run, and returns its figures. */
static struct tma_figures check_report(struct tma_report_input input) {
    const char *name = input.scenario;
    struct tma_figures figures = tma_figures_of(&input);
    input.details = true;
    for (size_t i = 0; i < figures.busy_count; i++)
        check_fraction(name, figures.busy[i].key, figures.busy[i].fraction);
    check_memory(name, figures.limits, &figures.memory, input.result);
    static char text[TEXT_BYTES];
    FILE *out = fmemopen(text, sizeof text, "w");
    tma_report_write(&input, 0, out);
    fclose(out);
    check_text(name, text);
    check_printed_limits(name, text);
    return figures;
}

static void check_causes(const char *name, const struct tma_result *result) {
    const char *lost = what_causes_lose(result);
    ck_assert_msg(lost == NULL, "%s: %s", name, lost);
}

static void check_counters(const char *name, const struct tma_result *result,
                           const struct tma_tensor_map *maps, uint32_t map_count) {
    const char *lost = what_counters_lose(result, maps, map_count);
    ck_assert_msg(lost == NULL, "%s: %s", name, lost);
}

static void check_expected(const char *name, const struct tma_result *result,
                           const struct expected *expected) {
    const struct tma_counters *counters = &result->counters;
    ck_assert_msg(counters->operations == expected->operations, "%s: %lu of %lu operations", name,
                  (unsigned long)counters->operations, (unsigned long)expected->operations);
    ck_assert_msg(counters->bytes == expected->loaded_bytes, "%s: %lu of %lu bytes", name,
                  (unsigned long)counters->bytes, (unsigned long)expected->loaded_bytes);
    ck_assert_msg((counters->copied_bytes > 0) <= expected->multicast, "%s: copies", name);
    ck_assert_msg(expected->written > 0 || counters->sm_write_sectors == 0, "%s: writes", name);
    ck_assert_msg(expected->prefetched > 0 || counters->prefetched_bytes == 0, "%s: prefetches",
                  name);
}

/* The small machine, as another launch. */
static struct tma_machine draw_machine(uint64_t *state) {
    struct tma_machine machine = small_machine();
    machine.topology.seed = (uint32_t)random_between(state, 0, 100);
    return machine;
}

/* One part of the random workloads: a loop test runs each part in a process of its own. */
TEST_ROWS(test_random_workloads, some_of(WORKLOADS / PART)) {
    uint32_t seen_kinds = 0;
    for (int seed = 1 + _i * PART; seed <= (_i + 1) * PART; seed++) {
        uint64_t state = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);
        struct tma_machine machine = draw_machine(&state);
        struct tma_workload workload;
        struct expected expected;
        struct tma_result result;
        struct tma_error error;
        char name[32];
        snprintf(name, sizeof name, "seed %d", seed);
        while (!draw_workload(&state, &workload, &expected))
            ;
        ck_assert_msg(tma_run(&machine, &workload, NULL, &result, &error) == TMA_OK, "%s: %s", name,
                      error.text);
        static const char *const map_names[] = {"a", "b", "c"};
        check_counters(name, &result, workload.maps, workload.map_count);
        check_causes(name, &result);
        check_expected(name, &result, &expected);
        check_report((struct tma_report_input){.scenario = name,
                                               .machine = &machine,
                                               .workload = &workload,
                                               .result = &result,
                                               .map_names = map_names});
        for (uint32_t i = 0; i < workload.operation_count; i++)
            seen_kinds |= 1u << workload.operations[i].operation.direction;
        seen_kinds |= (workload.consumer_count > 0 ? 16u : 0) | (expected.multicast ? 32u : 0);
    }
    ck_assert_uint_eq(seen_kinds, 63); /* all directions, consumers and multicast */
}

static void check_kernel(const char *name, const struct tma_machine *machine,
                         const struct tma_kernel *kernel, const char *const *map_names,
                         struct tma_result *result) {
    struct tma_error error;
    ck_assert_msg(tma_kernel_run(machine, kernel, NULL, result, NULL, &error) == TMA_OK, "%s: %s",
                  name, error.text);
    check_counters(name, result, kernel->maps, kernel->map_count);
    const char *lost = what_roles_lose(result, kernel);
    ck_assert_msg(lost == NULL, "%s: %s", name, lost);
    struct tma_figures figures = check_report((struct tma_report_input){.scenario = name,
                                                                        .machine = machine,
                                                                        .kernel = kernel,
                                                                        .result = result,
                                                                        .map_names = map_names});
    /* The port's time is that of the bytes, rounded to whole ticks. */
    ck_assert_double_eq_tol(figures.limits[TMA_LIMIT_SM_PORT].used, result->busy_sm_port, 0.01);
}

/* What the roles of a random kernel do, all CTAs together. */
struct drawn_kernel {
    uint64_t operations, loaded_bytes, written_bytes;
    uint32_t kinds; /* bit mask of what was drawn */
};

static void draw_compute(uint64_t *state, struct yaml_text *yaml, const char *indent,
                         struct drawn_kernel *drawn) {
    int64_t kind = random_between(state, 0, 4);
    int64_t count = random_between(state, 1, 40);
    drawn->kinds |= 1u << kind;
    if (kind == 0)
        add(yaml, "%s- mma: {shape: [64, %d, 64], a: x, b: x}\n", indent, (int)(8 * count));
    else if (kind == 1)
        add(yaml, "%s- alu: %d\n", indent, (int)(64 * count));
    else if (kind == 2)
        add(yaml, "%s- sfu: %d\n", indent, (int)(16 * count));
    else if (kind == 3)
        add(yaml, "%s- shared_wavefronts: %d\n", indent, (int)count);
    else
        add(yaml, "%s- access: {tile: ab.a, instruction: ld.shared.b32, lanes: %s}\n", indent,
            chance(state, 2) ? "row" : "column");
}

/* A producer, one or two consumers, and what they do with each tile. */
static void draw_kernel(uint64_t *state, struct yaml_text *yaml, struct drawn_kernel *drawn) {
    enum { ROWS = 16, TILE_BYTES = ROWS * 128 };
    uint32_t cluster = chance(state, 3) ? 2 : 1, ctas = 2 * (uint32_t)random_between(state, 1, 3);
    uint32_t steps = (uint32_t)random_between(state, 1, 6), consumers = chance(state, 2) ? 2 : 1;
    bool multicast = cluster == 2 && chance(state, 2), prefetch = chance(state, 4);
    uint32_t tiles = ctas * steps;
    *yaml = (struct yaml_text){.used = 0};
    *drawn = (struct drawn_kernel){0};
    add(yaml,
        "name: random\ngpu: configs/gpus/h200.yaml\ntensor_maps:\n"
        "  A: {data_type: float16, global_dim: [64, %u], box_dim: [64, %d]%s}\n"
        "  C: {data_type: float32, global_dim: [32, %u], box_dim: [32, %d]}\n",
        ROWS * tiles, ROWS, chance(state, 2) ? ", swizzle: 128b" : "", ROWS * tiles, ROWS);
    add(yaml, "kernel:\n  ctas: %u\n  cluster: %u\n  sms: %d\n  initial_cache: %s\n", ctas, cluster,
        (int)random_between(state, 1, 2) * 2, chance(state, 2) ? "warm" : "cold");
    add(yaml,
        "  rings:\n    ab: {stages: %d, operands: [a]%s}\n  buffers: {c: %d, x: 40960}\n  roles:\n",
        (int)random_between(state, 1, 4), multicast ? ", release_to: all" : "", TILE_BYTES);
    add(yaml, "    producer:\n      program:\n        - for: {k: %u}\n          do:\n", steps);
    if (prefetch)
        add(yaml, "            - prefetch: {map: A, at: [0, %d*(k*ctas + cta)]}\n", ROWS);
    add(yaml, "            - acquire: ab\n");
    if (multicast) /* the first CTA loads for both */
        add(yaml,
            "            - if: rank == 0\n              then:\n"
            "                - load: {map: A, into: ab.a, at: [0, %d*(k*ctas + cta)], "
            "multicast: all}\n",
            ROWS);
    else
        add(yaml, "            - load: {map: A, into: ab.a, at: [0, %d*(k*ctas + cta)]}\n", ROWS);
    drawn->operations += multicast ? tiles / 2 : tiles;
    drawn->operations += prefetch ? tiles : 0;
    drawn->loaded_bytes = (uint64_t)tiles * TILE_BYTES;
    for (uint32_t i = 0; i < consumers; i++) {
        bool writes = chance(state, 2);
        const char *indent = "            ";
        add(yaml, "    consumer%u:\n      warps: %d\n      program:\n", i,
            chance(state, 2) ? 4 : 8);
        add(yaml, "        - for: {k: %u}\n          do:\n            - wait: ab\n", steps);
        for (int64_t part = random_between(state, 1, 3); part > 0; part--)
            draw_compute(state, yaml, indent, drawn);
        add(yaml, "            - release: ab\n");
        if (!writes)
            continue;
        add(yaml, "            - %s: {map: C, from: c, at: [0, %d*(k*ctas + cta)]%s}\n",
            i == 0 ? "store" : "reduce", ROWS, i == 0 ? "" : ", reduction: add");
        add(yaml, "            - commit\n            - wait_stores: read\n");
        if (chance(state, 2))
            add(yaml, "        - wait_stores: complete\n");
        drawn->operations += tiles;
        drawn->written_bytes += (uint64_t)tiles * TILE_BYTES;
        drawn->kinds |= 32u << i;
    }
    drawn->kinds |= (multicast ? 128u : 0) | (prefetch ? 256u : 0);
}

TEST_ROWS(test_random_kernels, KERNELS / PART) {
    uint32_t seen_kinds = 0;
    for (int seed = 1 + _i * PART; seed <= (_i + 1) * PART; seed++) {
        uint64_t state = (uint64_t)seed * UINT64_C(0xd1b54a32d192ed03);
        struct tma_machine machine = draw_machine(&state);
        struct drawn_kernel drawn;
        struct yaml_text yaml;
        struct tma_scenario scenario;
        struct tma_diagnostics list = {0};
        struct tma_result result;
        char name[32];
        snprintf(name, sizeof name, "kernel seed %d", seed);
        draw_kernel(&state, &yaml, &drawn);
        bool good = tma_scenario_read_text(yaml.bytes, name, NULL, 0, &scenario, &list);
        ck_assert_msg(good, "%s: %s\n%s", name, list.count > 0 ? list.items[0].text : "no reason",
                      yaml.bytes);
        check_kernel(name, &machine, &scenario.program->kernel, scenario.map_names, &result);
        const struct tma_counters *counters = &result.counters;
        ck_assert_msg(counters->operations == drawn.operations, "%s: %lu of %lu operations", name,
                      (unsigned long)counters->operations, (unsigned long)drawn.operations);
        ck_assert_msg(counters->bytes == drawn.loaded_bytes, "%s: %lu of %lu bytes loaded", name,
                      (unsigned long)counters->bytes, (unsigned long)drawn.loaded_bytes);
        ck_assert_msg(counters->stored_bytes + counters->reduced_bytes == drawn.written_bytes,
                      "%s: bytes written", name);
        tma_scenario_free(&scenario);
        tma_diagnostics_free(&list);
        seen_kinds |= drawn.kinds;
    }
    ck_assert_uint_eq(seen_kinds, 511);
}

static glob_t shipped;

TEST_ROWS(test_shipped_scenarios, shipped.gl_pathc) {
    const char *path = shipped.gl_pathv[_i];
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    struct tma_result result;
    struct tma_error error;
    ck_assert_msg(tma_scenario_read(path, NULL, 0, &scenario, &list), "%s", path);
    if (scenario.program != NULL) {
        check_kernel(path, &scenario.machine, &scenario.program->kernel, scenario.map_names,
                     &result);
    } else {
        const struct tma_workload *workload = &scenario.workload;
        ck_assert_msg(tma_run(&scenario.machine, workload, NULL, &result, &error) == TMA_OK,
                      "%s: %s", path, error.text);
        check_counters(path, &result, workload->maps, workload->map_count);
        check_causes(path, &result);
        check_report((struct tma_report_input){.scenario = path,
                                               .machine = &scenario.machine,
                                               .workload = workload,
                                               .result = &result,
                                               .map_names = scenario.map_names});
    }
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
}

static void find_scenarios(void) {
    load_engine();
    if (glob("configs/scenarios/*.yaml", 0, NULL, &shipped) != 0 ||
        glob("configs/scenarios/kernels/*.yaml", GLOB_APPEND, NULL, &shipped) != 0)
        exit(EXIT_FAILURE);
}

TEST_SUITE("conservation", .timeout = 60, .prepare = find_scenarios);
