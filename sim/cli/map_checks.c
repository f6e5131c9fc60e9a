#include "cli/map_checks.h"

#include <inttypes.h>

#include "base/printable.h"
#include "report/colour.h"

bool cli_map_checks_one(const struct cli_options *options, const struct cli_map_input *input,
                        uint32_t map, struct cli_map_check *check) {
    cli_map_check_rules(cli_map(input, map), cli_architecture(options, input),
                        (enum tma_name_style)options->names, &input->uses[map], check);
    check->phase = input->phases[map];
    cli_map_check_operations(&input->file, map, check);
    return check->violation_count == 0 && check->usable && !check->has_unsupported;
}

bool cli_map_checks_text(const struct cli_options *options, const struct cli_map_input *input,
                         FILE *out) {
    struct cli_map_check check;
    bool legal = true;
    for (uint32_t i = 0; i < cli_map_count(input); i++) {
        legal = cli_map_checks_one(options, input, i, &check) && legal;
        fprintf(out, "%s: ", cli_map_name(input, i));
        cli_map_check_text(&check, &input->file, i, out);
    }
    for (size_t i = 0; i < input->access_count; i++) {
        const struct cli_access_check *access = &input->accesses[i];
        tma_write_printable(input->name, out);
        fprintf(out, ":%" PRIu32 ":%" PRIu32 ": ", access->line, access->column);
        tma_write_coloured("costly:", TMA_COLOUR_CAUTION, out);
        fprintf(out, " %s: %s\n", tma_access_finding_name(access->finding), access->text);
    }
    return legal;
}

bool cli_map_checks_json(const struct cli_options *options, const struct cli_map_input *input,
                         struct tma_json *json) {
    struct cli_map_check check;
    bool legal = true;
    tma_json_string(json, "architecture",
                    tma_name_of(&tma_architecture_names, (int)cli_architecture(options, input)));
    tma_json_begin_array(json, "tensor_maps");
    for (uint32_t i = 0; i < cli_map_count(input); i++) {
        legal = cli_map_checks_one(options, input, i, &check) && legal;
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "name", cli_map_name(input, i));
        cli_map_check_json(&check, &input->file, i, json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    tma_json_begin_array(json, "accesses");
    for (size_t i = 0; i < input->access_count; i++) {
        const struct cli_access_check *access = &input->accesses[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "kind", tma_access_finding_name(access->finding));
        tma_json_string(json, "file", input->name);
        tma_json_unsigned(json, "line", access->line);
        tma_json_unsigned(json, "column", access->column);
        tma_json_unsigned(json, "accesses", access->figures.accesses);
        tma_json_unsigned(json, "sectors", access->figures.sectors);
        tma_json_unsigned(json, "ideal_sectors", access->figures.ideal);
        tma_json_unsigned(json, "atomic_repeats", access->figures.repeats);
        tma_json_string(json, "text", access->text);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    return legal;
}
