/* tmasim decode: the fields of a 128-byte tensor map, or the differences of two. */
#include <string.h>

#include "base/allocation.h"
#include "cli/files/dump_input.h"
#include "cli/files/dump_output.h"
#include "cli/files/map_input.h"
#include "cli/files/output.h"
#include "cli/map_check.h"
#include "cli/map_text.h"
#include "cli/messages.h"
#include "cli/traced_operation.h"
#include "cli/verbs/verbs.h"

enum { FINDING_BYTES = 600 };

struct decode_options {
    struct cli_options common;
    struct cli_operation_options operation;
    const char *map; /* the name of one of several maps; NULL: all */
};

struct decoded {
    const struct cli_dump *dump;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    size_t finding_count;
    struct cli_map_check check;
    const struct cli_traced_operation *traced; /* of a map that is alone; or NULL */
};

/* All maps that are decoded. */
struct decoding {
    struct cli_dump dumps[CLI_MOST_DUMPS];
    struct decoded maps[CLI_MOST_DUMPS];
    struct cli_traced_operation traced;
    size_t count;
    bool compares; /* two operands */
};

static void decode(const struct cli_dump *dump, enum tma_architecture architecture,
                   enum tma_name_style names, struct decoded *decoded) {
    decoded->dump = dump;
    decoded->finding_count = tma_descriptor_decode(&dump->descriptor, &decoded->map,
                                                   decoded->findings, TMA_MAX_FINDINGS);
    cli_map_check_rules(&decoded->map, architecture, names, NULL, &decoded->check);
}

static void write_findings(const struct decoded *decoded, FILE *out) {
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        fprintf(out, "%s: %s\n", tma_finding_is_note(&decoded->findings[i]) ? "note" : "unexpected",
                text);
    }
    cli_map_check_text(&decoded->check, NULL, 0, out);
}

static bool same_bytes(const struct decoded *a, const struct decoded *b) {
    return memcmp(&a->dump->descriptor, &b->dump->descriptor, sizeof a->dump->descriptor) == 0;
}

static void write_one(const struct decoded *decoded, FILE *out) {
    cli_map_text(&decoded->map, decoded->check.names, out);
    write_findings(decoded, out);
    if (decoded->traced != NULL)
        cli_operation_text(decoded->traced, out);
}

