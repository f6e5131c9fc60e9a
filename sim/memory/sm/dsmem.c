/* Distributed shared memory. Each SM of a cluster has a link to the others, a flit of 32 bytes
 * after the other in each direction. A load is a request of one flit, and the data on the way back.
 * A store takes a flit of head and its data; sectors that it writes in part have a flit for each
 * unit of 16 bytes that the lanes touch, with its byte masks. An atomic takes a head and its data,
 * and as many sectors on the way back, be it one whose result nobody wants. The SM that has the
 * memory takes its wavefronts at its shared-memory port, and does atomics word by word.
 *
 * Copies of the TMA unit are flits of data on the same links. */
#include "memory/sm/transfer.h"

/* Sectors that the lanes touch, or the units of those that they touch in part. */
static uint32_t data_flits(const struct tma_access *access, bool units, bool *whole) {
    uint32_t flits = 0;
    *whole = false;
    for (uint32_t i = 0; i < access->line_count; i++) {
        const struct tma_access_line *line = &access->lines[i];
        bool in_part = units && line->partial;
        flits +=
            in_part ? (uint32_t)__builtin_popcount(line->units) : tma_sector_count(line->sectors);
        *whole |= !in_part;
    }
    return flits;
}

static uint32_t request_flits(const struct tma_access *access) {
    bool whole;
    uint32_t flits;
    switch (access->kind) {
    case TMA_ACCESS_STORE:
        flits = data_flits(access, true, &whole);
        return flits + whole;
    case TMA_ACCESS_REDUCE:
    case TMA_ACCESS_ATOMIC:
        return 1 + data_flits(access, false, &whole);
    case TMA_ACCESS_LOAD:
    case TMA_ACCESS_INVALIDATE:
        break;
    }
    return 1;
}

static uint32_t response_flits(const struct tma_access *access) {
    bool whole;
    return access->kind == TMA_ACCESS_STORE
               ? 0
               : data_flits(access, access->kind == TMA_ACCESS_LOAD, &whole);
}

/* Sends a packet from an SM to another one, over both links at once. */
static void send(struct tma_core *core, struct tma_sms *sms, uint32_t id, uint32_t from,
                 uint32_t flits, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    packet->flits = flits;
    uint64_t sent = cycle;
    if (flits > 0)
        sent = tma_port_serve(&sms->dsmem.links[from].out, cycle, flits * sms->dsmem.flit_ticks);
    core->counters.dsmem_flits += flits;
    tma_send(core, TMA_TO_LSU, id,
             tma_later(sent + core->machine->dsmem.way_cycles, core->cycle + 1));
}

uint64_t tma_dsmem_request(struct tma_core *core, struct tma_sms *sms,
                           const struct tma_access *access, uint32_t waiting) {
    uint32_t id = tma_packet_new(core);
    if (id == TMA_NONE)
        return 0;
    *tma_packet_at(core, id) = (struct tma_packet){.sm = (uint8_t)access->peer,
                                                   .kind = TMA_PACKET_LOAD,
                                                   .of_access = true,
                                                   .distant = true,
                                                   .waiting = waiting};
    send(core, sms, id, access->sm, request_flits(access), core->cycle);
    return sms->dsmem.links[access->sm].out.free_ticks;
}

void tma_dsmem_send_line(struct tma_core *core, struct tma_sms *sms, uint32_t transfer,
                         uint32_t sectors, uint64_t cycle) {
    uint32_t id = tma_packet_new(core);
    if (id == TMA_NONE)
        return;
    struct tma_transfer *owner = &sms->transfers[transfer];
    *tma_packet_at(core, id) = (struct tma_packet){.sm = (uint8_t)owner->peer,
                                                   .kind = TMA_PACKET_STORE,
                                                   .distant = true,
                                                   .transfer = transfer};
    owner->outstanding++;
    core->counters.dsmem_bytes += TMA_SECTOR_BYTES * tma_sector_count(sectors);
    send(core, sms, id, owner->sm, tma_sector_count(sectors), cycle);
}

/* For how long what comes occupies the link that brings it: atomics are done there, word by word.
 */
static uint64_t arrival_ticks(const struct tma_sms *sms, const struct tma_packet *packet) {
    uint64_t ticks = packet->flits * sms->dsmem.flit_ticks;
    if (!packet->of_access)
        return ticks;
    const struct tma_access *access =
        &sms->lsus.accesses[packet->waiting / TMA_MAX_ACCESS_LINES].access;
    bool atomic = access->kind == TMA_ACCESS_REDUCE || access->kind == TMA_ACCESS_ATOMIC;
    uint32_t rounds = 1;
    if (packet->sm != access->peer || !atomic)
        return ticks;
    for (uint32_t i = 0; i < access->line_count; i++)
        rounds = access->lines[i].rounds > rounds ? access->lines[i].rounds : rounds;
    return ticks + (rounds + access->wavefronts - 1) * sms->dsmem.atomic_ticks;
}

/* A line of a copy is in the shared memory of the other SM. */
static void deliver(struct tma_core *core, struct tma_sms *sms, uint32_t id, uint64_t cycle) {
    struct tma_transfer *transfer = &sms->transfers[id];
    transfer->completion.arrival_cycle = cycle;
    if (transfer->outstanding == 1 && transfer->generated)
        tma_transfer_complete(core, sms, id, cycle + core->machine->tma.complete_cycles);
    tma_transfer_drop(sms, id);
}

bool tma_dsmem_receive(struct tma_core *core, struct tma_sms *sms, uint32_t id, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    if (packet->flits > 0) {
        uint64_t first = cycle - packet->flits * sms->dsmem.flit_ticks / TMA_TICKS;
        uint64_t passed =
            tma_port_serve(&sms->dsmem.links[packet->sm].in, first, arrival_ticks(sms, packet));
        packet->flits = 0;
        if (passed > cycle) {
            tma_send(core, TMA_TO_LSU, id, passed);
            return false;
        }
    }
    if (!packet->of_access) {
        uint32_t transfer = packet->transfer;
        tma_packet_free(core, id);
        deliver(core, sms, transfer, cycle);
        return false;
    }
    const struct tma_access *access =
        &sms->lsus.accesses[packet->waiting / TMA_MAX_ACCESS_LINES].access;
    if (packet->sm != access->peer)
        return true;
    if (packet->returns) {
        packet->sm = (uint8_t)access->sm;
        send(core, sms, id, access->peer, response_flits(access), cycle);
        return false;
    }
    uint64_t done = tma_shared_port_access(&sms->shared[access->peer], cycle,
                                           access->wavefronts * sms->wavefront_ticks);
    packet->returns = true;
    tma_send(core, TMA_TO_LSU, id, tma_later(done, core->cycle + 1));
    return false;
}
