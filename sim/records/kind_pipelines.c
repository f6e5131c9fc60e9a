/* Records of kind "pipelines": how many cycles a kernel with roles takes, as the median over its
 * CTAs, and as the most of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocation.h"
#include "engine/kernel_run.h"
#include "records/kinds.h"
#include "records/pipeline_record.h"

/* A record agrees if the relative errors of both predictions are at most this fraction. */
static const double tolerance = 0.10;

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "scenario") >= 0 && tma_tsv_column(records, "cycles_med") >= 0 &&
           tma_tsv_column(records, "cycles_max") >= 0 &&
           tma_tsv_column(records, "dram_read_cold") >= 0;
}

static void compare(const struct tma_tsv *records, size_t row, const struct tma_result *result,
                    struct tma_record_outcome *outcome) {
    outcome->measured = (double)strtoull(tma_tsv_cell(records, row, "cycles_med"), NULL, 10);
    outcome->predicted = (double)result->cta_cycles.median;
    outcome->most_measured = (double)strtoull(tma_tsv_cell(records, row, "cycles_max"), NULL, 10);
    outcome->most_predicted = (double)result->cta_cycles.max;
    double median = outcome->predicted / outcome->measured - 1;
    double most = outcome->most_predicted / outcome->most_measured - 1;
    bool agrees = fabs(median) <= tolerance && fabs(most) <= tolerance;
    outcome->verdict = agrees ? TMA_RECORD_AGREES : TMA_RECORD_DIFFERS;
    if (!agrees)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "measured %.0f cycles, model %.0f: %+.1f %%; most %.0f, model %.0f: %+.1f %%",
                 outcome->measured, outcome->predicted, 100 * median, outcome->most_measured,
                 outcome->most_predicted, 100 * most);
}

static void replay(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                   struct tma_record_outcome *outcome) {
    struct tma_error error = {0};
    struct tma_pipeline_record *record = tma_allocate(1, sizeof *record);
    struct tma_result *result = tma_allocate(1, sizeof *result);
    outcome->verdict = TMA_RECORD_SKIPPED;
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (record != NULL && result != NULL) {
        code = tma_pipeline_record_read(records, row, record, &error);
        if (code == TMA_OK)
            code = tma_kernel_run(machine, &record->kernel, NULL, result, NULL, &error);
        tma_pipeline_record_free(record);
    }
    if (code == TMA_OK) {
        compare(records, row, result, outcome);
    } else {
        outcome->out_of_memory = code == TMA_ERROR_MEMORY;
        snprintf(outcome->reason, sizeof outcome->reason, "%.190s", error.text);
    }
    tma_release(record);
    tma_release(result);
}

const struct tma_record_kind tma_kind_pipelines = {
    .name = "pipelines", .matches = matches, .has_error = true, .replay = replay};
