/* Reports of random scenarios: no figure is negative or above 100 %, shares add up, and what the
 * report says limits the run, or would help, does so when it is tried again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/slots/run.h"
#include "experiment/experiment.h"
#include "experiment/improvement.h"
#include "random_operation.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/verdict.h"
#include "report/waves.h"
#include "scenario/scenario.h"
#include "suite.h"

enum { SCENARIOS = 200, TEXT = 4096 };

static const char *pick(uint64_t *state, const char *const *from, int64_t count) {
    return from[random_between(state, 0, count - 1)];
}

#define PICK(state, ...)                                                                           \
    pick(state, (const char *const[]){__VA_ARGS__},                                                \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* A workload of one to three operations on maps A and B, small enough to run in a millisecond. */
static void write_scenario(uint64_t *state, char text[TEXT]) {
    int columns = (int)random_between(state, 1, 4) * 16, rows = (int)random_between(state, 1, 64);
    int cluster = 1 << random_between(state, 0, 1);
    int ctas = cluster * (int)random_between(state, 1, 8);
    const char *order = PICK(state, "grid_strided", "blocked", "same", "fixed");
    const char *access =
        PICK(state, "load: A", "load: A", "store: A", "reduce: A, reduction: add", "prefetch: A");
    bool shared = cluster > 1 && strcmp(access, "load: A") == 0;
    bool second = random_between(state, 0, 1) == 1;
    bool consumer = strcmp(access, "load: A") == 0 && random_between(state, 0, 1) == 1;
    snprintf(text, TEXT,
             "name: random\n"
             "gpu: configs/gpus/h200.yaml\n"
             "tensor_maps:\n"
             "  A: {data_type: float16, global_dim: [%d, 4096], box_dim: [%d, %d], swizzle: %s, "
             "l2_promotion: %s}\n"
             "  B: {data_type: float32, global_dim: [100, 1000], box_dim: [32, 8]}\n"
             "workload:\n"
             "  ctas: %d\n"
             "  cluster: %d\n"
             "  sms: %d\n"
             "  initial_cache: %s\n"
             "  iterations: %d\n"
             "  pipeline: {depth: %d, stage_bytes: 16 KiB}\n"
             "  operations:\n"
             "    - {%s%s, walk: {order: %s}}\n"
             "%s%s%s%s",
             columns * 4, columns, rows, PICK(state, "none", "32b", "64b", "128b"),
             PICK(state, "none", "64b", "128b", "256b"), ctas, cluster,
             cluster * (int)random_between(state, 1, 4), PICK(state, "cold", "warm"),
             (int)random_between(state, 1, 12), (int)random_between(state, 1, 6), access,
             shared ? ", multicast: all" : "", order,
             second ? "    - {load: B, shared_offset: 8 KiB, walk: {order: " : "",
             second ? PICK(state, "same", "grid_strided") : "", second ? "}}\n" : "",
             consumer ? "  consumers: [{operation: 0, instruction: ld.shared.b32, lanes: row}]\n"
                      : "");
}

/* Reads a scenario that the rules accept, with a small L2, which takes less time to create. */
static void random_scenario(uint64_t *state, uint32_t number, struct tma_scenario *scenario) {
    char seed[40], text[TEXT];
    snprintf(seed, sizeof seed, "gpu.topology.draw=%u", number % 10 == 0 ? number + 1 : 0);
    const char *const settings[] = {"gpu.l2.capacity=2 MiB", seed};
    for (int attempt = 0; attempt < 1000; attempt++) {
        struct tma_diagnostics list = {0};
        write_scenario(state, text);
        bool good = tma_scenario_read_text(text, "random", settings, 2, scenario, &list);
        tma_diagnostics_free(&list);
        if (good)
            return;
        tma_scenario_free(scenario);
    }
    ck_abort_msg("no legal scenario: %s", text);
}

/* --- What is printed --- */

