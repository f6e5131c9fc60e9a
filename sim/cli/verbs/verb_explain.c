/* tmasim explain: one shared-memory access of a consumer, wavefront by wavefront. */
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/explain.h"

struct explain_options {
    struct cli_options common;
    struct cli_count consumer, instruction;
    const char *access; /* NULL: not given */
};

static int explain(const struct explain_options *options, const struct tma_scenario *scenario) {
    const struct tma_workload *workload = &scenario->workload;
    uint32_t index = options->consumer.value;
    struct tma_tile tile;
    struct tma_error error;
    struct tma_explanation explanation;
    struct cli_output output;
    if (workload->consumer_count == 0)
        return cli_fail(
            "explain: %s %s, so that there is nothing to explain; layout shows its tiles, "
            "and gemm_unswizzled is a scenario with consumers",
            scenario->name,
            scenario->program != NULL ? "has no access statement of a role that reads a tile"
                                      : "has no workload.consumers");
    if (index >= workload->consumer_count)
        return cli_fail("consumer %u does not exist; %s has %u", index, scenario->name,
                        workload->consumer_count);
    const struct tma_consumer *consumer = &workload->consumers[index];
    uint64_t access = options->instruction.given ? options->instruction.value : TMA_EXPLAIN_WORST;
    if (tma_workload_tile(workload, 0, consumer->operation, &tile, &error) != TMA_OK ||
        tma_explain(consumer, &tile, access, &explanation, &error) != TMA_OK)
        return cli_fail("%s: %s", scenario->name, error.text);
    if (!cli_output_open(&output, options->common.output))
        return CLI_ERROR;
    tma_explanation_write(&explanation, options->common.format, output.file);
    return cli_output_close(&output, true) ? CLI_OK : CLI_ERROR;
}

static int run(const struct cli_options *options) {
    struct tma_scenario scenario;
    int status = CLI_ERROR;
    struct explain_options own = *(const struct explain_options *)options;
    if (!cli_put_access(options, own.access, &own.common))
        return CLI_ERROR;
    if (cli_tiles_read(&own.common, &scenario))
        status = explain(&own, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--consumer", "N", COUNT, offsetof(struct explain_options, consumer),
                     "explain an access of this consumer; default: 0, the first one"),
    CLI_VALUE_OPTION(
        "--instruction", "N", COUNT, offsetof(struct explain_options, instruction),
        "explain this instruction of a pass over the tile; default: the first one with\n"
        "the worst conflict"),
    CLI_OPTION_ACCESS(offsetof(struct explain_options, access)),
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_explanation_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_explain = {
    .name = "explain",
    .operands = "SCENARIO.yaml | MAP.yaml",
    .takes_scenario = true,
    .suits = cli_has_consumers,
    .example = "gemm_unswizzled --set tensor_maps.A.swizzle=128b",
    .summary = "Explain one shared-memory access: the lanes, their banks and their conflicts.",
    .details =
        "Each line shows a lane, in the order in which wavefronts serve the lanes. Row and "
        "byte are positions\nin the tile, the address is in shared memory. To see another "
        "swizzle mode, add for example\n--set tensor_maps.A.swizzle=64b. The consumers of a kernel "
        "with roles are its access statements.\nOf one tensor map, --access says how a warp "
        "accesses its tile.",
    .statuses = "0 done, 2 error",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(explain_options),
};
