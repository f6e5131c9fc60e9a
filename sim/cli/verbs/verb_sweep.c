/* tmasim sweep: one scenario with many settings. */
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/digest.h"
#include "base/version.h"
#include "cli/files/input_digest.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/launch_experiments.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/tasks.h"
#include "cli/verbs/verbs.h"
#include "core/core_run.h"
#include "launch/prepared.h"
#include "report/clock_figures.h"
#include "report/decimal.h"
#include "report/json_writer.h"
#include "report/launch_report.h"
#include "scenario/machine_file.h"
#include "scenario/scenario.h"
#include "search/journal.h"
#include "search/row_runs.h"
#include "search/variants.h"

/* tmasim sweep of launch files: launches with many settings, the fastest first. */

struct cli_launch_sweep {
    const struct cli_options *options; /* whose operands are the launch files */
    const struct tma_variants *variants;
    const char *list;   /* the file that variants come from, or NULL */
    const char *resume; /* journal; NULL: none */
    bool sample;        /* long launches are simulated in part */
};

struct launch_sweep {
    const struct cli_launch_sweep *asked;
    const struct cli_options *options;
    const struct tma_variants *variants;
    struct cli_launch_file *files; /* owned */
    size_t file_count;
    struct tma_tune tune;
    size_t *tasks; /* owned: the rows that are to be run */
    size_t task_count;
    struct tma_journal journal;
    bool failed; /* after an error that was printed */
};

/* What a worker says of a row. */
struct launch_row {
    bool run;
    struct tma_tune_row found;     /* where it has run: all but what the row itself is */
    char reason[TMA_REASON_BYTES]; /* why it has not run */
};

static void say_why(const struct tma_prepared *prepared, const struct tma_ptx_result *result,
                    struct launch_row *row) {
    const struct tma_ptx_finding *first = result->findings;
    const struct tma_ptx_module *module = prepared->module;
    const char *how = tma_name_of(&tma_launch_failure_names, (int)result->failure);
    if (result->finding_count > 0 && first->instruction < module->instruction_count)
        snprintf(row->reason, sizeof row->reason, "%s: %s:%u:%u: %.400s", how,
                 cli_file_name(prepared->ptx_path), module->instructions[first->instruction].line,
                 module->instructions[first->instruction].column, first->text);
    else
        snprintf(row->reason, sizeof row->reason, "%s", how);
}

/* A launch whose cycles were measured has the clock of its measurement. */
static void find_times(const struct tma_launch *launch, const struct tma_machine *machine,
                       bool measured, const struct tma_ptx_options *options,
                       struct tma_core_result *timing, struct tma_tune_row *row) {
    if (!measured)
        cli_launch_find_memory_share(launch, machine, options, timing);
    struct tma_activity activity = tma_launch_activity(timing, launch->data);
    struct tma_clock_figures clock = tma_clock_figures_of(
        machine, &activity, measured ? machine->sm_clock_mhz : launch->sm_clock_mhz);
    row->sm_clock_mhz = machine->sm_clock_mhz;
    row->time_ns = clock.ns;
    for (int i = 0; i < TMA_SM_CLOCK_COUNT && !clock.fixed; i++)
        row->clock_ns[i] = clock.clocks.at[i].ns;
}

static void run_launch(const struct tma_launch *launch, const struct tma_machine *own, bool sample,
                       struct tma_diagnostics *list, struct launch_row *row) {
    struct tma_ptx_options options = {.sample_from = sample ? TMA_CORE_SAMPLED_INSTRUCTIONS : 0};
    struct tma_machine machine = tma_machine_at_clock(own, launch->sm_clock_mhz);
    struct tma_launch_measured measured;
    struct tma_prepared prepared = {0};
    struct tma_ptx_result executed = {0};
    struct tma_core_result timing = {0};
    struct tma_error error;
    if (tma_launch_prepare(launch, &machine, true, &prepared, list)) {
        bool is_measured =
            tma_launch_measurement(launch, machine.name, &measured) && measured.cycles > 0;
        if (is_measured)
            machine = tma_launch_measured_machine(&machine, &measured);
        if (cli_launch_time(&machine, &options, &prepared, &executed, &timing, &error) != TMA_OK) {
            snprintf(row->reason, sizeof row->reason, "%s", error.text);
        } else if (executed.failure != TMA_PTX_COMPLETED) {
            say_why(&prepared, &executed, row);
        } else {
            row->run = true;
            row->found = (struct tma_tune_row){
                .found = TMA_TUNE_SIMULATED,
                .cycles = timing.cycles,
                .trust = machine.trust,
                .sampled = timing.sampled_cycles > 0,
                .error_percent = tma_error_percent(timing.error_cycles, timing.cycles),
                .limiter = tma_launch_limiter_of(&machine, &timing)};
            find_times(launch, &machine, is_measured, &options, &timing, &row->found);
        }
        tma_core_result_free(&timing);
        tma_ptx_result_free(&executed);
    }
    tma_prepared_free(&prepared);
}

