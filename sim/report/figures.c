#include "report/figures.h"

#include <assert.h>
#include <math.h>

#include "report/ratio.h"

enum { MAX_PARTS = 64 };

static const struct {
    const char *key, *text;
} resources[TMA_RESOURCE_COUNT] = {
#define TMA_RESOURCE_ROW(name, key, text, figure) [name] = {key, text},
    TMA_RESOURCES(TMA_RESOURCE_ROW)
#undef TMA_RESOURCE_ROW
};

const char *tma_resource_key(enum tma_resource resource) {
    return resources[resource].key;
}

const char *tma_resource_text(enum tma_resource resource) {
    return resources[resource].text;
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
    figures->time_ns = tma_ratio(cycles * 1000, input->machine->sm_clock_mhz);
    figures->gigabytes_per_second = tma_ratio((double)figures->moved_bytes, figures->time_ns);
    figures->bytes_per_cycle = tma_ratio((double)figures->moved_bytes, cycles);
    figures->bytes_per_cycle_per_sm = tma_ratio(figures->bytes_per_cycle, figures->sms);
    figures->fill_bytes = counters->bytes - counters->tensor_bytes;
    uint64_t row_bytes = figures->moved_bytes - counters->copied_bytes + counters->prefetched_bytes;
    figures->row_bytes = tma_ratio((double)row_bytes, (double)counters->rows);
}

static void derive_consumers(struct tma_figures *figures, const struct tma_report_input *input) {
    uint32_t most_ways = 1;
    figures->worst_consumer = -1;
    for (uint32_t i = 0; i < input->workload->consumer_count; i++) {
        const struct tma_consumer_total *total = &input->result->consumers[i];
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

static void derive_causes(struct tma_figures *figures, const struct tma_result *result) {
    uint64_t sum = 0;
    for (int i = 0; i < TMA_CAUSE_COUNT; i++)
        sum += result->cause_cycles[i];
    assert(sum == result->slot_cycles);
    for (int i = 0; i < TMA_CAUSE_COUNT; i++)
        figures->cause_fraction[i] = tma_ratio((double)result->cause_cycles[i], (double)sum);
    tma_share_out_tenths(result->cause_cycles, TMA_CAUSE_COUNT, figures->cause_tenths);
}

static void derive_busy(struct tma_figures *figures, const struct tma_result *result) {
#define TMA_RESOURCE_BUSY(name, key, text, figure)                                                 \
    figures->busy[name] = isfinite(result->figure) ? result->figure : 0;
    TMA_RESOURCES(TMA_RESOURCE_BUSY)
#undef TMA_RESOURCE_BUSY
}

struct tma_figures tma_figures_of(const struct tma_report_input *input) {
    const struct tma_workload *workload = input->workload;
    struct tma_figures figures = {
        .sms = input->result->sms,
        .stages = (uint64_t)workload->cta_count * workload->iterations,
        .memory = tma_memory_figures_of(input->result, input->machine->sm_clock_mhz),
    };
    derive_rates(&figures, input);
    derive_consumers(&figures, input);
    derive_causes(&figures, input->result);
    derive_busy(&figures, input->result);
    tma_limit_figures_of(&input->limits, input->result, &figures.memory, figures.sms,
                         figures.limits);
    return figures;
}

struct tma_cause_share tma_slot_share(const struct tma_result *result,
                                      const struct tma_figures *figures, enum tma_cause cause) {
    return (struct tma_cause_share){tma_cause_key(cause), tma_cause_text(cause),
                                    result->cause_cycles[cause], figures->cause_tenths[cause]};
}
