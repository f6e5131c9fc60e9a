/* Records of launches: all of them run, in worker processes, and their outputs are compared. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/printable.h"
#include "cli/files/config_files.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/launch_experiments.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/tasks.h"
#include "core/core_run.h"
#include "core/lowering.h"
#include "records/summary.h"
#include "report/clock_figures.h"
#include "report/decimal.h"
#include "report/json_writer.h"
#include "report/launch_report.h"

enum {
    NAME_BYTES = 256,
    FAMILY_BYTES = 64,
    REASON_BYTES = 512,
    NAME_COLUMNS = 44,
    MOST_INSTRUCTIONS_BITS = 36
};

/* What came of one record. */
struct launch_outcome {
    bool run;                            /* it came to its end without a finding */
    bool compared;                       /* it has outputs, and all of them were compared */
    bool agrees;                         /* its outputs do */
    struct tma_ptx_result counts;        /* without lines and findings */
    struct tma_sass_counts sass;         /* that ptxas's code would execute */
    bool timed;                          /* time passed */
    struct tma_core_result timing;       /* without lines */
    double clock_mhz;                    /* predicted for a single launch */
    struct tma_launch_measured measured; /* with ns 0: nothing was measured on this GPU */
    struct tma_launch_comparison beside; /* if time passed */
    bool by_time;                        /* cycles have no clock of a measurement */
    char name[NAME_BYTES], family[FAMILY_BYTES], reason[REASON_BYTES];
};

struct launch_line {
    uint32_t file;
    unsigned line;
    const char *text; /* borrowed from the file; or owned, with the path */
    size_t length;
    char *path; /* owned: of a launch file; NULL: a line of the file */
};

struct launch_validation {
    const struct cli_launch_options *options;
    struct tma_machine machine;      /* of records that name none, or with --gpu of all */
    bool one_machine;                /* --gpu */
    struct cli_launch_file *files;   /* owned */
    struct launch_line *records;     /* owned */
    struct launch_outcome *outcomes; /* owned */
    double *values;                  /* owned: room for a figure of each record */
    size_t file_count, record_count, capacity, done;
};

static void first_error(const struct tma_diagnostics *list, struct launch_outcome *outcome) {
    cli_first_error(list, outcome->reason, sizeof outcome->reason);
}

static struct tma_ptx_options options_of(const struct cli_launch_options *options) {
    return (struct tma_ptx_options){
        .sanitize_ctas = options->sanitize.given ? options->sanitize.value : 0,
        .strict = options->strict,
        .ablation = options->ablation,
        .sample_from = options->sample ? TMA_CORE_SAMPLED_INSTRUCTIONS : 0,
        .maximum_instructions = UINT64_C(1) << MOST_INSTRUCTIONS_BITS};
}

static void run_prepared(const struct cli_launch_options *options, struct tma_ptx_options *checks,
                         struct tma_prepared *prepared, const struct tma_machine *machine,
                         struct tma_diagnostics *list, struct launch_outcome *outcome) {
    struct tma_ptx_result result = {0};
    struct tma_output_difference outputs = {0};
    struct tma_error error = {0};
    enum tma_error_code code =
        options->functional
            ? tma_ptx_execute(&prepared->execution, checks, &result, &error)
            : cli_launch_time(machine, checks, prepared, &result, &outcome->timing, &error);
    if (code != TMA_OK) {
        snprintf(outcome->reason, sizeof outcome->reason, "%s", error.text);
    } else if (result.failure != TMA_PTX_COMPLETED || tma_launch_report_errors(&result) > 0) {
        uint32_t line = result.finding_count == 0 || result.findings[0].instruction >=
                                                         prepared->module->instruction_count
                            ? 0
                            : prepared->module->instructions[result.findings[0].instruction].line;
        snprintf(outcome->reason, sizeof outcome->reason, "%s: line %" PRIu32 ": %.400s",
                 tma_name_of(&tma_launch_failure_names, (int)result.failure), line,
                 result.finding_count > 0 ? result.findings[0].text : "");
    } else if (outcome->timing.sampled_cycles == 0 &&
               !tma_compare_outputs(prepared, &outputs, list)) {
        first_error(list, outcome);
    } else {
        outcome->run = true;
        outcome->timed = !options->functional;
        outcome->compared = outputs.buffers > 0;
        outcome->agrees = outputs.different == 0;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", outputs.first);
    }
    struct tma_lowering_options rules = {.sass = prepared->execution.sass};
    if (options->ablation != NULL)
        memcpy(rules.off, options->ablation->rules.off, sizeof rules.off);
    if (outcome->run && tma_count_sass(prepared->module, prepared->execution.registers, &rules,
                                       result.lines, &outcome->sass, &error) != TMA_OK) {
        outcome->run = false;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", error.text);
    }
    if (code == TMA_OK && !options->functional)
        tma_core_result_free(&outcome->timing);
    outcome->counts = result;
    outcome->counts.lines = NULL;
    outcome->counts.findings = NULL;
    tma_ptx_result_free(&result);
}

