/* tmasim sweep: one scenario with many settings. */
#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "base/version.h"
#include "cli/journal.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/temporary.h"
#include "cli/variants.h"
#include "cli/verbs.h"
#include "engine/kernel_run.h"
#include "engine/run.h"
#include "scenario/scenario.h"
#include "scenario/text_file.h"
#include "workers/pool.h"

enum { DIGEST_BYTES = 20, SETTING_BYTES = 1200 };

struct sweep_options {
    struct cli_options common;
    struct cli_list tries;
    const char *list;   /* NULL: no list */
    const char *resume; /* NULL: no journal */
};

/* What a worker says of a row. */
struct row_outcome {
    bool failed; /* the bytes that follow are the reason */
    struct tma_sweep_figures figures;
};

struct sweeping {
    const struct sweep_options *own;
    struct cli_variants variants;
    struct tma_sweep sweep;
    struct cli_journal journal;
    size_t *left;           /* owned; rows that no journal has, by task */
    struct tma_task *tasks; /* owned */
    struct cli_progress progress;
    bool failed; /* the journal cannot be written, or memory has run out */
};

/* The settings of a row: those of the user, then its own. */
struct row_settings {
    const char **items; /* owned */
    char **texts;       /* owned; "PATH=VALUE" of its own */
    size_t count, user_count;
};

static void free_settings(struct row_settings *settings) {
    for (size_t i = 0; settings->texts != NULL && i < settings->count - settings->user_count; i++)
        tma_release(settings->texts[i]);
    tma_release(settings->texts);
    tma_release(settings->items);
}

static char *join_setting(const char *path, const char *value) {
    size_t bytes = strlen(path) + strlen(value) + 2;
    char *text = tma_allocate(bytes, 1);
    if (text != NULL)
        snprintf(text, bytes, "%s=%s", path, value);
    return text;
}

static bool make_settings(const struct sweeping *sweeping, size_t row,
                          struct row_settings *settings) {
    const struct cli_list *user = &sweeping->own->common.settings;
    const struct tma_sweep *sweep = &sweeping->sweep;
    settings->count = settings->user_count = user->count;
    settings->items = tma_allocate(user->count + sweep->column_count, sizeof *settings->items);
    settings->texts = tma_allocate(sweep->column_count, sizeof *settings->texts);
    if (settings->items == NULL || settings->texts == NULL)
        return false;
    for (size_t i = 0; i < user->count; i++)
        settings->items[i] = user->items[i];
    for (size_t i = 0; i < sweep->column_count; i++) {
        const char *value = sweep->rows[row].values[i];
        if (value == NULL)
            continue;
        char *text = join_setting(sweep->columns[i], value);
        if (text == NULL)
            return false;
        settings->texts[settings->count - user->count] = text;
        settings->items[settings->count++] = text;
    }
    return true;
}

/* Simulates a kernel with roles. The figures of a row take from a workload only its CTAs and SMs,
 * and from a machine its clock. */
static bool simulate_kernel(const struct tma_scenario *scenario, struct tma_sweep_figures *figures,
                            struct tma_reply *reply, struct tma_error *error) {
    const struct tma_kernel *kernel = &scenario->program->kernel;
    struct tma_machine machine = scenario->machine;
    struct tma_workload workload = {
        .cta_count = kernel->cta_count,
        .cluster_ctas = kernel->cluster_ctas,
        .sm_count = kernel->sm_count > 0 ? kernel->sm_count : machine.sm_count,
    };
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    bool good = result != NULL &&
                tma_kernel_run(&scenario->machine, kernel, NULL, result, NULL, error) == TMA_OK;
    if (kernel->sm_clock_mhz > 0)
        machine.sm_clock_mhz = kernel->sm_clock_mhz;
    if (good) {
        struct tma_report_input input = {
            .scenario = scenario->name,
            .machine = &machine,
            .workload = &workload,
            .result = result,
            .map_names = scenario->map_names,
        };
        *figures = tma_sweep_figures_of(&input);
        tma_reply_note(reply, &result->cycles, sizeof result->cycles);
    }
    tma_release(result);
    return good;
}