/* Reads the launch of a row with its settings, for the caller to free, also after a failure. */
static bool launch_sweep_read_row(const struct launch_sweep *sweep, size_t number,
                                  struct tma_launch *launch, struct tma_diagnostics *list) {
    const struct tma_variants *variants = sweep->variants;
    const struct cli_launch_file *file = &sweep->files[number / variants->row_count];
    const struct tma_settings user = {sweep->options->settings.items,
                                      sweep->options->settings.count};
    struct tma_row_settings settings;
    *launch = (struct tma_launch){0};
    if (!tma_row_settings_make(&user, variants, number % variants->row_count, &settings))
        return false;
    bool good = cli_launch_read(file, NULL, &(struct cli_list){settings.items, settings.count},
                                launch, list);
    tma_row_settings_free(&settings);
    return good;
}

/* In a worker: runs a row. */
static void work(void *context, size_t task, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct launch_sweep *sweep = context;
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct launch_row row = {0};
    struct tma_launch launch;
    struct tma_machine machine;
    (void)bytes, (void)size;
    if (launch_sweep_read_row(sweep, sweep->tasks[task], &launch, &list)) {
        if (cli_launch_machine(&launch, &machine))
            run_launch(&launch, &machine, sweep->asked->sample, &list, &row);
        else
            snprintf(row.reason, sizeof row.reason, "its machine cannot be read");
    }
    if (!row.run && row.reason[0] == '\0')
        cli_first_error(&list, row.reason, sizeof row.reason);
    tma_diagnostics_free(&list);
    tma_launch_free(&launch);
    tma_reply_append(reply, &row, sizeof row);
}

static void fill_row(struct tma_tune_row *row, const struct tma_tune_row *found) {
    const struct tma_tune_row own = *row;
    *row = *found;
    row->number = own.number;
    row->kernel = own.kernel;
    row->values = own.values;
}

static bool take(void *context, size_t task, const struct tma_task_outcome *outcome) {
    struct launch_sweep *sweep = context;
    struct tma_tune_row *row = &sweep->tune.rows[sweep->tasks[task]];
    struct tma_error error = {.text = "out of memory"};
    const struct launch_row *got = outcome->bytes;
    if (outcome->failure != NULL || !got->run) {
        row->found = TMA_TUNE_ILLEGAL;
        row->failure = tma_copy_text(outcome->failure != NULL ? outcome->failure : got->reason);
        sweep->failed = row->failure == NULL;
    } else {
        fill_row(row, &got->found);
        sweep->failed = tma_journal_add(&sweep->journal, sweep->tasks[task], &error) != TMA_OK;
    }
    if (sweep->failed)
        cli_error("%s", error.text);
    return !sweep->failed;
}

/* ---- the journal ---- */

/* A row in the journal. */
static void write_row(const void *context, size_t number, FILE *out) {
    const struct launch_sweep *sweep = context;
    const struct tma_tune_row *row = &sweep->tune.rows[number];
    struct tma_json json = {.out = out};
    tma_json_begin_line(&json, NULL);
    tma_json_unsigned(&json, "row", number + 1);
    tma_json_string(&json, "kernel", row->kernel);
    tma_json_begin_line(&json, "set");
    for (size_t i = 0; i < sweep->tune.column_count; i++)
        if (row->values[i] != NULL)
            tma_json_string(&json, sweep->tune.columns[i], row->values[i]);
    tma_json_end_object(&json);
    TMA_JSON_COUNTS(&json, row, cycles, sm_clock_mhz);
    tma_json_decimal(&json, "time_ns", row->time_ns, 6);
    for (int i = 0; i < TMA_SM_CLOCK_COUNT; i++)
        tma_json_decimal(&json, tma_sm_clock_keys[i], row->clock_ns[i], 6);
    tma_json_bool(&json, "timing_validated", row->trust.validated);
    tma_json_bool(&json, "timing_edited", row->trust.edited);
    tma_json_bool(&json, "timing_public", row->trust.public_data);
    tma_json_bool(&json, "sampled", row->sampled);
    tma_json_decimal(&json, "error_percent", row->error_percent, 1);
    tma_json_string(&json, "busiest", row->limiter.busiest);
    tma_json_decimal(&json, "busy", row->limiter.busy, 6);
    tma_json_string(&json, "longest_wait", row->limiter.wait);
    tma_json_decimal(&json, "waited", row->limiter.waited, 6);
    tma_json_end_object(&json);
}

