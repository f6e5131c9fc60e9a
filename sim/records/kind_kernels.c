/* Records of kind "kernels": how long a kernel takes that a compiler or a library generates, as a
 * profiler counts it, and what it reads. A record's family is a kernel of the library, and its
 * arguments are the parameters. Those without a file there are skipped. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "engine/roles/kernel_run.h"
#include "records/kernel_record.h"
#include "records/record_kind.h"
#include "records/timing_record.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"

enum { SECTOR_BYTES = 32 };

/* A record with more sectors of L2 takes more than half a second, and is sampled. */
enum { LONG_SECTORS = 6000000 };

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "family") >= 0 && tma_tsv_column(records, "arguments") >= 0 &&
           tma_tsv_column(records, "cycles") >= 0 && tma_tsv_column(records, "ns") >= 0;
}

/* |predicted / measured - 1|; NaN where nothing was measured. */
static double error_of(double predicted, double measured) {
    return measured > 0 ? fabs(predicted / measured - 1) : NAN;
}

static void compare(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                    const struct tma_result *result, struct tma_record_outcome *outcome) {
    outcome->measured = tma_tsv_number(records, row, "cycles");
    outcome->predicted = (double)(result->cycles + machine->topology.launch_cycles);
    outcome->simulated_cycles = result->cycles;
    outcome->left_out = (double)result->sampled.skipped_cycles / (double)result->cycles;
    outcome->sampling_error = (double)result->sampled.error_cycles / (double)result->cycles;
    outcome->l2_error =
        error_of((double)result->counters.l2_sectors, tma_tsv_number(records, row, "l2_sectors"));
    outcome->dram_error = error_of((double)result->counters.dram_read_sectors * SECTOR_BYTES,
                                   tma_tsv_number(records, row, "dram_read"));
    tma_timing_record_compare(outcome);
}

/* Runs the kernel at `path` with the settings of the record. */
static enum tma_error_code run(const struct tma_machine *machine, const char *path,
                               const struct tma_kernel_record *record, enum tma_sampling sampling,
                               struct tma_result *result, struct tma_error *error) {
    const struct tma_watch watch = {.sampling = sampling};
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    enum tma_error_code code = TMA_ERROR_SYNTAX;
    if (!tma_scenario_read(path, record->settings, record->setting_count, &scenario, &list))
        code = tma_diagnostics_lack_memory(&list)
                   ? TMA_ERROR_MEMORY
                   : tma_fail(error, TMA_ERROR_SYNTAX, "%.180s",
                              list.count > 0 ? list.items[0].text : "not a scenario");
    else if (scenario.program == NULL)
        tma_fail(error, TMA_ERROR_SYNTAX, "%.60s.yaml has no kernel", record->kernel);
    else
        code = tma_kernel_run_watched(machine, &scenario.program->kernel, NULL, &watch, result,
                                      NULL, error);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return code;
}

static enum tma_error_code replay_row(const struct tma_machine *machine,
                                      const struct tma_tsv *records, size_t row,
                                      struct tma_result *result, struct tma_error *error) {
    struct tma_kernel_record record;
    char path[PATH_MAX];
    enum tma_error_code code = tma_kernel_record_read(records, row, &record, error);
    if (code != TMA_OK)
        return code;
    int length = snprintf(path, sizeof path, "%s/%s.yaml",
                          records->kernels == NULL ? "" : records->kernels, record.kernel);
    if (records->kernels == NULL || length < 0 || (size_t)length >= sizeof path ||
        access(path, R_OK) != 0)
        return tma_fail(error, TMA_ERROR_FILE, "the library has no kernel %s", record.kernel);
    bool is_long = tma_tsv_number(records, row, "l2_sectors") > LONG_SECTORS;
    return run(machine, path, &record,
               is_long && !records->exact ? TMA_SAMPLING_USUAL : TMA_SAMPLING_NONE, result, error);
}

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    struct tma_result *result = tma_allocate(1, sizeof *result);
    enum tma_error_code code =
        result == NULL ? TMA_ERROR_MEMORY : replay_row(machine, records, row, result, error);
    if (code == TMA_OK)
        compare(machine, records, row, result, outcome);
    tma_release(result);
    return code;
}

/* What a simulation takes goes with the sectors that pass L2. */
static uint64_t cost(const struct tma_machine *machine, const struct tma_tsv *records, size_t row) {
    (void)machine;
    return strtoull(tma_tsv_cell(records, row, "l2_sectors"), NULL, 10) * SECTOR_BYTES;
}

const struct tma_record_kind tma_kind_kernels = {.name = "kernels",
                                                 .matches = matches,
                                                 .has_error = true,
                                                 .has_families = true,
                                                 .samples = true,
                                                 .needs_library = true,
                                                 .close_traffic = 0.05,
                                                 .replay = replay,
                                                 .cost = cost};