/* Simulates a scenario. On failure returns the reason. */
static bool simulate(const struct tma_scenario *scenario, struct tma_sweep_figures *figures,
                     struct tma_reply *reply, struct tma_error *error) {
    if (scenario->program != NULL)
        return simulate_kernel(scenario, figures, reply, error);
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    bool good = result != NULL &&
                tma_run(&scenario->machine, &scenario->workload, NULL, result, error) == TMA_OK;
    if (good) {
        struct tma_report_input input = {
            .scenario = scenario->name,
            .machine = &scenario->machine,
            .workload = &scenario->workload,
            .result = result,
            .map_names = scenario->map_names,
            .limits = tma_report_limits_of(&scenario->machine, result),
        };
        *figures = tma_sweep_figures_of(&input);
        tma_reply_note(reply, &result->cycles, sizeof result->cycles);
    }
    tma_release(result);
    return good;
}

/* Writes the first error of a scenario. One in a setting of the row is named by the setting. */
static void describe_error(const struct tma_diagnostics *list, const struct row_settings *settings,
                           char *text, size_t size) {
    const struct tma_diagnostic *first = &list->items[0];
    const char *said = first->text == NULL ? "out of memory" : first->text;
    size_t number = 0, total = tma_diagnostics_total(list);
    char more[40] = "";
    if (total > 1)
        snprintf(more, sizeof more, " (and %zu more)", total - 1);
    if (sscanf(first->at.file, "--set %zu", &number) == 1 && number > settings->user_count &&
        number <= settings->count)
        snprintf(text, size, "%s: %s%s", settings->items[number - 1], said, more);
    else if (first->at.line > 0)
        snprintf(text, size, "%s:%u:%u: %s%s", first->at.file, first->at.line, first->at.column,
                 said, more);
    else
        snprintf(text, size, "%s: %s%s", first->at.file, said, more);
}

/* In a worker: reads the scenario with the settings of a row and simulates it. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct sweeping *sweeping = context;
    const char *path = sweeping->own->common.operands.items[0];
    struct tma_diagnostics list = {0};
    struct tma_error error = {0};
    struct row_outcome outcome = {.failed = true};
    struct row_settings settings = {0};
    struct tma_scenario scenario = {0};
    char reason[SETTING_BYTES] = "out of memory";
    (void)bytes;
    (void)size;
    if (make_settings(sweeping, sweeping->left[number], &settings)) {
        if (!tma_scenario_read(path, settings.items, settings.count, &scenario, &list))
            describe_error(&list, &settings, reason, sizeof reason);
        else if (simulate(&scenario, &outcome.figures, reply, &error))
            outcome.failed = false;
        else
            snprintf(reason, sizeof reason, "%s", error.text);
    }
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    free_settings(&settings);
    tma_reply_append(reply, &outcome, sizeof outcome);
    if (outcome.failed)
        tma_reply_append(reply, reason, strlen(reason) + 1);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct sweeping *sweeping = context;
    const struct row_outcome *got = outcome->bytes;
    size_t index = sweeping->left[number];
    struct tma_sweep_row *row = &sweeping->sweep.rows[index];
    const char *failure = outcome->failure;
    if (failure == NULL && got->failed)
        failure = (const char *)(got + 1);
    if (failure == NULL)
        row->figures = got->figures;
    else
        row->failure = tma_copy_text(failure);
    if (failure != NULL && row->failure == NULL) {
        cli_error("out of memory");
        sweeping->failed = true;
    }
    row->done = true;
    if (!sweeping->failed && !cli_journal_add(&sweeping->journal, &sweeping->sweep, index))
        sweeping->failed = true;
    return !sweeping->failed;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct sweeping *sweeping = context;
    uint64_t cycles;
    (void)number;
    memcpy(&cycles, bytes, size);
    sweeping->progress.cycles += cycles;
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct sweeping *sweeping = context;
    sweeping->progress.done = done;
    sweeping->progress.done_work = done_cost;
    cli_progress_show(&sweeping->progress);
    return !cli_interrupted();
}

/* Simulates the rows that are not done. */
static bool simulate_rows(struct sweeping *sweeping) {
    const struct cli_options *options = &sweeping->own->common;
    struct tma_sweep *sweep = &sweeping->sweep;
    size_t count = 0;
    for (size_t i = 0; i < sweep->row_count; i++)
        if (!sweep->rows[i].done) {
            sweeping->tasks[count] = (struct tma_task){.cost = 1};
            sweeping->left[count++] = i;
        }
    struct tma_worker_code code = {.work = work, .context = sweeping};
    struct tma_batch batch = {.tasks = sweeping->tasks,
                              .count = count,
                              .context = sweeping,
                              .take = take,
                              .note = note,
                              .idle = idle};
    struct tma_workers *workers = tma_workers_create(cli_jobs(options), &code);
    struct tma_error error = {.text = "out of memory"};
    sweeping->progress = (struct cli_progress){.unit = "rows", .total = count, .total_work = count};
    cli_progress_begin(&sweeping->progress, options->quiet);
    bool good = workers != NULL && tma_workers_run(workers, &batch, &error) == TMA_OK;
    tma_workers_free(workers);
    cli_progress_clear(&sweeping->progress);
    if (!good)
        cli_error("%s", error.text);
    sweep->partial = cli_interrupted();
    return good && !sweeping->failed;
}

