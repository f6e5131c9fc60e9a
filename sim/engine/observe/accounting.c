#include "engine/observe/accounting.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "memory/topology.h"

bool tma_accounting_create(struct tma_accounting *accounting, const struct tma_machine *machine,
                           uint64_t cta_count, struct tma_result *result) {
    *result = (struct tma_result){0};
    *accounting = (struct tma_accounting){
        .machine = machine,
        .result = result,
        .latencies = tma_histogram_new(),
        .cta_count = cta_count,
        .cta_cycles = tma_allocate(cta_count, sizeof *accounting->cta_cycles),
        .cta_spans = tma_allocate(cta_count, sizeof *accounting->cta_spans)};
    return accounting->latencies != NULL && accounting->cta_cycles != NULL &&
           accounting->cta_spans != NULL;
}

void tma_accounting_free(struct tma_accounting *accounting) {
    tma_histogram_free(accounting->latencies);
    TMA_RELEASE(accounting->cta_cycles, accounting->cta_spans);
    *accounting = (struct tma_accounting){0};
}

/* Only loads complete bytes on an mbarrier; the bytes of other operations are those of the tensor.
 */
static void count_bytes(struct tma_counters *counters, enum tma_direction direction,
                        const struct tma_completion *completion) {
    switch (direction) {
    case TMA_LOAD:
        counters->bytes += completion->bytes;
        counters->tensor_bytes += completion->tensor_bytes;
        counters->copied_bytes += completion->copied ? completion->bytes : 0;
        break;
    case TMA_STORE:
        counters->stored_bytes += completion->tensor_bytes;
        break;
    case TMA_REDUCE:
        counters->reduced_bytes += completion->tensor_bytes;
        break;
    case TMA_PREFETCH:
        counters->prefetched_bytes += completion->tensor_bytes;
        break;
    }
}

void tma_account_completion(struct tma_accounting *accounting, enum tma_direction direction,
                            const struct tma_completion *completion) {
    struct tma_counters *counters = &accounting->result->counters;
    counters->operations += !completion->copied;
    if (counters->operations == accounting->quarter && !completion->copied)
        accounting->result->quarter_cycles = completion->cycle;
    counters->rows += completion->rows;
    counters->rows_out_of_bounds += completion->rows_out_of_bounds;
    count_bytes(counters, direction, completion);
    tma_histogram_add(accounting->latencies, completion->cycle - completion->issue_cycle);
}

void tma_find_stage_causes(const struct tma_machine *machine, const struct tma_completion *last,
                           uint64_t free_cycle, uint64_t causes[TMA_CAUSE_COUNT]) {
    uint64_t queued = last->issue_cycle + machine->tma.issue_cycles;
    /* What holds up a write is no access, but the queue of the channel. */
    uint64_t access = last->writes ? 0 : tma_machine_dram_cycles(machine);
    uint64_t held =
        last->writes ? (uint64_t)last->crossbar_cycles + last->l2_cycles + last->dram_cycles : 0;
    uint64_t dram = last->dram_cycles < access ? last->dram_cycles : access;
    uint64_t early = free_cycle > last->issue_cycle ? free_cycle - last->issue_cycle : 0;
    assert(last->start_cycle >= queued + last->descriptor_cycles &&
           last->sent_cycle >= last->start_cycle + held);
    const uint64_t found[TMA_CAUSE_COUNT] = {
        [TMA_CAUSE_CLUSTER] = early > 0 ? 0 : last->issue_cycle - free_cycle,
        [TMA_CAUSE_ISSUE] = machine->tma.issue_cycles,
        [TMA_CAUSE_TMA_QUEUE] = last->start_cycle - queued - last->descriptor_cycles,
        [TMA_CAUSE_DESCRIPTOR] = last->descriptor_cycles,
        [TMA_CAUSE_TMA_ROWS] = last->sent_cycle - last->start_cycle - held,
        [TMA_CAUSE_CROSSBAR] = last->crossbar_cycles,
        [TMA_CAUSE_CROSSBAR_QUEUE] = last->crossbar_wait_cycles,
        [TMA_CAUSE_L2] = last->l2_cycles,
        [TMA_CAUSE_DRAM] = dram,
        [TMA_CAUSE_DRAM_QUEUE] = last->dram_cycles - dram,
        [TMA_CAUSE_SHARED_WRITE] = last->cycle - last->arrival_cycle,
    };
    memcpy(causes, found, sizeof found);
    for (int cause = TMA_CAUSE_ISSUE; cause <= TMA_CAUSE_SHARED_WRITE; cause++) {
        uint64_t before = causes[cause] < early ? causes[cause] : early;
        causes[cause] -= before;
        early -= before;
    }
}

