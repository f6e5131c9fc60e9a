/* The coalescer of a GPC, on the way from its SMs to L2: loads that ask for the same sectors of a
 * line, one soon after the other, whether of one SM or of several, go to L2 as one request, and the
 * answer goes to all of them. A load of other sectors of that line passes alone. */
#include "memory/flight.h"

/* Where a request's GPC notes it. */
static struct tma_coalesced *note_of(const struct tma_memory *memory,
                                     const struct tma_request *request) {
    uint32_t hash = tma_hash_line(request->line);
    return &memory->coalescers[request->gpc].lines[hash % TMA_COALESCER_LINES];
}

bool tma_coalesce(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_coalesced *sent = note_of(memory, request);
    bool pending = sent->count > 0 && sent->line == request->line && cycle <= sent->until_cycle;
    if (pending && sent->sectors != request->asked)
        return false;
    if (pending && sent->count < memory->machine.crossbar.coalesced_requests) {
        struct tma_request *first = tma_request_at(memory, sent->first);
        request->next = first->riders;
        first->riders = entry;
        sent->count++;
        return true;
    }
    *sent = (struct tma_coalesced){.line = request->line,
                                   .until_cycle = cycle + memory->coalesce_cycles,
                                   .first = entry,
                                   .sectors = request->asked,
                                   .count = 1};
    return false;
}

void tma_coalesced_answer(const struct tma_memory *memory, struct tma_request *request,
                          const struct tma_request *first) {
    uint64_t known = tma_known_cycle(first), ready = known + first->dram_cycles;
    uint64_t reached = request->sent_cycle + memory->machine.crossbar.request_cycles;
    if (known < reached)
        known = reached;
    request->known_cycles = (uint32_t)(known - request->sent_cycle);
    request->dram_cycles = ready > known ? (uint32_t)(ready - known) : 0;
}
