#include "cli/launch_run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/path.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/launch_experiments.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/tasks.h"
#include "core/core_run.h"
#include "report/launch_report.h"
#include "report/timeline.h"
#include "scenario/text_file.h"

enum {
    DEFAULT_CHECKED_CTAS = 2,
    /* Launches of more warp instructions are not run again without --why. */
    MOST_TRIED_INSTRUCTIONS = 5000000,
    PAGE_SAMPLED_INSTRUCTIONS = 1000000, /* launches of more are sampled for a page */
    /* Warp instructions and requests of L2 that a page simulates, in experiments too, unless one
     * launch has more: two to three seconds of one core. */
    PAGE_WORK = 4000000
};

/* A launch that was read. */
struct launch_case {
    struct cli_launch_file file;
    struct tma_launch launch;
    struct tma_machine machine;
    struct tma_prepared prepared;
    struct tma_launch_measured measured; /* on the machine's GPU, if `compares` */
    char *sass;                          /* owned: of --sass; NULL: not given */
    bool compares;
    struct cli_launch_reliefs *reliefs; /* owned; NULL: none are wanted */
    struct tma_diagnostics list;
};

static void print(struct tma_diagnostics *list) {
    tma_diagnostics_sort(list);
    cli_print_diagnostics(list);
}

bool cli_launch_take_sass(const char *sass, struct tma_launch *launch, char **path) {
    *path = NULL;
    if (sass == NULL)
        return true;
    const char *name = cli_is_folder(sass) ? tma_path_name(cli_file_name(launch->ptx)) : NULL;
    size_t length = name == NULL ? 0 : strcspn(name, ".");
    size_t size = strlen(sass) + length + sizeof "//.sass" + PATH_MAX;
    *path = tma_allocate(size, 1);
    if (*path == NULL)
        return cli_error("out of memory");
    /* Files of a launch lie beside it; that of an option does not. */
    if (sass[0] != '/' && getcwd(*path, PATH_MAX) != NULL)
        strcat(*path, "/");
    strcat(*path, sass);
    if (name != NULL)
        sprintf(*path + strlen(*path), "/%.*s.sass", (int)length, name);
    launch->sass = *path;
    launch->sass_at = (struct tma_location){.file = "--sass"};
    return true;
}

static bool open_case(const struct cli_launch_options *options, bool memory,
                      struct launch_case *run) {
    const struct cli_options *common = options->common;
    *run = (struct launch_case){.list = tma_diagnostics_empty()};
    bool good =
        cli_launch_file_read(common->operands.items[0], &run->file) &&
        cli_launch_read(&run->file, options->label, &common->settings, &run->launch, &run->list);
    good = good && cli_launch_machine(&run->launch, &run->machine) &&
           cli_launch_take_sass(options->sass, &run->launch, &run->sass);
    if (good)
        run->machine = tma_machine_at_clock(&run->machine, run->launch.sm_clock_mhz);
    good =
        good && tma_launch_prepare(&run->launch, &run->machine, memory, &run->prepared, &run->list);
    run->compares = good && tma_launch_measurement(&run->launch, run->machine.name, &run->measured);
    if (run->compares)
        run->machine = tma_launch_measured_machine(&run->machine, &run->measured);
    print(&run->list);
    if (good && options->relieve != NULL && options->relieve->count > 0) {
        run->reliefs = cli_launch_reliefs_read(options->relieve, &run->prepared);
        good = run->reliefs != NULL;
    }
    return good;
}

static void close_case(struct launch_case *run) {
    cli_launch_reliefs_free(run->reliefs);
    tma_diagnostics_free(&run->list);
    tma_prepared_free(&run->prepared);
    tma_launch_free(&run->launch);
    tma_release(run->sass);
    cli_launch_file_free(&run->file);
}

static bool go_on(void *context, uint64_t ended, uint64_t ctas) {
    struct cli_progress *progress = context;
    (void)ctas;
    return cli_progress_look(progress, (size_t)ended, ended);
}

/* The first so many CTAs are checked for races. */
static uint32_t checked_ctas(const struct cli_launch_options *options,
                             const struct tma_ptx_launch *launch) {
    uint64_t ctas = tma_ptx_count(launch->grid);
    uint32_t wanted = options->sanitize.given ? options->sanitize.value : DEFAULT_CHECKED_CTAS;
    return wanted < ctas ? wanted : (uint32_t)ctas;
}

