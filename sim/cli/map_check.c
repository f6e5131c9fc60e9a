#include "cli/map_check.h"

#include <inttypes.h>

#include "base/printable.h"
#include "cli/map_text.h"
#include "report/colour.h"
#include "report/escape.h"

enum { TEXT_BYTES = 1200 };

void cli_map_check_rules(const struct tma_tensor_map *map, enum tma_architecture architecture,
                         enum tma_name_style names, const struct tma_map_use *use,
                         struct cli_map_check *check) {
    check->map = map;
    check->architecture = architecture;
    check->names = names;
    check->has_unsupported = false;
    check->phase = NULL;
    check->usable = tma_map_kind_is_usable(map->kind, architecture);
    check->violation_count =
        tma_tensor_map_check(map, architecture, check->violations, TMA_MAX_VIOLATIONS);
    check->advice_count =
        tma_tensor_map_advise(map, architecture, use, check->advice, TMA_MAX_ADVICE);
}

/* Are all rules kept elsewhere? An illegal map says where, as it may be meant for another GPU. */
static void write_legal_elsewhere(const struct cli_map_check *check, FILE *out) {
    const struct tma_names *names = &tma_architecture_names;
    bool any = false;
    for (size_t i = 0; i < names->count; i++) {
        enum tma_architecture other = (enum tma_architecture)names->items[i].value;
        struct tma_violation violations[TMA_MAX_VIOLATIONS];
        if (!tma_map_kind_is_usable(check->map->kind, other) ||
            tma_tensor_map_check(check->map, other, violations, TMA_MAX_VIOLATIONS) > 0)
            continue;
        fprintf(out, "%s%s", any ? ", " : "  legal on ", names->items[i].name);
        any = true;
    }
    if (any)
        fputs(" (--arch)\n", out);
}

static void write_violation(const struct tma_violation *violation, enum tma_name_style names,
                            const struct tma_map_file *file, uint32_t map, FILE *out) {
    char text[TEXT_BYTES];
    tma_violation_text_in(violation, names, text, sizeof text);
    fputs("  ", out);
    if (file != NULL) {
        struct tma_location at = tma_map_file_locate(file, map, violation->field, violation->index);
        tma_write_printable(at.file, out);
        fputc(':', out);
        if (at.line > 0)
            fprintf(out, "%u:%u:", at.line, at.column);
        fputc(' ', out);
    }
    tma_write_printable(text, out);
    fprintf(out, "\n    why: %s\n    fix: %s\n    source: %s\n", violation->rule->why,
            violation->rule->fix, violation->rule->source);
}

/* Advice without a cost is a note. */
static bool has_cost(const struct tma_advice *advice) {
    return advice->rule->unit[0] != '\0';
}

/* Looks for an operation of the scenario on a legal map that the architecture does not have. */
static void check_operations(const struct tma_map_file *file, uint32_t map,
                             struct cli_map_check *check) {
    if (check->violation_count == 0)
        check->has_unsupported = tma_map_file_refused(file, map, check->architecture,
                                                      &check->unsupported_at, &check->unsupported);
}

void cli_map_check_text(const struct cli_map_check *check, const struct tma_map_file *file,
                        uint32_t map, FILE *out) {
    const char *architecture = tma_name_of(&tma_architecture_names, (int)check->architecture);
    if (check->violation_count > 0)
        tma_write_coloured("illegal", TMA_COLOUR_BAD, out);
    else if (check->usable)
        tma_write_coloured("legal", TMA_COLOUR_GOOD, out);
    else
        tma_write_coloured("encoded by the driver, but unusable", TMA_COLOUR_BAD, out);
    fprintf(out, " on %s", architecture);
    if (check->violation_count > 0)
        fprintf(out, ": %zu violation%s", check->violation_count,
                check->violation_count == 1 ? "" : "s");
    fputc('\n', out);
    if (check->has_unsupported) {
        fputs("  ", out);
        tma_write_printable(check->unsupported_at.file, out);
        if (check->unsupported_at.line > 0)
            fprintf(out, ":%u:%u", check->unsupported_at.line, check->unsupported_at.column);
        fprintf(out, ": operation: %s\n", check->unsupported.text);
    }
    for (size_t i = 0; i < check->violation_count; i++)
        write_violation(&check->violations[i], check->names, file, map, out);
    if (check->violation_count > 0)
        write_legal_elsewhere(check, out);
    for (size_t i = 0; i < check->advice_count; i++) {
        char text[TEXT_BYTES];
        tma_advice_text(&check->advice[i], text, sizeof text);
        fputs("  ", out);
        tma_write_coloured(has_cost(&check->advice[i]) ? "costly:" : "note:", TMA_COLOUR_CAUTION,
                           out);
        fprintf(out, " %s\n", text);
    }
    if (check->phase == NULL)
        return;
    fputs("  ", out);
    tma_write_coloured("note:", TMA_COLOUR_CAUTION, out);
    fprintf(out, " %s\n", check->phase);
}

