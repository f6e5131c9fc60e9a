#include "report/kernel_figures.h"

#include <math.h>

#include "report/figures.h"
#include "report/ratio.h"

enum { WARP_THREADS = 32 };

static const struct {
    const char *key, *text;
} resources[TMA_KERNEL_RESOURCE_COUNT] = {
#define RESOURCE(name, key, text, figure) [name] = {key, text},
    TMA_KERNEL_RESOURCES(RESOURCE)
#undef RESOURCE
};

const char *tma_kernel_resource_key(enum tma_kernel_resource resource) {
    return resources[resource].key;
}

const char *tma_kernel_resource_text(enum tma_kernel_resource resource) {
    return resources[resource].text;
}

/* A machine without such a resource has no fraction. */
static void find_busy(const struct tma_result *result, double busy[TMA_KERNEL_RESOURCE_COUNT]) {
#define BUSY(name, key, text, figure) busy[name] = isfinite(result->figure) ? result->figure : 0;
    TMA_KERNEL_RESOURCES(BUSY)
#undef BUSY
}

struct tma_busiest tma_busiest_of(const struct tma_result *result) {
    double busy[TMA_KERNEL_RESOURCE_COUNT];
    int busiest = TMA_KERNEL_TMA;
    find_busy(result, busy);
    for (int i = 0; i < TMA_KERNEL_RESOURCE_COUNT; i++)
        if (busy[i] > busy[busiest])
            busiest = i;
    return (struct tma_busiest){resources[busiest].key, busy[busiest]};
}

struct tma_kernel_figures tma_kernel_figures_of(const struct tma_kernel_report_input *input) {
    const struct tma_result *result = input->result;
    const struct tma_counters *counters = &result->counters;
    const struct tma_kernel *kernel = input->kernel;
    struct tma_kernel_figures figures = {.sms = result->sms};
    double cycles = (double)result->cycles;
    struct tma_machine own = tma_machine_at_clock(input->machine, kernel->sm_clock_mhz);
    struct tma_report_limits limits = tma_report_limits_of(&own, result);
    figures.clock = tma_kernel_clock_figures(input->machine, kernel, result);
    figures.sm_clock_mhz = own.sm_clock_mhz;
    for (uint32_t r = 0; r < kernel->role_count; r++)
        figures.threads += kernel->roles[r].warps * WARP_THREADS;
    figures.time_ns = figures.clock.ns;
    figures.moved_bytes = counters->bytes + counters->stored_bytes + counters->reduced_bytes;
    figures.gigabytes_per_second = tma_ratio((double)figures.moved_bytes, figures.time_ns);
    figures.bytes_per_cycle_per_sm =
        tma_ratio(tma_ratio((double)figures.moved_bytes, cycles), figures.sms);
    figures.memory = tma_memory_figures_of(result, tma_counted_mhz(&figures.clock, result->cycles));
    tma_limit_figures_of(&limits, result, &figures.memory, figures.sms, figures.limits);
    find_busy(result, figures.busy);
    figures.teraflops = tma_ratio(2 * (double)counters->multiply_adds, figures.time_ns * 1000);
    figures.tensor_of_all = tma_ratio(figures.busy[TMA_KERNEL_TENSOR] * figures.sms,
                                      own.sm_count * figures.clock.slowdown);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        for (int c = 0; c < TMA_ROLE_CAUSE_COUNT; c++)
            figures.role_cycles[r] += result->role_cycles[r][c];
        tma_share_out_tenths(result->role_cycles[r], TMA_ROLE_CAUSE_COUNT, figures.cause_tenths[r]);
    }
    return figures;
}

struct tma_cause_share tma_role_share(const struct tma_result *result,
                                      const struct tma_kernel_figures *figures, uint32_t role,
                                      enum tma_role_cause cause) {
    return (struct tma_cause_share){tma_role_cause_key(cause), tma_role_cause_text(cause),
                                    result->role_cycles[role][cause],
                                    figures->cause_tenths[role][cause]};
}
