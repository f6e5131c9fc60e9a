/* tmasim validate: replays records of real hardware. */
#include "base/allocation.h"
#include "cli/files/config_files.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "core/core_run.h"
#include "records/pipeline_record.h"
#include "records/record_kind.h"
#include "scenario/machine_file.h"
#include "validate/replay.h"

struct validate_options {
    struct cli_options common;
    const char *gpu; /* NULL: the machine that belongs to the command */
    struct cli_count draws;
    struct cli_count sanitize; /* of launches */
    bool functional;           /* the same */
    bool ablate, exact, traffic;
    const char *sass;    /* NULL, or a file or folder of SASS */
    const char *without; /* NULL, or a part of the model of compiled kernels */
    const char *show;    /* the name of a record, to be printed and not replayed; or NULL */
};

/* Replays the files and writes the report. Returns the exit status. */
static int report(const struct validate_options *own, const struct tma_machine *machine,
                  struct cli_replay_result *result, FILE *out) {
    const struct cli_options *options = &own->common;
    struct cli_replay replay = {.options = options,
                                .machine = machine,
                                .draws = own->draws.value,
                                .exact = own->exact,
                                .traffic = own->traffic};
    struct tma_machine_digest digest;
    if (!tma_machine_digest(machine, &digest))
        return cli_fail("out of memory");
    if (!cli_replay(&replay, result))
        return CLI_ERROR;
    struct cli_validation_report content = {
        .paths = options->operands.items,
        .validations = result->validations,
        .draws = result->draws,
        .count = options->operands.count,
        .digest = digest.text,
        .replayed = result->replayed,
        .total = result->total,
        .partial = cli_interrupted(),
    };
    if (own->ablate && !content.partial)
        return cli_ablate(&replay, result, options->format == CLI_FORMAT_JSON, out)
                   ? (cli_interrupted() ? CLI_INTERRUPTED : CLI_OK)
                   : CLI_ERROR;
    cli_validation_write(&content, options->format, out);
    uint64_t compared = 0;
    for (size_t i = 0; i < content.count; i++)
        compared += result->validations[i].records - result->validations[i].skipped;
    if (compared == 0 && !content.partial)
        return cli_fail("validate: no record was compared: all were skipped, or there are none");
    return content.partial ? CLI_INTERRUPTED : CLI_OK;
}

/* Writes the kernel of the record that --show names as a scenario. */
static bool show_record(const struct validate_options *own, const struct tma_machine *machine,
                        FILE *out) {
    const struct cli_options *options = &own->common;
    for (size_t i = 0; i < options->operands.count; i++) {
        struct tma_tsv records;
        struct tma_error error;
        if (tma_tsv_read(options->operands.items[i], &records, &error) != TMA_OK)
            return cli_error("%s", error.text);
        size_t row = tma_tsv_find_name(&records, own->show);
        bool is_kernel = tma_kind_pipelines.matches(&records) && row < records.rows;
        bool shown = is_kernel && tma_pipeline_record_write(
                                      &records, row, machine, tma_tsv_cell(&records, row, "name"),
                                      own->gpu == NULL ? "h200" : own->gpu, out, &error) == TMA_OK;
        if (is_kernel && !shown)
            cli_error("%s", error.text);
        tma_tsv_free(&records);
        if (is_kernel)
            return shown;
    }
    return cli_error("no file has a record of a kernel with the name %s", own->show);
}

/* Are the operands files of launch records? They are replayed apart from others. False, with an
 * error printed, if only some are, or if an option is not for them. */
static bool check_launches(const struct validate_options *own, bool *launches) {
    const struct cli_list *operands = &own->common.operands;
    const char *option = own->draws.given    ? "--draws"
                         : own->ablate       ? "--ablate"
                         : own->traffic      ? "--traffic"
                         : own->show != NULL ? "--show"
                                             : NULL;
    size_t count = 0;
    for (size_t i = 0; i < operands->count; i++)
        count += cli_is_folder(operands->items[i]) || cli_is_launch(operands->items[i], NULL);
    *launches = count > 0;
    if (count > 0 && count < operands->count)
        cli_error("validate: launches cannot be mixed with other records");
    else if (count > 0 && option != NULL)
        cli_error("validate: %s is not for launch records", option);
    else if (count > 0 && own->common.format > CLI_FORMAT_JSON)
        cli_error("validate: launch records have no format tsv; allowed: text, json");
    else
        return true;
    return false;
}

/* Finds the part that --without names. */
static bool find_part(const char *part, struct tma_core_ablation *ablation) {
    if (part == NULL || tma_core_ablate(ablation, part))
        return true;
    char name[TMA_CORE_PART_BYTES], all[1024] = "";
    size_t length = 0;
    for (uint32_t number = 0; tma_core_part(number, name) != NULL; number++)
        length += (size_t)snprintf(all + length, sizeof all - length, "%s%s",
                                   number == 0 ? "" : ", ", name);
    return cli_error("validate: there is no part \"%s\" of the model; allowed: %s", part, all);
}