void tma_account_stage(struct tma_accounting *accounting, const uint64_t causes[TMA_CAUSE_COUNT]) {
    for (int cause = 0; cause < TMA_CAUSE_COUNT; cause++)
        accounting->result->cause_cycles[cause] += causes[cause];
}

void tma_account_passes(struct tma_accounting *accounting, uint32_t consumer,
                        const struct tma_consumer_report *report, uint64_t passes) {
    struct tma_consumer_total *total = &accounting->result->consumers[consumer];
    total->instructions += passes * report->instructions;
    total->wavefronts += passes * report->wavefronts;
    total->ideal_wavefronts += passes * report->ideal_wavefronts;
}

void tma_account_consumer(struct tma_accounting *accounting, uint32_t consumer,
                          const struct tma_consumer_report *report, uint64_t passes,
                          uint64_t waited_cycles, uint64_t busy_cycles) {
    tma_account_passes(accounting, consumer, report, passes);
    accounting->result->cause_cycles[TMA_CAUSE_CONSUME_QUEUE] += waited_cycles;
    accounting->result->cause_cycles[TMA_CAUSE_CONSUME] += busy_cycles;
}

void tma_account_cta(struct tma_accounting *accounting, uint64_t cycles, uint64_t end_cycle) {
    assert(accounting->ended_ctas < accounting->cta_count);
    accounting->cta_spans[accounting->ended_ctas] =
        (struct tma_cta_span){end_cycle - cycles, end_cycle};
    accounting->cta_cycles[accounting->ended_ctas++] = cycles;
    if (end_cycle > accounting->last_cycle)
        accounting->last_cycle = end_cycle;
}

static double fraction(uint64_t busy_cycles, uint64_t cycles, uint32_t servers) {
    return cycles == 0 ? 0 : (double)busy_cycles / ((double)cycles * servers);
}

/* Adds what a sampled run left out to the figures of its CTAs and operations. */
static void add_skipped(const struct tma_skipped *skipped, uint32_t places,
                        struct tma_result *result) {
    struct tma_distribution *ctas = &result->cta_cycles;
    uint64_t all = skipped->cycles * places;
    result->latency_cycles.count += skipped->latencies;
    if (skipped->ctas > 0) {
        uint64_t busy = skipped->cta_cycles < all ? skipped->cta_cycles : all;
        ctas->count += skipped->ctas;
        result->waves.count += (uint32_t)(skipped->ctas / places);
        result->waves.idle_place_cycles += all - busy;
    }
    ctas->min += skipped->each_cycles;
    ctas->median += skipped->each_cycles;
    ctas->p95 += skipped->each_cycles;
    ctas->max += skipped->each_cycles;
}

/* GPCs that have an SM in use. */
static uint32_t gpcs_in_use(const struct tma_machine *machine, const struct tma_sm *sms,
                            uint32_t sm_count) {
    uint32_t gpcs[TMA_MAX_SMS], count = 0;
    bool used[TMA_MAX_GPCS] = {false};
    tma_machine_gpcs(machine, gpcs);
    for (uint32_t i = 0; i < sm_count; i++)
        used[gpcs[sms[i].number]] = true;
    for (uint32_t gpc = 0; gpc < machine->topology.gpc_count; gpc++)
        count += used[gpc];
    return count;
}

static void copy_counters(struct tma_counters *counters, const struct tma_memory_counters *memory) {
    counters->l2_requests = memory->requests;
    counters->l2_sectors = memory->sectors;
    counters->l2_sector_hits = memory->hit_sectors;
    counters->l2_sector_misses = memory->miss_sectors;
    counters->l2_lookup_miss_sectors = memory->lookup_miss_sectors;
    counters->sm_read_sectors = memory->response_sectors;
    counters->sm_write_sectors = memory->write_sectors;
    counters->l2_fills = memory->fills;
    counters->l2_fill_sectors = memory->fill_sectors;
    counters->l2_fill_unused_sectors = memory->unused_sectors;
    counters->l2_evictions = memory->evictions;
    counters->dram_read_sectors = memory->dram_read_sectors;
    counters->dram_write_sectors = memory->dram_write_sectors;
    counters->shared_write_wavefronts = memory->shared_write_wavefronts;
    counters->accesses = memory->accesses;
    counters->access_sectors = memory->access_sectors;
    counters->access_bytes = memory->access_bytes;
    counters->access_repeats = memory->access_repeats;
    counters->dsmem_accesses = memory->dsmem_accesses;
    counters->dsmem_bytes = memory->dsmem_bytes;
    counters->dsmem_flits = memory->dsmem_flits;
    counters->l1_sectors = memory->l1_sectors;
    counters->l1_hit_sectors = memory->l1_hit_sectors;
    counters->descriptor_fetches = memory->descriptor_fetches;
    counters->descriptor_l2_fetches = memory->descriptor_l2_fetches;
    counters->descriptor_dram_fetches = memory->descriptor_dram_fetches;
    counters->descriptor_cycles = memory->descriptor_cycles;
}