/* How the launch compares, which ran on `clocked`. Where no cycles were measured, its time is that
 * at the clock that `machine` has then; records without a measurement tell cycles alone. */
static void find_times(const struct launch_line *record, const struct tma_prepared *prepared,
                       const struct tma_machine *machine, const struct tma_machine *clocked,
                       const struct tma_ptx_options *checks, struct launch_outcome *outcome) {
    const struct tma_launch *launch = prepared->launch;
    struct tma_launch_report report = {.prepared = prepared,
                                       .machine = clocked,
                                       .timing = &outcome->timing,
                                       .sm_clock_mhz = clocked->sm_clock_mhz,
                                       .measured = &outcome->measured};
    struct tma_activity activity = tma_launch_activity(&outcome->timing, launch->data);
    outcome->clock_mhz = tma_clocks_of(machine, &activity).profiler_mhz;
    outcome->by_time =
        outcome->measured.cycles == 0 && (outcome->measured.ns > 0 || record->path != NULL);
    if (outcome->by_time) {
        cli_launch_find_memory_share(launch, clocked, checks, &outcome->timing);
        report.sm_clock_mhz = launch->sm_clock_mhz;
    }
    outcome->beside = tma_launch_compare(&report);
    if (outcome->by_time)
        outcome->clock_mhz = outcome->beside.predicted_mhz;
}

/* In a worker: runs a record. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct launch_validation *validation = context;
    const struct launch_line *record = &validation->records[number];
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_launch launch;
    struct tma_machine own;
    const struct tma_machine *machine = &validation->machine;
    struct tma_prepared prepared = {0};
    struct launch_outcome outcome = {0};
    (void)bytes, (void)size;
    bool good = record->path != NULL ? tma_launch_read(record->text, record->length, record->path,
                                                       NULL, 0, &launch, &list)
                                     : tma_launch_read_record(record->text, record->length,
                                                              validation->files[record->file].path,
                                                              record->line, &launch, &list);
    if (launch.name != NULL)
        snprintf(outcome.name, sizeof outcome.name, "%s", launch.name);
    else if (record->path != NULL)
        snprintf(outcome.name, sizeof outcome.name, "%s", cli_file_name(record->path));
    if (launch.family != NULL)
        snprintf(outcome.family, sizeof outcome.family, "%s", launch.family);
    if (good && !validation->one_machine && launch.gpu != NULL) {
        machine = &own;
        good = cli_launch_machine(&launch, &own);
        if (!good)
            tma_diagnose(&list, TMA_ERROR_FILE, launch.gpu_at, "its machine cannot be read");
    }
    char *sass = NULL;
    good = good && cli_launch_take_sass(validation->options->sass, &launch, &sass) &&
           tma_launch_prepare(&launch, machine, true, &prepared, &list);
    if (good) {
        struct tma_ptx_options checks = options_of(validation->options);
        struct tma_machine clocked = tma_machine_at_clock(machine, launch.sm_clock_mhz);
        if (tma_launch_measurement(&launch, machine->name, &outcome.measured))
            clocked = tma_launch_measured_machine(&clocked, &outcome.measured);
        outcome.measured.gpu = NULL;
        run_prepared(validation->options, &checks, &prepared, &clocked, &list, &outcome);
        if (outcome.run && outcome.timed)
            find_times(record, &prepared, machine, &clocked, &checks, &outcome);
    }
    if (!good)
        first_error(&list, &outcome);
    tma_diagnostics_free(&list);
    tma_prepared_free(&prepared);
    tma_launch_free(&launch);
    tma_release(sass);
    tma_reply_append(reply, &outcome, sizeof outcome);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *result) {
    struct launch_validation *validation = context;
    struct launch_outcome *outcome = &validation->outcomes[number];
    if (result->failure == NULL && result->size == sizeof *outcome)
        memcpy(outcome, result->bytes, sizeof *outcome);
    else
        snprintf(outcome->reason, sizeof outcome->reason, "%s", result->failure);
    validation->done++;
    return true;
}

static bool add_record(struct launch_validation *validation, struct launch_line record) {
    if (!TMA_GROW(validation->records, validation->record_count, validation->capacity))
        return cli_error("out of memory");
    validation->records[validation->record_count++] = record;
    return true;
}

static bool add_lines(struct launch_validation *validation, struct cli_launch_file *file) {
    struct launch_line record = {.file = (uint32_t)validation->file_count};
    size_t at = 0;
    while ((record.text = cli_launch_next(file, &at, &record.line, &record.length)) != NULL)
        if (!add_record(validation, record))
            return false;
    return true;
}

/* A launch file alone. Takes the path. */
static bool add_launch(struct launch_validation *validation, char *path) {
    struct cli_launch_file file;
    if (path != NULL && cli_launch_file_read(path, &file)) {
        struct launch_line record = {.file = (uint32_t)validation->file_count,
                                     .text = file.text,
                                     .length = file.length,
                                     .path = path};
        if (add_record(validation, record))
            return true;
        cli_launch_file_free(&file);
    }
    if (path == NULL)
        cli_error("out of memory");
    tma_release(path);
    return false;
}

