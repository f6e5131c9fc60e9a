#include "experiment/kernel_clock.h"

#include <math.h>

#include "base/allocation.h"
#include "engine/roles/kernel.h"
#include "experiment/experiment.h"

/* A run of more work (tma_run_work) is not simulated whole a second time: that would be half of all
 * its time. */
enum { WHOLE_WORK = 2000000 };

/* A machine without such a resource has no fraction. */
static double known(double fraction) {
    return isfinite(fraction) ? fraction : 0;
}

/* Products of several types in one kernel count as those of its first product. */
static enum tma_mma_type product_type(const struct tma_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
            kernel->statements[i].work == TMA_WORK_MMA)
            return kernel->statements[i].type;
    return TMA_MMA_HALF;
}

struct tma_activity tma_kernel_activity(const struct tma_kernel *kernel,
                                        const struct tma_result *result) {
    const struct tma_counters *counters = &result->counters;
    double sm_cycles = (double)result->cycles * result->sms;
    struct tma_activity activity = {
        .cycles = (double)result->cycles,
        .sms = result->sms,
        .tensor_busy = known(result->busy_tensor),
        .data = kernel->data,
        .instructions = known(result->busy_issue) * sm_cycles * TMA_SCHEDULERS,
        .shared_bytes = (double)counters->shared_write_wavefronts * TMA_LINE_BYTES,
        .l2_bytes =
            (double)(counters->sm_read_sectors + counters->sm_write_sectors) * TMA_SECTOR_BYTES,
        .dram_bytes =
            (double)(counters->dram_read_sectors + counters->dram_write_sectors) * TMA_SECTOR_BYTES,
        .memory_share = result->memory_share};
    activity.macs[product_type(kernel)] = (double)counters->multiply_adds;
    return activity;
}

enum tma_error_code tma_kernel_find_memory_share(const struct tma_machine *machine,
                                                 const struct tma_kernel *kernel,
                                                 const struct tma_watch *watch,
                                                 struct tma_result *result,
                                                 struct tma_error *error) {
    if (kernel->sm_clock_mhz >= TMA_LEAST_SM_MHZ)
        return TMA_OK;
    struct tma_activity activity = tma_kernel_activity(kernel, result);
    struct tma_kernel slower = *kernel;
    slower.sm_clock_mhz =
        tma_second_clock_mhz(machine, &activity, (enum tma_sm_clock)kernel->sm_clock_mhz);
    if (slower.sm_clock_mhz == 0)
        return TMA_OK;
    struct tma_result *second = tma_allocate(1, sizeof *second);
    if (second == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    struct tma_watch own = watch != NULL ? *watch : (struct tma_watch){0};
    own.ends_at_quarter = tma_run_work(result) > WHOLE_WORK &&
                          result->sampled.skipped_cycles == 0 && result->quarter_cycles > 0;
    enum tma_error_code code =
        tma_kernel_run_watched(machine, &slower, NULL, &own, second, NULL, error);
    bool at_quarter = own.ends_at_quarter && second->quarter_cycles > 0;
    if (code == TMA_ERROR_INTERRUPTED && at_quarter)
        code = TMA_OK;
    if (code == TMA_OK)
        result->memory_share = tma_memory_share_of(
            machine, at_quarter ? (double)result->quarter_cycles : activity.cycles,
            slower.sm_clock_mhz, (double)(at_quarter ? second->quarter_cycles : second->cycles));
    tma_release(second);
    return code;
}
