/* What a run adds up to: latencies, causes, consumers, counters; and the events of its operations.
 */
#include <assert.h>

#include "engine/simulation.h"

void tma_simulation_event(struct simulation *simulation, uint64_t cycle, const struct slot *slot,
                          enum tma_event_kind kind, uint64_t a, uint64_t b, uint64_t c,
                          uint64_t d) {
    if (simulation->events == NULL)
        return;
    struct tma_event event = {.cycle = cycle,
                              .sm = slot->sm->number,
                              .cta = slot->sm->cta,
                              .slot = slot->index,
                              .kind = kind,
                              .figures = {a, b, c, d}};
    if (!tma_event_order_add(simulation->events, &event))
        tma_simulation_fail(simulation, TMA_ERROR_MEMORY, "out of memory");
}

void tma_account_completion(struct simulation *simulation, const struct slot *slot,
                            const struct tma_completion *completion) {
    struct tma_counters *counters = &simulation->result->counters;
    uint32_t number = (uint32_t)completion->tag;
    counters->operations += !completion->copied;
    counters->rows += completion->rows;
    counters->rows_out_of_bounds += completion->rows_out_of_bounds;
    counters->bytes += completion->bytes;
    counters->tensor_bytes += completion->tensor_bytes;
    counters->copied_bytes += completion->copied ? completion->bytes : 0;
    tma_histogram_add(simulation->latencies, completion->cycle - completion->issue_cycle);
    if (simulation->events == NULL)
        return;
    tma_simulation_event(simulation, completion->cycle, slot, TMA_EVENT_ARRIVAL, number,
                         completion->bytes, completion->cycle - completion->issue_cycle, 0);
    if (completion->copied)
        return;
    if (completion->descriptor_cycles > 0)
        tma_simulation_event(simulation, completion->start_cycle, slot, TMA_EVENT_TENSORMAP, number,
                             tma_slot_descriptor(slot, number), completion->descriptor_cycles, 0);
    tma_simulation_event(simulation, completion->rows_cycle, slot, TMA_EVENT_ROWS, number,
                         completion->rows, completion->requests, completion->rows_out_of_bounds);
    if (completion->fills > 0)
        tma_simulation_event(simulation, completion->fill_cycle, slot, TMA_EVENT_L2_FILL, number,
                             completion->fills, completion->fill_sectors, completion->miss_sectors);
    tma_event_order_close(simulation->events,
                          slot->windows[number % simulation->workload->operation_count]);
}

void tma_account_stage(struct simulation *simulation, const struct slot *slot) {
    const struct tma_completion *last = &slot->last;
    const struct tma_machine *machine = simulation->machine;
    uint64_t *causes = simulation->result->cause_cycles;
    uint64_t queued = last->issue_cycle + machine->tma.issue_cycles;
    uint64_t access = (uint64_t)machine->dram.access_cycles + machine->dram.activate_cycles;
    uint64_t dram = last->dram_cycles < access ? last->dram_cycles : access;
    assert(last->start_cycle >= queued + last->descriptor_cycles &&
           last->sent_cycle >= last->start_cycle);
    causes[TMA_CAUSE_CLUSTER] += last->issue_cycle - slot->free_cycle;
    causes[TMA_CAUSE_ISSUE] += machine->tma.issue_cycles;
    causes[TMA_CAUSE_TMA_QUEUE] += last->start_cycle - queued - last->descriptor_cycles;
    causes[TMA_CAUSE_DESCRIPTOR] += last->descriptor_cycles;
    causes[TMA_CAUSE_TMA_ROWS] += last->sent_cycle - last->start_cycle;
    causes[TMA_CAUSE_CROSSBAR] += last->crossbar_cycles;
    causes[TMA_CAUSE_CROSSBAR_QUEUE] += last->crossbar_wait_cycles;
    causes[TMA_CAUSE_L2] += last->l2_cycles;
    causes[TMA_CAUSE_DRAM] += dram;
    causes[TMA_CAUSE_DRAM_QUEUE] += last->dram_cycles - dram;
    causes[TMA_CAUSE_SHARED_WRITE] += last->cycle - last->arrival_cycle;
}

