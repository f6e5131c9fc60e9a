/* tmasim compare: one scenario under every swizzle mode that is legal for it. */
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "engine/run.h"
#include "report/swizzle_comparison.h"

/* The user's settings, and room for one swizzle more of each tensor map. */
struct settings {
    const char **items;
    size_t user_count, count;
    char swizzles[TMA_MAX_TENSOR_MAPS][TMA_MAX_NAME + 64];
};

static bool begin_settings(const struct cli_options *options, struct settings *settings) {
    settings->user_count = options->setting_count;
    settings->items = calloc(options->setting_count + TMA_MAX_TENSOR_MAPS, sizeof(char *));
    if (settings->items == NULL)
        return false;
    if (options->setting_count > 0)
        memcpy(settings->items, options->settings, options->setting_count * sizeof(char *));
    return true;
}

static void set_swizzle(const struct tma_scenario *scenario, const char *mode,
                        struct settings *settings) {
    settings->count = settings->user_count;
    for (uint32_t i = 0; i < scenario->workload.map_count; i++) {
        snprintf(settings->swizzles[i], sizeof settings->swizzles[i], "tensor_maps.%s.swizzle=%s",
                 scenario->map_names[i], mode);
        settings->items[settings->count++] = settings->swizzles[i];
    }
}

static enum tma_error_code run_mode(const struct tma_scenario *scenario, enum tma_swizzle swizzle,
                                    struct tma_comparison *comparison, struct tma_error *error) {
    struct tma_result *result = calloc(1, sizeof *result);
    if (result == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        tma_run(&scenario->machine, &scenario->workload, NULL, result, error);
    if (code == TMA_OK)
        tma_comparison_add(comparison, swizzle, &scenario->workload, result);
    free(result);
    return code;
}

/* A mode is legal where the scenario reader finds nothing wrong with it: the reason is then what it
 * found first. */
static enum tma_error_code try_mode(const char *path, const struct settings *settings,
                                    enum tma_swizzle swizzle, struct tma_comparison *comparison,
                                    struct tma_error *error) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    enum tma_error_code code = TMA_OK;
    if (tma_scenario_read(path, settings->items, settings->count, &scenario, &list))
        code = run_mode(&scenario, swizzle, comparison, error);
    else
        tma_comparison_refuse(comparison, swizzle, list.count > 0 ? list.items[0].text : "");
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return code;
}

static enum tma_error_code compare(const struct cli_options *options,
                                   const struct tma_scenario *scenario,
                                   struct tma_comparison *comparison, struct tma_error *error) {
    struct settings settings;
    enum tma_error_code code = TMA_OK;
    if (!begin_settings(options, &settings))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < tma_swizzle_names.count && code == TMA_OK; i++) {
        const struct tma_name *mode = &tma_swizzle_names.items[i];
        set_swizzle(scenario, mode->name, &settings);
        code = try_mode(options->operands[0], &settings, (enum tma_swizzle)mode->value, comparison,
                        error);
    }
    free(settings.items);
    if (code == TMA_OK)
        tma_comparison_judge(comparison);
    return code;
}

static int compare_scenario(const struct cli_options *options,
                            const struct tma_scenario *scenario) {
    struct tma_error error;
    struct cli_output output;
    struct tma_comparison *comparison = calloc(1, sizeof *comparison);
    if (comparison == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_INPUT;
    }
    comparison->scenario = scenario->name;
    comparison->machine = scenario->machine.name;
    comparison->timing_validated = scenario->machine.validated;
    comparison->workload = &scenario->workload;
    comparison->show_padding = options->pad;
    int status = CLI_BAD_INPUT;
    if (cli_output_open(&output, options->output)) {
        enum tma_error_code code = compare(options, scenario, comparison, &error);
        if (code == TMA_OK)
            tma_comparison_write(comparison, options->format, output.file);
        else
            cli_complain("%s: %s", scenario->name, error.text);
        bool kept = cli_output_close(&output, code == TMA_OK);
        status = code != TMA_OK ? (int)cli_status_of(code) : kept ? CLI_OK : CLI_BAD_INPUT;
    }
    free(comparison);
    return status;
}

static int run(const struct cli_options *options) {
    return cli_with_scenario(options, compare_scenario);
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_comparison_format_names),
    {"--pad", NULL, NULL, CLI_FLAG, offsetof(struct cli_options, pad), NULL,
     "show also what a gap behind every row would do, and what it costs in shared memory"},
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_compare = {
    .name = "compare",
    .operands = "SCENARIO.yaml",
    .summary = "Runs a scenario under every swizzle mode that is legal for it.",
    .details =
        "Every tensor map of the scenario gets the mode. \"ideal\" are the wavefronts that "
        "the consumers\nwould take without a bank conflict, \"ways\" is the worst conflict: the "
        "wavefronts that one phase\nof an instruction takes. --format svg draws the tiles by "
        "banks.\n"
        "exit status: 0 done, 2 bad input or output, 3 the simulated program deadlocks or "
        "faults",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