static void take_row(void *context, const struct tma_yaml_node *line) {
    struct launch_sweep *sweep = context;
    const struct tma_tune *tune = &sweep->tune;
    uint64_t number = tma_journal_whole(line, "row");
    if (number < 1 || number > tune->row_count ||
        !tma_journal_has_settings(line, tune->columns, tune->column_count,
                                  tune->rows[number - 1].values))
        return;
    struct tma_tune_row row = {.found = TMA_TUNE_SIMULATED,
                               .cycles = tma_journal_whole(line, "cycles"),
                               .sm_clock_mhz = (uint32_t)tma_journal_whole(line, "sm_clock_mhz"),
                               .time_ns = tma_journal_fraction(line, "time_ns"),
                               .trust = tma_journal_trust(line),
                               .sampled = strcmp(tma_journal_text(line, "sampled"), "true") == 0,
                               .error_percent = tma_journal_fraction(line, "error_percent"),
                               .limiter = {.busy = tma_journal_fraction(line, "busy"),
                                           .waited = tma_journal_fraction(line, "waited")}};
    for (int i = 0; i < TMA_SM_CLOCK_COUNT; i++)
        row.clock_ns[i] = tma_journal_fraction(line, tma_sm_clock_keys[i]);
    snprintf(row.limiter.busiest, sizeof row.limiter.busiest, "%s",
             tma_journal_text(line, "busiest"));
    snprintf(row.limiter.wait, sizeof row.limiter.wait, "%s",
             tma_journal_text(line, "longest_wait"));
    if (row.sm_clock_mhz > 0)
        fill_row(&tune->rows[number - 1], &row);
}

struct row_digest {
    uint64_t digest;
    bool complete; /* false when out of memory */
};

static void digest_pair(void *context, const char *key, const char *value) {
    struct row_digest *row = context;
    row->complete = row->complete && value != NULL;
    row->digest = tma_digest_add_text(row->digest, key);
    row->digest = tma_digest_add_text(row->digest, value == NULL ? "" : value);
}

/* Adds what a row names besides its settings: PTX, machine, contents. False when out of memory. */
static bool digest_row(const struct launch_sweep *sweep, size_t number, uint64_t *digest) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_launch launch;
    char *path = NULL;
    bool good = true;
    if (launch_sweep_read_row(sweep, number, &launch, &list)) {
        path = tma_launch_find(&launch, launch.ptx, "ptx");
        good = path != NULL && cli_digest_file(digest, path);
        tma_release(path);
        for (size_t i = 0; good && i < launch.buffer_count; i++) {
            if (launch.buffers[i].file == NULL)
                continue;
            path = tma_launch_find(&launch, launch.buffers[i].file, "data");
            good = path != NULL && cli_digest_file(digest, path);
            tma_release(path);
        }
        struct tma_machine machine;
        struct row_digest row = {.digest = *digest, .complete = true};
        const struct tma_describer describer = {digest_pair, &row, ""};
        if (good && cli_launch_machine(&launch, &machine))
            tma_machine_describe(&machine, &describer);
        *digest = row.digest;
        good = good && row.complete;
    }
    tma_launch_free(&launch);
    tma_diagnostics_free(&list);
    return good;
}

/* Opens the journal. Its digest is of all that the rows are made of. */
static bool open_journal(struct launch_sweep *sweep, const struct tma_host *host) {
    const struct cli_launch_sweep *asked = sweep->asked;
    const struct cli_list *settings = &asked->options->settings;
    const struct tma_journal_rows rows = {.name = sweep->tune.rows[0].kernel,
                                          .parts = "the launch files, their PTX or machines",
                                          .context = sweep,
                                          .write = write_row,
                                          .take = take_row};
    struct tma_error error = {.text = "out of memory"};
    char text[TMA_DIGEST_TEXT_BYTES];
    uint64_t digest = tma_digest_add_text(TMA_DIGEST_EMPTY, TMA_VERSION);
    bool good = true;
    if (asked->resume == NULL)
        return true;
    for (size_t i = 0; i < settings->count; i++)
        digest = tma_digest_add_text(digest, settings->items[i]);
    digest = tma_digest_add_text(digest, asked->sample ? "sample" : "");
    for (size_t i = 0; i < sweep->file_count; i++)
        digest = tma_digest_add(digest, sweep->files[i].text, sweep->files[i].length + 1);
    for (size_t i = 0; good && i < sweep->tune.row_count; i++)
        good = digest_row(sweep, i, &digest);
    tma_digest_text(digest, text);
    good = good &&
           tma_journal_open(&sweep->journal, asked->resume, text, host, &rows, &error) == TMA_OK;
    return good || cli_error("%s", error.text);
}

