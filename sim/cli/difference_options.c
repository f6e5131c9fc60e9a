#include "cli/difference_options.h"

#include "base/allocation.h"
#include "cli/files/output.h"
#include "cli/messages.h"

static bool parse_all(const struct cli_difference_options *options,
                      struct cli_difference_rules *rules, struct tma_error *error) {
    for (size_t i = 0; i < options->tolerances.count; i++)
        if (tma_figure_tolerance_parse(options->tolerances.items[i], &rules->tolerances[i],
                                       error) != TMA_OK)
            return false;
    for (size_t i = 0; i < options->conditions.count; i++)
        if (tma_figure_condition_parse(options->conditions.items[i], &rules->conditions[i],
                                       error) != TMA_OK)
            return false;
    return true;
}

bool cli_difference_rules_make(const struct cli_difference_options *options,
                               struct cli_difference_rules *rules) {
    struct tma_error error = {.text = "out of memory"};
    *rules = (struct cli_difference_rules){
        .tolerances = tma_allocate(options->tolerances.count, sizeof *rules->tolerances),
        .conditions = tma_allocate(options->conditions.count, sizeof *rules->conditions),
    };
    rules->rules = (struct tma_difference_rules){
        .absolute = options->absolute,
        .relative = options->relative,
        .tolerances = rules->tolerances,
        .tolerance_count = options->tolerances.count,
        .conditions = rules->conditions,
        .condition_count = options->conditions.count,
        .figures = options->figures.items,
        .figure_count = options->figures.count,
        .show_all = options->all,
    };
    if (rules->tolerances != NULL && rules->conditions != NULL && parse_all(options, rules, &error))
        return true;
    return cli_error("%s", error.text);
}

void cli_difference_rules_free(struct cli_difference_rules *rules) {
    TMA_RELEASE(rules->tolerances, rules->conditions);
}

int cli_difference_write(struct tma_difference *difference,
                         const struct tma_difference_rules *rules, int format,
                         const char *output_path) {
    struct cli_output output;
    struct tma_error error = {0};
    if (!cli_output_open(&output, output_path))
        return CLI_ERROR;
    bool good = tma_difference_compare(difference, rules, &error) == TMA_OK;
    if (good)
        tma_difference_write(difference, format, output.file);
    else
        cli_error("%s", error.text);
    int status = difference->failed > 0 ? CLI_DIFFERENT : CLI_OK;
    tma_difference_free(difference);
    return cli_output_close(&output, good) && good ? status : CLI_ERROR;
}
