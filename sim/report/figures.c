#include "report/figures.h"

#include <assert.h>
#include <math.h>

#include "report/decimal.h"

enum { MAX_PARTS = 64 };

static const struct {
    const char *key, *text, *slot_text;
} resources[TMA_RESOURCE_COUNT] = {
#define TMA_RESOURCE_ROW(name, key, text, slot_text, figure) [name] = {key, text, slot_text},
    TMA_RESOURCES(TMA_RESOURCE_ROW)
#undef TMA_RESOURCE_ROW
};

/* A machine without such a resource has no fraction. */
static void find_busy(const struct tma_result *result, double busy[TMA_RESOURCE_COUNT]) {
#define TMA_RESOURCE_BUSY(name, key, text, slot_text, figure)                                      \
    busy[name] = isfinite(result->figure) ? result->figure : 0;
    TMA_RESOURCES(TMA_RESOURCE_BUSY)
#undef TMA_RESOURCE_BUSY
}

struct tma_busy tma_busiest_of(const struct tma_result *result) {
    double busy[TMA_RESOURCE_COUNT];
    int busiest = TMA_RESOURCE_TMA;
    find_busy(result, busy);
    for (int i = 0; i < TMA_RESOURCE_COUNT; i++)
        if (busy[i] > busy[busiest])
            busiest = i;
    return (struct tma_busy){resources[busiest].key, resources[busiest].text, busy[busiest]};
}

void tma_share_out_tenths(const uint64_t *parts, size_t count, uint32_t *tenths) {
    assert(count <= MAX_PARTS);
    uint64_t remainders[MAX_PARTS] = {0};
    uint64_t sum = 0;
    uint32_t given = 0;
    for (size_t i = 0; i < count; i++)
        sum += parts[i];
    for (size_t i = 0; i < count; i++) {
        tenths[i] = sum == 0 ? 0 : (uint32_t)(parts[i] * 1000 / sum);
        remainders[i] = sum == 0 ? 0 : parts[i] * 1000 % sum;
        given += tenths[i];
    }
    for (; sum > 0 && given < 1000; given++) {
        size_t largest = 0;
        for (size_t i = 1; i < count; i++)
            if (remainders[i] > remainders[largest])
                largest = i;
        tenths[largest]++;
        remainders[largest] = 0;
    }
}

static void derive_rates(struct tma_figures *figures, const struct tma_report_input *input) {
    const struct tma_counters *counters = &input->result->counters;
    double cycles = (double)input->result->cycles;
    figures->moved_bytes = counters->bytes + counters->stored_bytes + counters->reduced_bytes;
    figures->gigabytes_per_second = tma_ratio((double)figures->moved_bytes, figures->time_ns);
    figures->bytes_per_cycle = tma_ratio((double)figures->moved_bytes, cycles);
    figures->bytes_per_cycle_per_sm = tma_ratio(figures->bytes_per_cycle, figures->sms);
    figures->fill_bytes = counters->bytes - counters->tensor_bytes;
    uint64_t row_bytes = figures->moved_bytes - counters->copied_bytes + counters->prefetched_bytes;
    figures->row_bytes = tma_ratio((double)row_bytes, (double)counters->rows);
    figures->teraflops = tma_ratio(2 * (double)counters->multiply_adds, figures->time_ns * 1000);
}

/* Consumers that a kernel lacks have no wavefronts. */
static void derive_consumers(struct tma_figures *figures, const struct tma_report_input *input) {
    const struct tma_result *result = input->result;
    uint32_t count = input->kernel != NULL ? TMA_MAX_CONSUMERS : input->workload->consumer_count;
    uint32_t most_ways = 1;
    figures->worst_consumer = -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct tma_consumer_total *total = &result->consumers[i];
        figures->wavefronts += total->wavefronts;
        figures->ideal_wavefronts += total->ideal_wavefronts;
        if (total->tile.worst.ways > most_ways) {
            most_ways = total->tile.worst.ways;
            figures->worst_consumer = (int)i;
        }
    }
    if (figures->wavefronts > figures->ideal_wavefronts)
        figures->excess_wavefronts = figures->wavefronts - figures->ideal_wavefronts;
    figures->excess_fraction =
        tma_ratio((double)figures->excess_wavefronts, (double)figures->wavefronts);
}

