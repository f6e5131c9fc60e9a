/* Records of kind "timing": how many cycles a kernel takes, as the median over its CTAs. */
#include "engine/slots/run.h"
#include "records/record_kind.h"
#include "records/timing_record.h"

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "scenario") >= 0 && tma_tsv_column(records, "cycles_med") >= 0;
}

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    struct tma_workload workload;
    struct tma_result result;
    enum tma_error_code code = tma_timing_record_read(records, row, machine, &workload, error);
    if (code == TMA_OK)
        code = tma_run(machine, &workload, NULL, &result, error);
    if (code != TMA_OK)
        return code;
    outcome->simulated_cycles = result.cycles;
    outcome->measured = tma_tsv_number(records, row, "cycles_med");
    outcome->predicted = (double)result.cta_cycles.median;
    tma_timing_record_compare(outcome);
    return TMA_OK;
}

const struct tma_record_kind tma_kind_timing = {
    .name = "timing",
    .matches = matches,
    .has_error = true,
    .replay = replay,
    .cost = tma_timing_record_cost,
};
