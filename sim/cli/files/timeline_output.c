#include "cli/files/timeline_output.h"

#include "report/timeline.h"
#include "scenario/kernel_program.h"

bool cli_timeline_create(struct cli_timeline *timeline, struct tma_series *series,
                         struct cli_run_sinks *sinks) {
    *timeline = (struct cli_timeline){.series = series};
    if (!tma_span_sample_create(&timeline->spans, TMA_MOST_TIMELINE_SPANS))
        return false;
    for (size_t kind = 0; kind < sizeof timeline->spans.kinds; kind++)
        timeline->spans.kinds[kind] = true;
    timeline->sink = tma_span_sample_sink(&timeline->spans);
    sinks->series = series;
    sinks->spans = &timeline->sink;
    return true;
}

void cli_timeline_free(struct cli_timeline *timeline) {
    tma_span_sample_free(&timeline->spans);
}

void cli_timeline_write(struct cli_timeline *timeline, const struct tma_scenario *scenario,
                        const struct tma_result *result, FILE *out) {
    const struct tma_timeline_input input = {
        .scenario = scenario->name,
        .machine = &scenario->machine,
        .kernel = scenario->program == NULL ? NULL : &scenario->program->kernel,
        .map_names = scenario->map_names,
        .result = result,
        .series = timeline->series,
        .spans = &timeline->spans,
    };
    tma_span_sample_sort(&timeline->spans);
    tma_timeline_write(&input, out);
}
