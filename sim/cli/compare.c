/* tmasim compare: one scenario under every swizzle mode that is legal for it. */
#include <stdlib.h>
#include <string.h>

#include "cli/comparison.h"
#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "engine/run.h"

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

static void collect(const struct tma_scenario *scenario, const struct tma_result *result,
                    struct cli_mode *mode) {
    uint32_t banks = 0;
    for (uint32_t i = 0; i < scenario->workload.consumer_count; i++) {
        const struct tma_consumer_total *total = &result->consumers[i];
        mode->wavefronts += total->wavefronts;
        mode->ideal_wavefronts += total->ideal_wavefronts;
        banks |= total->tile.banks_used;
        if (total->tile.worst.ways > mode->ways)
            mode->ways = total->tile.worst.ways;
    }
    for (; banks != 0; banks &= banks - 1)
        mode->banks++;
    mode->cycles = result->cycles;
    if (result->cycles > 0)
        mode->bytes_per_cycle = (double)result->counters.bytes / (double)result->cycles;
}

/* A mode is legal where the scenario reader finds nothing wrong with it: the reason is then what it
 * found first. */
static enum tma_error_code try_mode(const char *path, const struct settings *settings,
                                    struct tma_result *result, struct cli_mode *mode,
                                    struct tma_error *error) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    enum tma_error_code code = TMA_OK;
    mode->legal = tma_scenario_read(path, settings->items, settings->count, &scenario, &list);
    if (!mode->legal && list.count > 0)
        snprintf(mode->reason, sizeof mode->reason, "%s", list.items[0].text);
    if (mode->legal)
        code = tma_run(&scenario.machine, &scenario.workload, NULL, result, error);
    if (mode->legal && code == TMA_OK)
        collect(&scenario, result, mode);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return code;
}

/* Fewer cycles, then fewer excess wavefronts; of equals the first, which swizzles less. */
static bool is_better(const struct cli_mode *a, const struct cli_mode *b) {
    if (b == NULL || a->cycles != b->cycles)
        return b == NULL || a->cycles < b->cycles;
    return a->wavefronts - a->ideal_wavefronts < b->wavefronts - b->ideal_wavefronts;
}

static enum tma_error_code compare(const struct cli_options *options,
                                   const struct tma_scenario *scenario,
                                   struct cli_comparison *comparison, struct tma_error *error) {
    struct settings settings;
    struct tma_result *result = calloc(1, sizeof *result);
    enum tma_error_code code = TMA_OK;
    if (result == NULL || !begin_settings(options, &settings)) {
        free(result);
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < tma_swizzle_names.count && code == TMA_OK; i++) {
        struct cli_mode *mode = &comparison->modes[comparison->count++];
        mode->swizzle = tma_swizzle_names.items[i].name;
        set_swizzle(scenario, mode->swizzle, &settings);
        code = try_mode(options->operands[0], &settings, result, mode, error);
        if (mode->legal && is_better(mode, comparison->best))
            comparison->best = mode;
    }
    free(settings.items);
    free(result);
    return code;
}

static int compare_scenario(const struct cli_options *options,
                            const struct tma_scenario *scenario) {
    struct cli_comparison comparison = {.scenario = scenario->name,
                                        .machine = scenario->machine.name};
    struct tma_error error;
    struct cli_output output;
    if (!cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    enum tma_error_code code = compare(options, scenario, &comparison, &error);
    if (code == TMA_OK)
        cli_comparison_write(&comparison, (enum cli_format)options->format, output.file);
    else
        cli_complain("%s: %s", scenario->name, error.text);
    bool kept = cli_output_close(&output, code == TMA_OK);
    if (code != TMA_OK)
        return cli_status_of(code);
    return kept ? CLI_OK : CLI_BAD_INPUT;
}

static int run(const struct cli_options *options) {
    struct tma_scenario scenario;
    int status = CLI_BAD_INPUT;
    if (cli_scenario_read(options, &scenario))
        status = compare_scenario(options, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_compare = {
    .name = "compare",
    .operands = "SCENARIO.yaml",
    .summary = "Runs a scenario under every swizzle mode that is legal for it.",
    .details =
        "Every tensor map of the scenario gets the mode. \"ideal\" are the wavefronts that "
        "the consumers\nwould take without a bank conflict, \"ways\" is the worst conflict.\n"
        "exit status: 0 done, 2 bad input or output, 3 the simulated program deadlocks or "
        "faults",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
