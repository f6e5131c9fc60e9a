#include "cli/launch_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/launch_experiments.h"
#include "cli/messages.h"
#include "cli/ranks.h"
#include "cli/tasks.h"
#include "core/core_run.h"
#include "launch/prepared.h"
#include "report/clock_figures.h"
#include "report/launch_report.h"

struct launch_sweep {
    const struct cli_options *options;
    const struct tma_variants *variants;
    struct cli_launch_file *files; /* owned */
    size_t file_count;
    struct tma_tune tune;
    bool out_of_memory;
};

/* What a worker says of a row. */
struct launch_row {
    bool run;
    uint64_t cycles;
    uint32_t sm_clock_mhz;               /* of the simulation */
    double time_ns;                      /* at the chosen clock */
    double clock_ns[TMA_SM_CLOCK_COUNT]; /* unless a clock in MHz was chosen */
    bool validated, edited, public_data;
    struct tma_tune_limiter limiter;
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

/* A measured launch has the clock of its measurement. */
static void find_times(const struct tma_launch *launch, const struct tma_machine *machine,
                       bool measured, struct tma_core_result *timing, struct launch_row *row) {
    if (!measured)
        cli_launch_find_memory_share(launch, machine, false, timing);
    struct tma_activity activity = tma_launch_activity(timing, launch->data);
    struct tma_clock_figures clock = tma_clock_figures_of(
        machine, &activity, measured ? machine->sm_clock_mhz : launch->sm_clock_mhz);
    row->sm_clock_mhz = machine->sm_clock_mhz;
    row->time_ns = clock.ns;
    for (int i = 0; i < TMA_SM_CLOCK_COUNT && !clock.fixed; i++)
        row->clock_ns[i] = clock.clocks.at[i].ns;
}

static void run_launch(const struct tma_launch *launch, const struct tma_machine *own,
                       struct tma_diagnostics *list, struct launch_row *row) {
    struct tma_machine machine = tma_machine_at_clock(own, launch->sm_clock_mhz);
    struct tma_launch_measured measured;
    struct tma_prepared prepared = {0};
    struct tma_ptx_result executed = {0};
    struct tma_core_result timing = {0};
    struct tma_error error;
    if (tma_launch_prepare(launch, &machine, true, &prepared, list)) {
        bool is_measured = tma_launch_measurement(launch, machine.name, &measured);
        if (is_measured)
            machine = tma_launch_measured_machine(&machine, &measured);
        if (tma_core_run(&machine, &prepared.execution, NULL, &executed, &timing, &error) !=
            TMA_OK) {
            snprintf(row->reason, sizeof row->reason, "%s", error.text);
        } else if (executed.failure != TMA_PTX_COMPLETED) {
            say_why(&prepared, &executed, row);
        } else {
            row->run = true;
            row->cycles = timing.cycles;
            find_times(launch, &machine, is_measured, &timing, row);
            row->validated = machine.validated;
            row->edited = machine.edited;
            row->public_data = machine.public_data;
            row->limiter = tma_launch_limiter_of(&machine, &timing);
        }
        tma_core_result_free(&timing);
        tma_ptx_result_free(&executed);
    }
    tma_prepared_free(&prepared);
}

/* In a worker: runs a row. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct launch_sweep *sweep = context;
    const struct cli_launch_file *file = &sweep->files[number / sweep->variants->row_count];
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct launch_row row = {0};
    struct tma_launch launch = {0};
    struct tma_machine machine;
    const struct tma_settings user = {sweep->options->settings.items,
                                      sweep->options->settings.count};
    struct tma_row_settings settings;
    (void)bytes, (void)size;
    if (!tma_row_settings_make(&user, sweep->variants, number % sweep->variants->row_count,
                               &settings)) {
        snprintf(row.reason, sizeof row.reason, "out of memory");
    } else if (cli_launch_read(file, NULL, &(struct cli_list){settings.items, settings.count},
                               &launch, &list)) {
        if (cli_launch_machine(&launch, &machine))
            run_launch(&launch, &machine, &list, &row);
        else
            snprintf(row.reason, sizeof row.reason, "its machine cannot be read");
    }
    if (!row.run && row.reason[0] == '\0')
        cli_first_error(&list, row.reason, sizeof row.reason);
    tma_diagnostics_free(&list);
    tma_launch_free(&launch);
    tma_row_settings_free(&settings);
    tma_reply_append(reply, &row, sizeof row);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct launch_sweep *sweep = context;
    struct tma_tune_row *row = &sweep->tune.rows[number];
    const struct launch_row *got = outcome->bytes;
    if (outcome->failure != NULL || !got->run) {
        row->found = TMA_TUNE_ILLEGAL;
        row->failure = tma_copy_text(outcome->failure != NULL ? outcome->failure : got->reason);
        sweep->out_of_memory |= row->failure == NULL;
        return !sweep->out_of_memory;
    }
    row->found = TMA_TUNE_SIMULATED;
    row->cycles = got->cycles;
    row->sm_clock_mhz = got->sm_clock_mhz;
    row->time_ns = got->time_ns;
    memcpy(row->clock_ns, got->clock_ns, sizeof row->clock_ns);
    row->limiter = got->limiter;
    row->timing_validated = got->validated;
    row->timing_edited = got->edited;
    row->timing_public = got->public_data;
    return true;
}

static bool create(struct launch_sweep *sweep) {
    struct tma_tune *tune = &sweep->tune;
    const struct tma_variants *variants = sweep->variants;
    size_t files = sweep->options->operands.count;
    sweep->files = tma_allocate(files, sizeof *sweep->files);
    tune->row_count = files * variants->row_count;
    tune->rows = tma_allocate(tune->row_count, sizeof *tune->rows);
    if (sweep->files == NULL || tune->rows == NULL) {
        cli_error("out of memory");
        return false;
    }
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
    struct cli_tasks tasks = {.count = sweep->tune.row_count,
                              .unit = "launches",
                              .context = sweep,
                              .work = work,
                              .take = take};
    bool good = cli_tasks_run(&tasks, cli_jobs(sweep->options), sweep->options->quiet);
    sweep->tune.partial = tasks.interrupted;
    if (good && sweep->out_of_memory)
        cli_error("out of memory");
    return good && !sweep->out_of_memory;
}

static int status_of(const struct tma_tune *tune) {
    if (tune->partial)
        return CLI_INTERRUPTED;
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found != TMA_TUNE_SIMULATED)
            return CLI_FAILED_ROWS;
    return CLI_OK;
}

int cli_launch_sweep(const struct cli_options *options, const char *list,
                     const struct tma_variants *variants) {
    struct launch_sweep sweep = {.options = options, .variants = variants};
    struct cli_output output;
    int status = CLI_ERROR;
    if (cli_output_spares(options->output, list) && create(&sweep) &&
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
    tma_release(sweep.tune.rows);
    tma_release(sweep.files);
    return status;
}