static const char *const relations[] = {[TMA_AT_LEAST] = "at_least",
                                        [TMA_AT_MOST] = "at_most",
                                        [TMA_MULTIPLE_OF] = "multiple_of",
                                        [TMA_EXACTLY] = "exactly",
                                        [TMA_ONE_OF] = "one_of"};

static void write_bound(struct tma_json *json, const struct tma_violation *violation,
                        enum tma_name_style style) {
    if (violation->relation != TMA_ONE_OF) {
        tma_json_decimal(json, "bound", (double)violation->bound, 0);
        return;
    }
    const struct tma_names *names = tma_field_info(violation->field)->names;
    tma_json_begin_list(json, "bound");
    for (size_t i = 0; i < names->count; i++)
        if ((violation->bound >> names->items[i].value & 1) != 0)
            tma_json_string(json, NULL, tma_name_in(names, style, names->items[i].value));
    tma_json_end_array(json);
}

static void write_place(struct tma_json *json, enum tma_field field, int index,
                        const struct tma_map_file *file, uint32_t map) {
    tma_json_string(json, "field", tma_field_info(field)->name);
    if (index < 0)
        tma_json_null(json, "index");
    else
        tma_json_unsigned(json, "index", (uint64_t)index);
    if (file == NULL)
        return;
    struct tma_location at = tma_map_file_locate(file, map, field, index);
    tma_json_string(json, "file", at.file);
    TMA_JSON_COUNTS(json, &at, line, column);
}

static void write_json_violation(struct tma_json *json, const struct tma_violation *violation,
                                 enum tma_name_style names, const struct tma_map_file *file,
                                 uint32_t map) {
    char text[TEXT_BYTES];
    tma_violation_text_in(violation, names, text, sizeof text);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "rule", violation->rule->id);
    write_place(json, violation->field, violation->index, file, map);
    cli_value_json(json, "value", names, violation->field, violation->value);
    tma_json_string(json, "relation", relations[violation->relation]);
    write_bound(json, violation, names);
    cli_value_json(json, "nearest", names, violation->field, violation->nearest);
    tma_json_string(json, "text", text);
    tma_json_string(json, "why", violation->rule->why);
    tma_json_string(json, "fix", violation->rule->fix);
    tma_json_string(json, "source", violation->rule->source);
    tma_json_end_object(json);
}

static void write_json_advice(struct tma_json *json, const struct tma_advice *advice,
                              const struct tma_map_file *file, uint32_t map) {
    char text[TEXT_BYTES];
    tma_advice_text(advice, text, sizeof text);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "advice", advice->rule->id);
    write_place(json, advice->field, advice->index, file, map);
    if (has_cost(advice)) {
        tma_json_decimal(json, "cost", advice->cost, 1);
        tma_json_decimal(json, "ideal", advice->ideal, 1);
        tma_json_string(json, "unit", advice->rule->unit);
    }
    if (advice->overwritten > 0)
        tma_json_unsigned(json, "overwritten_bytes", advice->overwritten);
    if (advice->over_fetch > 0) {
        tma_json_decimal(json, "over_fetch_fraction", advice->over_fetch, 6);
        tma_json_bool(json, "one_box_alone", advice->alone);
    }
    tma_json_string(json, "text", text);
    tma_json_end_object(json);
}

void cli_map_check_json(const struct cli_map_check *check, const struct tma_map_file *file,
                        uint32_t map, struct tma_json *json) {
    tma_json_bool(json, "legal", check->violation_count == 0);
    tma_json_bool(json, "usable", check->usable);
    if (check->has_unsupported)
        tma_json_string(json, "unsupported", check->unsupported.text);
    tma_json_begin_array(json, "violations");
    for (size_t i = 0; i < check->violation_count; i++)
        write_json_violation(json, &check->violations[i], check->names, file, map);
    tma_json_end_array(json);
    tma_json_begin_array(json, "advice");
    for (size_t i = 0; i < check->advice_count; i++)
        write_json_advice(json, &check->advice[i], file, map);
    tma_json_end_array(json);
    if (check->phase != NULL)
        tma_json_string(json, "swizzle_phase", check->phase);
}

bool cli_map_checks_one(const struct cli_options *options, const struct cli_map_input *input,
                        uint32_t map, struct cli_map_check *check) {
    cli_map_check_rules(cli_map(input, map), cli_architecture(options, input),
                        (enum tma_name_style)options->names, &input->uses[map], check);
    check->phase = input->phases[map];
    check_operations(&input->file, map, check);
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
        TMA_JSON_COUNTS(json, access, line, column);
        TMA_JSON_COUNTS(json, &access->figures, accesses, sectors);
        tma_json_unsigned(json, "ideal_sectors", access->figures.ideal);
        tma_json_unsigned(json, "atomic_repeats", access->figures.repeats);
        tma_json_string(json, "text", access->text);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    return legal;
}
