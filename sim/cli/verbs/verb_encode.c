/* tmasim encode: tensor maps as 128 bytes. */
#include <string.h>

#include "cli/files/dump_files.h"
#include "cli/files/map_input.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "tensormap/rules.h"

struct encode_options {
    struct cli_options common;
    const char *map; /* NULL: all maps */
};

static bool is_wanted(const struct encode_options *options, const char *name) {
    return options->map == NULL || strcmp(options->map, name) == 0;
}

static size_t count_wanted(const struct encode_options *options,
                           const struct cli_map_input *input) {
    size_t count = 0;
    for (uint32_t i = 0; i < cli_map_count(input); i++)
        count += is_wanted(options, cli_map_name(input, i));
    return count;
}

/* Prints the rules that a map breaks. An illegal map has no bytes, as the driver refuses it. */
static bool check_legal(const struct cli_map_input *input, uint32_t index,
                        enum tma_architecture architecture) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    struct tma_diagnostics list = {0};
    size_t count =
        tma_tensor_map_check(cli_map(input, index), architecture, violations, TMA_MAX_VIOLATIONS);
    for (size_t i = 0; i < count; i++) {
        char text[700];
        tma_violation_text(&violations[i], text, sizeof text);
        tma_diagnose(
            &list, TMA_ERROR_TENSOR_MAP,
            tma_map_file_locate(&input->file, index, violations[i].field, violations[i].index),
            "%s", text);
    }
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    return count == 0;
}

static void warn_unverified(const char *name, unsigned fields) {
    for (unsigned field = 0; field < TMA_FIELD_COUNT; field++)
        if ((fields >> field & 1) != 0)
            cli_note("%s: %s: the layout of these bits is unverified", name,
                     tma_field_info(field)->name);
}

static bool check_all(const struct encode_options *options, const struct cli_map_input *input) {
    bool legal = true;
    for (uint32_t i = 0; i < cli_map_count(input); i++)
        if (is_wanted(options, cli_map_name(input, i)))
            legal = check_legal(input, i, cli_architecture(&options->common, input)) && legal;
    return legal;
}

static void encode_all(const struct encode_options *options, const struct cli_map_input *input,
                       FILE *out) {
    bool alone = count_wanted(options, input) == 1;
    for (uint32_t i = 0; i < cli_map_count(input); i++) {
        const char *name = cli_map_name(input, i);
        struct tma_descriptor descriptor;
        if (!is_wanted(options, name))
            continue;
        warn_unverified(name, tma_descriptor_encode(cli_map(input, i), &descriptor));
        if (tma_descriptor_encode_oob_base(cli_map(input, i),
                                           cli_architecture(&options->common, input), &descriptor))
            cli_note("%s: bit 85, the mode of out-of-bounds bases, is %s: when drivers set it is "
                     "unverified",
                     name, tma_descriptor_has_oob_base(&descriptor) ? "set" : "clear");
        cli_dump_write(name, &descriptor, (enum tma_dump_format)options->common.format, alone, out);
    }
}

static bool check_wanted(const struct encode_options *options, const struct cli_map_input *input) {
    size_t count = count_wanted(options, input);
    if (count == 0)
        cli_error("%s has no tensor map \"%s\"", input->name, options->map);
    else if (count > 1 && options->common.format == TMA_DUMP_BINARY)
        cli_error("%s has %zu tensor maps, but a binary file holds one; choose one with --map",
                  input->name, count);
    return count == 1 || (count > 1 && options->common.format != TMA_DUMP_BINARY);
}

static int run(const struct cli_options *common) {
    const struct encode_options *options = (const struct encode_options *)common;
    struct cli_map_input input;
    struct cli_output output;
    int status = CLI_ERROR;
    if (cli_map_input_read(common, false, &input) && check_wanted(options, &input) &&
        check_all(options, &input) && cli_output_open(&output, common->output)) {
        encode_all(options, &input, output.file);
        if (cli_output_close(&output, true))
            status = CLI_OK;
    }
    cli_map_input_free(&input);
    return status;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--map", "NAME", TEXT, offsetof(struct encode_options, map),
                     "encode this tensor map; default: all of them"),
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_SET,
    CLI_OPTION_FORMAT(&cli_dump_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_encode = {
    .name = "encode",
    .takes_scenario = true,
    .operands = "[SCENARIO.yaml | MAP.json]",
    .example = "map.json --format c",
    .summary = "Write tensor maps as the 128 bytes that the driver encodes.",
    .details =
        "The file is a scenario or a tensor map, as for check. A note on standard error names "
        "each field whose\nbits were not compared with those of a real driver.",
    .statuses = "0 done, 2 error, or a map breaks a rule",
    .max_operands = 1,
    CLI_RUNS_WITH(encode_options),
};