/* The launch files of a folder, by name. */
static bool add_folder(struct launch_validation *validation, const char *folder) {
    struct cli_config_names names = {0};
    bool good = cli_config_names_read(folder, &names);
    if (good && names.count == 0)
        good = cli_error("%s has no launch file: no file NAME.yaml", folder);
    for (size_t i = 0; good && i < names.count; i++) {
        size_t size = strlen(folder) + strlen(names.items[i]) + sizeof "/.yaml";
        char *path = tma_allocate(size, 1);
        if (path != NULL)
            snprintf(path, size, "%s/%s.yaml", folder, names.items[i]);
        good = add_launch(validation, path);
    }
    cli_config_names_free(&names);
    return good;
}

static bool find_records(struct launch_validation *validation) {
    const struct cli_list *operands = &validation->options->common->operands;
    for (; validation->file_count < operands->count; validation->file_count++) {
        struct cli_launch_file *file = &validation->files[validation->file_count];
        const char *operand = operands->items[validation->file_count];
        file->path = operand;
        if (!(cli_is_launch_records(operand)
                  ? cli_launch_file_read(operand, file) && add_lines(validation, file)
              : cli_is_folder(operand) ? add_folder(validation, operand)
                                       : add_launch(validation, tma_copy_text(operand))))
            return false;
    }
    return true;
}

static bool run_records(struct launch_validation *validation) {
    const struct cli_options *options = validation->options->common;
    struct cli_tasks tasks = {.count = validation->record_count,
                              .unit = "launches",
                              .context = validation,
                              .work = work,
                              .take = take};
    validation->outcomes = tma_allocate(validation->record_count, sizeof *validation->outcomes);
    validation->values = tma_allocate(validation->record_count + 1, sizeof *validation->values);
    if (validation->outcomes == NULL || validation->values == NULL)
        return cli_error("out of memory");
    cli_interrupts_hold(true);
    return cli_tasks_run(&tasks, cli_jobs(options), options->quiet);
}

struct sums {
    size_t records, skipped, compared, agree;
    size_t timed;             /* with a measurement on this GPU */
    struct tma_errors errors; /* of cycles, the launch included, in percent; unless `timed` is 0 */
    size_t sampled;
    double most_sampled_error; /* percent: by so much cycles may be off for that */
    size_t clocked;            /* whose clock was measured, too */
    double clock_error;        /* mean, of the clock that a single launch sees */
};

static bool is_timed(const struct launch_outcome *outcome) {
    return outcome->run && outcome->timed && outcome->measured.ns > 0;
}