static enum tma_error_code execute(const struct cli_launch_options *options,
                                   struct launch_case *run, struct tma_core_timeline *timeline,
                                   uint64_t *sample_from, struct tma_ptx_result *result,
                                   struct tma_core_result *timing, struct tma_error *error) {
    struct cli_progress progress = {.unit = "CTAs"};
    struct tma_ptx_options checks = {.sanitize_ctas =
                                         checked_ctas(options, &run->prepared.execution),
                                     .strict = options->strict,
                                     .timeline = timeline,
                                     .sample_from = *sample_from,
                                     .progress = go_on,
                                     .context = &progress};
    progress.total = progress.total_work = tma_ptx_count(run->prepared.execution.grid);
    cli_interrupts_hold(true);
    cli_progress_begin(&progress, options->common->quiet);
    enum tma_error_code code =
        options->functional
            ? tma_ptx_execute(&run->prepared.execution, &checks, result, error)
            : cli_launch_time(&run->machine, &checks, &run->prepared, result, timing, error);
    cli_progress_clear(&progress);
    if (*sample_from > 0 && checks.sample_from == 0 && timing->refused_cycles == 0)
        cli_note("%s: what was left out changes what the kernel does; it is simulated whole",
                 cli_file_name(run->file.path));
    *sample_from = checks.sample_from;
    return code;
}

static void write_report(const struct tma_launch_report *report, enum tma_launch_format format,
                         FILE *out) {
    struct tma_json json = {.out = out};
    switch (format) {
    case TMA_LAUNCH_TEXT:
        tma_launch_report_text(report, out);
        break;
    case TMA_LAUNCH_JSON:
        tma_json_begin_object(&json, NULL);
        tma_launch_report_json(report, &json);
        tma_json_end_object(&json);
        break;
    case TMA_LAUNCH_GITHUB:
        tma_launch_report_github(report, out);
        break;
    case TMA_LAUNCH_JUNIT:
        tma_launch_report_junit(report, out);
        break;
    }
}

/* Reads the sources that lie beside the launch file, or in its folder `sources`: PTX names files
 * wherever they were compiled, and only names are taken from it. */
static bool read_sources(const struct launch_case *run, char **texts) {
    const struct tma_ptx_module *module = run->prepared.module;
    for (size_t i = 0; i < module->file_count; i++) {
        const char *name = module->files[i];
        if (name == NULL)
            continue;
        char *path = tma_launch_find(&run->launch, tma_path_name(name), "sources");
        size_t length;
        struct tma_error error;
        enum tma_error_code code =
            path == NULL ? TMA_ERROR_MEMORY : tma_text_read(path, &texts[i], &length, &error);
        tma_release(path);
        if (code == TMA_ERROR_MEMORY)
            return false;
        if (code != TMA_OK)
            texts[i] = NULL;
    }
    return true;
}

static bool write_page(const struct launch_case *run, const struct tma_launch_report *report,
                       FILE *out) {
    const struct tma_ptx_module *module = run->prepared.module;
    struct tma_error error = {.text = "out of memory"};
    char *ptx = NULL, **texts = tma_allocate(module->file_count + 1, sizeof *texts);
    size_t length;
    bool good = texts != NULL && read_sources(run, texts) &&
                tma_text_read_up_to(run->prepared.ptx_path, TMA_LIMIT_PTX_BYTES, &ptx, &length,
                                    &error) == TMA_OK;
    struct tma_launch_page page = {
        .report = *report, .ptx = ptx, .sources = (const char *const *)texts};
    if (good && !tma_launch_page_write(&page, out)) {
        good = false;
        tma_fail(&error, TMA_ERROR_MEMORY, "out of memory");
    }
    if (!good)
        cli_error("%s: %s", cli_file_name(run->prepared.ptx_path), error.text);
    for (size_t i = 0; texts != NULL && i < module->file_count; i++)
        tma_release(texts[i]);
    TMA_RELEASE(texts, ptx);
    return good;
}

/* What was wrong with the kernel comes before what differs in its outputs. */
static int status_of(const struct tma_launch_report *report, bool compared) {
    if (report->result->failure == TMA_PTX_OPAQUE ||
        report->result->failure == TMA_PTX_UNKNOWN_INSTRUCTION)
        return CLI_ERROR;
    if (report->result->failure != TMA_PTX_COMPLETED ||
        tma_launch_report_errors(report->result) > 0)
        return CLI_MODEL;
    if (!compared)
        return CLI_ERROR;
    return report->outputs != NULL && report->outputs->different > 0 ? CLI_DIFFERENT : CLI_OK;
}

/* Writes the buffers that have known contents: NAME.bin each; bytes that are opaque are 0. */
static bool write_buffers(const struct launch_case *run, const char *folder) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error("%s cannot be created: %s", folder, strerror(errno));
    bool good = true;
    for (uint32_t i = 0; good && i < run->prepared.execution.buffer_count; i++) {
        const struct tma_ptx_buffer *buffer = &run->prepared.execution.buffers[i];
        size_t size = strlen(folder) + strlen(buffer->name) + sizeof "/.bin";
        char *path = tma_allocate(size, 1);
        struct cli_output output;
        if (path == NULL)
            return cli_error("out of memory");
        snprintf(path, size, "%s/%s.bin", folder, buffer->name);
        if (strchr(buffer->name, '/') != NULL) {
            good = cli_error("run: --outputs: the name of buffer %s has a slash", buffer->name);
        } else if (buffer->contents != NULL) {
            good = cli_output_open(&output, path);
            if (good) {
                fwrite(buffer->contents, 1, buffer->size, output.file);
                good = cli_output_close(&output, true);
            }
        }
        tma_release(path);
    }
    return good;
}

