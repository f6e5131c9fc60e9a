/* tmasim compare: one scenario under every legal swizzle mode. */
#include <string.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/scenario_input.h"
#include "cli/verbs.h"
#include "engine/run.h"
#include "report/swizzle_comparison.h"

struct compare_options {
    struct cli_options common;
    bool pad;
};

/* The settings of the user, then one setting of the swizzle for each tensor map. */
struct settings {
    const char **items;
    size_t user_count, count;
    char swizzles[TMA_MAX_TENSOR_MAPS][TMA_MAX_NAME + 64];
};

static bool begin_settings(const struct cli_options *options, struct settings *settings) {
    settings->user_count = options->settings.count;
    settings->items = tma_allocate(options->settings.count + TMA_MAX_TENSOR_MAPS, sizeof(char *));
    if (settings->items == NULL)
        return false;
    if (options->settings.count > 0)
        memcpy(settings->items, options->settings.items, options->settings.count * sizeof(char *));
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
                                    struct tma_swizzle_comparison *comparison,
                                    struct tma_error *error) {
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        tma_run(&scenario->machine, &scenario->workload, NULL, result, error);
    if (code == TMA_OK)
        tma_compare_add_legal(comparison, swizzle, &scenario->workload, result);
    tma_release(result);
    return code;
}

/* Reads the scenario in one mode and runs it. A mode is illegal where the reader finds an error;
 * the first error is the reason. */
static enum tma_error_code try_mode(const char *path, const struct settings *settings,
                                    enum tma_swizzle swizzle,
                                    struct tma_swizzle_comparison *comparison,
                                    struct tma_error *error) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    enum tma_error_code code = TMA_OK;
    if (tma_scenario_read(path, settings->items, settings->count, &scenario, &list))
        code = run_mode(&scenario, swizzle, comparison, error);
    else if (tma_diagnostics_lack_memory(&list))
        code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    else if (list.items[0].code == TMA_ERROR_FILE)
        code = tma_fail(error, TMA_ERROR_FILE, "%s: %s", list.items[0].at.file, list.items[0].text);
    else
        tma_compare_add_illegal(comparison, swizzle, list.items[0].text);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return code;
}

static enum tma_error_code compare(const struct cli_options *options,
                                   const struct tma_scenario *scenario,
                                   struct tma_swizzle_comparison *comparison,
                                   struct tma_error *error) {
    struct settings settings;
    enum tma_error_code code = TMA_OK;
    if (!begin_settings(options, &settings))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < tma_swizzle_names.count && code == TMA_OK; i++) {
        const struct tma_name *mode = &tma_swizzle_names.items[i];
        set_swizzle(scenario, mode->name, &settings);
        code = try_mode(options->operands.items[0], &settings, (enum tma_swizzle)mode->value,
                        comparison, error);
    }
    tma_release(settings.items);
    if (code == TMA_OK)
        tma_compare_finish(comparison);
    return code;
}

static uint32_t sms_in_use(const struct tma_scenario *scenario) {
    uint32_t sms[TMA_MAX_SMS];
    return tma_workload_place(&scenario->machine, &scenario->workload, sms);
}

static int compare_scenario(const struct compare_options *own,
                            const struct tma_scenario *scenario) {
    const struct cli_options *options = &own->common;
    struct tma_error error;
    struct cli_output output;
    struct tma_swizzle_comparison *comparison = tma_allocate(1, sizeof *comparison);
    if (comparison == NULL) {
        cli_error("out of memory");
        return CLI_ERROR;
    }
    comparison->scenario = scenario->name;
    comparison->machine = scenario->machine.name;
    comparison->timing_validated = scenario->machine.validated;
    comparison->timing_edited = scenario->machine.edited;
    comparison->workload = &scenario->workload;
    comparison->sms = sms_in_use(scenario);
    comparison->show_padding = own->pad;
    int status = CLI_ERROR;
    if (cli_output_open(&output, options->output)) {
        enum tma_error_code code = compare(options, scenario, comparison, &error);
        if (code == TMA_OK)
            tma_compare_write(comparison, options->format, output.file);
        else
            cli_error("%s: %s", scenario->name, error.text);
        bool kept = cli_output_close(&output, code == TMA_OK);
        status = code != TMA_OK ? cli_error_status(code) : kept ? CLI_OK : CLI_ERROR;
    }
    tma_release(comparison);
    return status;
}

static int run(const struct cli_options *options) {
    struct tma_scenario scenario;
    int status = CLI_ERROR;
    if (cli_workload_read(options, &scenario))
        status = compare_scenario((const struct compare_options *)options, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_compare_format_names),
    {.name = "--pad",
     .kind = CLI_FLAG,
     .offset = offsetof(struct compare_options, pad),
     .help = "also show the effect of padding after every row, and its cost in shared memory"},
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_compare = {
    .name = "compare",
    .operands = "SCENARIO.yaml",
    .summary = "Simulate a scenario under every legal swizzle mode and compare bank conflicts.",
    .details = "All tensor maps of the scenario get the same mode. \"ideal\" is the number of "
               "wavefronts without bank\nconflicts. \"ways\" is the worst conflict: the number of "
               "wavefronts of one phase of an instruction.\n--format svg draws the tiles with the "
               "banks of their chunks.",
    .statuses = "0 done, 2 error, 3 the simulated program deadlocks or faults",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .options_bytes = sizeof(struct compare_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