static bool create(struct launch_sweep *sweep) {
    struct tma_tune *tune = &sweep->tune;
    const struct tma_variants *variants = sweep->variants;
    size_t files = sweep->options->operands.count;
    sweep->files = tma_allocate(files, sizeof *sweep->files);
    tune->row_count = files * variants->row_count;
    tune->rows = tma_allocate(tune->row_count, sizeof *tune->rows);
    sweep->tasks = tma_allocate(tune->row_count, sizeof *sweep->tasks);
    if (sweep->files == NULL || tune->rows == NULL || sweep->tasks == NULL)
        return cli_error("out of memory");
    tune->columns = variants->columns;
    tune->column_count = variants->column_count;
    tune->several_kernels = files > 1;
    for (size_t i = 0; i < tune->row_count; i++) {
        size_t file = i / variants->row_count, variant = i % variants->row_count;
        tune->rows[i] =
            (struct tma_tune_row){.number = i + 1,
                                  .kernel = cli_file_name(sweep->options->operands.items[file]),
                                  .values = &variants->values[variant * variants->column_count],
                                  .found = TMA_TUNE_MISSING};
    }
    for (; sweep->file_count < files; sweep->file_count++)
        if (!cli_launch_file_read(sweep->options->operands.items[sweep->file_count],
                                  &sweep->files[sweep->file_count]))
            return false;
    return true;
}

static bool run_rows(struct launch_sweep *sweep) {
    for (size_t i = 0; i < sweep->tune.row_count; i++)
        if (sweep->tune.rows[i].found == TMA_TUNE_MISSING)
            sweep->tasks[sweep->task_count++] = i;
    struct cli_tasks tasks = {.count = sweep->task_count,
                              .unit = "launches",
                              .context = sweep,
                              .work = work,
                              .take = take};
    bool good = cli_tasks_run(&tasks, cli_jobs(sweep->options), sweep->options->quiet);
    sweep->tune.partial = tasks.interrupted;
    return good && !sweep->failed;
}

static int status_of(const struct tma_tune *tune) {
    if (tune->partial)
        return CLI_INTERRUPTED;
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found != TMA_TUNE_SIMULATED)
            return CLI_FAILED_ROWS;
    return CLI_OK;
}

static void note(void *context, const char *text) {
    (void)context;
    cli_note("%s", text);
}

/* The files that the sweep writes are none that it reads. */
static bool spares_inputs(const struct cli_launch_sweep *asked) {
    const struct cli_list *operands = &asked->options->operands;
    bool good = cli_output_spares(asked->options->output, asked->list) &&
                cli_output_spares(asked->resume, asked->list);
    for (size_t i = 0; good && i < operands->count; i++)
        good = cli_output_spares(asked->options->output, operands->items[i]) &&
               cli_output_spares(asked->resume, operands->items[i]);
    if (good && cli_output_is_file(asked->options->output, asked->resume))
        good = cli_error("--output and --resume name the same file: %s", asked->resume);
    return good;
}

/* Runs each launch with the settings of each variant, in worker processes, and writes the ranked
 * table. Returns the exit status. */
static int cli_launch_sweep(const struct cli_launch_sweep *asked) {
    const struct cli_options *options = asked->options;
    const struct tma_host host = {.note = note};
    struct launch_sweep sweep = {.asked = asked, .options = options, .variants = asked->variants};
    struct cli_output output;
    int status = CLI_ERROR;
    if (spares_inputs(asked) && create(&sweep) && open_journal(&sweep, &host) &&
        cli_output_open(&output, options->output)) {
        bool good = run_rows(&sweep);
        if (good) {
            tma_tune_rank(&sweep.tune);
            tma_tune_write(&sweep.tune, options->format, output.file);
        }
        if (cli_output_close(&output, good) && good)
            status = status_of(&sweep.tune);
    }
    for (size_t i = 0; sweep.tune.rows != NULL && i < sweep.tune.row_count; i++)
        tma_release(sweep.tune.rows[i].failure);
    for (size_t i = 0; i < sweep.file_count; i++)
        cli_launch_file_free(&sweep.files[i]);
    tma_journal_close(&sweep.journal);
    TMA_RELEASE(sweep.tasks, sweep.tune.rows, sweep.files);
    return status;
}

