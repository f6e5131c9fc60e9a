/* tmasim decode: the fields of a 128-byte tensor map, or the differences of two. */
#include <string.h>

#include "cli/dump_input.h"
#include "cli/dump_output.h"
#include "cli/map_check.h"
#include "cli/map_input.h"
#include "cli/map_text.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/verbs.h"

enum { FINDING_BYTES = 300 };

struct decoded {
    const char *name; /* the operand */
    enum tma_dump_format format;
    struct tma_descriptor descriptor;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    size_t finding_count;
    struct cli_map_check check;
};

static bool decode(const char *operand, enum tma_architecture architecture,
                   enum tma_name_style names, struct decoded *decoded) {
    decoded->name = operand;
    if (!cli_dump_read(operand, &decoded->descriptor, &decoded->format))
        return false;
    decoded->finding_count = tma_descriptor_decode(&decoded->descriptor, &decoded->map,
                                                   decoded->findings, TMA_MAX_FINDINGS);
    cli_map_check_rules(&decoded->map, architecture, names, &decoded->check);
    return true;
}

static void write_findings(const struct decoded *decoded, FILE *out) {
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        fprintf(out, "unexpected: %s\n", text);
    }
    cli_map_check_text(&decoded->check, NULL, 0, out);
}

static bool same_bytes(const struct decoded *a, const struct decoded *b) {
    return memcmp(&a->descriptor, &b->descriptor, sizeof a->descriptor) == 0;
}

static void write_text(const struct decoded *all, size_t count, FILE *out) {
    if (count == 1) {
        cli_map_text(&all[0].map, all[0].check.names, out);
        write_findings(&all[0], out);
        return;
    }
    size_t different = cli_maps_text(&all[0].map, &all[1].map, all[0].check.names, out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "\n%s: ", i == 0 ? "left" : "right");
        write_findings(&all[i], out);
    }
    if (different > 0)
        fprintf(out, "\n%zu field%s differ%s\n", different, different == 1 ? "" : "s",
                different == 1 ? "s" : "");
    else
        fprintf(out, "\n%s\n",
                same_bytes(&all[0], &all[1]) ? "same bytes" : "same fields, different bytes");
}

static void write_json_map(const struct decoded *decoded, struct tma_json *json) {
    tma_json_string(json, "format", tma_name_of(&tma_dump_format_names, (int)decoded->format));
    cli_map_json(&decoded->map, decoded->check.names, "tensor_map", json);
    tma_json_begin_array(json, "findings");
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        tma_json_string(json, NULL, text);
    }
    tma_json_end_array(json);
    cli_map_check_json(&decoded->check, NULL, 0, json);
}

static void write_json(const struct decoded *all, size_t count, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    if (count == 1)
        write_json_map(&all[0], &json);
    for (size_t i = 0; count == 2 && i < count; i++) {
        tma_json_begin_object(&json, i == 0 ? "a" : "b");
        write_json_map(&all[i], &json);
        tma_json_end_object(&json);
    }
    if (count == 2) {
        cli_differences_json(&all[0].map, &all[1].map, all[0].check.names, "differences", &json);
        tma_json_bool(&json, "same_bytes", same_bytes(&all[0], &all[1]));
    }
    tma_json_end_object(&json);
}

static int run(const struct cli_options *options) {
    static const char *const standard[] = {"-"};
    size_t count = options->operands.count == 0 ? 1 : options->operands.count;
    const char *const *operands = options->operands.count == 0 ? standard : options->operands.items;
    struct decoded all[2];
    struct cli_output output;
    if (!cli_check_descriptor_address(options->descriptor_address))
        return CLI_ERROR;
    for (size_t i = 0; i < count; i++)
        if (!decode(operands[i], cli_architecture(options, NULL),
                    (enum tma_name_style)options->names, &all[i]))
            return CLI_ERROR;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    (as_json ? write_json : write_text)(all, count, output.file);
    if (!cli_output_close(&output, true))
        return CLI_ERROR;
    return count == 1 || same_bytes(&all[0], &all[1]) ? CLI_OK : CLI_DIFFERENT;
}

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_DESCRIPTOR_ADDRESS,
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_decode = {
    .name = "decode",
    .operands = "[DUMP [DUMP]]",
    .summary = "Show the fields of a 128-byte tensor map, or the differences of two.",
    .details =
        "A dump is a file with the 128 bytes, as binary, as hex digits, or as the output of a "
        "debugger: 16 words\nof 64 bits or 32 words of 32 bits, with 0x. Hex digits may also "
        "be the operand itself. Without an\noperand, or with -, decode reads standard input.",
    .statuses = "0 decoded (two maps: same bytes), 1 the two maps differ, 2 error or no tensor map",
    .max_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
