/* tmasim compare: one scenario under every legal swizzle mode. */
#include <string.h>

#include "base/allocation.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/scenario_run.h"
#include "cli/tasks.h"
#include "cli/verbs/verbs.h"
#include "engine/roles/kernel_first_tiles.h"
#include "engine/roles/kernel_read_maps.h"
#include "engine/slots/run.h"
#include "experiment/scenario_subject.h"
#include "report/swizzle_comparison.h"
#include "scenario/kernel_program.h"
#include "workers/pool.h"

struct compare_options {
    struct cli_options common;
    bool pad;
    struct cli_count draws;
    const char *access; /* NULL: not given */
};

/* The settings of the user, then one setting of the swizzle for each tensor map. */
struct settings {
    const char **items;
    size_t user_count, count;
    char swizzles[TMA_MAX_TENSOR_MAPS][TMA_MAX_NAME + 64];
};

static bool begin_settings(const struct cli_options *options, struct settings *settings) {
    settings->user_count = options->settings.count;
    settings->items = tma_allocate(options->settings.count + TMA_MAX_TENSOR_MAPS, sizeof(char *));
    if (settings->items == NULL)
        return false;
    if (options->settings.count > 0)
        memcpy(settings->items, options->settings.items, options->settings.count * sizeof(char *));
    return true;
}

/* Every map of a workload gets each mode; of a kernel with roles, those of `maps` do. */
static void set_swizzle(const struct tma_scenario *scenario, const struct tma_read_maps *maps,
                        const char *mode, struct settings *settings) {
    settings->count = settings->user_count;
    for (uint32_t i = 0; i < scenario->workload.map_count; i++) {
        if (scenario->program != NULL && !maps->read[i])
            continue;
        snprintf(settings->swizzles[i], sizeof settings->swizzles[i], "tensor_maps.%s.swizzle=%s",
                 scenario->map_names[i], mode);
        settings->items[settings->count++] = settings->swizzles[i];
    }
}

/* What a worker says of a mode. */
struct mode_outcome {
    struct tma_error error;        /* a legal mode that cannot be simulated */
    struct tma_compared_mode mode; /* without such an error */
};

struct comparing {
    const struct compare_options *own;
    const struct tma_scenario *scenario;
    const struct tma_read_maps *maps; /* of a kernel with roles */
    struct tma_swizzle_comparison *comparison;
    struct tma_error error; /* the first */
    struct cli_progress progress;
};

static enum tma_error_code run_mode(const struct tma_scenario *scenario, enum tma_swizzle swizzle,
                                    uint32_t draws, struct tma_swizzle_comparison *comparison,
                                    struct tma_reply *reply, struct tma_error *error) {
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    const struct tma_experiment_subject subject = tma_scenario_subject(scenario);
    enum tma_error_code code = subject.kind->run(subject.machine, subject.workload, result, error);
    if (code == TMA_OK) {
        tma_compare_add_legal(comparison, swizzle, &scenario->workload, result);
        tma_reply_note(reply, &result->cycles, sizeof result->cycles);
    }
    if (code == TMA_OK && draws > 0)
        code = tma_launch(&subject, draws, &comparison->modes[comparison->mode_count - 1].draws,
                          error);
    tma_release(result);
    return code;
}

/* Reads the scenario in one mode and runs it. A mode is illegal where the reader finds an error;
 * the first error is the reason. */
static enum tma_error_code try_mode(const char *path, const struct settings *settings,
                                    enum tma_swizzle swizzle, uint32_t draws,
                                    struct tma_swizzle_comparison *comparison,
                                    struct tma_reply *reply, struct tma_error *error) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    enum tma_error_code code = TMA_OK;
    if (tma_scenario_read(path, settings->items, settings->count, &scenario, &list)) {
        if (scenario.program != NULL)
            code = tma_kernel_first_tiles(&scenario.program->kernel, &scenario.workload, error);
        if (code == TMA_OK)
            code = run_mode(&scenario, swizzle, draws, comparison, reply, error);
    } else if (tma_diagnostics_lack_memory(&list))
        code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    else if (list.items[0].code == TMA_ERROR_FILE)
        code = tma_fail(error, TMA_ERROR_FILE, "%s: %s", list.items[0].at.file, list.items[0].text);
    else
        tma_compare_add_illegal(comparison, swizzle, list.items[0].text);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return code;
}

/* In a worker: simulates the scenario in mode `number`. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct comparing *comparing = context;
    const struct cli_options *options = &comparing->own->common;
    const struct tma_name *mode = &tma_swizzle_names.items[number];
    static struct tma_swizzle_comparison one;
    static struct mode_outcome outcome;
    struct settings settings;
    (void)bytes;
    (void)size;
    one.mode_count = 0;
    outcome.error.code = TMA_OK;
    if (begin_settings(options, &settings)) {
        set_swizzle(comparing->scenario, comparing->maps, mode->name, &settings);
        outcome.error.code =
            try_mode(options->operands.items[0], &settings, (enum tma_swizzle)mode->value,
                     comparing->own->draws.value, &one, reply, &outcome.error);
    } else {
        tma_fail(&outcome.error, TMA_ERROR_MEMORY, "out of memory");
    }
    tma_release(settings.items);
    outcome.mode = one.modes[0];
    tma_reply_append(reply, &outcome, sizeof outcome);
}

/* A mode whose worker died is neither legal nor illegal: without it there is nothing to compare. */
static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct comparing *comparing = context;
    const struct mode_outcome *got = outcome->bytes;
    if (outcome->failure != NULL) {
        tma_fail(&comparing->error, TMA_ERROR_MEMORY, "swizzle %s: %s",
                 tma_swizzle_names.items[number].name, outcome->failure);
    } else if (got->error.code != TMA_OK) {
        comparing->error = got->error;
    } else {
        struct tma_swizzle_comparison *comparison = comparing->comparison;
        comparison->modes[comparison->mode_count++] = got->mode;
    }
    return comparing->error.code == TMA_OK;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct comparing *comparing = context;
    (void)number;
    cli_progress_note(&comparing->progress, bytes, size);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct comparing *comparing = context;
    cli_progress_look(&comparing->progress, done, done_cost);
    return true;
}