static int by_start(const void *a, const void *b) {
    const struct tma_cta_span *x = a, *y = b;
    return (x->start_cycle > y->start_cycle) - (x->start_cycle < y->start_cycle);
}

/* The time of all places, from a cycle to the end of the run, in which they have no CTA. */
static uint64_t idle_from(const struct tma_accounting *accounting, uint64_t cycle,
                          uint32_t places) {
    uint64_t all = (accounting->last_cycle - cycle) * places, busy = 0;
    for (uint64_t i = 0; i < accounting->ended_ctas; i++) {
        const struct tma_cta_span *span = &accounting->cta_spans[i];
        uint64_t start = span->start_cycle > cycle ? span->start_cycle : cycle;
        busy += span->end_cycle > start ? span->end_cycle - start : 0;
    }
    return all > busy ? all - busy : 0;
}

/* CTAs start in the order of their waves. */
static struct tma_waves waves_of(struct tma_accounting *accounting, uint32_t places) {
    uint32_t ctas = (uint32_t)accounting->ended_ctas;
    struct tma_waves waves = {.count = (ctas + places - 1) / places,
                              .ctas = places,
                              .last_ctas = ctas > places ? ctas % places : 0,
                              .idle_place_cycles = idle_from(accounting, 0, places)};
    if (waves.last_ctas == 0)
        return waves;
    qsort(accounting->cta_spans, ctas, sizeof *accounting->cta_spans, by_start);
    uint64_t start = accounting->cta_spans[ctas - waves.last_ctas].start_cycle;
    waves.last_cycles = accounting->last_cycle - start;
    waves.last_idle_place_cycles = idle_from(accounting, start, places);
    return waves;
}

void tma_account_run(struct tma_accounting *accounting, const struct tma_memory_counters *counters,
                     const struct tma_sm *sms, uint32_t sm_count, uint32_t places) {
    const struct tma_machine *machine = accounting->machine;
    struct tma_result *result = accounting->result;
    uint64_t cycles = accounting->last_cycle + accounting->skipped.cycles;
    uint64_t memory_cycles = counters->last_cycle + accounting->skipped.cycles;
    if (memory_cycles < cycles)
        memory_cycles = cycles;
    result->cycles = cycles;
    result->memory_cycles = memory_cycles;
    result->gpcs = gpcs_in_use(machine, sms, sm_count);
    result->sms = sm_count;
    result->waves = waves_of(accounting, places);
    result->cta_cycles =
        tma_distribution_of(accounting->cta_cycles, (size_t)accounting->ended_ctas);
    result->latency_cycles = tma_histogram_distribution(accounting->latencies);
    add_skipped(&accounting->skipped, places, result);
    for (int cause = 0; cause < TMA_CAUSE_COUNT; cause++)
        result->slot_cycles += result->cause_cycles[cause];
    copy_counters(&result->counters, counters);
    result->busy_tma = fraction(counters->tma_busy, cycles, sm_count);
    result->busy_sm_port = fraction(counters->sm_port_busy, cycles, sm_count);
    result->busy_crossbar = fraction(counters->gpc_port_busy, memory_cycles, result->gpcs);
    result->busy_l2 = fraction(counters->slice_busy, memory_cycles, machine->l2.slices);
    result->busy_dram = fraction(counters->bus_busy, memory_cycles, machine->dram.channels);
    result->busy_shared = fraction(counters->shared_busy, cycles, sm_count);
    result->busy_lsu = fraction(counters->lsu_busy, cycles, sm_count);
    result->busy_l1_misses =
        fraction(counters->l1_miss_cycles, cycles * machine->l1.misses, sm_count);
    result->busy_dsmem = fraction(counters->dsmem_busy, cycles, sm_count);
    result->busy_atomics = fraction(counters->atomic_busy, memory_cycles, 1);
}
