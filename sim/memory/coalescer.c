/* The coalescer of a GPC, before L2: loads that ask for the same sectors of a line, as long as the
 * first one's answer has not passed the GPC's port, are one request for L2, whether they are of one
 * SM or of several, and the answer goes to all of them. A load of other sectors of that line passes
 * alone. */
#include "memory/flight.h"

/* As many as a note has: a line beyond TMA_L2_ADDRESS_LIMIT is never found again. */
#define LINE_BITS  ((UINT64_C(1) << 45) - 1)
#define CYCLE_BITS ((UINT64_C(1) << 63) - 1)

/* Where a request's GPC notes it. */
static struct tma_coalesced *note_of(const struct tma_memory *memory,
                                     const struct tma_request *request) {
    uint32_t hash = tma_hash_line(request->line);
    return &memory->coalescers[request->gpc].lines[hash % TMA_COALESCER_LINES];
}

static bool is_pending(const struct tma_coalesced *note, uint64_t line, uint64_t cycle) {
    return note->line == line && note->answered > 0 && (!note->passes || cycle < note->number);
}

/* The answer goes to this request too, and passed the port at `passed`; but what goes to the first
 * one's SM once more passes the port once more. */
static void land(struct tma_memory *memory, uint32_t entry, uint32_t first_sm, uint64_t cycle,
                 uint64_t passed) {
    const struct tma_request *request = tma_request_at(memory, entry);
    if (request->sm == first_sm)
        passed = tma_response_pass(memory, request, cycle);
    tma_response_land(memory, entry, cycle, passed);
}

/* The answer goes to this request too: with the first one where that has yet to come back, or else
 * behind it. */
static void join(struct tma_memory *memory, struct tma_coalesced *note, uint32_t entry,
                 uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    note->answered = (note->answered + 1u) & TMA_MAX_COALESCED;
    if (!note->passes) {
        struct tma_request *first = tma_request_at(memory, (uint32_t)note->number);
        request->next = first->riders;
        first->riders = entry;
        return;
    }
    request->known_cycles = memory->machine.crossbar.request_cycles;
    land(memory, entry, note->sm, cycle, note->number);
}

bool tma_coalesce(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    const struct tma_request *request = tma_request_at(memory, entry);
    struct tma_coalesced *note = note_of(memory, request);
    bool pending = is_pending(note, request->line, cycle);
    if (pending && note->sectors != request->asked)
        return false;
    if (pending && note->answered < memory->machine.crossbar.coalesced_requests) {
        join(memory, note, entry, cycle);
        return true;
    }
    *note = (struct tma_coalesced){.line = request->line & LINE_BITS,
                                   .sectors = request->asked,
                                   .answered = 1,
                                   .sm = request->sm,
                                   .number = entry};
    return false;
}

void tma_coalescer_pass(struct tma_memory *memory, uint32_t entry, uint64_t passed) {
    struct tma_coalesced *note = note_of(memory, tma_request_at(memory, entry));
    if (note->passes || note->number != entry)
        return;
    note->passes = 1;
    note->number = passed & CYCLE_BITS;
}

/* This one found out what the first one did, but no earlier than it was at the slice. */
void tma_coalescer_land(struct tma_memory *memory, uint32_t entry, const struct tma_request *first,
                        uint64_t cycle, uint64_t passed) {
    struct tma_request *request = tma_request_at(memory, entry);
    uint64_t known = tma_known_cycle(first), ready = known + first->dram_cycles;
    uint64_t reached = request->sent_cycle + memory->machine.crossbar.request_cycles;
    if (known < reached)
        known = reached;
    request->known_cycles = (uint32_t)(known - request->sent_cycle);
    request->dram_cycles = ready > known ? (uint32_t)(ready - known) : 0;
    land(memory, entry, first->sm, cycle, passed);
}
