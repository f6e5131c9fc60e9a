/* tmasim descriptor: 64-bit matrix descriptors of wgmma, encoded, decoded, and compared with a
 * tile. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "banks/wgmma_descriptor.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"

struct descriptor_options {
    struct cli_options common;
    const char *value; /* NULL: not given */
    struct cli_count operation, mn;
    bool mn_major;
};

static uint64_t unknown_bits(uint64_t value) {
    struct tma_wgmma_descriptor fields = tma_wgmma_decode(value);
    return value ^ tma_wgmma_encode(&fields);
}

static void write_fields(uint64_t value, FILE *out) {
    struct tma_wgmma_descriptor fields = tma_wgmma_decode(value);
    fprintf(out,
            "descriptor          0x%016" PRIx64 "\n"
            "start address       0x%-8" PRIx32 "    bits 0-13, in units of 16 bytes\n"
            "leading offset      %-10" PRIu32 "    bits 16-29\n"
            "stride offset       %-10" PRIu32 "    bits 32-45\n"
            "base offset         %-10" PRIu32 "    bits 49-51\n"
            "swizzle             %-10s    bits 62-63\n",
            value, fields.start_bytes, fields.leading_bytes, fields.stride_bytes,
            fields.base_offset, tma_name_of(&tma_swizzle_names, (int)fields.swizzle));
    if (unknown_bits(value) != 0)
        fprintf(out, "unknown bits        0x%" PRIx64 ": they must be 0\n", unknown_bits(value));
}

/* A tile, and the instructions that read it. */
struct reader {
    const char *name;
    struct tma_tile tile;
    struct tma_wgmma_walk walk;
};

static void write_steps(const struct reader *reader, FILE *out) {
    const struct tma_wgmma_walk *walk = &reader->walk;
    bool mn_major = walk->operand.mn_major;
    uint32_t bytes = reader->tile.element_bytes;
    fprintf(out,
            "%s at 0x%" PRIx32 ": %" PRIu32 " rows of %" PRIu32 " bytes, swizzle %s; %s-major, an "
            "instruction reads %" PRIu32 " of %s by %" PRIu32 " of K\n%-18s  %-6s %-6s %-9s %-7s "
            "%s\n",
            reader->name, reader->tile.shared_address, reader->tile.rows, reader->tile.row_bytes,
            tma_name_of(&tma_swizzle_names, (int)reader->tile.swizzle), mn_major ? "MN" : "K",
            walk->operand.mn, "M or N", TMA_WGMMA_K_BYTES / bytes, "descriptor", "m/n", "k",
            "start", "leading", "stride");
    for (uint32_t i = 0; i < tma_wgmma_step_count(walk); i++) {
        struct tma_wgmma_step step = tma_wgmma_step(walk, &reader->tile, i);
        struct tma_wgmma_descriptor fields = tma_wgmma_decode(step.descriptor);
        fprintf(out,
                "0x%016" PRIx64 "  %-6" PRIu32 " %-6" PRIu32 " 0x%-7" PRIx32 " %-7" PRIu32
                " %" PRIu32 "\n",
                step.descriptor, step.mn, step.k, fields.start_bytes, fields.leading_bytes,
                fields.stride_bytes);
    }
}

/* Compares where the tile has each 16 bytes of an instruction's operand with where the descriptor
 * reads them. */
static bool compare(const struct reader *reader, uint64_t value, FILE *out) {
    const struct tma_wgmma_walk *walk = &reader->walk;
    struct tma_wgmma_comparison found = tma_wgmma_compare(walk, &reader->tile, value);
    if (found.wrong == 0) {
        fprintf(out, "agrees with the tile of %s: instruction %" PRIu32 " of %" PRIu32 "\n",
                reader->name, found.step, tma_wgmma_step_count(walk));
        return true;
    }
    fprintf(out,
            "element m/n %" PRIu32 ", k %" PRIu32 " lies at 0x%" PRIx32
            ", and the descriptor reads it from 0x%" PRIx32 "\n%" PRIu32 " of %" PRIu32
            " rows of 16 bytes are read from elsewhere; the descriptor of %s is 0x%016" PRIx64
            "%s\n",
            found.mn, found.k, found.has, found.reads, found.wrong, found.rows, reader->name,
            tma_wgmma_step(walk, &reader->tile, found.step).descriptor,
            found.named ? "" : ", of the first instruction: none begins at that start address");
    return false;
}