enum { MOST_LAUNCHES = 1000 };

struct sweep_options {
    struct cli_options common;
    struct cli_list tries;
    const char *list;   /* NULL: no list */
    const char *resume; /* NULL: no journal */
    int sampling;       /* enum tma_sampling */
};

struct sweeping {
    const struct sweep_options *own;
    struct tma_variants variants;
    struct tma_sweep sweep;
    struct tma_row_runs runs;
    char name[TMA_MAX_NAME];            /* of the scenario */
    char digest[TMA_DIGEST_TEXT_BYTES]; /* of all that is swept but the rows' own settings */
    char key[TMA_DIGEST_TEXT_BYTES];    /* of all */
    struct tma_journal journal;
    struct cli_host host;
};

/* In a worker: reads the scenario with the settings of a row. */
static bool read_row(const void *context, size_t row, struct tma_variant_scenario *variant,
                     char reason[TMA_REASON_BYTES]) {
    const struct sweeping *sweeping = context;
    const struct cli_options *options = &sweeping->own->common;
    const struct tma_settings settings = {options->settings.items, options->settings.count};
    const char *path = options->operands.items[0];
    return tma_variant_scenario_read(path, cli_file_name(path), &settings, &sweeping->variants, row,
                                     variant, reason);
}

/* Reads the scenario without the settings of rows for its name and its machine's file, and spares
 * both files. The scenario may be wrong, if each row sets what is missing. */
static bool look_at_scenario(struct sweeping *sweeping) {
    const struct cli_options *options = &sweeping->own->common;
    const char *path = options->operands.items[0];
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    tma_scenario_read(path, options->settings.items, options->settings.count, &scenario, &list);
    snprintf(sweeping->name, sizeof sweeping->name, "%s",
             scenario.name[0] != '\0' ? scenario.name : path);
    uint64_t state = tma_digest_add_text(TMA_DIGEST_EMPTY, TMA_VERSION);
    bool good = !tma_diagnostics_lack_memory(&list) && cli_digest_scenario(&state, path, &scenario);
    if (!good)
        cli_error("out of memory");
    for (size_t i = 0; i < options->settings.count; i++)
        state = tma_digest_add_text(state, options->settings.items[i]);
    if (sweeping->own->sampling != TMA_SAMPLING_NONE)
        state =
            tma_digest_add_text(state, tma_name_of(&tma_sampling_names, sweeping->own->sampling));
    tma_digest_text(state, sweeping->digest);
    tma_digest_text(cli_digest_variants(state, &sweeping->variants), sweeping->key);
    const char *inputs[] = {path, scenario.gpu_path, sweeping->own->list};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        good = good && cli_output_spares(options->output, inputs[i]) &&
               cli_output_spares(sweeping->own->resume, inputs[i]);
    if (good && cli_output_is_file(options->output, sweeping->own->resume))
        good = cli_error("--output and --resume name the same file: %s", options->output);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good;
}

static bool create_rows(struct sweeping *sweeping) {
    struct tma_sweep *sweep = &sweeping->sweep;
    const struct tma_variants *variants = &sweeping->variants;
    sweep->columns = variants->columns;
    sweep->column_count = variants->column_count;
    sweep->row_count = variants->row_count;
    sweep->rows = tma_allocate(sweep->row_count, sizeof *sweep->rows);
    if (sweep->rows == NULL)
        return cli_error("out of memory");
    for (size_t i = 0; i < sweep->row_count; i++)
        sweep->rows[i].values = &variants->values[i * sweep->column_count];
    return true;
}

