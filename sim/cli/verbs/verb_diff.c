/* tmasim diff: the differences of reports, sweeps or traces. */
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "cli/difference_options.h"
#include "cli/files/config_files.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "trace/trace.h"

struct diff_options {
    struct cli_options common;
    struct cli_difference_options difference;
    struct cli_count base;
};

static bool is_trace(const char *path) {
    static const char magic[] = "# tmasim-trace ";
    char begin[sizeof magic] = "";
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    size_t length = fread(begin, 1, sizeof magic - 1, file);
    fclose(file);
    return length == sizeof magic - 1 && strcmp(begin, magic) == 0;
}

static int diff_traces(const struct diff_options *own) {
    const struct cli_options *options = &own->common;
    const struct cli_difference_options *difference = &own->difference;
    struct tma_trace_tolerance tolerance = {difference->absolute, difference->relative};
    enum tma_trace_verdict verdict = TMA_TRACE_DIFFERENT;
    struct tma_error error = {0};
    struct cli_output output;
    bool for_reports = difference->tolerances.count > 0 || difference->conditions.count > 0 ||
                       difference->figures.count > 0 || difference->all || own->base.given ||
                       options->format != 0;
    if (for_reports || options->operands.count != 2)
        return cli_fail("diff: traces are compared two at a time, as text, with --abs and --rel");
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    enum tma_error_code code =
        tma_trace_diff(options->operands.items[0], options->operands.items[1], &tolerance,
                       output.file, &verdict, &error);
    if (code != TMA_OK)
        cli_error("%s", error.text);
    if (!cli_output_close(&output, code == TMA_OK) || code != TMA_OK)
        return CLI_ERROR;
    return verdict == TMA_TRACE_SAME ? CLI_OK : CLI_DIFFERENT;
}

struct variants {
    struct tma_variant *items; /* owned; the base first */
    size_t count;
};

static void free_variants(struct variants *variants) {
    for (size_t i = 0; i < variants->count; i++)
        tma_variant_free(&variants->items[i]);
    tma_release(variants->items);
}

static bool allocate(struct variants *variants, size_t count) {
    variants->items = tma_allocate(count, sizeof *variants->items);
    variants->count = variants->items == NULL ? 0 : count;
    return variants->items != NULL || cli_error("out of memory");
}

/* Makes each row of a sweep that is alone a variant. */
static bool split_rows(struct variants *variants) {
    struct tma_variant *sweep = &variants->items[0];
    struct variants rows;
    if (!allocate(&rows, sweep->count))
        return false;
    bool good = true;
    for (size_t i = 0; i < sweep->count && good; i++) {
        rows.items[i].name = tma_copy_text(sweep->cases[i].name);
        good = rows.items[i].name != NULL && tma_variant_move_case(&rows.items[i], "", sweep, i);
    }
    if (!good) {
        cli_error("out of memory");
        free_variants(&rows);
        return false;
    }
    free_variants(variants);
    *variants = rows;
    return true;
}

/* A file that has another name for people is called by that. False when out of memory. */
static bool name_variant(const char *path, struct tma_variant *variant) {
    const char *name = cli_file_name(path);
    if (name == path)
        return true;
    tma_release(variant->name);
    variant->name = tma_copy_text(name);
    return variant->name != NULL || cli_error("out of memory");
}

static bool read_variants(const struct cli_options *options, struct variants *variants) {
    struct tma_diagnostics list = {0};
    bool good = allocate(variants, options->operands.count);
    for (size_t i = 0; good && i < variants->count; i++)
        good = tma_variant_read(options->operands.items[i], &variants->items[i], &list) &&
               name_variant(options->operands.items[i], &variants->items[i]);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    if (!good || variants->count > 1)
        return good;
    if (variants->items[0].count > 1)
        return split_rows(variants);
    return cli_error("diff: %s has one run; name another file to compare it with",
                     options->words[0]);
}

/* Puts the base first. The others keep their order. */
static bool choose_base(struct variants *variants, struct cli_count base) {
    if (!base.given)
        return true;
    if (base.value < 1 || base.value > variants->count)
        return cli_error("--base is %u; allowed: 1 to %zu, the number of a file or of a row",
                         base.value, variants->count);
    struct tma_variant chosen = variants->items[base.value - 1];
    memmove(&variants->items[1], &variants->items[0], (base.value - 1) * sizeof chosen);
    variants->items[0] = chosen;
    return true;
}

static int diff_variants(const struct diff_options *own) {
    struct variants variants = {0};
    struct cli_difference_rules rules;
    int status = CLI_ERROR;
    if (cli_difference_rules_make(&own->difference, &rules) &&
        read_variants(&own->common, &variants) && choose_base(&variants, own->base)) {
        struct tma_difference difference = {
            .base = &variants.items[0],
            .variants = &variants.items[1],
            .variant_count = variants.count - 1,
            .title = "tmasim diff",
        };
        status =
            cli_difference_write(&difference, &rules.rules, own->common.format, own->common.output);
    }
    cli_difference_rules_free(&rules);
    free_variants(&variants);
    return status;
}

/* The name of a scenario is no report of it. */
static bool is_scenario(const char *operand) {
    struct cli_config_path path;
    if (access(operand, F_OK) == 0 || !cli_scenario_find(operand, &path))
        return false;
    cli_error("diff: %s is a scenario, not a report; tmasim run A B has a row for each of several, "
              "and tmasim run %s --format json -o FILE writes a report",
              operand, operand);
    return true;
}

static int run(const struct cli_options *options) {
    const struct diff_options *own = (const struct diff_options *)options;
    bool traces = false;
    for (size_t i = 0; i < options->operands.count; i++)
        if (is_scenario(options->operands.items[i]))
            return CLI_ERROR;
    for (size_t i = 0; i < options->operands.count; i++)
        traces |= is_trace(options->operands.items[i]);
    return traces ? diff_traces(own) : diff_variants(own);
}

static const struct cli_option options[] = {
    CLI_DIFFERENCE_OPTIONS(struct diff_options),
    CLI_VALUE_OPTION(
        "--base", "N", COUNT, offsetof(struct diff_options, base),
        "compare with the Nth file, or with the Nth row of a sweep (default: the first)"),
    CLI_OPTION_FORMAT(&tma_difference_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_diff = {
    .name = "diff",
    .takes_input = true,
    .takes_files = true,
    .operands = "FILE...",
    .summary = "Compare reports, sweeps or traces: which figures or events differ, and how much.",
    .details =
        "Reports are what run --format json writes, sweeps what sweep writes as csv or jsonl. The "
        "first file is\nthe base of all others. Rows of sweeps with the same settings are "
        "compared; "
        "the rows of one sweep alone\nare compared with its first one. Of two traces, diff shows "
        "the first event that differs, and counts them.",
    .example = "before.json after.json --fail-if 'cycles > +2%' --format markdown",
    .statuses = "0 nothing fails, 1 a figure or an event does, 2 error",
    .min_operands = 1,
    .max_operands = 1000,
    CLI_RUNS_WITH(diff_options),
};
