/* tmasim diff: the differences of two traces. */
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "trace/trace.h"

struct diff_options {
    struct cli_options common;
    double absolute, relative; /* tolerances */
};

static int run(const struct cli_options *options) {
    const struct diff_options *own = (const struct diff_options *)options;
    struct tma_trace_tolerance tolerance = {own->absolute, own->relative};
    enum tma_trace_verdict verdict = TMA_TRACE_DIFFERENT;
    struct tma_error error = {0};
    struct cli_output output;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    enum tma_error_code code =
        tma_trace_diff(options->operands.items[0], options->operands.items[1], &tolerance,
                       output.file, &verdict, &error);
    if (code != TMA_OK)
        cli_error("%s", error.text);
    if (!cli_output_close(&output, code == TMA_OK) || code != TMA_OK)
        return CLI_ERROR;
    return verdict == TMA_TRACE_SAME ? CLI_OK : CLI_DIFFERENT;
}

static const struct cli_option options[] = {
    {.name = "--abs",
     .value = "NUMBER",
     .kind = CLI_NUMBER,
     .offset = offsetof(struct diff_options, absolute),
     .help = "accept numbers that differ by at most this much"},
    {.name = "--rel",
     .value = "FRACTION",
     .kind = CLI_NUMBER,
     .offset = offsetof(struct diff_options, relative),
     .help = "accept numbers that differ by at most this fraction of the larger one"},
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_diff = {
    .name = "diff",
    .operands = "TRACE TRACE",
    .summary = "Compare two traces: show the first difference and count all of them.",
    .statuses = "0 same, 1 different, 2 error",
    .min_operands = 2,
    .max_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct diff_options),
    .run = run,
};
