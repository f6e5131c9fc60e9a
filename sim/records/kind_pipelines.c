/* Records of kind "pipelines": how many cycles a kernel with roles takes, as the median over its
 * CTAs, and as the most of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel_run.h"
#include "records/pipeline_record.h"
#include "records/record_kind.h"
#include "scenario/kernel_program.h"

/* A record agrees if the relative errors of both predictions are at most this fraction. */
static const double tolerance = 0.10;

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "scenario") >= 0 && tma_tsv_column(records, "cycles_med") >= 0 &&
           tma_tsv_column(records, "cycles_max") >= 0 &&
           tma_tsv_column(records, "dram_read_cold") >= 0;
}

enum { SECTOR_BYTES = 32 };

/* What a launch adds to the counters by itself, at most: as in kind_counters.c. */
enum {
    LAUNCH_REQUESTS = 64,
    LAUNCH_SECTORS = 700, /* of DRAM */
    LAUNCH_PER_CTA = 8    /* of each */
};

/* How far the prediction lies outside what the kernel itself may have counted. */
static double error_of(double predicted, double measured, double launch) {
    double least = measured > launch ? measured - launch : 0;
    double off = predicted > measured ? predicted - measured
                 : predicted < least  ? least - predicted
                                      : 0;
    return measured > 0 ? off / measured : NAN;
}

/* Compares requests to L2, and DRAM reads and writes together. */
static void compare_traffic(const struct tma_tsv *records, size_t row, uint32_t ctas,
                            const struct tma_counters *counters,
                            struct tma_record_outcome *outcome) {
    double per_cta = (double)LAUNCH_PER_CTA * ctas;
    outcome->l2_error =
        error_of((double)counters->l2_requests, tma_tsv_number(records, row, "l2_requests_cold"),
                 LAUNCH_REQUESTS + per_cta);
    outcome->dram_error = error_of(
        (double)(counters->dram_read_sectors + counters->dram_write_sectors) * SECTOR_BYTES,
        tma_tsv_number(records, row, "dram_read_cold") +
            tma_tsv_number(records, row, "dram_write_cold"),
        (LAUNCH_SECTORS + per_cta) * SECTOR_BYTES);
}

/* The traffic was measured with cold caches, whatever the kernel's time was measured with. */
static enum tma_error_code run_traffic(const struct tma_machine *machine,
                                       const struct tma_tsv *records, size_t row,
                                       struct tma_kernel *kernel, struct tma_result *result,
                                       struct tma_record_outcome *outcome,
                                       struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    outcome->l2_error = outcome->dram_error = NAN;
    if (!kernel->cold && !records->traffic)
        return TMA_OK;
    if (!kernel->cold) {
        kernel->cold = kernel->profiled = true;
        code = tma_kernel_run(machine, kernel, NULL, result, NULL, error);
    }
    if (code == TMA_OK)
        compare_traffic(records, row, kernel->cta_count, &result->counters, outcome);
    return code;
}

static void compare(const struct tma_tsv *records, size_t row, const struct tma_result *result,
                    struct tma_record_outcome *outcome) {
    outcome->measured = tma_tsv_number(records, row, "cycles_med");
    outcome->predicted = (double)result->cta_cycles.median;
    outcome->simulated_cycles = result->cycles;
    outcome->most_measured = tma_tsv_number(records, row, "cycles_max");
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

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    struct tma_scenario scenario;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    enum tma_error_code code = tma_pipeline_record_read(records, row, machine, &scenario, error);
    if (result == NULL)
        code = TMA_ERROR_MEMORY;
    if (code == TMA_OK)
        code = tma_kernel_run(machine, &scenario.program->kernel, NULL, result, NULL, error);
    if (code == TMA_OK) {
        compare(records, row, result, outcome);
        code =
            run_traffic(machine, records, row, &scenario.program->kernel, result, outcome, error);
    }
    if (code != TMA_OK)
        outcome->verdict = TMA_RECORD_SKIPPED;
    tma_scenario_free(&scenario);
    tma_release(result);
    return code;
}

/* The name is FAMILY_ and numbers. */
static void family(const struct tma_tsv *records, size_t row, char *name, size_t bytes) {
    const char *text = tma_tsv_cell(records, row, "name");
    snprintf(name, bytes, "%.*s", (int)strcspn(text, "_"), text);
}

/* What a simulation takes goes with the sectors that pass L2. */
static uint64_t cost(const struct tma_machine *machine, const struct tma_tsv *records, size_t row) {
    (void)machine;
    return strtoull(tma_tsv_cell(records, row, "l2_sectors_cold"), NULL, 10) * SECTOR_BYTES;
}

const struct tma_record_kind tma_kind_pipelines = {.name = "pipelines",
                                                   .matches = matches,
                                                   .has_error = true,
                                                   .has_families = true,
                                                   .close_traffic = 0.03,
                                                   .family = family,
                                                   .replay = replay,
                                                   .cost = cost};