/* Every number before a % is at most 100, and no number is negative. */
static void check_text(const char *text) {
    for (const char *at = strchr(text, '%'); at != NULL; at = strchr(at + 1, '%')) {
        const char *number = at;
        while (number > text && strchr(" .0123456789", number[-1]) != NULL)
            number--;
        ck_assert_msg(strtod(number, NULL) <= 100, "%.60s", number);
    }
    for (const char *at = strchr(text, '-'); at != NULL; at = strchr(at + 1, '-'))
        ck_assert_msg(at == text || at[-1] != ' ' || at[1] < '0' || at[1] > '9', "%.60s", at);
}

static bool ends_with(const char *key, size_t length, const char *end) {
    return length >= strlen(end) && strncmp(key + length - strlen(end), end, strlen(end)) == 0;
}

/* A number of JSON, with its key: fractions are at most 1, percentages at most 100, and only an
 * experiment may save less than nothing. */
static void check_number(const char *key, size_t length, double value, bool in_busy) {
    bool saving = ends_with(key, length, "saved_fraction");
    ck_assert_msg(value >= 0 || saving, "%.*s is %f", (int)length, key, value);
    if (in_busy || ends_with(key, length, "fraction") || ends_with(key, length, "used"))
        ck_assert_msg(value <= 1, "%.*s is %f", (int)length, key, value);
    if (ends_with(key, length, "percent"))
        ck_assert_msg(value <= 100, "%.*s is %f", (int)length, key, value);
}

/* The writer puts each member of an object on a line of its own. Gives the sum of all percentages.
 */
static double check_json(const char *text) {
    double percent = 0;
    bool in_busy = false;
    for (const char *line = text; line != NULL && *line != '\0';
         line = strchr(line, '\n') == NULL ? NULL : strchr(line, '\n') + 1) {
        const char *key = line + strspn(line, " ");
        const char *colon = strstr(key, "\": ");
        if (strncmp(key, "\"busy\": {", 9) == 0)
            in_busy = true;
        if (*key == '}')
            in_busy = false;
        if (*key != '"' || colon == NULL || colon > strchr(line, '\n'))
            continue;
        char *end;
        double value = strtod(colon + 3, &end);
        if (end == colon + 3)
            continue;
        check_number(key + 1, (size_t)(colon - key - 1), value, in_busy);
        if (ends_with(key, (size_t)(colon - key), "percent"))
            percent += value;
    }
    return percent;
}

static void check_reports(const struct tma_report_input *input) {
    for (int format = 0; format < (int)tma_report_format_names.count; format++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        ck_assert_ptr_nonnull(out);
        tma_report_write(input, format, out);
        fclose(out);
        if (strcmp(tma_name_of(&tma_report_format_names, format), "text") == 0)
            check_text(text);
        else
            ck_assert_double_eq_tol(check_json(text), input->result->slot_cycles > 0 ? 100 : 0,
                                    1e-6);
        free(text);
    }
}

/* --- What is claimed --- */

/* Applies the relief of an experiment to fresh copies, and runs them once. */
static uint64_t try_again(const struct tma_scenario *scenario, const struct tma_result *before,
                          const struct tma_experiment *experiment) {
    static struct tma_workload workload;
    static struct tma_result result;
    const struct tma_relief *relief = experiment->relief;
    struct tma_relieved relieved = {.machine = scenario->machine,
                                    .workload = &workload,
                                    .before = before,
                                    .map_names = scenario->map_names,
                                    .variant = experiment->variant,
                                    .work = 1,
                                    .whole_work = 1};
    workload = scenario->workload;
    ck_assert_msg(tma_relief_apply(relief, &relieved) &&
                      strcmp(relieved.change, experiment->change) == 0,
                  "%s: %s does not apply again", relief->key, experiment->change);
    ck_assert_int_eq(tma_run(&relieved.machine, &workload, NULL, &result, NULL), TMA_OK);
    return (result.cycles * relieved.whole_work + relieved.work - 1) / relieved.work;
}

