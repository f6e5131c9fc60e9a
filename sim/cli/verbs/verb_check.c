/* tmasim check: the rules that tensor maps break, and advice on legal maps. */
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/launch_run.h"
#include "cli/map_checks.h"
#include "cli/map_table.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"

enum { MOST_FILES = 10000 };

struct check_options {
    struct cli_options common;
    const char *launch; /* label of a record; NULL: not given */
    struct cli_count sanitize;
    bool strict;
};

static bool write_checks(const struct cli_options *options, const struct cli_map_input *input,
                         bool as_json, FILE *out) {
    struct tma_json json = {.out = out};
    if (!as_json)
        return cli_map_checks_text(options, input, out);
    tma_json_begin_object(&json, NULL);
    bool legal = cli_map_checks_json(options, input, &json);
    tma_json_end_object(&json);
    return legal;
}

static int run(const struct cli_options *options) {
    struct cli_map_input input;
    struct cli_output output;
    int status = CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    const struct check_options *own = (const struct check_options *)options;
    struct tma_error unreadable = {0};
    bool is_launch =
        options->operands.count == 1 && cli_is_launch(options->operands.items[0], &unreadable);
    bool executes = own->sanitize.given || options->format > CLI_FORMAT_JSON;
    const struct cli_launch_options launch = {
        .common = options,
        .format = as_json ? TMA_LAUNCH_JSON : (enum tma_launch_format)options->format,
        .label = own->launch,
        .sanitize = own->sanitize,
        .strict = own->strict,
        .functional = true};
    if (is_launch)
        return executes ? cli_launch_run(&launch) : cli_launch_check(&launch);
    if (executes) {
        cli_error("%s", unreadable.text[0] != '\0'
                            ? unreadable.text
                            : "check: --sanitize and the formats github and junit are for a launch "
                              "of a compiled kernel");
        return CLI_ERROR;
    }
    if (options->operands.count > 1)
        return cli_map_table(options, as_json);
    if (cli_map_input_read(options, &input) && cli_map_input_find_uses(options, &input) &&
        cli_output_open(&output, options->output)) {
        bool legal = write_checks(options, &input, as_json, output.file);
        if (cli_output_close(&output, true))
            status = legal ? CLI_OK : CLI_ILLEGAL;
    }
    cli_map_input_free(&input);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_FORMAT(&tma_launch_format_names),
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_LAUNCH(offsetof(struct check_options, launch)),
    CLI_OPTION_SANITIZE(offsetof(struct check_options, sanitize)),
    CLI_OPTION_STRICT(offsetof(struct check_options, strict)),
    CLI_OPTION_QUIET,
};

const struct cli_verb cli_check = {
    .name = "check",
    .takes_scenario = true,
    .operands = "[SCENARIO.yaml | MAP.json | LAUNCH.yaml]...",
    .example = "map.json --arch sm_100",
    .summary = "Check tensor maps against the rules of the driver and report costly settings.",
    .details =
        "The file is a scenario, which the library may have, or one tensor map with the same keys, "
        "in YAML\nor JSON, or the text that CUTLASS prints of a map. Without a file, or with -, "
        "check reads standard\ninput. Of the workload it judges only whether the architecture and "
        "the map have its operations; run\nfinds its other errors. Several files give a table: a "
        "row for each tensor map, with the first that\nis to say about it; of a file that cannot "
        "be read, the reason. With --sanitize, a launch is executed without time, and what is "
        "wrong with the\nkernel is reported.",
    .statuses = "0 all maps are legal, 1 a map breaks a rule or an operation on it is "
                "not\nsupported, or a launch has other outputs, 2 error, 3 a launch hangs, faults "
                "or races",
    .max_operands = MOST_FILES,
    .options = options,
    .options_bytes = sizeof(struct check_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