static enum tma_error_code compare(struct comparing *comparing) {
    struct tma_task tasks[TMA_MAX_COMPARED_MODES];
    size_t count = tma_swizzle_names.count;
    const struct cli_options *options = &comparing->own->common;
    struct tma_worker_code code = {.work = work, .context = comparing};
    struct tma_batch batch = {.tasks = tasks,
                              .count = count,
                              .context = comparing,
                              .take = take,
                              .note = note,
                              .idle = idle};
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tma_task){.cost = 1};
    comparing->progress =
        (struct cli_progress){.unit = "modes", .total = count, .total_work = count};
    cli_progress_begin(&comparing->progress, options->quiet);
    struct tma_workers *workers = tma_workers_create(cli_jobs(options), &code);
    struct tma_error error;
    if (workers == NULL)
        tma_fail(&comparing->error, TMA_ERROR_MEMORY, "out of memory");
    else if (tma_workers_run(workers, &batch, &error) != TMA_OK)
        comparing->error = error;
    tma_workers_free(workers);
    cli_progress_clear(&comparing->progress);
    if (comparing->error.code == TMA_OK)
        tma_compare_finish(comparing->comparison);
    return comparing->error.code;
}

static int compare_scenario(const struct compare_options *own, const struct tma_scenario *scenario,
                            const struct tma_read_maps *maps) {
    const struct cli_options *options = &own->common;
    struct cli_output output;
    struct tma_swizzle_comparison *comparison = tma_allocate(1, sizeof *comparison);
    if (comparison == NULL)
        return cli_fail("out of memory");
    comparison->scenario = scenario->name;
    comparison->machine = scenario->machine.name;
    comparison->trust = scenario->machine.trust;
    comparison->workload = &scenario->workload;
    comparison->show_padding = own->pad;
    int status = CLI_ERROR;
    if (cli_output_open(&output, options->output)) {
        struct comparing comparing = {
            .own = own, .scenario = scenario, .maps = maps, .comparison = comparison};
        enum tma_error_code code = compare(&comparing);
        if (code == TMA_OK)
            tma_compare_write(comparison, options->format, output.file);
        else
            cli_error("%s: %s", scenario->name, comparing.error.text);
        bool kept = cli_output_close(&output, code == TMA_OK);
        status = code != TMA_OK ? cli_error_status(code) : kept ? CLI_OK : CLI_ERROR;
    }
    tma_release(comparison);
    return status;
}

/* Of a kernel with roles, the comparison shows the tiles of the first CTA, and what all CTAs read
 * of them. *maps becomes the maps that get each mode; of a workload, it is not used. */
static bool prepare_kernel(struct tma_scenario *scenario, struct tma_read_maps *maps) {
    struct tma_error error;
    if (scenario->program == NULL)
        return true;
    if (tma_kernel_read_maps(&scenario->program->kernel, maps, &error) != TMA_OK)
        return cli_error("compare: %s: %s", scenario->name, error.text);
    scenario->workload.depth = maps->stages;
    return true;
}

static int run(const struct cli_options *options) {
    struct compare_options own = *(const struct compare_options *)options;
    struct tma_scenario scenario;
    struct tma_read_maps maps = {0};
    int status = CLI_ERROR;
    if (!cli_draws_allowed(own.draws) || !cli_put_access(options, own.access, &own.common))
        return CLI_ERROR;
    if (cli_tiles_read(&own.common, &scenario) && prepare_kernel(&scenario, &maps))
        status = compare_scenario(&own, &scenario, &maps);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_compare_format_names),
    CLI_FLAG_OPTION(
        "--pad", offsetof(struct compare_options, pad),
        "also show the effect of padding after every row, and its cost in shared memory"),
    CLI_OPTION_ACCESS(offsetof(struct compare_options, access)),
    CLI_VALUE_OPTION(
        "--draws", "N", COUNT, offsetof(struct compare_options, draws),
        "also run each mode with the seeds (topology.draw) 1 to N, and say whether the cycles\n"
        "of the modes differ more than those of launches"),
    CLI_OPTION_JOBS,
    CLI_OPTION_QUIET,
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_compare = {
    .name = "compare",
    .several =
        "tmasim run A B has a row for each of several scenarios, tmasim tune A B the best of "
        "each kernel, tmasim sweep A B the ranks of launch files",
    .operands = "SCENARIO.yaml | MAP.yaml",
    .takes_scenario = true,
    .suits = cli_has_consumers,
    .example = "gemm_tile --pad",
    .summary = "Simulate a scenario under every legal swizzle mode and compare bank conflicts.",
    .details = "All tensor maps of the scenario get the same mode; of a kernel with roles, those "
               "whose tiles an access\nstatement reads. \"ideal\" is the number of wavefronts "
               "without bank conflicts. \"ways\" is the worst\nconflict: the number of wavefronts "
               "of one phase of an instruction. --format svg draws the tiles\nwith the "
               "banks of their chunks. Of one tensor map, --access says how a warp accesses its "
               "tile.",
    .statuses = "0 done, 2 error, 3 the simulated program deadlocks or faults",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(compare_options),
};
