/* Records of kind "timing": how many cycles a kernel takes, as the median over its CTAs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "engine/slots/run.h"
#include "records/kinds.h"
#include "records/timing_record.h"

/* A record agrees if the relative error of the prediction is at most this fraction. */
static const double tolerance = 0.10;

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "scenario") >= 0 && tma_tsv_column(records, "cycles_med") >= 0;
}

static void replay(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                   struct tma_record_outcome *outcome) {
    struct tma_workload workload;
    struct tma_result result;
    struct tma_error error = {0};
    outcome->verdict = TMA_RECORD_SKIPPED;
    enum tma_error_code code = tma_timing_record_read(records, row, machine, &workload, &error);
    if (code == TMA_OK)
        code = tma_run(machine, &workload, NULL, &result, &error);
    if (code != TMA_OK) {
        outcome->out_of_memory = code == TMA_ERROR_MEMORY;
        snprintf(outcome->reason, sizeof outcome->reason, "%.*s", tma_text_cut(error.text, 190),
                 error.text);
        return;
    }
    outcome->simulated_cycles = result.cycles;
    outcome->measured = (double)strtoull(tma_tsv_cell(records, row, "cycles_med"), NULL, 10);
    outcome->predicted = (double)result.cta_cycles.median;
    double error_fraction = outcome->predicted / outcome->measured - 1;
    outcome->verdict = fabs(error_fraction) <= tolerance ? TMA_RECORD_AGREES : TMA_RECORD_DIFFERS;
    if (outcome->verdict == TMA_RECORD_DIFFERS)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "measured %.0f cycles, model %.0f: %+.1f %%", outcome->measured,
                 outcome->predicted, 100 * error_fraction);
}

const struct tma_record_kind tma_kind_timing = {
    .name = "timing",
    .matches = matches,
    .has_error = true,
    .replay = replay,
    .cost = tma_timing_record_cost,
};
