/* tmasim replace: changes fields of a descriptor. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/dump_files.h"
#include "cli/files/map_input.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "scenario/suggestion.h"

enum { MAX_NAME = 64, MAX_CHANGES = 32 };

/* "FIELD.ORDINAL=VALUE", taken apart. */
struct change {
    const char *text; /* as the user wrote it */
    char field[MAX_NAME];
    unsigned ordinal;
    const char *value;
};

static bool split_change(const char *text, struct change *change) {
    const char *equals = strchr(text, '=');
    size_t length = strcspn(text, ".=");
    *change = (struct change){.text = text};
    if (equals == NULL || length == 0 || length >= MAX_NAME || equals[1] == '\0')
        return false;
    memcpy(change->field, text, length);
    change->value = equals + 1;
    if (text + length == equals)
        return true;
    char *end;
    unsigned long ordinal = strtoul(text + length + 1, &end, 10);
    change->ordinal = (unsigned)ordinal;
    return text[length] == '.' && end == equals && end != text + length + 1 && ordinal < 100;
}

static bool read_number(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* The CUDA names of a field's values: CU_TENSOR_MAP_DATA_TYPE_... for elemtype, and so on; NULL if
 * CUDA has none. */
static const struct tma_names *cuda_names(enum tma_replace_field field) {
    switch (field) {
    case TMA_REPLACE_ELEMTYPE:
        return tma_cuda_names(&tma_data_type_names);
    case TMA_REPLACE_SWIZZLE_MODE:
        return tma_cuda_names(&tma_swizzle_names);
    case TMA_REPLACE_INTERLEAVE_LAYOUT:
        return tma_cuda_names(&tma_interleave_names);
    case TMA_REPLACE_FILL_MODE:
        return tma_cuda_names(&tma_oob_fill_names);
    default:
        return NULL;
    }
}

/* Finds PTX's number for a CUDA name. False for a swizzle with atoms of 32 or 64 bytes: PTX has a
 * field of its own for the atom. */
static bool value_of_cuda_name(enum tma_replace_field field, const char *name, int *value) {
    const struct tma_names *cuda = cuda_names(field);
    if (cuda == NULL || !tma_value_of(cuda, name, value))
        return false;
    if (field == TMA_REPLACE_ELEMTYPE) {
        char ptx[MAX_NAME];
        bool ftz = *value == TMA_FLOAT32_FTZ || *value == TMA_TFLOAT32_FTZ;
        snprintf(ptx, sizeof ptx, "%s%s", tma_type_info((enum tma_data_type) * value)->ptx + 1,
                 ftz ? ".ftz" : "");
        return tma_value_of(tma_replace_value_names(field), ptx, value);
    }
    if (field == TMA_REPLACE_SWIZZLE_MODE)
        return tma_value_of(tma_replace_value_names(field), tma_name_of(&tma_swizzle_names, *value),
                            value);
    return true;
}

static bool refuse_value(const struct change *change, const struct tma_names *names,
                         const struct tma_names *cuda) {
    struct tma_suggestion suggestion = {.wanted = change->value};
    if (names != NULL)
        tma_suggest_names(&suggestion, names);
    if (cuda != NULL)
        tma_suggest_names(&suggestion, cuda);
    /* An exact match is a value that the field lacks. */
    char *list = names == NULL ? NULL : tma_names_list(names);
    cli_error("%s: \"%s\" is not a value; %sexpected a number%s%s", change->text, change->value,
              suggestion.exact > 0 ? tma_hint_of(&suggestion).text : "",
              list == NULL ? "" : ", or ", list == NULL ? "" : list);
    tma_release(list);
    return false;
}

static bool read_address(const struct change *change, uint64_t *address) {
    return read_number(change->value, address) || refuse_value(change, NULL, NULL);
}

/* A number, or for the fields with a table a name of it. */
static bool read_value(const struct change *change, enum tma_replace_field field, uint64_t *value) {
    const struct tma_names *names = tma_replace_value_names(field);
    int word;
    if (names != NULL && (tma_value_of(names, change->value, &word) ||
                          value_of_cuda_name(field, change->value, &word))) {
        *value = (uint64_t)word;
        return true;
    }
    return read_number(change->value, value) || refuse_value(change, names, cuda_names(field));
}

static bool find_field(const struct change *change, enum tma_replace_field *field) {
    int value;
    if (tma_value_of(&tma_replace_field_names, change->field, &value)) {
        *field = (enum tma_replace_field)value;
        return true;
    }
    struct tma_suggestion suggestion = {.wanted = change->field};
    tma_suggest_names(&suggestion, &tma_replace_field_names);
    char *list = tma_names_list(&tma_replace_field_names);
    cli_error("%s: there is no field \"%s\"; %sallowed: address, %s", change->text, change->field,
              tma_hint_of(&suggestion).text, list == NULL ? "" : list);
    tma_release(list);
    return false;
}

static bool refuse(const struct change *change, const struct tma_error *error) {
    return cli_error("%s: %s", change->text, error->text);
}

/* cuTensorMapReplaceAddress. */
static bool replace_address(const struct change *change, struct tma_descriptor *descriptor) {
    struct tma_error error;
    uint64_t address;
    if (!read_address(change, &address))
        return false;
    return tma_descriptor_replace_address(descriptor, address, &error) == TMA_OK ||
           refuse(change, &error);
}

/* tensormap.replace. */
static bool replace_field(const struct change *change, enum tma_architecture architecture,
                          struct tma_descriptor *descriptor) {
    struct tma_error error;
    enum tma_replace_field field;
    uint64_t value;
    if (!find_field(change, &field) || !read_value(change, field, &value))
        return false;
    if (tma_replace_check_architecture(field, value, architecture, &error) != TMA_OK ||
        tma_descriptor_replace(descriptor, field, change->ordinal, value, &error) != TMA_OK)
        return refuse(change, &error);
    return true;
}

static bool apply(const char *text, enum tma_architecture architecture,
                  struct tma_descriptor *descriptor) {
    struct change change;
    if (!split_change(text, &change))
        return cli_error("\"%s\" is not FIELD=VALUE or FIELD.ORDINAL=VALUE, as in box_dim.1=64",
                         text);
    if (strcmp(change.field, "address") == 0)
        return replace_address(&change, descriptor);
    return replace_field(&change, architecture, descriptor);
}

/* Notes what is irregular about the result; true if the rules accept it. */
static bool judge(const struct tma_descriptor *descriptor, enum tma_architecture architecture,
                  enum tma_name_style names) {
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    char text[1200];
    size_t count = tma_descriptor_decode(descriptor, &map, findings, TMA_MAX_FINDINGS);
    for (size_t i = 0; i < count; i++) {
        tma_finding_text(&findings[i], text, sizeof text);
        cli_note("unexpected: %s", text);
    }
    count = tma_tensor_map_check(&map, architecture, violations, TMA_MAX_VIOLATIONS);
    for (size_t i = 0; i < count; i++) {
        tma_violation_text_in(&violations[i], names, text, sizeof text);
        cli_note("illegal on %s: %s", tma_name_of(&tma_architecture_names, (int)architecture),
                 text);
    }
    return count == 0;
}

static int run(const struct cli_options *options) {
    struct tma_descriptor descriptor;
    struct cli_output output;
    enum tma_dump_format format;
    enum tma_architecture architecture = cli_architecture(options, NULL);
    if (!cli_check_descriptor_address(options->descriptor_address) ||
        !cli_dump_read(options->operands.items[0], &descriptor, &format))
        return CLI_ERROR;
    for (size_t i = 1; i < options->operands.count; i++)
        if (!apply(options->operands.items[i], architecture, &descriptor))
            return CLI_ERROR;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    cli_dump_write("replaced", &descriptor, (enum tma_dump_format)options->format, true,
                   output.file);
    bool legal = judge(&descriptor, architecture, (enum tma_name_style)options->names);
    if (!cli_output_close(&output, true))
        return CLI_ERROR;
    return legal ? CLI_OK : CLI_ILLEGAL;
}

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_DESCRIPTOR_ADDRESS,
    CLI_OPTION_FORMAT(&cli_dump_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_replace = {
    .name = "replace",
    .operands = "DUMP FIELD=VALUE...",
    .takes_files = true,
    .example = "dump.txt box_dim.0=32",
    .summary = "Change fields of a 128-byte tensor map, as the driver or a kernel does.",
    .details =
        "address=VALUE is cuTensorMapReplaceAddress. Any other FIELD is one of tensormap.replace: "
        "global_address,\nrank (less one), box_dim.N, global_dim.N, global_stride.N (bytes), "
        "element_stride.N, elemtype,\ninterleave_layout, swizzle_mode, swizzle_atomicity, "
        "fill_mode. The last five take PTX's numbers or names;\nall of them but "
        "swizzle_atomicity take CUDA's names (CU_TENSOR_MAP_...), too.\nValues that the driver or "
        "PTX refuses are refused. Rules that the result breaks are noted on standard\nerror: "
        "tensormap.replace checks none of them, and leaves derived words as they were.",
    .statuses = "0 done, 1 done, but the result breaks a rule, 2 error",
    .min_operands = 2,
    .max_operands = MAX_CHANGES,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
