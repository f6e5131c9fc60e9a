/* tmasim validate: replays records of real hardware. */
#include <stdlib.h>

#include "cli/complain.h"
#include "cli/machine_path.h"
#include "cli/output.h"
#include "cli/validation.h"
#include "cli/verbs.h"

static bool replay(const struct cli_options *options, const struct tma_machine *machine,
                   struct tma_validation *validations) {
    for (size_t i = 0; i < options->operand_count; i++) {
        struct tma_error error;
        if (tma_validate_file(options->operands[i], machine, &validations[i], &error) != TMA_OK) {
            cli_complain("%s", error.text);
            return false;
        }
    }
    return true;
}

static int run(const struct cli_options *options) {
    struct tma_machine machine;
    struct cli_output output;
    if (!cli_machine_read(options->gpu, &machine) || !cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    struct tma_validation *validations = calloc(options->operand_count, sizeof *validations);
    bool good = validations != NULL && replay(options, &machine, validations);
    if (good)
        cli_validation_write(options->operands, validations, options->operand_count,
                             (enum cli_format)options->format, output.file);
    for (size_t i = 0; validations != NULL && i < options->operand_count; i++)
        tma_validation_free(&validations[i]);
    free(validations);
    return cli_output_close(&output, good) && good ? CLI_OK : CLI_BAD_INPUT;
}

static const struct cli_option options[] = {
    {"--gpu", NULL, "FILE", CLI_TEXT, offsetof(struct cli_options, gpu), NULL,
     "the machine that replays them; default: configs/gpus/h200.yaml beside the command"},
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_validate = {
    .name = "validate",
    .operands = "RECORDS.tsv...",
    .summary = "Replays records of a real GPU, and says how many agree.",
    .details = "exit status: 0 every file was read, 2 trouble",
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