static int run(const struct cli_options *options) {
    const struct validate_options *own = (const struct validate_options *)options;
    bool launches;
    struct tma_core_ablation ablation = {0};
    if (!check_launches(own, &launches) || !find_part(own->without, &ablation))
        return CLI_ERROR;
    if (!launches && own->without != NULL)
        return cli_fail("validate: --without is for launch records; --ablate is for kernels");
    if (!launches && own->sass != NULL)
        return cli_fail("validate: --sass is for launches");
    if (launches)
        return cli_launch_validate(
            &(struct cli_launch_options){.common = options,
                                         .sanitize = own->sanitize,
                                         .functional = own->functional,
                                         .sass = own->sass,
                                         .ablation = own->without == NULL ? NULL : &ablation,
                                         .sample = !own->exact},
            own->gpu);
    struct tma_machine machine;
    struct cli_output output;
    size_t count = options->operands.count;
    if (!cli_output_spares(options->output, own->gpu) || !cli_machine_read(own->gpu, &machine) ||
        !cli_output_open(&output, options->output))
        return CLI_ERROR;
    if (own->show != NULL) {
        bool shown = show_record(own, &machine, output.file);
        return cli_output_close(&output, shown) && shown ? CLI_OK : CLI_ERROR;
    }
    struct cli_replay_result result = {.validations =
                                           tma_allocate(count, sizeof *result.validations),
                                       .draws = tma_allocate(count, sizeof *result.draws)};
    int status = CLI_ERROR;
    if (result.validations == NULL || result.draws == NULL)
        cli_error("out of memory");
    else
        status = report(own, &machine, &result, output.file);
    for (size_t i = 0; result.validations != NULL && i < count; i++)
        tma_validation_free(&result.validations[i]);
    for (size_t i = 0; result.draws != NULL && i < count; i++)
        cli_draws_free(&result.draws[i]);
    TMA_RELEASE(result.validations, result.draws);
    if (!cli_output_close(&output, status != CLI_ERROR))
        return CLI_ERROR;
    return result.failed && status == CLI_OK ? CLI_FAILED_ROWS : status;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--gpu", "MACHINE", TEXT, offsetof(struct validate_options, gpu),
                     "simulate this machine: a word of tmasim machines, or a file; default: h200"),
    CLI_VALUE_OPTION(
        "--draws", "N", COUNT, offsetof(struct validate_options, draws),
        "also replay with the seeds (topology.draw) 1 to N, and report the mean, the least and\n"
        "the most that agree, and the errors of the median"),
    CLI_FLAG_OPTION(
        "--ablate", offsetof(struct validate_options, ablate),
        "for kernels: replay once more without the limits of memory, compute, issue and launch\n"
        "each, and report by family what of the time that saves, and the error that is left;\n"
        "as text or JSON"),
    CLI_FLAG_OPTION(
        "--exact", offsetof(struct validate_options, exact),
        "for kernels and launches: simulate all records to their ends; without it, long ones\n"
        "are sampled, and the report says which, and by how much their cycles may be wrong"),
    CLI_VALUE_OPTION(
        "--without", "PART", TEXT, offsetof(struct validate_options, without),
        "for launches: leave a part of the model out: a rule of docs/lowering.md, pipe.NAME or\n"
        "order"),
    CLI_OPTION_SASS(offsetof(struct validate_options, sass)),
    CLI_FLAG_OPTION(
        "--traffic", offsetof(struct validate_options, traffic),
        "for pipelines: compare the traffic of all records. It was measured with cold caches, so\n"
        "that kernels with warm ones are simulated twice"),
    CLI_VALUE_OPTION(
        "--show", "NAME", TEXT, offsetof(struct validate_options, show),
        "print the kernel of this record as a scenario that can be run, and replay nothing"),
    CLI_VALUE_OPTION("--sanitize", "CTAS", COUNT, offsetof(struct validate_options, sanitize),
                     "for launches: check the first CTAS CTAs of each for races (default 0)"),
    CLI_FLAG_OPTION("--functional", offsetof(struct validate_options, functional),
                    "for launches: bytes and counts alone, without time: ten times as fast"),
    CLI_OPTION_JOBS,
    CLI_OPTION_QUIET,
    CLI_OPTION_FORMAT(&cli_validation_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_validate = {
    .name = "validate",
    .takes_input = true,
    .operands = "RECORDS.tsv... | LAUNCHES.jsonl | FOLDER | LAUNCH.yaml...",
    .example = "records.tsv --jobs 4",
    .summary = "Replay records of a real GPU and count how many agree.",
    .details = "A folder has launch files, such as those of tmasim-capture: each gives a row of "
               "what was measured\nand what is predicted. Ctrl-C ends it with the records replayed "
               "so far. A record whose process dies is an "
               "error, counts as\nskipped, and the others are replayed.",
    .statuses =
        "0 all files were replayed, whether their records agree or not; 1 some records were not\n"
        "replayed, because a process died or memory ran out; 2 error;\n"
        "130 interrupted: the report is partial",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    CLI_RUNS_WITH(validate_options),
};