/* From how many warp instructions on the launch is sampled; 0: it is not. */
static uint64_t sample_from_of(const struct cli_launch_options *options) {
    if (options->page && !options->exact)
        return PAGE_SAMPLED_INSTRUCTIONS;
    return options->sample ? TMA_CORE_SAMPLED_INSTRUCTIONS : 0;
}

/* Of how many parts of the machine the launch is relieved to see what limits it. */
static uint64_t parts_to_try(const struct cli_launch_options *options,
                             const struct tma_ptx_result *result,
                             const struct tma_core_result *timing) {
    uint64_t simulated = result->instructions + (options->page ? timing->memory.requests : 0);
    if (options->no_why)
        return 0;
    if (options->why)
        return TMA_LAUNCH_LIMITS;
    if (!options->page)
        return simulated <= MOST_TRIED_INSTRUCTIONS ? TMA_LAUNCH_LIMITS : 0;
    if (timing->cycles > 0)
        simulated =
            (uint64_t)((double)simulated * (double)(timing->cycles - timing->sampled_cycles) /
                       (double)timing->cycles);
    uint64_t launches = PAGE_WORK / (simulated + 1);
    return launches == 0 ? 0 : launches - 1;
}

/* Whether a launch whose clocks differ is simulated again, so that its times at others are known:
 * for a page, if that is a part of what it may simulate. */
static bool finds_clocks(const struct cli_launch_options *options,
                         const struct tma_ptx_result *result,
                         const struct tma_core_result *timing) {
    return !options->page || 4 * (result->instructions + timing->memory.requests) <= PAGE_WORK;
}

/* `timeline`: file of one; NULL: none. */
static int run_case(const struct cli_launch_options *options, struct launch_case *run,
                    FILE *timeline, FILE *out) {
    struct tma_ptx_result result = {0};
    struct tma_core_result timing = {0};
    struct tma_output_difference outputs = {0};
    struct tma_error error;
    struct tma_core_timeline spans = {0};
    uint64_t sample_from = sample_from_of(options);
    enum tma_error_code code =
        timeline != NULL && !tma_core_timeline_create(&spans, TMA_MOST_TIMELINE_SPANS)
            ? tma_fail(&error, TMA_ERROR_MEMORY, "out of memory")
            : execute(options, run, timeline == NULL ? NULL : &spans, &sample_from, &result,
                      &timing, &error);
    if (code != TMA_OK) {
        tma_core_timeline_free(&spans);
        if (code != TMA_ERROR_INTERRUPTED)
            cli_error("%s: %s", cli_file_name(run->file.path), error.text);
        tma_ptx_result_free(&result);
        return code == TMA_ERROR_INTERRUPTED ? CLI_INTERRUPTED : cli_error_status(code);
    }
    bool ended = result.failure == TMA_PTX_COMPLETED, whole = timing.sampled_cycles == 0;
    bool compared = !ended || !whole || tma_compare_outputs(&run->prepared, &outputs, &run->list);
    print(&run->list);
    if (options->outputs != NULL && ended && whole)
        compared &= write_buffers(run, options->outputs);
    char folder[PATH_MAX];
    struct tma_launch_report report = {.prepared = &run->prepared,
                                       .result = &result,
                                       .outputs = ended && whole ? &outputs : NULL,
                                       .machine = &run->machine,
                                       .timing = ended && !options->functional ? &timing : NULL,
                                       .sampled = options->sample,
                                       .ptx_name = cli_file_name(run->prepared.ptx_path),
                                       .folder = getcwd(folder, sizeof folder),
                                       .checked_ctas =
                                           checked_ctas(options, &run->prepared.execution)};
    bool measured_clock = run->compares && run->measured.cycles > 0;
    report.measured = run->compares ? &run->measured : NULL;
    report.sm_clock_mhz = measured_clock ? run->machine.sm_clock_mhz : run->launch.sm_clock_mhz;
    if (report.timing != NULL && !measured_clock && finds_clocks(options, &result, &timing))
        cli_launch_find_memory_share(&run->launch, &run->machine,
                                     &(struct tma_ptx_options){.sample_from = sample_from},
                                     &timing);
    uint64_t parts = report.timing == NULL ? 0 : parts_to_try(options, &result, &timing);
    report.too_long = !options->no_why;
    if (parts > 0)
        cli_launch_experiments(&run->launch, &run->machine, sample_from, parts,
                               cli_jobs(options->common), options->common->quiet, &report);
    struct tma_launch_relieved *relieved = NULL;
    bool known = true;
    if (report.timing != NULL && run->reliefs != NULL) {
        relieved = tma_allocate(options->relieve->count, sizeof *relieved);
        if (relieved == NULL)
            cli_error("out of memory");
        known = relieved != NULL &&
                cli_launch_relieve(run->reliefs, &run->launch, &run->machine,
                                   cli_jobs(options->common), options->common->quiet, relieved);
        report.relieved = relieved;
        report.relieved_count = known ? options->relieve->count : 0;
    }
    if (timeline != NULL && report.timing != NULL) {
        tma_core_timeline_sort(&spans);
        tma_launch_timeline_write(&report, &spans, timeline);
    }
    tma_core_timeline_free(&spans);
    int status = known ? status_of(&report, compared) : CLI_ERROR;
    if (!options->page)
        write_report(&report, options->format, out);
    else if (!write_page(run, &report, out))
        status = CLI_ERROR;
    tma_release(relieved);
    if (ended && outputs.different > 0)
        cli_error("%s: outputs differ: %s", cli_file_name(run->file.path), outputs.first);
    tma_core_result_free(&timing);
    tma_ptx_result_free(&result);
    return status;
}

