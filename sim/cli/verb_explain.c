/* tmasim explain: one access of a consumer, wavefront by wavefront. */
#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/explain.h"

static int explain_consumer(const struct cli_options *options,
                            const struct tma_scenario *scenario) {
    const struct tma_workload *workload = &scenario->workload;
    uint32_t index = options->consumer.value;
    struct tma_tile tile;
    struct tma_error error;
    struct tma_explanation explanation;
    struct cli_output output;
    if (index >= workload->consumer_count) {
        cli_complain("there is no consumer %u; %s has %u", index, scenario->name,
                     workload->consumer_count);
        return CLI_BAD_INPUT;
    }
    const struct tma_consumer *consumer = &workload->consumers[index];
    uint64_t access = options->instruction.given ? options->instruction.value : TMA_EXPLAIN_WORST;
    if (tma_workload_tile(workload, 0, consumer->operation, &tile, &error) != TMA_OK ||
        tma_explain(consumer, &tile, access, &explanation, &error) != TMA_OK) {
        cli_complain("%s: %s", scenario->name, error.text);
        return CLI_BAD_INPUT;
    }
    if (!cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    tma_explanation_write(&explanation, options->format, output.file);
    return cli_output_close(&output, true) ? CLI_OK : CLI_BAD_INPUT;
}

static int run(const struct cli_options *options) {
    return cli_with_scenario(options, explain_consumer);
}

static const struct cli_option options[] = {
    {"--consumer", NULL, "N", CLI_COUNT, offsetof(struct cli_options, consumer), NULL,
     "whose access; 0 is the first, and the default"},
    {"--instruction", NULL, "N", CLI_COUNT, offsetof(struct cli_options, instruction), NULL,
     "which of its instructions over the tile; default: the first of the worst"},
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_explanation_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_explain = {
    .name = "explain",
    .operands = "SCENARIO.yaml",
    .summary = "Explains one access to shared memory: lanes, banks, who collides with whom.",
    .details =
        "Each line is a lane, in the order of the wavefronts that serve them; rows and bytes are "
        "those of the\ntile, addresses those of shared memory. Other modes: "
        "--set tensor_maps.A.swizzle=64b\nexit status: 0 done, 2 bad input or output",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
