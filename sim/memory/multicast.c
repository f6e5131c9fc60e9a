/* Multicast: one SM of a cluster loads for several. Its TMA unit asks L2 once; the crossbar brings
 * the data to their GPC once, and from there to each of them, through its own port. Each SM but the
 * one that asked has a flight that makes no requests: the data that arrive and the completion. */
#include "memory/flight.h"

bool tma_multicast_add(struct tma_memory *memory, uint32_t index, const struct tma_issue *issue) {
    uint32_t last = index;
    for (uint32_t i = 0; i < issue->copy_count; i++) {
        uint32_t copy = tma_flight_new(memory);
        if (copy == TMA_NONE)
            return false;
        memory->flights[copy] =
            (struct tma_flight){.sm = issue->copies[i],
                                .copies = TMA_NONE,
                                .completion = {.tag = issue->tag,
                                               .sm = issue->copies[i],
                                               .copied = true,
                                               .bytes = issue->size->transaction_bytes,
                                               .issue_cycle = issue->cycle}};
        memory->flights[last].copies = copy;
        last = copy;
    }
    return true;
}

void tma_multicast_deliver(struct tma_memory *memory, const struct tma_request *request,
                           uint64_t cycle, uint64_t passed_cycle) {
    uint32_t copy = memory->flights[request->flight].copies;
    for (; copy != TMA_NONE; copy = memory->flights[copy].copies)
        tma_flight_deliver(memory, &memory->flights[copy], memory->flights[copy].sm, request, cycle,
                           passed_cycle);
}

void tma_multicast_complete(struct tma_memory *memory, uint32_t index) {
    const struct tma_completion *issued = &memory->flights[index].completion;
    uint32_t copy = memory->flights[index].copies;
    while (copy != TMA_NONE) {
        uint32_t next = memory->flights[copy].copies;
        struct tma_completion *completion = &memory->flights[copy].completion;
        completion->tensor_bytes = issued->tensor_bytes;
        completion->start_cycle = issued->start_cycle;
        completion->descriptor_cycles = issued->descriptor_cycles;
        tma_flight_complete(memory, copy,
                            completion->arrival_cycle + memory->machine.tma.complete_cycles);
        copy = next;
    }
}