void tma_account_consumer(struct simulation *simulation, uint32_t consumer, const struct slot *slot,
                          uint64_t waited_cycles, uint64_t busy_cycles) {
    const struct tma_consumer_report *report = slot_report(slot, consumer);
    struct tma_consumer_total *total = &simulation->result->consumers[consumer];
    uint64_t passes = simulation->workload->consumers[consumer].repeat;
    uint64_t now = tma_simulation_now(simulation);
    total->instructions += passes * report->instructions;
    total->wavefronts += passes * report->wavefronts;
    total->ideal_wavefronts += passes * report->ideal_wavefronts;
    simulation->result->cause_cycles[TMA_CAUSE_CONSUME_QUEUE] += waited_cycles;
    simulation->result->cause_cycles[TMA_CAUSE_CONSUME] += busy_cycles;
    if (now > slot->sm->cta_end)
        slot->sm->cta_end = now;
    tma_simulation_event(simulation, now, slot, TMA_EVENT_CONSUME, consumer,
                         passes * report->instructions, passes * report->wavefronts,
                         passes * (report->wavefronts - report->ideal_wavefronts));
}

static double fraction(uint64_t busy_cycles, uint64_t cycles, uint32_t servers) {
    return cycles == 0 ? 0 : (double)busy_cycles / ((double)cycles * servers);
}

/* GPCs that have an SM in use. */
static uint32_t gpcs_in_use(const struct simulation *simulation) {
    const struct tma_machine *machine = simulation->machine;
    uint32_t count = 0, at = 0;
    for (uint32_t gpc = 0; gpc < machine->topology.gpc_count; gpc++) {
        bool used = false;
        for (uint32_t i = 0; i < machine->topology.gpc_size[gpc]; i++, at++)
            for (uint32_t s = 0; s < simulation->sm_count; s++)
                used = used || simulation->sms[s].number == machine->topology.sms[at];
        count += used;
    }
    return count;
}

void tma_account_memory(struct simulation *simulation) {
    const struct tma_machine *machine = simulation->machine;
    struct tma_memory_counters memory = tma_memory_count(simulation->memory);
    struct tma_result *result = simulation->result;
    struct tma_counters *counters = &result->counters;
    counters->l2_requests = memory.requests;
    counters->l2_sectors = memory.sectors;
    counters->l2_sector_hits = memory.hit_sectors;
    counters->l2_sector_misses = memory.miss_sectors;
    counters->l2_lookup_miss_sectors = memory.lookup_miss_sectors;
    counters->sm_read_sectors = memory.response_sectors;
    counters->sm_write_sectors = memory.write_sectors;
    counters->l2_fills = memory.fills;
    counters->l2_fill_sectors = memory.fill_sectors;
    counters->l2_fill_unused_sectors = memory.unused_sectors;
    counters->l2_evictions = memory.evictions;
    counters->dram_read_sectors = memory.dram_read_sectors;
    counters->dram_write_sectors = memory.dram_write_sectors;
    counters->shared_write_wavefronts = memory.shared_write_wavefronts;
    counters->descriptor_fetches = memory.descriptor_fetches;
    counters->descriptor_l2_fetches = memory.descriptor_l2_fetches;
    counters->descriptor_dram_fetches = memory.descriptor_dram_fetches;
    counters->descriptor_cycles = memory.descriptor_cycles;
    uint64_t shared = 0;
    for (uint32_t i = 0; i < simulation->sm_count; i++)
        shared += simulation->sms[i].shared.busy_ticks / TMA_TICKS;
    result->busy_tma = fraction(memory.tma_busy, result->cycles, simulation->sm_count);
    result->busy_sm_port = fraction(memory.sm_port_busy, result->cycles, simulation->sm_count);
    result->busy_crossbar = fraction(memory.gpc_port_busy, result->cycles, gpcs_in_use(simulation));
    result->busy_l2 = fraction(memory.slice_busy, result->cycles, machine->l2.slices);
    result->busy_dram = fraction(memory.bus_busy, result->cycles, machine->dram.channels);
    result->busy_shared = fraction(shared, result->cycles, simulation->sm_count);
}