static void derive_slots(struct tma_figures *figures, const struct tma_result *result) {
    uint64_t sum = 0;
    for (int i = 0; i < TMA_CAUSE_COUNT; i++)
        sum += result->cause_cycles[i];
    assert(sum == result->slot_cycles);
    tma_share_out_tenths(result->cause_cycles, TMA_CAUSE_COUNT, figures->slot_tenths);
}

static void derive_roles(struct tma_figures *figures, const struct tma_kernel *kernel,
                         const struct tma_result *result) {
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        figures->threads += kernel->roles[r].warps * TMA_WARP_LANES;
        for (int c = 0; c < TMA_ROLE_CAUSE_COUNT; c++)
            figures->role_cycles[r] += result->role_cycles[r][c];
        tma_share_out_tenths(result->role_cycles[r], TMA_ROLE_CAUSE_COUNT, figures->role_tenths[r]);
    }
}

static void derive_busy(struct tma_figures *figures, const struct tma_result *result,
                        bool has_roles) {
    /* Of the short form, in the order of a load's way. */
    static const enum tma_resource ways[] = {TMA_RESOURCE_TMA,      TMA_RESOURCE_SM_PORT,
                                             TMA_RESOURCE_CROSSBAR, TMA_RESOURCE_L2,
                                             TMA_RESOURCE_DRAM,     TMA_RESOURCE_SHARED};
    double busy[TMA_RESOURCE_COUNT];
    find_busy(result, busy);
    figures->busy_count = has_roles ? TMA_RESOURCE_COUNT : sizeof ways / sizeof ways[0];
    for (size_t i = 0; i < figures->busy_count; i++) {
        size_t own = has_roles ? i : ways[i];
        figures->busy[i] = (struct tma_busy){
            resources[own].key, has_roles ? resources[own].text : resources[own].slot_text,
            busy[own]};
    }
}

struct tma_figures tma_figures_of(const struct tma_report_input *input) {
    const struct tma_result *result = input->result;
    const struct tma_kernel *kernel = input->kernel;
    struct tma_figures figures = {.sms = result->sms, .sm_clock_mhz = input->machine->sm_clock_mhz};
    struct tma_report_limits limits;
    uint32_t counted_mhz = figures.sm_clock_mhz;
    if (kernel != NULL) {
        struct tma_machine own = tma_machine_at_clock(input->machine, kernel->sm_clock_mhz);
        limits = tma_report_limits_of(&own, result);
        figures.sm_clock_mhz = own.sm_clock_mhz;
        figures.clock = tma_kernel_clock_figures(input->machine, kernel, result);
        counted_mhz = tma_counted_mhz(&figures.clock, result->cycles);
        figures.time_ns = figures.clock.ns;
        figures.tensor_of_all =
            tma_ratio((isfinite(result->busy_tensor) ? result->busy_tensor : 0) * figures.sms,
                      own.sm_count * figures.clock.slowdown);
        figures.idle = result->statements == 0;
        derive_roles(&figures, kernel, result);
    } else {
        limits = tma_report_limits_of(input->machine, result);
        figures.time_ns = tma_ratio((double)result->cycles * 1000, figures.sm_clock_mhz);
        figures.idle = result->counters.operations == 0;
        derive_slots(&figures, result);
    }
    figures.memory = tma_memory_figures_of(result, counted_mhz);
    tma_limit_figures_of(&limits, result, &figures.memory, figures.sms, figures.limits);
    derive_rates(&figures, input);
    derive_consumers(&figures, input);
    derive_busy(&figures, result, kernel != NULL);
    return figures;
}

void tma_busy_shares(const struct tma_figures *figures,
                     struct tma_cause_share shares[TMA_RESOURCE_COUNT]) {
    for (size_t i = 0; i < figures->busy_count; i++) {
        const struct tma_busy *busy = &figures->busy[i];
        shares[i] = (struct tma_cause_share){busy->key, busy->text, 0,
                                             (uint32_t)lround(1000 * busy->fraction)};
    }
}

struct tma_cause_share tma_slot_share(const struct tma_result *result,
                                      const struct tma_figures *figures, enum tma_cause cause) {
    return (struct tma_cause_share){tma_cause_key(cause), tma_cause_text(cause),
                                    result->cause_cycles[cause], figures->slot_tenths[cause]};
}

struct tma_cause_share tma_role_share(const struct tma_result *result,
                                      const struct tma_figures *figures, uint32_t role,
                                      enum tma_role_cause cause) {
    return (struct tma_cause_share){tma_role_cause_key(cause), tma_role_cause_text(cause),
                                    result->role_cycles[role][cause],
                                    figures->role_tenths[role][cause]};
}
