/* tmasim check: are the tensor maps legal, and what do they cost? */
#include "cli/complain.h"
#include "cli/map_input.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/verdict.h"

static void write_text(const struct cli_map_input *input, const struct cli_verdict *verdict,
                       uint32_t index, FILE *out) {
    fprintf(out, "%s: ", cli_map_name(input, index));
    cli_verdict_text(verdict, &input->file, index, out);
}

static void write_json(const struct cli_map_input *input, const struct cli_verdict *verdict,
                       uint32_t index, struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", cli_map_name(input, index));
    cli_verdict_json(verdict, &input->file, index, json);
    tma_json_end_object(json);
}

static void begin_json(struct tma_json *json, enum tma_architecture architecture) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "architecture", tma_name_of(&tma_architecture_names, (int)architecture));
    tma_json_begin_array(json, "tensor_maps");
}

static void end_json(struct tma_json *json) {
    tma_json_end_array(json);
    tma_json_end_object(json);
}

/* Gives whether all are legal. */
static bool check_all(const struct cli_map_input *input, enum tma_architecture architecture,
                      enum tma_name_style names, bool as_json, FILE *out) {
    struct tma_json json = {.out = out};
    struct cli_verdict verdict;
    bool legal = true;
    if (as_json)
        begin_json(&json, architecture);
    for (uint32_t i = 0; i < cli_map_count(input); i++) {
        cli_judge(cli_map(input, i), architecture, names, &verdict);
        legal = legal && verdict.violation_count == 0 && verdict.usable;
        if (as_json)
            write_json(input, &verdict, i, &json);
        else
            write_text(input, &verdict, i, out);
    }
    if (as_json)
        end_json(&json);
    return legal;
}

static int run(const struct cli_options *options) {
    struct cli_map_input input;
    struct cli_output output;
    int status = CLI_BAD_INPUT;
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
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_SET,
    CLI_OPTION_NAMES,
    CLI_OPTION_FORMAT(&cli_format_names),
    {"--json", NULL, NULL, CLI_FLAG, offsetof(struct cli_options, json), NULL,
     "the same as --format json"},
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_check = {
    .name = "check",
    .operands = "[SCENARIO.yaml | MAP.json]",
    .summary = "Says of each tensor map whether a driver takes it, why not, and what is costly.",
    .details = "The file is a scenario, or one tensor map with the same keys, as YAML or JSON; "
               "without one, or\nwith -, standard input is read.\n\n"
               "exit status: 0 all legal, 1 a rule is broken or a map unusable, 2 trouble",
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