/* Neither output is a file that the launch is read from, or the other one. */
static bool check_outputs(const struct cli_launch_options *options, const struct launch_case *run) {
    const char *output = options->common->output;
    if (cli_output_is_file(output, options->timeline))
        return cli_error("--output and --timeline name the same file: %s", output);
    return cli_output_spares(options->timeline, run->file.path) &&
           cli_output_spares(options->timeline, run->prepared.ptx_path) &&
           cli_output_spares(output, run->prepared.ptx_path);
}

/* Machines that build and test read the output alone: it says why a launch cannot be read. */
static void write_errors(const struct cli_launch_options *options, const struct launch_case *run) {
    struct cli_output output;
    bool github = options->format == TMA_LAUNCH_GITHUB;
    if (run->list.count == 0 || (!github && options->format != TMA_LAUNCH_JUNIT) ||
        !cli_output_open(&output, options->common->output))
        return;
    if (github)
        tma_launch_errors_github(&run->list, output.file);
    else
        tma_launch_errors_junit(&run->list, cli_file_name(run->file.path), output.file);
    cli_output_close(&output, true);
}

int cli_launch_run(const struct cli_launch_options *options) {
    struct launch_case run;
    struct cli_output output, timeline = {0};
    const char *path = options->timeline;
    int status = CLI_ERROR;
    if (!open_case(options, true, &run)) {
        write_errors(options, &run);
    } else if (check_outputs(options, &run) && (path == NULL || cli_output_open(&timeline, path))) {
        if (cli_output_open(&output, options->common->output)) {
            status = run_case(options, &run, timeline.file, output.file);
            if (!cli_output_close(&output, status != CLI_INTERRUPTED))
                status = CLI_ERROR;
        }
        bool written = status == CLI_OK || status == CLI_DIFFERENT;
        if (path != NULL && !cli_output_close(&timeline, written))
            status = CLI_ERROR;
    }
    close_case(&run);
    return status;
}

static void note_unexecuted(void *context, uint32_t instruction, const char *why) {
    const struct launch_case *run = context;
    const struct tma_ptx_instruction *at = &run->prepared.module->instructions[instruction];
    cli_note("%s:%u:%u: %s", cli_file_name(run->prepared.ptx_path), at->line, at->column, why);
}

/* Instructions that cannot be executed are errors only where they are reached. */
static bool find_unexecuted(struct launch_case *run) {
    struct tma_error error = {0};
    if (tma_ptx_find_unexecuted(&run->prepared.execution, note_unexecuted, run, &error) == TMA_OK)
        return true;
    return cli_error("%s: %s", cli_file_name(run->file.path), error.text);
}

int cli_launch_check(const struct cli_launch_options *options) {
    struct launch_case run;
    struct cli_output output;
    int status = CLI_ERROR;
    if (open_case(options, false, &run) && find_unexecuted(&run) &&
        cli_output_open(&output, options->common->output)) {
        const struct tma_ptx_launch *launch = &run.prepared.execution;
        fprintf(output.file, "%s of %s: %zu parameters and the machine fit; nothing was run\n",
                run.prepared.module->functions[launch->function].name,
                cli_file_name(run.prepared.ptx_path), run.launch.parameter_count);
        if (cli_output_close(&output, true))
            status = CLI_OK;
    } else {
        for (size_t i = 0; i < run.list.count; i++)
            if (run.list.items[i].code == TMA_ERROR_TENSOR_MAP)
                status = CLI_ILLEGAL;
    }
    close_case(&run);
    return status;
}
