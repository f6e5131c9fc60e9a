/* The way back: what L2 answers passes the port of a GPC once for all the SMs that it goes to, and
 * then the port of each. Slices lie at different distances; who comes from further arrives later,
 * and holds up nobody. */
#include "memory/flight.h"

/* Notes the way of the request that arrived last. */
static void note_way(const struct tma_memory *memory, const struct tma_request *request,
                     struct tma_completion *completion, uint64_t come, uint64_t arrival) {
    uint64_t reached = request->sent_cycle + memory->machine.crossbar.request_cycles;
    completion->arrival_cycle = arrival;
    completion->sent_cycle = request->sent_cycle;
    completion->l2_cycles = (uint32_t)(tma_known_cycle(request) - reached);
    completion->dram_cycles = request->dram_cycles;
    completion->crossbar_wait_cycles = (uint32_t)(arrival - come);
    completion->crossbar_cycles =
        (uint32_t)(come - request->sent_cycle) - completion->l2_cycles - completion->dram_cycles;
}

/* On to the SM's port, and into shared memory. */
void tma_flight_deliver(struct tma_memory *memory, struct tma_flight *flight, uint32_t sm,
                        const struct tma_request *request, uint64_t cycle, uint64_t passed) {
    uint32_t sectors = tma_sector_count(request->asked);
    uint32_t response = memory->machine.crossbar.response_cycles;
    uint32_t hop = tma_hop_cycles(memory, request->gpc, &request->place);
    uint64_t arrival =
        tma_port_serve(&memory->sm_ports[sm], passed + response, sectors * memory->sm_sector_ticks);
    arrival =
        tma_shared_port_arrive(&memory->shared[sm], cycle, arrival + hop, memory->wavefront_ticks);
    memory->counters.shared_write_wavefronts++;
    memory->counters.response_sectors += sectors;
    if (arrival >= flight->completion.arrival_cycle)
        note_way(memory, request, &flight->completion, cycle + response + hop, arrival);
}

void tma_response_land(struct tma_memory *memory, uint32_t entry, uint64_t cycle, uint64_t passed) {
    const struct tma_request *request = tma_request_at(memory, entry);
    uint32_t index = request->flight;
    struct tma_flight *flight = &memory->flights[index];
    bool multicast = flight->copies != TMA_NONE;
    tma_flight_deliver(memory, flight, request->sm, request, cycle, passed);
    if (multicast)
        tma_multicast_deliver(memory, request, cycle, passed);
    tma_request_free(memory, entry);
    if (flight->outstanding == 1 && flight->generated) {
        if (multicast)
            tma_multicast_complete(memory, index);
        tma_flight_complete(memory, index,
                            flight->completion.arrival_cycle + memory->machine.tma.complete_cycles);
    }
    tma_flight_drop(memory, index);
}

uint64_t tma_response_pass(struct tma_memory *memory, const struct tma_request *request,
                           uint64_t cycle) {
    uint64_t ticks = tma_sector_count(request->asked) * memory->gpc_sector_ticks;
    return tma_port_serve(&memory->gpc_ports[request->gpc], cycle, ticks);
}

/* The others that are answered with the first one, which had a list of them. */
static void land_riders(struct tma_memory *memory, const struct tma_request *first, uint64_t cycle,
                        uint64_t passed) {
    uint32_t next;
    for (uint32_t rider = first->riders; rider != TMA_NONE; rider = next) {
        next = tma_request_at(memory, rider)->next;
        tma_coalescer_land(memory, rider, first, cycle, passed);
    }
}

void tma_response_arrive(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    const struct tma_request *request = tma_request_at(memory, entry);
    uint64_t passed = tma_response_pass(memory, request, cycle);
    if (request->coalesces)
        tma_coalescer_pass(memory, entry, passed);
    if (request->riders == TMA_NONE) {
        tma_response_land(memory, entry, cycle, passed);
        return;
    }
    const struct tma_request first = *request;
    tma_response_land(memory, entry, cycle, passed);
    land_riders(memory, &first, cycle, passed);
}