/* Sums over the records of a file, and of a family; NULL: of all. */
static struct sums sum(const struct launch_validation *validation, uint32_t file,
                       const char *family) {
    struct sums sums = {0};
    double *values = validation->values;
    for (size_t i = 0; i < validation->record_count; i++) {
        const struct launch_outcome *outcome = &validation->outcomes[i];
        if (validation->records[i].file != file ||
            (family != NULL && strcmp(outcome->family, family) != 0))
            continue;
        sums.records++;
        sums.skipped += !outcome->run;
        sums.compared += outcome->compared;
        sums.agree += outcome->compared && outcome->agrees;
        if (outcome->run && outcome->timing.sampled_cycles > 0) {
            double error = tma_error_percent(outcome->timing.error_cycles, outcome->timing.cycles);
            sums.sampled++;
            sums.most_sampled_error =
                error > sums.most_sampled_error ? error : sums.most_sampled_error;
        }
        if (!is_timed(outcome))
            continue;
        values[sums.timed++] = fabs(outcome->beside.error_percent);
        if (outcome->beside.measured_mhz > 0) {
            sums.clocked++;
            sums.clock_error += fabs(100 * (outcome->clock_mhz / outcome->beside.measured_mhz - 1));
        }
    }
    if (sums.timed > 0)
        sums.errors = tma_errors_of(values, sums.timed);
    if (sums.clocked > 0)
        sums.clock_error /= (double)sums.clocked;
    return sums;
}

/* Is the record the first one of its family in its file? */
static bool first_of_family(const struct launch_validation *validation, size_t record) {
    for (size_t i = 0; i < record; i++)
        if (validation->records[i].file == validation->records[record].file &&
            strcmp(validation->outcomes[i].family, validation->outcomes[record].family) == 0)
            return false;
    return true;
}

static void sums_json(const struct sums *sums, struct tma_json *json) {
    TMA_JSON_COUNTS(json, sums, records, skipped);
    tma_json_begin_line(json, "outputs");
    tma_json_unsigned(json, "records", sums->compared);
    tma_json_unsigned(json, "agree", sums->agree);
    tma_json_end_object(json);
    if (sums->timed == 0)
        return;
    TMA_JSON_COUNTS(json, sums, timed, sampled);
    tma_json_decimal(json, "mape", sums->errors.mean, 2);
    tma_json_decimal(json, "median", sums->errors.median, 2);
    tma_json_decimal(json, "p95", sums->errors.p95, 2);
    tma_json_decimal(json, "max", sums->errors.most, 2);
    if (sums->clocked > 0)
        tma_json_decimal(json, "clock_mape", sums->clock_error, 2);
}

/* What a profiler counts of the instructions in SASS: name in JSON, in text, places. */
static const struct {
    const char *key, *text;
    size_t predicted, measured;
} sass_figures[] = {
#define SASS(key, text, member)                                                                    \
    {                                                                                              \
        key, text, offsetof(struct tma_sass_counts, member),                                       \
            offsetof(struct tma_launch_measured, member)                                           \
    }
    SASS("sass_instructions", "all", instructions),
    SASS("sass_alu", "alu", alu),
    SASS("sass_fma", "fma", fma),
    SASS("sass_xu", "xu", xu),
    SASS("sass_lsu", "lsu", lsu),
#undef SASS
};
enum { SASS_FIGURES = sizeof sass_figures / sizeof *sass_figures };

static uint64_t sass_predicted(const struct launch_outcome *outcome, size_t figure) {
    return *(const uint64_t *)((const char *)&outcome->sass + sass_figures[figure].predicted);
}

static uint64_t sass_measured(const struct launch_outcome *outcome, size_t figure) {
    return *(const uint64_t *)((const char *)&outcome->measured + sass_figures[figure].measured);
}

static void sass_json(const struct launch_outcome *outcome, struct tma_json *json) {
    for (size_t f = 0; f < SASS_FIGURES && outcome->run; f++) {
        tma_json_begin_line(json, sass_figures[f].key);
        tma_json_unsigned(json, "predicted", sass_predicted(outcome, f));
        if (outcome->measured.instructions > 0)
            tma_json_unsigned(json, "measured", sass_measured(outcome, f));
        tma_json_end_object(json);
    }
}