static void write_text(const struct decoding *decoding, FILE *out) {
    const struct decoded *all = decoding->maps;
    size_t count = decoding->count;
    for (size_t i = 0; i < count && !decoding->compares; i++) {
        if (count > 1)
            fprintf(out, "%s%s:\n", i == 0 ? "" : "\n", all[i].dump->name);
        write_one(&all[i], out);
    }
    if (!decoding->compares)
        return;
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
    tma_json_string(json, "format",
                    tma_name_of(&tma_dump_format_names, (int)decoded->dump->format));
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

static void write_json(const struct decoding *decoding, FILE *out) {
    const struct decoded *all = decoding->maps;
    size_t count = decoding->count;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    if (count == 1)
        write_json_map(&all[0], &json);
    if (count == 1 && all[0].traced != NULL)
        cli_operation_json(all[0].traced, "operation", &json);
    if (count > 1 && !decoding->compares) {
        tma_json_begin_array(&json, "tensor_maps");
        for (size_t i = 0; i < count; i++) {
            tma_json_begin_object(&json, NULL);
            tma_json_string(&json, "name", all[i].dump->name);
            write_json_map(&all[i], &json);
            tma_json_end_object(&json);
        }
        tma_json_end_array(&json);
    }
    for (size_t i = 0; decoding->compares && i < count; i++) {
        tma_json_begin_object(&json, i == 0 ? "a" : "b");
        write_json_map(&all[i], &json);
        tma_json_end_object(&json);
    }
    if (decoding->compares) {
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
        cli_error(count != 1 ? "decode: an operation is judged on one map; --map chooses it"
                             : "the map is illegal: decode without an operation says why");
        return false;
    }
    if (!cli_operation_trace(&own->operation, &decoded->map, cli_architecture(&own->common, NULL),
                             traced))
        return false;
    decoded->traced = traced;
    return true;
}

static int status_of(const struct decoding *decoding) {
    const struct decoded *all = decoding->maps;
    if (decoding->compares)
        return same_bytes(&all[0], &all[1]) ? CLI_OK : CLI_DIFFERENT;
    return all[0].traced != NULL && all[0].traced->code != TMA_OK ? CLI_DIFFERENT : CLI_OK;
}

/* Of two operands, each must have one map. */
static bool read_operands(const struct decode_options *own, struct decoding *decoding) {
    static const char *const standard[] = {"-"};
    const struct cli_options *options = &own->common;
    size_t operands = options->operands.count == 0 ? 1 : options->operands.count;
    const char *const *items = options->operands.count == 0 ? standard : options->operands.items;
    decoding->compares = operands == 2;
    for (size_t i = 0; i < operands; i++) {
        struct cli_dump *dumps = decoding->dumps;
        struct cli_dump first = dumps[0];
        size_t count = cli_dumps_read(items[i], own->map, dumps);
        if (count > 1 && decoding->compares)
            cli_error("%s has %zu tensor maps; choose one with --map, \"%s\" for example", items[i],
                      count, dumps[0].name);
        if (count == 0 || (count > 1 && decoding->compares))
            return false;
        if (i == 1) {
            dumps[1] = dumps[0];
            dumps[0] = first;
        }
        decoding->count += count;
    }
    for (size_t i = 0; i < decoding->count; i++)
        decode(&decoding->dumps[i], cli_architecture(options, NULL),
               (enum tma_name_style)options->names, &decoding->maps[i]);
    return true;
}

static int decode_all(const struct decode_options *own, struct decoding *decoding) {
    const struct cli_options *options = &own->common;
    struct cli_output output;
    if (!read_operands(own, decoding) ||
        !trace(own, &decoding->maps[0], decoding->count, &decoding->traced) ||
        !cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    (as_json ? write_json : write_text)(decoding, output.file);
    if (!cli_output_close(&output, true))
        return CLI_ERROR;
    return status_of(decoding);
}

static int run(const struct cli_options *options) {
    if (!cli_check_descriptor_address(options->descriptor_address))
        return CLI_ERROR;
    struct decoding *decoding = tma_allocate(1, sizeof *decoding);
    if (decoding == NULL) {
        cli_error("out of memory");
        return CLI_ERROR;
    }
    int status = decode_all((const struct decode_options *)options, decoding);
    tma_release(decoding);
    return status;
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
    CLI_VALUE_OPTION(
        "--map", "NAME", TEXT, offsetof(struct decode_options, map),
        "decode this one of several tensor maps that encode has written; default: all"),
    OPERATION_OPTION("--load", "COORDINATES", load,
                     "say whether a load at these coordinates faults, and where its bytes go;\n"
                     "for example --load 64,8 (innermost dimension first)"),
    OPERATION_OPTION("--store", "COORDINATES", store, "the same for a store"),
    OPERATION_OPTION("--reduce", "COORDINATES", reduce, "the same for a reduction"),
    OPERATION_OPTION("--reduction", "NAME", reduction,
                     "operator of the reduction: add (default), min, max, inc, dec, and, or, xor"),
    OPERATION_OPTION("--prefetch", "COORDINATES", prefetch,
                     "the same for a prefetch into L2; of gather4 with five coordinates"),
    OPERATION_OPTION("--gather4", "COLUMN,ROWS", gather4,
                     "the same for a load of four rows; for example --gather4 0,3,17,5,9"),
    OPERATION_OPTION("--scatter4", "COLUMN,ROWS", scatter4, "the same for a store of four rows"),
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
        "debugger: 16 words\nof 64 bits or 32 words of 32 bits, with 0x; or what encode writes of "
        "several maps. Hex digits may also\nbe the operand itself. Without an operand, or with -, "
        "decode reads standard input.",
    .example = "dump.txt --load 64,8 --shared 0x400",
    .statuses = "0 decoded (two maps: same bytes), 1 the two maps differ, or the\noperation "
                "faults, 2 error or no tensor map",
    .max_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct decode_options),
    .run = run,
};
