/* Responses in the SMs. A response passes the SM's port and goes into shared memory. A multicast
 * response goes to several SMs of a cluster: its packet asks L2 once and passes the GPC's port
 * once, and then the port of each SM. Each SM but the one that issued the load has a transfer of
 * its own, which makes no packets. */
#include "memory/sm/transfer.h"

/* Notes where the packet that arrived last spent its time. `alone`: the cycle at which it would
 * have arrived if no port had been busy. */
static void note_way(const struct tma_core *core, const struct tma_packet *packet,
                     struct tma_completion *completion, uint64_t alone, uint64_t arrival) {
    uint64_t at_slice = packet->sent_cycle + core->request_cycles[packet->sm];
    completion->arrival_cycle = arrival;
    completion->sent_cycle = packet->sent_cycle;
    completion->l2_cycles = (uint32_t)(tma_known_cycle(packet) - at_slice);
    completion->dram_cycles = packet->dram_cycles;
    completion->crossbar_wait_cycles = (uint32_t)(arrival - alone);
    completion->crossbar_cycles =
        (uint32_t)(alone - packet->sent_cycle) - completion->l2_cycles - completion->dram_cycles;
}

/* A response passes the port of an SM and goes into shared memory, beside the accesses of warps:
 * neither delays the other (docs/shared-memory.md). Slices lie at different distances; data from
 * far away arrives later, but does not delay other data. */
__attribute__((always_inline)) static inline void
deliver(struct tma_core *core, struct tma_sms *sms, struct tma_transfer *transfer, uint32_t sm,
        const struct tma_packet *packet, uint64_t passed) {
    uint32_t sectors = tma_sector_count(packet->sectors);
    uint32_t response = core->response_cycles[sm];
    uint32_t hop = tma_hop_cycles(core, packet->gpc, packet->server);
    uint64_t arrival =
        tma_port_serve(&sms->ports[sm], passed + response, sectors * sms->sector_ticks) + hop;
    tma_shared_port_write(&sms->shared[sm], transfer->half, arrival, sectors);
    core->counters.shared_write_wavefronts++;
    core->counters.response_sectors += sectors;
    if (arrival >= transfer->completion.arrival_cycle)
        note_way(core, packet, &transfer->completion, core->cycle + response + hop, arrival);
}

/* The same in the other SMs of a multicast. */
TMA_RARE static void deliver_copies(struct tma_core *core, struct tma_sms *sms,
                                    const struct tma_transfer *issued,
                                    const struct tma_packet *packet, uint64_t passed) {
    for (uint32_t copy = issued->copies; copy != TMA_NONE; copy = sms->transfers[copy].copies)
        deliver(core, sms, &sms->transfers[copy], sms->transfers[copy].sm, packet, passed);
}

static void complete(struct tma_core *core, struct tma_sms *sms, uint32_t id) {
    const struct tma_completion *completion = &sms->transfers[id].completion;
    tma_transfer_complete(core, sms, id,
                          completion->arrival_cycle + core->machine->tma.complete_cycles);
}

/* The transfers of the other SMs of a multicast complete. */
static void complete_copies(struct tma_core *core, struct tma_sms *sms, uint32_t id) {
    const struct tma_transfer *issued = &sms->transfers[id];
    uint32_t copy = issued->copies;
    while (copy != TMA_NONE) {
        uint32_t next = sms->transfers[copy].copies;
        struct tma_completion *completion = &sms->transfers[copy].completion;
        completion->tensor_bytes = issued->splitter.tensor_bytes;
        completion->start_cycle = issued->completion.start_cycle;
        completion->descriptor_cycles = issued->completion.descriptor_cycles;
        complete(core, sms, copy);
        copy = next;
    }
}

struct tma_handover tma_sm_receive(struct tma_core *core, struct tma_sms *sms, uint32_t packet_id,
                                   uint64_t passed) {
    const struct tma_packet *packet = tma_packet_at(core, packet_id);
    uint32_t id = packet->transfer;
    struct tma_transfer *transfer = &sms->transfers[id];
    if (__builtin_expect(packet->of_access, false))
        return tma_lsu_receive_response(core, sms, packet_id, passed);
    if (packet->kind == TMA_PACKET_PREFETCH) {
        tma_packet_free(core, packet_id);
        tma_transfer_drop(sms, id);
        return tma_nowhere;
    }
    deliver(core, sms, transfer, packet->sm, packet, passed);
    if (transfer->copies != TMA_NONE)
        deliver_copies(core, sms, transfer, packet, passed);
    tma_packet_free(core, packet_id);
    if (transfer->outstanding == 1 && transfer->generated) {
        complete_copies(core, sms, id);
        complete(core, sms, id);
    }
    tma_transfer_drop(sms, id);
    return tma_nowhere;
}
