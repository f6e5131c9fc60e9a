/* tmasim cute: layouts of shared memory in CuTe's notation, both ways. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "banks/cute.h"
#include "cli/files/config_files.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/layout_formats.h"
#include "tensormap/types.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16, MOST_LINES = 16, CHUNKS = LINE_BYTES / CHUNK_BYTES };

#define NO_ELEMENT UINT32_MAX

struct cute_options {
    struct cli_options common;
    const char *element; /* NULL: not given */
};

/* The tiles of the first stage of a scenario. */
static int write_tiles(const struct tma_scenario *scenario, FILE *out) {
    const struct tma_workload *workload = &scenario->workload;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const char *name = scenario->map_names[workload->operations[i].map];
        struct tma_tile tile;
        struct tma_error error;
        char text[TMA_CUTE_TEXT_BYTES];
        if (tma_workload_tile(workload, 0, i, &tile, &error) != TMA_OK)
            return cli_fail("%s: %s", name, error.text);
        if (tile.element_bytes == 0 || tile.swizzle > TMA_SWIZZLE_128B)
            return cli_fail("%s: CuTe has no notation for %s", name,
                            tile.element_bytes == 0 ? "elements of less than a byte, which TMA pads"
                                                    : "this swizzle mode of TMA");
        struct tma_cute_layout layout = tma_cute_of_tile(&tile);
        tma_cute_write(&layout, text);
        fprintf(out, "%s: %s\n", name, text);
    }
    return CLI_OK;
}

/* Writes the box of a tensor map that leaves this layout, or why there is none. */
static void write_box(const struct tma_cute_layout *layout, FILE *out) {
    uint32_t box[TMA_MAX_RANK], modes[TMA_MAX_RANK], rank;
    struct tma_error error;
    if (tma_cute_box(layout, box, modes, &rank, &error) != TMA_OK) {
        fprintf(out, "no single box: %s\n", error.text);
        return;
    }
    fprintf(out, "tensor map: {data_type: %s, box_dim: [", tma_cute_data_type(layout));
    for (uint32_t d = 0; d < rank; d++)
        fprintf(out, "%s%" PRIu32, d == 0 ? "" : ", ", box[d]);
    fprintf(out, "], swizzle: %s}\nits dimensions:",
            tma_name_of(&tma_swizzle_names, (int)layout->swizzle));
    for (uint32_t d = 0; d < rank; d++)
        fprintf(out, "%s mode %" PRIu32, d == 0 ? "" : ",", modes[d]);
    fputc('\n', out);
}

/* The indices of an element; those of the first mode vary fastest. */
static void indices_of(const struct tma_cute_layout *layout, uint32_t element,
                       uint32_t indices[TMA_CUTE_MODES]) {
    for (uint32_t mode = 0; mode < layout->mode_count; mode++) {
        indices[mode] = element % tma_cute_extent(layout, mode);
        element /= tma_cute_extent(layout, mode);
    }
}

/* Finds the first element at the first byte of each chunk from an address on. */
static void find_elements(const struct tma_cute_layout *layout, uint32_t from,
                          uint32_t elements[MOST_LINES * CHUNKS]) {
    uint32_t count = 1, indices[TMA_CUTE_MODES];
    for (uint32_t i = 0; i < MOST_LINES * CHUNKS; i++)
        elements[i] = NO_ELEMENT;
    for (uint32_t mode = 0; mode < layout->mode_count; mode++)
        count *= tma_cute_extent(layout, mode);
    for (uint32_t element = 0; element < count; element++) {
        indices_of(layout, element, indices);
        uint32_t byte = tma_cute_address(layout, indices) - from, chunk = byte / CHUNK_BYTES;
        if (byte % CHUNK_BYTES == 0 && chunk < MOST_LINES * CHUNKS && elements[chunk] == NO_ELEMENT)
            elements[chunk] = element;
    }
}

static void write_cells(const struct tma_cute_layout *layout, FILE *out) {
    uint32_t elements[MOST_LINES * CHUNKS], indices[TMA_CUTE_MODES], last = layout->address;
    for (uint32_t i = 0; i < layout->first[layout->mode_count]; i++)
        last += (layout->extents[i] - 1) * layout->strides[i] * layout->element_bits / 8;
    uint32_t first_line = layout->address / LINE_BYTES, lines = last / LINE_BYTES - first_line + 1;
    find_elements(layout, first_line * LINE_BYTES, elements);
    fprintf(out, "each chunk of 16 bytes: the indices of the element at its first byte\n%-10s",
            "address");
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        fprintf(out, " +%-*d", chunk + 1 < CHUNKS ? 8 : 0, chunk * CHUNK_BYTES);
    for (uint32_t line = 0; line < lines && line < MOST_LINES; line++) {
        fprintf(out, "\n0x%-8" PRIx32, (first_line + line) * LINE_BYTES);
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
            uint32_t element = elements[line * CHUNKS + chunk];
            char text[96] = ".";
            size_t at = 0;
            indices_of(layout, element, indices);
            for (uint32_t mode = 0; mode < layout->mode_count && element != NO_ELEMENT; mode++)
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%" PRIu32 "%s",
                                       mode == 0 ? "(" : ",", indices[mode],
                                       mode + 1 == layout->mode_count ? ")" : "");
            fprintf(out, " %-*s", chunk + 1 < CHUNKS ? 9 : 0, text);
        }
    }
    fputc('\n', out);
    if (lines > MOST_LINES)
        fprintf(out, "%" PRIu32 " more lines of 128 bytes\n", lines - MOST_LINES);
}

