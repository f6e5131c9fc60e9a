/* tmasim sweep: one scenario with many settings. */
#include <assert.h>
#include <string.h>

#include "base/allocation.h"
#include "base/digest.h"
#include "base/version.h"
#include "cli/input_digest.h"
#include "cli/journal.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/temporary.h"
#include "cli/variant_scenario.h"
#include "cli/verbs.h"
#include "scenario/scenario.h"
#include "serve/scenario_figures.h"

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
    struct tma_worker_code code;
    char name[TMA_MAX_NAME];            /* of the scenario */
    char digest[TMA_DIGEST_TEXT_BYTES]; /* of all that is swept but the rows' own settings */
    char key[TMA_DIGEST_TEXT_BYTES];    /* of all */
    struct cli_journal journal;
    size_t *left;           /* owned; rows that no journal has, by task */
    struct tma_task *tasks; /* owned */
    struct cli_progress progress;
    bool failed; /* the journal cannot be written, or memory has run out */
};

/* Simulates a scenario. On failure returns the reason. */
static bool simulate(const struct tma_scenario *scenario, struct tma_sweep_figures *figures,
                     struct tma_reply *reply, struct tma_error *error) {
    if (tma_scenario_figures(scenario, figures, error) != TMA_OK)
        return false;
    tma_reply_note(reply, &figures->cycles, sizeof figures->cycles);
    return true;
}

/* In a worker: reads the scenario with the settings of a row and simulates it. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct sweeping *sweeping = context;
    const struct cli_options *options = &sweeping->own->common;
    struct tma_error error = {0};
    struct row_outcome outcome = {.failed = true};
    struct cli_variant_scenario variant;
    char reason[CLI_REASON_BYTES];
    size_t row;
    (void)number;
    assert(size == sizeof row);
    memcpy(&row, bytes, size);
    const char *path = options->operands.items[0];
    if (cli_variant_read(path, cli_file_name(path), &options->settings, &sweeping->variants, row,
                         &variant, reason)) {
        outcome.failed = !simulate(&variant.scenario, &outcome.figures, reply, &error);
        snprintf(reason, sizeof reason, "%s", error.text);
    }
    cli_variant_free(&variant);
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
            sweeping->left[count] = i;
            sweeping->tasks[count] =
                (struct tma_task){.bytes = &sweeping->left[count], .size = sizeof i, .cost = 1};
            count++;
        }
    struct tma_batch batch = {.tasks = sweeping->tasks,
                              .count = count,
                              .context = sweeping,
                              .take = take,
                              .note = note,
                              .idle = idle,
                              .lost = cli_rank_lost};
    struct tma_workers *workers = cli_workers_create(options, &sweeping->code, sweeping->key);
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
    tma_digest_text(state, sweeping->digest);
    tma_digest_text(cli_digest_variants(state, &sweeping->variants), sweeping->key);
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
    struct cli_output output;
    int status;
    if (!create_rows(sweeping) || !look_at_scenario(sweeping))
        return CLI_ERROR;
    if (cli_rank_serves(options, &sweeping->code, sweeping->key, &status))
        return status;
    sweeping->sweep.scenario = sweeping->name;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool good = cli_journal_open(&sweeping->journal, sweeping->own->resume, sweeping->digest,
                                 &sweeping->sweep) &&
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
    sweeping.code = (struct tma_worker_code){.work = work, .context = &sweeping};
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
    CLI_OPTION_TRY(struct sweep_options, tries),
    CLI_OPTION_LIST(struct sweep_options, list),
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
        "A row that is not a legal scenario, or "
        "deadlocks, has its reason in place of figures. Ctrl-C ends the sweep\nwith the rows "
        "that are done.",
    .example = "gemm_tile --try workload.pipeline.depth=2:6 --try tensor_maps.A.swizzle=none,128b",
    .statuses = "0 all rows were simulated; 1 some rows failed; 2 error; 130 interrupted: the "
                "output is\npartial",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .options_bytes = sizeof(struct sweep_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
