/* tmasim decode: the fields of 128 bytes, and how two tensor maps differ. */
#include <string.h>

#include "cli/complain.h"
#include "cli/dump_input.h"
#include "cli/dump_output.h"
#include "cli/map_input.h"
#include "cli/map_text.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/verdict.h"

enum { FINDING_BYTES = 300 };

struct decoded {
    const char *name; /* the operand */
    enum tma_dump_format format;
    struct tma_descriptor descriptor;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    size_t finding_count;
    struct cli_verdict verdict;
};

static bool decode(const char *operand, enum tma_architecture architecture,
                   enum tma_name_style names, struct decoded *decoded) {
    decoded->name = operand;
    if (!cli_dump_read(operand, &decoded->descriptor, &decoded->format))
        return false;
    decoded->finding_count = tma_descriptor_decode(&decoded->descriptor, &decoded->map,
                                                   decoded->findings, TMA_MAX_FINDINGS);
    cli_judge(&decoded->map, architecture, names, &decoded->verdict);
    return true;
}

static void write_remarks(const struct decoded *decoded, FILE *out) {
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        fprintf(out, "odd: %s\n", text);
    }
    cli_verdict_text(&decoded->verdict, NULL, 0, out);
}

/* Do the bytes differ in more than the fields say? */
static bool same_bytes(const struct decoded *a, const struct decoded *b) {
    return memcmp(&a->descriptor, &b->descriptor, sizeof a->descriptor) == 0;
}

static void write_text(const struct decoded *all, size_t count, FILE *out) {
    if (count == 1) {
        cli_map_text(&all[0].map, all[0].verdict.names, out);
        write_remarks(&all[0], out);
        return;
    }
    size_t different = cli_maps_text(&all[0].map, &all[1].map, all[0].verdict.names, out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "\n%s: ", i == 0 ? "left" : "right");
        write_remarks(&all[i], out);
    }
    if (different > 0)
        fprintf(out, "\n%zu field%s differ%s\n", different, different == 1 ? "" : "s",
                different == 1 ? "s" : "");
    else
        fprintf(out, "\n%s\n",
                same_bytes(&all[0], &all[1]) ? "the same bytes" : "the same fields, other bytes");
}

static void write_members(const struct decoded *decoded, struct tma_json *json) {
    tma_json_string(json, "format", tma_name_of(&tma_dump_format_names, (int)decoded->format));
    cli_map_json(&decoded->map, decoded->verdict.names, "tensor_map", json);
    tma_json_begin_array(json, "findings");
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        tma_json_string(json, NULL, text);
    }
    tma_json_end_array(json);
    cli_verdict_json(&decoded->verdict, NULL, 0, json);
}

static void write_json(const struct decoded *all, size_t count, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    if (count == 1)
        write_members(&all[0], &json);
    for (size_t i = 0; count == 2 && i < count; i++) {
        tma_json_begin_object(&json, i == 0 ? "a" : "b");
        write_members(&all[i], &json);
        tma_json_end_object(&json);
    }
    if (count == 2) {
        cli_differences_json(&all[0].map, &all[1].map, all[0].verdict.names, "differences", &json);
        tma_json_bool(&json, "same_bytes", same_bytes(&all[0], &all[1]));
    }
    tma_json_end_object(&json);
}

static int run(const struct cli_options *options) {
    static const char *const standard[] = {"-"};
    size_t count = options->operand_count == 0 ? 1 : options->operand_count;
    const char *const *operands = options->operand_count == 0 ? standard : options->operands;
    struct decoded all[2];
    struct cli_output output;
    if (!cli_check_descriptor_address(options->at))
        return CLI_BAD_INPUT;
    for (size_t i = 0; i < count; i++)
        if (!decode(operands[i], cli_architecture(options, NULL),
                    (enum tma_name_style)options->names, &all[i]))
            return CLI_BAD_INPUT;
    if (!cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    (as_json ? write_json : write_text)(all, count, output.file);
    if (!cli_output_close(&output, true))
        return CLI_BAD_INPUT;
    return count == 1 || same_bytes(&all[0], &all[1]) ? CLI_OK : CLI_DIFFERENT;
}

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_DESCRIPTOR_ADDRESS,
    CLI_OPTION_FORMAT(&cli_format_names),
    {"--json", NULL, NULL, CLI_FLAG, offsetof(struct cli_options, json), NULL,
     "the same as --format json"},
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_decode = {
    .name = "decode",
    .operands = "[DUMP [DUMP]]",
    .summary = "Says what the 128 bytes of a tensor map hold, or how two of them differ.",
    .details =
        "A dump is a file of 128 bytes, hex (in a file, or as the operand itself), or what a "
        "debugger prints:\n16 words of 64 bits or 32 of 32 bits, with 0x. Without one, or with -, "
        "standard input is read.\n\n"
        "exit status: 0 decoded (two: the same bytes), 1 two that differ, 2 no tensor map",
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