/* Reads "3,5" or "(3,5)": an index of each mode. */
static bool read_element(const char *text, const struct tma_cute_layout *layout,
                         uint32_t indices[TMA_CUTE_MODES]) {
    const char *at = text + (*text == '(');
    uint32_t mode = 0;
    for (; mode < layout->mode_count; mode++) {
        char *end;
        unsigned long index = strtoul(at, &end, 0);
        bool last = mode + 1 == layout->mode_count;
        if (end == at || *at == '-' || index >= tma_cute_extent(layout, mode) ||
            (last ? *end != '\0' && strcmp(end, ")") != 0 : *end != ','))
            break;
        indices[mode] = (uint32_t)index;
        at = end + 1;
    }
    if (mode == layout->mode_count)
        return true;
    char allowed[200] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < layout->mode_count; i++)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s0 to %" PRIu32,
                                 i == 0 ? "" : ", ", tma_cute_extent(layout, i) - 1);
    return cli_error("--element is \"%s\"; expected an index of each mode: %s", text, allowed);
}

/* Where an element lies. */
static int write_element(const struct tma_cute_layout *layout, const char *text, FILE *out) {
    uint32_t indices[TMA_CUTE_MODES];
    if (!read_element(text, layout, indices))
        return CLI_ERROR;
    uint32_t address = tma_cute_address(layout, indices);
    fprintf(out, "element (");
    for (uint32_t mode = 0; mode < layout->mode_count; mode++)
        fprintf(out, "%s%" PRIu32, mode == 0 ? "" : ",", indices[mode]);
    fprintf(out,
            "): %" PRIu32 " bits at byte 0x%" PRIx32 ", in line 0x%" PRIx32 " at +%" PRIu32
            ", bank %" PRIu32 "\n",
            layout->element_bits, address, address / LINE_BYTES * LINE_BYTES, address % LINE_BYTES,
            tma_layout_bank(address));
    return CLI_OK;
}

static int write_layout(const char *text, const char *element, FILE *out) {
    struct tma_cute_layout layout;
    struct tma_error error;
    char canonical[TMA_CUTE_TEXT_BYTES];
    if (tma_cute_read(text, &layout, &error) != TMA_OK)
        return cli_fail("%s: %s", text, error.text);
    if (element != NULL)
        return write_element(&layout, element, out);
    tma_cute_write(&layout, canonical);
    fprintf(out, "layout: %s\n", canonical);
    write_box(&layout, out);
    write_cells(&layout, out);
    return CLI_OK;
}

/* No scenario is named like that. */
static bool is_layout(const char *operand) {
    return cli_config_is_layout(operand) && access(operand, F_OK) != 0;
}

static int run(const struct cli_options *options) {
    struct tma_scenario scenario = {0};
    struct cli_output output;
    const char *operand = options->operands.items[0];
    const char *element = ((const struct cute_options *)options)->element;
    bool layout = is_layout(operand), kept = false;
    int status = CLI_ERROR;
    if (!layout && element != NULL)
        return cli_fail("cute: --element is for a layout; tmasim layout has it for scenarios");
    if ((layout || cli_tiles_alone_read(options, &scenario)) &&
        cli_output_open(&output, options->output)) {
        status = layout ? write_layout(operand, element, output.file)
                        : write_tiles(&scenario, output.file);
        kept = cli_output_close(&output, status == CLI_OK);
    }
    tma_scenario_free(&scenario);
    return status != CLI_OK ? status : kept ? CLI_OK : CLI_ERROR;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--element", "I,J,...", TEXT, offsetof(struct cute_options, element),
                     "of a layout: only say where the element with these indices lies"),
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_cute = {
    .name = "cute",
    .operands = "SCENARIO.yaml | LAYOUT",
    .takes_scenario = true,
    .example = "'Swizzle<3,4,3> o smem_ptr[16b] o (8,64):(64,1)'",
    .summary = "Write tiles as CuTe layouts, or find the tensor map of a CuTe layout.",
    .details =
        "Of a scenario: the layout of each tile of the first stage. Modes are rows and the "
        "elements "
        "of a row;\nthe swizzle counts in bytes, as behind smem_ptr. Of a layout: the box and the "
        "swizzle of the tensor map\nthat leaves such a tile, and where its elements lie. CUTLASS's "
        "atoms are layouts, too:\n"
        "Layout_K_SW128_Atom<half_t>.",
    .statuses = "0 done, 2 error",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(cute_options),
};
