#include "cli/scenario_table.h"

#include "base/allocation.h"
#include "cli/files/input_digest.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/run_options.h"
#include "cli/work_host.h"
#include "scenario/kernel_program.h"
#include "search/row_runs.h"

struct scenario_table {
    const struct cli_options *options;
    bool unbounded, allow_races;
    struct tma_sweep sweep;
    struct tma_row_runs runs;
    struct cli_host host;
    char key[TMA_DIGEST_TEXT_BYTES];
};

/* In a worker. */
static bool read_row(const void *context, size_t row, struct tma_variant_scenario *variant,
                     char reason[TMA_REASON_BYTES]) {
    static const struct tma_variants none = {.row_count = 1};
    const struct scenario_table *table = context;
    const struct cli_options *options = table->options;
    const char *path = options->operands.items[row];
    const struct tma_settings settings = {options->settings.items, options->settings.count};
    bool good =
        tma_variant_scenario_read(path, cli_file_name(path), &settings, &none, 0, variant, reason);
    if (good && variant->scenario.program != NULL) {
        variant->scenario.program->kernel.unbounded = table->unbounded;
        variant->scenario.program->kernel.allow_races = table->allow_races;
    }
    return good;
}

static bool create_rows(struct scenario_table *table) {
    static const char *const columns[] = {"scenario"};
    struct tma_sweep *sweep = &table->sweep;
    sweep->columns = columns;
    sweep->column_count = 1;
    sweep->row_count = table->options->operands.count;
    sweep->rows = tma_allocate(sweep->row_count, sizeof *sweep->rows);
    if (sweep->rows == NULL) {
        cli_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < sweep->row_count; i++)
        sweep->rows[i].values = &table->options->words[i];
    return true;
}

/* The output may be no file that a scenario is made of. A scenario may be wrong: its row says so.
 */
static bool spares_inputs(const struct cli_options *options) {
    bool good = true;
    for (size_t i = 0; good && options->output != NULL && i < options->operands.count; i++) {
        struct tma_diagnostics list = {0};
        struct tma_scenario scenario;
        tma_scenario_read(options->operands.items[i], options->settings.items,
                          options->settings.count, &scenario, &list);
        good = cli_scenario_spared(&scenario, options->output);
        tma_diagnostics_free(&list);
        tma_scenario_free(&scenario);
    }
    return good;
}

static int write_table(struct scenario_table *table, int format) {
    const struct cli_options *options = table->options;
    const struct tma_worker_code code = tma_row_runs_code(&table->runs);
    struct cli_output output;
    struct tma_error error;
    int status;
    if (cli_is_rank() && !cli_digest_inputs(options, options->operands.items, NULL, table->key))
        return CLI_ERROR;
    if (cli_rank_serves(options, &code, table->key, &status))
        return status;
    if (!spares_inputs(options) || !cli_output_open(&output, options->output))
        return CLI_ERROR;
    cli_host_begin(&table->host, options, "rows", table->key);
    bool good = tma_row_runs_do(&table->runs, &error) == TMA_OK;
    cli_host_end(&table->host);
    if (!good)
        cli_error("%s", error.text);
    if (good)
        tma_sweep_write(&table->sweep, format, output.file);
    if (!cli_output_close(&output, good) || !good)
        return CLI_ERROR;
    return cli_row_status(&table->sweep);
}

int cli_scenario_table(const struct cli_options *options, int format, enum tma_sampling sampling,
                       bool unbounded, bool allow_races) {
    struct scenario_table table = {
        .options = options, .unbounded = unbounded, .allow_races = allow_races};
    table.runs = (struct tma_row_runs){.host = &table.host.host,
                                       .sweep = &table.sweep,
                                       .sampling = sampling,
                                       .context = &table,
                                       .read = read_row};
    cli_interrupts_hold(true);
    int status = create_rows(&table) ? write_table(&table, format) : CLI_ERROR;
    tma_rows_free(&table.sweep);
    return status;
}
