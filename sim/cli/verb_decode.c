/* tmasim decode: the fields of a 128-byte tensor map, or the differences of two. */
#include <string.h>

#include "cli/dump_input.h"
#include "cli/dump_output.h"
#include "cli/map_check.h"
#include "cli/map_input.h"
#include "cli/map_text.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/traced_operation.h"
#include "cli/verbs.h"

enum { FINDING_BYTES = 300 };

struct decode_options {
    struct cli_options common;
    struct cli_operation_options operation;
};

struct decoded {
    const char *name; /* the operand */
    enum tma_dump_format format;
    struct tma_descriptor descriptor;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    size_t finding_count;
    struct cli_map_check check;
    const struct cli_traced_operation *traced; /* of a map that is alone; or NULL */
};

static bool decode(const char *operand, enum tma_architecture architecture,
                   enum tma_name_style names, struct decoded *decoded) {
    decoded->name = operand;
    if (!cli_dump_read(operand, &decoded->descriptor, &decoded->format))
        return false;
    decoded->finding_count = tma_descriptor_decode(&decoded->descriptor, &decoded->map,
                                                   decoded->findings, TMA_MAX_FINDINGS);
    cli_map_check_rules(&decoded->map, architecture, names, NULL, &decoded->check);
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
        if (all[0].traced != NULL)
            cli_operation_text(all[0].traced, out);
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
    if (count == 1 && all[0].traced != NULL)
        cli_operation_json(all[0].traced, "operation", &json);
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

/* Judges the operation of the options, if they name one. */
static bool trace(const struct decode_options *own, struct decoded *decoded, size_t count,
                  struct cli_traced_operation *traced) {
    decoded->traced = NULL;
    if (!cli_operation_given(&own->operation))
        return true;
    if (count != 1 || decoded->check.violation_count > 0) {
        cli_error(count != 1 ? "decode: an operation is judged on one map"
                             : "the map is illegal: decode without an operation says why");
        return false;
    }
    if (!cli_operation_trace(&own->operation, &decoded->map, cli_architecture(&own->common, NULL),
                             traced))
        return false;
    decoded->traced = traced;
    return true;
}

static int status_of(const struct decoded *all, size_t count) {
    if (count == 2)
        return same_bytes(&all[0], &all[1]) ? CLI_OK : CLI_DIFFERENT;
    return all[0].traced != NULL && all[0].traced->code != TMA_OK ? CLI_DIFFERENT : CLI_OK;
}

static int run(const struct cli_options *options) {
    static const char *const standard[] = {"-"};
    size_t count = options->operands.count == 0 ? 1 : options->operands.count;
    const char *const *operands = options->operands.count == 0 ? standard : options->operands.items;
    struct decoded all[2];
    struct cli_traced_operation traced;
    struct cli_output output;
    if (!cli_check_descriptor_address(options->descriptor_address))
        return CLI_ERROR;
    for (size_t i = 0; i < count; i++)
        if (!decode(operands[i], cli_architecture(options, NULL),
                    (enum tma_name_style)options->names, &all[i]))
            return CLI_ERROR;
    if (!trace((const struct decode_options *)options, &all[0], count, &traced) ||
        !cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    (as_json ? write_json : write_text)(all, count, output.file);
    if (!cli_output_close(&output, true))
        return CLI_ERROR;
    return status_of(all, count);
}

#define OPERATION_OPTION(option, meta, member, text)                                               \
    {                                                                                              \
        .name = option, .value = meta, .kind = CLI_TEXT,                                           \
        .offset = offsetof(struct decode_options, operation) +                                     \
                  offsetof(struct cli_operation_options, member),                                  \
        .help = text                                                                               \
    }

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_DESCRIPTOR_ADDRESS,
    OPERATION_OPTION("--load", "COORDINATES", load,
                     "say whether a load at these coordinates faults, and where its bytes go;\n"
                     "for example --load 64,8 (innermost dimension first)"),
    OPERATION_OPTION("--store", "COORDINATES", store, "the same for a store"),
    OPERATION_OPTION("--prefetch", "COORDINATES", prefetch, "the same for a prefetch into L2"),
    OPERATION_OPTION("--shared", "ADDRESS", shared,
                     "where the operation's tile lies in shared memory (default: 0)"),
    OPERATION_OPTION("--offsets", "W,H,D", offsets, "im2col offsets of the load, in pixels"),
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
    .example = "dump.txt --load 64,8 --shared 0x400",
    .statuses = "0 decoded (two maps: same bytes), 1 the two maps differ, or the\noperation "
                "faults, 2 error or no tensor map",
    .max_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct decode_options),
    .run = run,
};