/* The mean error of a figure, in percent of the measured one; negative: nothing was measured. */
static double sass_error(const struct launch_validation *validation, uint32_t file,
                         const char *family, size_t figure) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < validation->record_count; i++) {
        const struct launch_outcome *outcome = &validation->outcomes[i];
        if (validation->records[i].file != file || !outcome->run ||
            (family != NULL && strcmp(outcome->family, family) != 0) ||
            sass_measured(outcome, figure) == 0)
            continue;
        double measured = (double)sass_measured(outcome, figure);
        sum += 100 * fabs((double)sass_predicted(outcome, figure) - measured) / measured;
        count++;
    }
    return count > 0 ? sum / (double)count : -1;
}

static void write_sass_errors(const struct launch_validation *validation, uint32_t file,
                              const char *family, FILE *out) {
    fprintf(out, "  %-18s", family == NULL ? "all" : family);
    for (size_t f = 0; f < SASS_FIGURES; f++) {
        double error = sass_error(validation, file, family, f);
        if (error < 0)
            fprintf(out, " %8s", "-");
        else
            fprintf(out, " %7s%%", tma_decimal(error, 1).text);
    }
    fputc('\n', out);
}

/* The least and the most of what is executed over what the profiler counted: of PTX, and of the
 * SASS that ptxas's rules make of it. */
static void write_ratios(const struct launch_validation *validation, uint32_t file, FILE *out) {
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (size_t i = 0; i < validation->record_count; i++) {
        const struct launch_outcome *outcome = &validation->outcomes[i];
        if (validation->records[i].file != file || !outcome->run ||
            outcome->measured.instructions == 0)
            continue;
        const uint64_t executed[2] = {outcome->counts.instructions, outcome->sass.instructions};
        for (int sass = 0; sass < 2; sass++) {
            double ratio = (double)executed[sass] / (double)outcome->measured.instructions;
            least[sass] = fmin(least[sass], ratio);
            most[sass] = fmax(most[sass], ratio);
        }
    }
    fprintf(out,
            "  executed           %s to %s times the profiler's instructions as PTX, %s to %s as "
            "SASS\n",
            tma_decimal(least[0], 2).text, tma_decimal(most[0], 2).text,
            tma_decimal(least[1], 2).text, tma_decimal(most[1], 2).text);
}

/* Errors of the instructions in SASS by family; nothing if none were measured. */
static void write_sass(const struct launch_validation *validation, uint32_t file, FILE *out) {
    if (sass_error(validation, file, NULL, 0) < 0)
        return;
    fprintf(out, "  %-18s", "SASS instructions");
    for (size_t f = 0; f < SASS_FIGURES; f++)
        fprintf(out, " %8s", sass_figures[f].text);
    fputc('\n', out);
    for (size_t i = 0; i < validation->record_count; i++)
        if (validation->records[i].path == NULL && validation->records[i].file == file &&
            first_of_family(validation, i))
            write_sass_errors(validation, file, validation->outcomes[i].family, out);
    write_sass_errors(validation, file, NULL, out);
    write_ratios(validation, file, out);
}

/* Wavefronts of shared memory, with and without conflicts: those of addresses, and in a profiler
 * also those with what else uses shared memory meanwhile. With time, the predicted ones have the
 * cycles that they wait for operands of products, and those in which stores find TMA writing. */
struct wavefronts {
    uint64_t predicted, measured, predicted_conflicts, measured_conflicts;
};

static struct wavefronts wavefronts_of(const struct launch_outcome *outcome, bool stores) {
    const struct tma_ptx_result *counts = &outcome->counts;
    const struct tma_launch_measured *measured = &outcome->measured;
    const struct tma_core_result *timing = &outcome->timing;
    struct wavefronts figure =
        stores
            ? (struct wavefronts){counts->shared_store_wavefronts,
                                  measured->shared_store_wavefronts, counts->shared_store_conflicts,
                                  measured->shared_store_conflicts}
            : (struct wavefronts){counts->shared_load_wavefronts, measured->shared_load_wavefronts,
                                  counts->shared_load_conflicts, measured->shared_load_conflicts};
    if (outcome->timed) {
        uint64_t conflicts = stores ? timing->shared_store_conflicts : 0;
        figure.predicted +=
            conflicts + (stores ? timing->shared_store_waits : timing->shared_load_waits);
        figure.predicted_conflicts += conflicts;
    }
    return figure;
}

