/* tmasim validate: replays records of real hardware. */

#include "base/allocation.h"
#include "cli/machine_input.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/record_show.h"
#include "cli/validation.h"
#include "cli/verbs.h"
#include "scenario/machine_file.h"

struct validate_options {
    struct cli_options common;
    const char *gpu; /* NULL: the machine that belongs to the command */
    struct cli_count draws;
    const char *show; /* the name of a record, to be printed and not replayed; or NULL */
};

static bool replay_file(const char *path, const struct tma_machine *machine,
                        struct tma_validation *validation) {
    struct tma_error error;
    if (tma_validate_file(path, machine, validation, &error) == TMA_OK)
        return true;
    cli_error("%s", error.text);
    return false;
}

/* Replays a file with the seeds 1 to `count`. */
static bool replay_draws(const char *path, struct tma_machine machine, uint32_t count,
                         struct cli_draws *draws) {
    for (uint32_t seed = 1; seed <= count; seed++) {
        struct tma_validation validation;
        machine.topology.seed = seed;
        if (!replay_file(path, &machine, &validation))
            return false;
        cli_draws_add(draws, &validation);
        tma_validation_free(&validation);
    }
    return true;
}

static bool replay(const struct cli_options *options, const struct tma_machine *machine,
                   struct tma_validation *validations, struct cli_draws *draws) {
    uint32_t count = ((const struct validate_options *)options)->draws.value;
    for (size_t i = 0; i < options->operands.count; i++) {
        const char *path = options->operands.items[i];
        if (!replay_file(path, machine, &validations[i]) ||
            !replay_draws(path, *machine, count, &draws[i]))
            return false;
    }
    return true;
}

static int run(const struct cli_options *options) {
    struct tma_machine machine;
    struct cli_output output;
    const char *gpu = ((const struct validate_options *)options)->gpu;
    if (!cli_output_spares(options->output, gpu) || !cli_machine_read(gpu, &machine) ||
        !cli_output_open(&output, options->output))
        return CLI_ERROR;
    const char *show = ((const struct validate_options *)options)->show;
    if (show != NULL) {
        bool shown = cli_record_show(options, show, gpu, output.file);
        return cli_output_close(&output, shown) && shown ? CLI_OK : CLI_ERROR;
    }
    struct tma_validation *validations = tma_allocate(options->operands.count, sizeof *validations);
    struct cli_draws *draws = tma_allocate(options->operands.count, sizeof *draws);
    struct tma_machine_digest digest;
    bool good = validations != NULL && draws != NULL && tma_machine_digest(&machine, &digest);
    if (!good)
        cli_error("out of memory");
    good = good && replay(options, &machine, validations, draws);
    if (good)
        cli_validation_write(options->operands.items, validations, draws, options->operands.count,
                             digest.text, (enum cli_format)options->format, output.file);
    for (size_t i = 0; validations != NULL && i < options->operands.count; i++)
        tma_validation_free(&validations[i]);
    tma_release(validations);
    tma_release(draws);
    return cli_output_close(&output, good) && good ? CLI_OK : CLI_ERROR;
}

static const struct cli_option options[] = {
    {.name = "--gpu",
     .value = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(struct validate_options, gpu),
     .help = "simulate this machine; default: the h200.yaml that belongs to the command"},
    {.name = "--draws",
     .value = "N",
     .kind = CLI_COUNT,
     .offset = offsetof(struct validate_options, draws),
     .help =
         "also replay with the seeds (topology.draw) 1 to N, and report the mean, the least and\n"
         "the most that agree"},
    {.name = "--show",
     .value = "NAME",
     .kind = CLI_TEXT,
     .offset = offsetof(struct validate_options, show),
     .help = "print the kernel of this record as a scenario that can be run, and replay nothing"},
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_validate = {
    .name = "validate",
    .operands = "RECORDS.tsv...",
    .summary = "Replay records of a real GPU and count how many agree.",
    .statuses = "0 all files were replayed, whether their records agree or not; 2 error",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
    .options_bytes = sizeof(struct validate_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
