/* tmasim check: the rules that tensor maps break, and advice on legal maps. */
#include "cli/map_check.h"
#include "cli/map_input.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/verbs.h"

/* Checks every map and writes the results. Returns true where all maps are legal. */
static bool check_all(const struct cli_map_input *input, enum tma_architecture architecture,
                      enum tma_name_style names, bool as_json, FILE *out) {
    struct tma_json json = {.out = out};
    struct cli_map_check check;
    bool legal = true;
    if (as_json) {
        tma_json_begin_object(&json, NULL);
        tma_json_string(&json, "architecture",
                        tma_name_of(&tma_architecture_names, (int)architecture));
        tma_json_begin_array(&json, "tensor_maps");
    }
    for (uint32_t i = 0; i < cli_map_count(input); i++) {
        const char *name = cli_map_name(input, i);
        cli_map_check_rules(cli_map(input, i), architecture, names, &check);
        cli_map_check_operations(&input->file, i, &check);
        legal = legal && check.violation_count == 0 && check.usable && !check.has_unsupported;
        if (as_json) {
            tma_json_begin_object(&json, NULL);
            tma_json_string(&json, "name", name);
            cli_map_check_json(&check, &input->file, i, &json);
            tma_json_end_object(&json);
        } else {
            fprintf(out, "%s: ", name);
            cli_map_check_text(&check, &input->file, i, out);
        }
    }
    if (as_json) {
        tma_json_end_array(&json);
        tma_json_end_object(&json);
    }
    return legal;
}

static int run(const struct cli_options *options) {
    struct cli_map_input input;
    struct cli_output output;
    int status = CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    if (cli_map_input_read(options, &input) && cli_output_open(&output, options->output)) {
        bool legal = check_all(&input, cli_architecture(options, &input),
                               (enum tma_name_style)options->names, as_json, output.file);
        if (cli_output_close(&output, true))
            status = legal ? CLI_OK : CLI_ILLEGAL;
    }
    cli_map_input_free(&input);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE, CLI_OPTION_NAMES,
    CLI_OPTION_SET,          CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_JSON,         CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_check = {
    .name = "check",
    .takes_scenario = true,
    .operands = "[SCENARIO.yaml | MAP.json]",
    .example = "map.json --arch sm_100",
    .summary = "Check tensor maps against the rules of the driver and report costly settings.",
    .details =
        "The file is a scenario, which the library may have, or one tensor map with the same keys, "
        "in YAML\nor JSON. Without a file, or with -, check reads standard input. Of the workload "
        "it judges only whether\nthe architecture has its operations; run finds its other errors.",
    .statuses = "0 all maps are legal, 1 a map breaks a rule or an operation on it is "
                "not\nsupported, 2 error",
    .max_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