/* Whether a count lies within 2 % of a measured one. */
static bool is_close(uint64_t predicted, uint64_t measured) {
    uint64_t off = predicted > measured ? predicted - measured : measured - predicted;
    return off * 50 <= measured;
}

static void ideal_json(const char *key, const struct launch_outcome *outcome, bool stores,
                       struct tma_json *json) {
    struct wavefronts figure = wavefronts_of(outcome, stores);
    tma_json_begin_line(json, key);
    tma_json_unsigned(json, "predicted", figure.predicted - figure.predicted_conflicts);
    if (outcome->measured.instructions > 0)
        tma_json_unsigned(json, "measured", figure.measured - figure.measured_conflicts);
    tma_json_end_object(json);
}

/* How many wavefronts agree with the profiler's; nothing if none were measured. */
static void write_wavefronts(const struct launch_validation *validation, uint32_t file, FILE *out) {
    size_t figures = 0, close = 0, ideal = 0;
    for (size_t i = 0; i < validation->record_count; i++) {
        const struct launch_outcome *outcome = &validation->outcomes[i];
        if (validation->records[i].file != file || !outcome->run ||
            outcome->measured.instructions == 0)
            continue;
        for (int stores = 0; stores < 2; stores++) {
            struct wavefronts figure = wavefronts_of(outcome, stores != 0);
            figures++;
            close += is_close(figure.predicted, figure.measured);
            ideal += is_close(figure.predicted - figure.predicted_conflicts,
                              figure.measured - figure.measured_conflicts);
        }
    }
    if (figures > 0)
        fprintf(
            out,
            "  shared wavefronts  within 2 %% of the profiler's: %zu of %zu figures of loads and "
            "stores; without the conflicts of both: %zu\n",
            close, figures, ideal);
}

static void row_json(const struct launch_outcome *outcome, struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", outcome->name);
    tma_json_string(json, "family", outcome->family);
    tma_json_bool(json, "ended", outcome->run);
    if (outcome->compared)
        tma_json_bool(json, "outputs_agree", outcome->agrees);
    if (outcome->reason[0] != '\0')
        tma_json_string(json, "reason", outcome->reason);
    TMA_JSON_COUNTS(json, &outcome->counts, instructions, shared_loads, shared_stores);
    tma_json_unsigned(json, "shared_load_wavefronts", wavefronts_of(outcome, false).predicted);
    tma_json_unsigned(json, "shared_store_wavefronts", wavefronts_of(outcome, true).predicted);
    ideal_json("shared_load_ideal_wavefronts", outcome, false, json);
    ideal_json("shared_store_ideal_wavefronts", outcome, true, json);
    TMA_JSON_COUNTS(json, &outcome->counts, tma_load_bytes, tma_store_bytes);
    sass_json(outcome, json);
    if (outcome->run && outcome->timed) {
        const struct tma_core_result *timing = &outcome->timing;
        tma_json_unsigned(json, "cycles", timing->cycles + timing->launch_cycles);
        if (timing->sampled_cycles > 0 || timing->refused_cycles > 0)
            tma_launch_sampled_json(timing, json);
        tma_json_unsigned(json, "issue_slots", timing->issue_slots);
        tma_json_unsigned(json, "l2_sectors", timing->memory.sectors);
        TMA_JSON_COUNTS(json, &timing->memory, dram_read_sectors, dram_write_sectors);
    }
    if (outcome->by_time)
        tma_json_decimal(json, "time_ns", outcome->beside.predicted_ns, 1);
    if (is_timed(outcome)) {
        const struct tma_launch_measured *measured = &outcome->measured;
        tma_json_decimal(json, "error_percent", outcome->beside.error_percent, 2);
        tma_json_decimal(json, "clock_mhz", outcome->clock_mhz, 1);
        if (outcome->beside.measured_mhz > 0)
            tma_json_decimal(json, "measured_mhz", outcome->beside.measured_mhz, 1);
        tma_json_begin_line(json, "measured");
        if (measured->cycles > 0)
            tma_json_unsigned(json, "cycles", measured->cycles);
        TMA_JSON_COUNTS(json, measured, ns, instructions, l2_sectors, dram_read_sectors);
        tma_json_unsigned(json, "dram_write_sectors", measured->dram_write_sectors);
        tma_json_end_object(json);
    }
    tma_json_end_object(json);
}

