/* tmasim layout: the tile of one operation in shared memory. */
#include <errno.h>
#include <stdlib.h>

#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/layout.h"
#include "scenario/swizzle_phase.h"

struct layout_options {
    struct cli_options common;
    const char *operation, *at, *element; /* NULL: not given */
};

/* Reads a whole number, decimal or 0x..., and moves *text to its end. */
static bool read_integer(const char **text, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 0);
    bool good = end != *text && errno == 0;
    *text = end;
    return good;
}

static bool read_whole(const char *option, const char *text, int64_t limit, int64_t *value) {
    const char *end = text;
    if (read_integer(&end, value) && *end == '\0' && *value >= 0 && *value <= limit)
        return true;
    return cli_error("%s is \"%s\"; allowed: 0 to %lld", option, text, (long long)limit);
}

static bool read_coordinates(const char *text, uint32_t rank, int64_t coordinates[TMA_MAX_RANK]) {
    const char *end = text;
    for (uint32_t d = 0; d < rank; d++) {
        coordinates[d] = 0;
        bool good = read_integer(&end, &coordinates[d]) && *end == (d + 1 < rank ? ',' : '\0');
        if (!good)
            return cli_error("--element is \"%s\"; expected %u coordinates, as in 8,1", text, rank);
        end += d + 1 < rank;
    }
    return true;
}

/* Operation `index` of the first stage of the first CTA. */
static struct tma_operation first_operation(const struct tma_workload *workload, size_t index) {
    struct tma_operation operation = workload->operations[index].operation;
    tma_walk_coordinates(&workload->operations[index], workload, 0, 0, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes;
    return operation;
}

static enum tma_error_code write_layout(const struct layout_options *options,
                                        const struct tma_layout_view *view, int64_t address,
                                        const int64_t *element, FILE *file,
                                        struct tma_error *error) {
    int format = options->common.format;
    if (options->at != NULL)
        return tma_layout_write_byte(view, (uint32_t)address, format, file, error);
    if (options->element != NULL)
        return tma_layout_write_element(view, element, format, file, error);
    return tma_layout_write(view, format, file, error);
}

static int show_layout(const struct layout_options *options, const struct tma_scenario *scenario) {
    const struct tma_workload *workload = &scenario->workload;
    int64_t index = 0, address = 0, element[TMA_MAX_RANK] = {0};
    if (options->operation != NULL &&
        !read_whole("--operation", options->operation, workload->operation_count - 1, &index))
        return CLI_ERROR;
    uint32_t map = workload->operations[index].map;
    struct tma_operation operation = first_operation(workload, (size_t)index);
    struct tma_layout_view view = {&workload->maps[map], &operation, scenario->map_names[map]};
    struct cli_output output;
    struct tma_error error;
    if (options->at != NULL && !read_whole("--at", options->at, UINT32_MAX, &address))
        return CLI_ERROR;
    if (options->element != NULL && !read_coordinates(options->element, view.map->rank, element))
        return CLI_ERROR;
    char phase[TMA_PHASE_TEXT_BYTES];
    if (!cli_output_open(&output, options->common.output))
        return CLI_ERROR;
    if (tma_swizzle_phase_text(view.map_name, view.map, operation.shared_address, phase))
        cli_note("%s", phase);
    enum tma_error_code code = write_layout(options, &view, address, element, output.file, &error);
    if (code != TMA_OK)
        cli_error("%s: %s", scenario->name, error.text);
    bool kept = cli_output_close(&output, code == TMA_OK);
    if (code != TMA_OK)
        return cli_error_status(code);
    return kept ? CLI_OK : CLI_ERROR;
}

static int run(const struct cli_options *options) {
    const struct layout_options *own = (const struct layout_options *)options;
    if (own->at != NULL && own->element != NULL)
        return cli_fail("--at and --element exclude each other");
    struct tma_scenario scenario;
    int status = CLI_ERROR;
    if (cli_tiles_alone_read(options, &scenario))
        status = show_layout(own, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--operation", "NUMBER", TEXT, offsetof(struct layout_options, operation),
                     "show this operation of the stage; default: 0, the first one"),
    CLI_VALUE_OPTION("--at", "BYTE", TEXT, offsetof(struct layout_options, at),
                     "only show what is at this shared-memory address (decimal or 0x...)"),
    CLI_VALUE_OPTION("--element", "C0,C1,...", TEXT, offsetof(struct layout_options, element),
                     "only show where the element with these coordinates lies"),
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_layout_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_layout = {
    .name = "layout",
    .operands = "SCENARIO.yaml",
    .takes_scenario = true,
    .example = "transpose --element 8,1",
    .summary = "Show where the elements of a tile lie in shared memory.",
    .details =
        "Each line is a bank row of 128 bytes in chunks of 16 bytes. A chunk shows the "
        "coordinates of the\nelement at its first byte. The tile is that of the first CTA in "
        "its first stage; a file with one tensor\nmap alone is a load of it.\nOf a kernel with "
        "roles, operations count in the order of "
        "its statements.",
    .statuses = "0 done, 2 error, 3 the operation faults",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(layout_options),
};