static int sweep_scenario(struct sweeping *sweeping) {
    const struct cli_options *options = &sweeping->own->common;
    const struct tma_worker_code code = tma_row_runs_code(&sweeping->runs);
    struct cli_output output;
    struct tma_error error;
    int status;
    if (!create_rows(sweeping) || !look_at_scenario(sweeping))
        return CLI_ERROR;
    if (cli_rank_serves(options, &code, sweeping->key, &status))
        return status;
    sweeping->sweep.scenario = sweeping->name;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    cli_host_begin(&sweeping->host, options, "rows", sweeping->key);
    const struct tma_journal_rows rows = tma_journal_of_sweep(&sweeping->sweep);
    bool good = tma_journal_open(&sweeping->journal, sweeping->own->resume, sweeping->digest,
                                 &sweeping->host.host, &rows, &error) == TMA_OK &&
                tma_row_runs_do(&sweeping->runs, &error) == TMA_OK;
    tma_journal_close(&sweeping->journal);
    cli_host_end(&sweeping->host);
    if (!good)
        cli_error("%s", error.text);
    if (good)
        tma_sweep_write(&sweeping->sweep, options->format, output.file);
    if (!cli_output_close(&output, good) || !good)
        return CLI_ERROR;
    return cli_row_status(&sweeping->sweep);
}

/* Launches of compiled kernels have a table of their own. */
static int sweep_launches(const struct sweep_options *own) {
    static const struct tma_variants none = {.row_count = 1};
    struct tma_variants variants = {0};
    int status = CLI_ERROR;
    struct cli_launch_sweep sweep = {.options = &own->common,
                                     .list = own->list,
                                     .resume = own->resume,
                                     .sample = own->sampling != TMA_SAMPLING_NONE,
                                     .variants = &none};
    if (own->tries.count == 0 && own->list == NULL)
        return cli_launch_sweep(&sweep);
    sweep.variants = &variants;
    if (cli_variants_make(&own->tries, own->list, &variants))
        status = cli_launch_sweep(&sweep);
    tma_variants_free(&variants);
    return status;
}

static int run(const struct cli_options *options) {
    struct sweeping sweeping = {.own = (const struct sweep_options *)options};
    const struct sweep_options *own = sweeping.own;
    sweeping.runs = (struct tma_row_runs){.host = &sweeping.host.host,
                                          .sweep = &sweeping.sweep,
                                          .sampling = (enum tma_sampling)own->sampling,
                                          .context = &sweeping,
                                          .read = read_row,
                                          .journal = &sweeping.journal};
    int status = CLI_ERROR;
    size_t launches = 0;
    for (size_t i = 0; i < options->operands.count; i++)
        launches += cli_is_launch(options->operands.items[i], NULL);
    cli_interrupts_hold(true);
    if (launches > 0 && launches == options->operands.count)
        return sweep_launches(own);
    if (options->operands.count > 1)
        return cli_fail(
            "sweep: expected one scenario, or launch files; got %zu files, of which %zu are "
            "launch files",
            options->operands.count, launches);
    if (own->tries.count == 0 && own->list == NULL)
        cli_error("sweep: nothing to try; expected --try PATH=VALUES or --list FILE");
    else if (cli_variants_make(&own->tries, own->list, &sweeping.variants))
        status = sweep_scenario(&sweeping);
    tma_rows_free(&sweeping.sweep);
    tma_variants_free(&sweeping.variants);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_TRY(struct sweep_options, tries),
    CLI_OPTION_LIST(struct sweep_options, list),
    CLI_VALUE_OPTION(
        "--resume", "FILE", TEXT, offsetof(struct sweep_options, resume),
        "write each row to FILE as soon as it is done (JSON lines), and do not simulate\n"
        "the rows again that FILE has from an earlier sweep of the same"),
    CLI_OPTION_SAMPLE(offsetof(struct sweep_options, sampling)),
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_JOBS,
    CLI_OPTION_QUIET,
    CLI_OPTION_FORMAT(&tma_table_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_sweep = {
    .name = "sweep",
    .operands = "SCENARIO.yaml | LAUNCH.yaml...",
    .takes_scenario = true,
    .takes_launch = true,
    .summary = "Simulate a scenario with many settings: a row for each combination of values.",
    .details =
        "Launch files of compiled kernels, one or several, give a table by rank, the fastest "
        "first:\nof each file, and of each combination of its keys (--try ptx=a.ptx,b.ptx "
        "registers=128,168).\n"
        "A row that is not a legal scenario, or "
        "deadlocks, has its reason in place of figures. Ctrl-C ends the sweep\nwith the rows "
        "that are done.",
    .example = "gemm_tile --try workload.pipeline.depth=2:6 --try tensor_maps.A.swizzle=none,128b",
    .statuses = "0 all rows were simulated; 1 some rows failed; 2 error; 130 interrupted: the "
                "output is\npartial",
    .min_operands = 1,
    .max_operands = MOST_LAUNCHES,
    CLI_RUNS_WITH(sweep_options),
};