static void write_json(const struct launch_validation *validation, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    if (cli_interrupted()) {
        tma_json_bool(&json, "partial", true);
        tma_json_unsigned(&json, "replayed", validation->done);
        tma_json_unsigned(&json, "total", validation->record_count);
    }
    tma_json_begin_array(&json, "files");
    for (uint32_t file = 0; file < validation->file_count; file++) {
        struct sums sums = sum(validation, file, NULL);
        tma_json_begin_object(&json, NULL);
        tma_json_string(&json, "file", cli_file_name(validation->files[file].path));
        tma_json_string(&json, "kind", "launches");
        sums_json(&sums, &json);
        tma_json_begin_array(&json, "families");
        for (size_t i = 0; i < validation->record_count; i++) {
            if (validation->records[i].file != file || !first_of_family(validation, i))
                continue;
            struct sums family = sum(validation, file, validation->outcomes[i].family);
            tma_json_begin_object(&json, NULL);
            tma_json_string(&json, "family", validation->outcomes[i].family);
            sums_json(&family, &json);
            tma_json_end_object(&json);
        }
        tma_json_end_array(&json);
        tma_json_begin_array(&json, "rows");
        for (size_t i = 0; i < validation->record_count; i++)
            if (validation->records[i].file == file)
                row_json(&validation->outcomes[i], &json);
        tma_json_end_array(&json);
        tma_json_end_object(&json);
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static void write_errors(const struct sums *sums, FILE *out) {
    if (sums->timed == 0)
        fprintf(out, " %8s %8s %8s %8s", "-", "-", "-", "-");
    else
        fprintf(out, " %7s%% %7s%% %7s%% %7s%%", tma_decimal(sums->errors.mean, 1).text,
                tma_decimal(sums->errors.median, 1).text, tma_decimal(sums->errors.p95, 1).text,
                tma_decimal(sums->errors.most, 1).text);
    if (sums->clocked == 0)
        fprintf(out, " %8s\n", "-");
    else
        fprintf(out, " %7s%%\n", tma_decimal(sums->clock_error, 1).text);
}

static bool has_launch_files(const struct launch_validation *validation, uint32_t file) {
    for (size_t i = 0; i < validation->record_count; i++)
        if (validation->records[i].file == file)
            return validation->records[i].path != NULL;
    return false;
}

static void write_time(double ns, double mhz, FILE *out) {
    if (ns > 0)
        fprintf(out, " %9s us", tma_decimal(ns / 1000, 2).text);
    else
        fprintf(out, " %12s", "-");
    if (mhz > 0)
        fprintf(out, " %5s", tma_decimal(mhz, 0).text);
    else
        fprintf(out, " %5s", "-");
}

/* Launches of a folder, or one alone: what was measured and what is predicted, a row each. */
static void write_rows(const struct launch_validation *validation, uint32_t file, FILE *out) {
    fprintf(out, "  %-*s %12s %5s %12s %5s %8s\n", NAME_COLUMNS, "launch", "measured", "MHz",
            "predicted", "MHz", "error");
    for (size_t i = 0; i < validation->record_count; i++) {
        const struct launch_outcome *outcome = &validation->outcomes[i];
        if (validation->records[i].file != file)
            continue;
        fputs("  ", out);
        tma_write_printable(outcome->name, out);
        fprintf(out, "%*s",
                strlen(outcome->name) < NAME_COLUMNS ? NAME_COLUMNS - (int)strlen(outcome->name)
                                                     : 0,
                "");
        write_time((double)outcome->measured.ns, outcome->beside.measured_mhz, out);
        write_time(outcome->beside.predicted_ns, outcome->beside.predicted_mhz, out);
        double error = outcome->beside.error_percent;
        if (is_timed(outcome))
            fprintf(out, " %*s%s%%\n", (int)(7 - strlen(tma_decimal(error, 1).text)),
                    error < 0 ? "" : "+", tma_decimal(error, 1).text);
        else
            fprintf(out, " %8s\n", "-");
    }
}

static void write_text(const struct launch_validation *validation, FILE *out) {
    if (cli_interrupted())
        fprintf(out,
                "partial: interrupted after %zu of %zu launches; the others count as skipped\n",
                validation->done, validation->record_count);
    for (uint32_t file = 0; file < validation->file_count; file++) {
        struct sums sums = sum(validation, file, NULL);
        tma_write_printable(cli_file_name(validation->files[file].path), out);
        fprintf(out, ": launches, %zu records, %zu skipped, outputs of %zu compared, %zu agree\n",
                sums.records, sums.skipped, sums.compared, sums.agree);
        bool alone = has_launch_files(validation, file);
        if (alone)
            write_rows(validation, file, out);
        fprintf(out, "  %-18s %7s %8s %8s %8s %8s %8s %8s %8s %8s\n", alone ? "" : "family",
                "records", "skipped", "compared", "agree", alone ? "time" : "cycles", "median",
                "p95", "most", "clock");
        for (size_t i = 0; i < validation->record_count; i++) {
            if (alone || validation->records[i].file != file || !first_of_family(validation, i))
                continue;
            struct sums family = sum(validation, file, validation->outcomes[i].family);
            fprintf(out, "  %-18s %7zu %8zu %8zu %8zu", validation->outcomes[i].family,
                    family.records, family.skipped, family.compared, family.agree);
            write_errors(&family, out);
        }
        fprintf(out, "  %-18s %7zu %8zu %8zu %8zu", "all", sums.records, sums.skipped,
                sums.compared, sums.agree);
        write_errors(&sums, out);
        if (sums.sampled > 0)
            fprintf(out,
                    "  sampled: %zu of them, whose cycles may be up to %s %% off for that; --exact "
                    "simulates all\n",
                    sums.sampled, tma_decimal(sums.most_sampled_error, 1).text);
        write_sass(validation, file, out);
        write_wavefronts(validation, file, out);
        for (size_t i = 0; i < validation->record_count; i++) {
            const struct launch_outcome *outcome = &validation->outcomes[i];
            if (validation->records[i].file != file || outcome->reason[0] == '\0')
                continue;
            fputs("  ", out);
            tma_write_printable(outcome->name, out);
            fputs(": ", out);
            tma_write_printable(outcome->reason, out);
            fputc('\n', out);
        }
    }
}

static int report(const struct launch_validation *validation) {
    struct cli_output output;
    bool failed = validation->done < validation->record_count;
    for (size_t i = 0; i < validation->done; i++) {
        const struct launch_outcome *outcome = &validation->outcomes[i];
        failed = failed || !outcome->run || (outcome->compared && !outcome->agrees);
    }
    if (!cli_output_open(&output, validation->options->common->output))
        return CLI_ERROR;
    if (validation->options->common->format == CLI_FORMAT_JSON)
        write_json(validation, output.file);
    else
        write_text(validation, output.file);
    if (!cli_output_close(&output, true))
        return CLI_ERROR;
    return cli_interrupted() ? CLI_INTERRUPTED : failed ? CLI_FAILED_ROWS : CLI_OK;
}

int cli_launch_validate(const struct cli_launch_options *options, const char *gpu) {
    struct launch_validation validation = {.options = options, .one_machine = gpu != NULL};
    const struct cli_list *operands = &options->common->operands;
    int status = CLI_ERROR;
    validation.files = tma_allocate(operands->count, sizeof *validation.files);
    if (validation.files == NULL)
        cli_error("out of memory");
    else if (cli_machine_read(gpu, &validation.machine) && find_records(&validation) &&
             run_records(&validation))
        status = report(&validation);
    for (size_t i = 0; validation.files != NULL && i < operands->count; i++)
        cli_launch_file_free(&validation.files[i]);
    tma_release(validation.files);
    for (size_t i = 0; i < validation.record_count; i++)
        if (validation.records[i].path != NULL) {
            TMA_RELEASE((char *)validation.records[i].text, validation.records[i].path);
        }
    TMA_RELEASE(validation.records, validation.outcomes, validation.values);
    return status;
}