/* FNV-1a. */
static uint64_t hash(uint64_t state, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        state = (state ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return state;
}

/* A file that cannot be read adds nothing: the rows say what is wrong with it. False when out of
 * memory. */
static bool hash_file(uint64_t *state, const char *path) {
    char *text = NULL;
    size_t length;
    enum tma_error_code code =
        path == NULL ? TMA_ERROR_FILE : tma_text_read(path, &text, &length, NULL);
    if (code == TMA_OK)
        *state = hash(*state, text, length + 1);
    tma_release(text);
    return code != TMA_ERROR_MEMORY;
}

/* Reads the scenario without the settings of rows for its name and its machine's file, and spares
 * both files. The scenario may be wrong, if each row sets what is missing. */
static bool look_at_scenario(struct sweeping *sweeping, char name[TMA_MAX_NAME],
                             char digest[DIGEST_BYTES]) {
    const struct cli_options *options = &sweeping->own->common;
    const char *path = options->operands.items[0];
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    tma_scenario_read(path, options->settings.items, options->settings.count, &scenario, &list);
    snprintf(name, TMA_MAX_NAME, "%s", scenario.name[0] != '\0' ? scenario.name : path);
    uint64_t state = hash(UINT64_C(0xcbf29ce484222325), TMA_VERSION, sizeof TMA_VERSION);
    bool good = !tma_diagnostics_lack_memory(&list) && hash_file(&state, path) &&
                hash_file(&state, scenario.gpu_path);
    if (!good)
        cli_error("out of memory");
    for (size_t i = 0; i < options->settings.count; i++)
        state = hash(state, options->settings.items[i], strlen(options->settings.items[i]) + 1);
    snprintf(digest, DIGEST_BYTES, "%016" PRIx64, state);
    const char *inputs[] = {path, scenario.gpu_path, sweeping->own->list};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        good = good && cli_output_spares(options->output, inputs[i]) &&
               cli_output_spares(sweeping->own->resume, inputs[i]);
    if (good && cli_output_is_file(options->output, sweeping->own->resume)) {
        cli_error("--output and --resume name the same file: %s", options->output);
        good = false;
    }
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good;
}

static bool create_rows(struct sweeping *sweeping) {
    struct tma_sweep *sweep = &sweeping->sweep;
    const struct cli_variants *variants = &sweeping->variants;
    sweep->columns = variants->columns;
    sweep->column_count = variants->column_count;
    sweep->row_count = variants->row_count;
    sweep->rows = tma_allocate(sweep->row_count, sizeof *sweep->rows);
    sweeping->left = tma_allocate(sweep->row_count, sizeof *sweeping->left);
    sweeping->tasks = tma_allocate(sweep->row_count, sizeof *sweeping->tasks);
    if (sweep->rows == NULL || sweeping->left == NULL || sweeping->tasks == NULL) {
        cli_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < sweep->row_count; i++)
        sweep->rows[i].values = &variants->values[i * sweep->column_count];
    return true;
}

static void free_rows(struct sweeping *sweeping) {
    for (size_t i = 0; sweeping->sweep.rows != NULL && i < sweeping->sweep.row_count; i++)
        tma_release(sweeping->sweep.rows[i].failure);
    tma_release(sweeping->sweep.rows);
    tma_release(sweeping->left);
    tma_release(sweeping->tasks);
}

static int status_of(const struct tma_sweep *sweep) {
    if (sweep->partial)
        return CLI_INTERRUPTED;
    for (size_t i = 0; i < sweep->row_count; i++)
        if (sweep->rows[i].failure != NULL)
            return CLI_FAILED_ROWS;
    return CLI_OK;
}

static int sweep_scenario(struct sweeping *sweeping) {
    const struct cli_options *options = &sweeping->own->common;
    char name[TMA_MAX_NAME], digest[DIGEST_BYTES];
    struct cli_output output;
    if (!create_rows(sweeping) || !look_at_scenario(sweeping, name, digest))
        return CLI_ERROR;
    sweeping->sweep.scenario = name;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool good =
        cli_journal_open(&sweeping->journal, sweeping->own->resume, digest, &sweeping->sweep) &&
        simulate_rows(sweeping);
    cli_journal_close(&sweeping->journal);
    if (good)
        tma_sweep_write(&sweeping->sweep, options->format, output.file);
    if (!cli_output_close(&output, good) || !good)
        return CLI_ERROR;
    return status_of(&sweeping->sweep);
}

static int run(const struct cli_options *options) {
    struct sweeping sweeping = {.own = (const struct sweep_options *)options};
    const struct sweep_options *own = sweeping.own;
    int status = CLI_ERROR;
    cli_interrupts_hold(true);
    if (own->tries.count == 0 && own->list == NULL)
        cli_error("sweep: nothing to try; expected --try PATH=VALUES or --list FILE");
    else if (cli_variants_make(&own->tries, own->list, &sweeping.variants))
        status = sweep_scenario(&sweeping);
    free_rows(&sweeping);
    cli_variants_free(&sweeping.variants);
    return status;
}

static const struct cli_option options[] = {
    {.name = "--try",
     .value = "PATH=VALUES",
     .kind = CLI_LIST,
     .offset = offsetof(struct sweep_options, tries),
     .help = "try each of these values of a setting, as --set takes it. Commas separate values;\n"
             "2:6 is 2,3,4,5,6; 2:8:2 is 2,4,6,8; 1:8:*2 is 1,2,4,8. With several --try, every\n"
             "combination is a row; the last one varies fastest"},
    {.name = "--list",
     .value = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(struct sweep_options, list),
     .help = "take rows from FILE: on each line, settings PATH=VALUE with spaces between them;\n"
             "with --try, each line with every combination"},
    {.name = "--resume",
     .value = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(struct sweep_options, resume),
     .help = "write each row to FILE as soon as it is done (JSON lines), and do not simulate\n"
             "the rows again that FILE has from an earlier sweep of the same"},
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_JOBS,
    CLI_OPTION_QUIET,
    CLI_OPTION_FORMAT(&tma_sweep_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_sweep = {
    .name = "sweep",
    .operands = "SCENARIO.yaml",
    .takes_scenario = true,
    .summary = "Simulate a scenario with many settings: a row for each combination of values.",
    .details =
        "Example: tmasim sweep gemm.yaml --try workload.pipeline.depth=2:6 "
        "--try tensor_maps.A.swizzle=none,128b\nA row that is not a legal scenario, or "
        "deadlocks, has its reason in place of figures. Ctrl-C ends the sweep\nwith the rows "
        "that are done.",
    .statuses = "0 all rows were simulated; 1 some rows failed; 2 error; 130 interrupted: the "
                "output is\npartial",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .options_bytes = sizeof(struct sweep_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
