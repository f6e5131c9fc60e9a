/* tmasim validate: replays records of real hardware. */
#include <stdlib.h>

#include "cli/machine_input.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/validation.h"
#include "cli/verbs.h"

struct validate_options {
    struct cli_options common;
    const char *gpu; /* NULL: the machine that belongs to the command */
};

static bool replay(const struct cli_options *options, const struct tma_machine *machine,
                   struct tma_validation *validations) {
    for (size_t i = 0; i < options->operands.count; i++) {
        struct tma_error error;
        if (tma_validate_file(options->operands.items[i], machine, &validations[i], &error) !=
            TMA_OK) {
            cli_error("%s", error.text);
            return false;
        }
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
    struct tma_validation *validations = calloc(options->operands.count, sizeof *validations);
    if (validations == NULL)
        cli_error("out of memory");
    bool good = validations != NULL && replay(options, &machine, validations);
    if (good)
        cli_validation_write(options->operands.items, validations, options->operands.count,
                             (enum cli_format)options->format, output.file);
    for (size_t i = 0; validations != NULL && i < options->operands.count; i++)
        tma_validation_free(&validations[i]);
    free(validations);
    return cli_output_close(&output, good) && good ? CLI_OK : CLI_ERROR;
}

static const struct cli_option options[] = {
    {.name = "--gpu",
     .value = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(struct validate_options, gpu),
     .help = "simulate this machine; default: the h200.yaml that belongs to the command"},
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
