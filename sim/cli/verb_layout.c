/* tmasim layout: the tile of one operation as it lies in shared memory. */
#include <errno.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/layout.h"

/* A whole number, decimal or 0x...; moves *text behind it. */
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
    cli_complain("%s is \"%s\"; allowed: 0 to %lld", option, text, (long long)limit);
    return false;
}

static bool read_coordinates(const char *text, uint32_t rank, int64_t coordinates[TMA_MAX_RANK]) {
    const char *end = text;
    for (uint32_t d = 0; d < rank; d++) {
        coordinates[d] = 0;
        bool good = read_integer(&end, &coordinates[d]) && *end == (d + 1 < rank ? ',' : '\0');
        if (!good) {
            cli_complain("--element is \"%s\"; expected %u coordinates, as in 8,1", text, rank);
            return false;
        }
        end += d + 1 < rank;
    }
    return true;
}

/* The first CTA's operation of the first stage. */
static struct tma_operation first_operation(const struct tma_workload *workload, size_t index) {
    struct tma_operation operation = workload->operations[index].operation;
    tma_walk_coordinates(&workload->operations[index], workload, 0, 0, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes;
    return operation;
}

static enum tma_error_code write_layout(const struct cli_options *options,
                                        const struct tma_layout_view *view, int64_t address,
                                        const int64_t *element, FILE *file,
                                        struct tma_error *error) {
    enum tma_layout_format format = (enum tma_layout_format)options->format;
    if (options->at != NULL)
        return tma_layout_write_byte(view, (uint32_t)address, format, file, error);
    if (options->element != NULL)
        return tma_layout_write_element(view, element, format, file, error);
    return tma_layout_write(view, format, file, error);
}

static int lay_out(const struct cli_options *options, const struct tma_scenario *scenario) {
    const struct tma_workload *workload = &scenario->workload;
    int64_t index = 0, address = 0, element[TMA_MAX_RANK] = {0};
    if (options->operation != NULL &&
        !read_whole("--operation", options->operation, workload->operation_count - 1, &index))
        return CLI_BAD_INPUT;
    uint32_t map = workload->operations[index].map;
    struct tma_operation operation = first_operation(workload, (size_t)index);
    struct tma_layout_view view = {&workload->maps[map], &operation, scenario->map_names[map]};
    struct cli_output output;
    struct tma_error error;
    if (options->at != NULL && !read_whole("--at", options->at, UINT32_MAX, &address))
        return CLI_BAD_INPUT;
    if (options->element != NULL && !read_coordinates(options->element, view.map->rank, element))
        return CLI_BAD_INPUT;
    if (!cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    enum tma_error_code code = write_layout(options, &view, address, element, output.file, &error);
    if (code != TMA_OK)
        cli_complain("%s: %s", scenario->name, error.text);
    bool kept = cli_output_close(&output, code == TMA_OK);
    if (code != TMA_OK)
        return cli_status_of(code);
    return kept ? CLI_OK : CLI_BAD_INPUT;
}

static int run(const struct cli_options *options) {
    if (options->at != NULL && options->element != NULL) {
        cli_complain("--at and --element ask for one answer each; give one of them");
        return CLI_BAD_INPUT;
    }
    return cli_with_scenario(options, lay_out);
}

static const struct cli_option options[] = {
    {"--operation", NULL, "NUMBER", CLI_TEXT, offsetof(struct cli_options, operation), NULL,
     "which operation of the stage, from 0 on; 0 is the default"},
    {"--at", NULL, "BYTE", CLI_TEXT, offsetof(struct cli_options, at), NULL,
     "say what lies at this shared-memory address alone (decimal or 0x...)"},
    {"--element", NULL, "C0,C1,...", CLI_TEXT, offsetof(struct cli_options, element), NULL,
     "say where this element lies alone"},
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_layout_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_layout = {
    .name = "layout",
    .operands = "SCENARIO.yaml",
    .summary = "Shows the tile of an operation as it lies in shared memory.",
    .details = "One line for each 128-byte bank row: each 16-byte chunk with the coordinates of "
               "the element that\nits first byte belongs to. The operation is the first CTA's, in "
               "its first stage.\nexit status: 0 done, 2 bad input or output, 3 the operation "
               "faults",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
