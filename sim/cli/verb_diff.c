/* tmasim diff: where two traces part. */
#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "trace/trace.h"

static int run(const struct cli_options *options) {
    struct tma_trace_tolerance tolerance = {options->absolute, options->relative};
    enum tma_trace_verdict verdict = TMA_TRACE_DIFFERENT;
    struct tma_error error = {0};
    struct cli_output output;
    if (!cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    enum tma_error_code code = tma_trace_diff(options->operands[0], options->operands[1],
                                              &tolerance, output.file, &verdict, &error);
    if (code != TMA_OK)
        cli_complain("%s", error.text);
    if (!cli_output_close(&output, code == TMA_OK) || code != TMA_OK)
        return CLI_BAD_INPUT;
    return verdict == TMA_TRACE_SAME ? CLI_OK : CLI_DIFFERENT;
}

static const struct cli_option options[] = {
    {"--abs", NULL, "NUMBER", CLI_NUMBER, offsetof(struct cli_options, absolute), NULL,
     "numbers may differ by this much"},
    {"--rel", NULL, "FRACTION", CLI_NUMBER, offsetof(struct cli_options, relative), NULL,
     "or by this fraction of the larger one"},
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_diff = {
    .name = "diff",
    .operands = "TRACE TRACE",
    .summary = "Compares two traces: the first divergence, and how many there are.",
    .details = "exit status: 0 same, 1 different, 2 trouble",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