static void check_verdict(const struct tma_scenario *scenario,
                          const struct tma_report_input *input) {
    const struct tma_experiments *experiments = input->findings.experiments;
    struct tma_verdict verdict =
        tma_verdict_of(&input->findings, input->result->counters.operations == 0);
    const struct tma_experiment *best = NULL;
    for (size_t i = 0; i < experiments->count; i++) {
        const struct tma_experiment *item = &experiments->items[i];
        ck_assert(!item->helps || item->saved >= TMA_LEAST_SAVING);
        if (item->helps && !item->relief->advice && (best == NULL || item->saved > best->saved))
            best = item;
        if (scenario->machine.topology.seed == 0) {
            ck_assert_int_eq(item->helps, item->saved >= TMA_LEAST_SAVING);
            ck_assert_uint_eq(item->cycles.mean, try_again(scenario, input->result, item));
        }
    }
    ck_assert_str_eq(verdict.key, best == NULL ? "nothing" : best->relief->key);
    if (best != NULL)
        ck_assert_str_eq(verdict.text, tma_experiment_sentence(best).text);
    for (size_t i = 0; i < experiments->advice_count; i++)
        ck_assert(experiments->items[experiments->advice[i]].helps);
}

static void check_figures(const struct tma_report_input *input) {
    struct tma_figures figures = tma_figures_of(input);
    for (int i = 0; i < TMA_LIMIT_COUNT; i++) {
        const struct tma_limit_figure *limit = &figures.limits[i];
        ck_assert(limit->used >= 0 && limit->used <= 1);
        /* The share follows from the two rates that stand beside it. */
        if (limit->bytes_per_cycle_per_sm > 0)
            ck_assert_double_eq_tol(
                limit->used, limit->used_bytes_per_cycle_per_sm / limit->bytes_per_cycle_per_sm,
                1e-9);
        else if (limit->cycles > 0)
            ck_assert_double_eq_tol(limit->used, limit->busy_cycles / limit->cycles, 1e-9);
    }
    struct tma_wave_figures waves = tma_wave_figures_of(input->result);
    ck_assert(waves.idle_fraction >= 0 && waves.idle_fraction < 1);
    ck_assert(waves.last_cost >= 0 && waves.last_cost <= waves.idle_fraction);
}

TEST_ROWS(test_random_scenarios, 10) {
    static struct tma_result result;
    static struct tma_experiments experiments;
    uint64_t state = 1234567 + (uint64_t)_i;
    unsigned verdicts = 0;
    const uint32_t step = 10 * (uint32_t)case_step();
    for (uint32_t number = (uint32_t)_i; number < SCENARIOS; number += step) {
        struct tma_scenario scenario;
        struct tma_error error;
        random_scenario(&state, number, &scenario);
        ck_assert_msg(tma_run(&scenario.machine, &scenario.workload, NULL, &result, &error) ==
                          TMA_OK,
                      "%s", error.text);
        const struct tma_experiment_subject subject = {.machine = &scenario.machine,
                                                       .kind = &tma_pipeline_kind,
                                                       .workload = &scenario.workload,
                                                       .map_names = scenario.map_names};
        ck_assert_int_eq(tma_experiments_run(&subject, &result, 0, &experiments, &error), TMA_OK);
        struct tma_report_input input = {
            .scenario = scenario.name,
            .machine = &scenario.machine,
            .workload = &scenario.workload,
            .result = &result,
            .map_names = scenario.map_names,
            .findings = {.experiments = &experiments, .draws = &experiments.before},
        };
        check_figures(&input);
        check_reports(&input);
        check_verdict(&scenario, &input);
        verdicts += experiments.limit_count > 0;
        tma_scenario_free(&scenario);
    }
    ck_assert_uint_gt(verdicts, 0);
}

TEST_SUITE("report_truth", .timeout = 300);
