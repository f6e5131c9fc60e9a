/* tmasim sweep: one scenario with many settings. */
#include "base/allocation.h"
#include "base/digest.h"
#include "base/version.h"
#include "cli/files/input_digest.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/launch_run.h"
#include "cli/launch_sweep.h"
#include "cli/messages.h"
#include "cli/run_options.h"
#include "cli/verbs/verbs.h"
#include "cli/work_host.h"
#include "scenario/scenario.h"
#include "search/journal.h"
#include "search/row_runs.h"

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
    const struct tma_variants *variants = &sweeping->variants;
    sweep->columns = variants->columns;
    sweep->column_count = variants->column_count;
    sweep->row_count = variants->row_count;
    sweep->rows = tma_allocate(sweep->row_count, sizeof *sweep->rows);
    if (sweep->rows == NULL) {
        cli_error("out of memory");
        return false;
    }
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
    if (options->operands.count > 1) {
        cli_error("sweep: expected one scenario, or launch files; got %zu files, of which %zu are "
                  "launch files",
                  options->operands.count, launches);
        return CLI_ERROR;
    }
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
    .options = options,
    .options_bytes = sizeof(struct sweep_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