/* Finds the tile of an operation and the instructions that read it. */
static bool find_reader(const struct descriptor_options *own, const struct tma_scenario *scenario,
                        struct reader *reader) {
    const struct tma_workload *workload = &scenario->workload;
    uint32_t index = own->operation.value;
    struct tma_error error;
    if (index >= workload->operation_count)
        return cli_error("--operation is %u; allowed: 0 to %u", index,
                         workload->operation_count - 1);
    reader->name = scenario->map_names[workload->operations[index].map];
    enum tma_error_code code = tma_workload_tile(workload, 0, index, &reader->tile, &error);
    if (code == TMA_OK)
        code = tma_wgmma_walk_of(&reader->tile, own->mn.given ? own->mn.value : 0, own->mn_major,
                                 &reader->walk, &error);
    if (code != TMA_OK)
        cli_error("%s: %s", reader->name, error.text);
    return code == TMA_OK;
}

/* Reads digits in a base, which a suffix as in C may follow. */
static bool read_digits(const char *text, int base, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, base);
    return end != text && end[strspn(end, "uUlL")] == '\0' && errno == 0 && *text != '-';
}

/* Reads 0x4000004000010000, the same without 0x, or a decimal number. Digits that are both are
 * hexadecimal if a descriptor can be that, and not the decimal number. */
static bool read_value(const char *text, uint64_t *value) {
    uint64_t hexadecimal;
    bool decimal = read_digits(text, 0, value);
    if (!read_digits(text, 16, &hexadecimal))
        return decimal;
    if (!decimal || (unknown_bits(*value) != 0 && unknown_bits(hexadecimal) == 0))
        *value = hexadecimal;
    return true;
}

static int run(const struct cli_options *options) {
    const struct descriptor_options *own = (const struct descriptor_options *)options;
    struct tma_scenario scenario = {0};
    struct reader reader = {0};
    struct cli_output output;
    uint64_t value = 0;
    /* A number alone is meant as a descriptor. */
    const char *alone = options->operands.count == 1 ? options->operands.items[0] : NULL;
    bool is_value = alone != NULL && own->value == NULL && strcspn(alone, "/.") == strlen(alone) &&
                    access(alone, F_OK) != 0 && read_value(alone, &value);
    const char *text = is_value ? alone : own->value;
    bool has_tile = options->operands.count > 0 && !is_value, good = true;
    if (!has_tile && text == NULL)
        return cli_fail(
            "descriptor: expected a scenario, --value, or both; for example: tmasim %s %s",
            cli_descriptor.name, cli_descriptor.example);
    if (text != NULL && !read_value(text, &value))
        return cli_fail("--value is \"%s\"; expected 64 bits, as in 0x4000004000010000", text);
    if (has_tile &&
        (!cli_tiles_alone_read(options, &scenario) || !find_reader(own, &scenario, &reader))) {
        tma_scenario_free(&scenario);
        return CLI_ERROR;
    }
    bool opened = cli_output_open(&output, options->output);
    if (opened && text != NULL)
        write_fields(value, output.file);
    if (opened && text != NULL && has_tile)
        good = compare(&reader, value, output.file);
    else if (opened && has_tile)
        write_steps(&reader, output.file);
    bool kept = opened && cli_output_close(&output, true);
    tma_scenario_free(&scenario);
    return !kept ? CLI_ERROR : good ? CLI_OK : CLI_DIFFERENT;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--value", "BITS", TEXT, offsetof(struct descriptor_options, value),
                     "decode this descriptor; with a scenario, compare it with the tile"),
    CLI_VALUE_OPTION("--operation", "N", COUNT, offsetof(struct descriptor_options, operation),
                     "the tile of this operation of the stage; default: 0, the first one"),
    CLI_VALUE_OPTION("--mn", "N", COUNT, offsetof(struct descriptor_options, mn),
                     "rows of M or N of one instruction: 64 of A (default), up to 256 of B"),
    CLI_FLAG_OPTION("--mn-major", offsetof(struct descriptor_options, mn_major),
                    "the tile's rows lie along M or N, and not along K"),
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_descriptor = {
    .name = "descriptor",
    .operands = "[SCENARIO.yaml | BITS]",
    .takes_scenario = true,
    .example = "gemm_tile --value 0x4000004000010002",
    .summary = "Encode and decode wgmma's matrix descriptors, and compare one with a tile.",
    .details =
        "Of a scenario: the descriptors of the instructions that read a tile. With --value: its "
        "fields, and\nwhether it reads each element from where the tile has it.",
    .statuses = "0 done, 1 the descriptor does not describe the tile, 2 error",
    .min_operands = 0,
    .max_operands = 1,
    CLI_RUNS_WITH(descriptor_options),
};
