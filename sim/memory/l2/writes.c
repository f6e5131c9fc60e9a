/* Stores and reductions at L2 slices. The home slice of a line is the point of coherence. */
#include "memory/l2/coherence.h"
#include "memory/l2/commit.h"
#include "memory/l2/reductions.h"

static uint64_t ticks_of(uint32_t millicycles, uint32_t count) {
    return tma_millicycles_to_ticks((uint64_t)millicycles * count);
}

/* The flits of a write from an SM enter a slice of the SM's partition. Returns the cycle at which
 * the last one has entered. */
static uint64_t enter_from_sm(struct tma_core *core, struct tma_l2 *l2,
                              const struct tma_packet *packet, uint32_t partition, uint64_t cycle) {
    uint32_t flits = tma_write_flits(packet->kind, packet->sectors, packet->partial);
    return tma_slice_serve(tma_slice_of(core, l2, partition, packet->server), TMA_SLICE_FROM_SMS,
                           cycle, ticks_of(core->machine->l2.write_flit_millicycles, flits));
}

/* The same for a write from the other partition. The first slice has merged the byte masks of
 * stores with the data, so they take no flit. */
static uint64_t enter_from_partition(struct tma_core *core, struct tma_l2 *l2,
                                     const struct tma_packet *packet, uint64_t cycle) {
    bool partial = packet->kind == TMA_PACKET_REDUCE && packet->partial;
    uint32_t flits = tma_write_flits(packet->kind, packet->sectors, partial);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    return tma_slice_serve(slice, TMA_SLICE_FROM_PARTITION, cycle,
                           ticks_of(core->machine->l2.write_flit_millicycles, flits));
}

TMA_RARE struct tma_handover tma_l2_receive_write_in_transit(struct tma_core *core,
                                                             struct tma_l2 *l2, uint32_t id,
                                                             uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    const struct tma_machine *machine = core->machine;
    uint32_t partition = tma_near_partition(core, packet);
    uint64_t entered = enter_from_sm(core, l2, packet, partition, cycle);
    uint64_t known = tma_slice_look_up(l2, tma_slice_of(core, l2, partition, packet->server),
                                       packet->line, TMA_SLICE_FROM_SMS, cycle,
                                       ticks_of(machine->l2.write_request_millicycles, 1));
    if (packet->kind == TMA_PACKET_STORE)
        tma_copy_store(core, l2, packet, known);
    uint64_t left = tma_later(entered, known) + tma_crossing_cycles(core, packet->server);
    if (packet->returns)
        left += machine->l2.lookup_cycles;
    tma_send(core, TMA_TO_WRITE_SLICE, id, left);
    return tma_nowhere;
}

/* A write takes the tags of its home, which may have to invalidate a copy, and the data array.
 * Returns the cycle at which both are done. */
static uint64_t take_tags_and_data(struct tma_core *core, struct tma_l2 *l2,
                                   const struct tma_packet *packet, bool invalidates,
                                   uint64_t cycle) {
    const struct tma_machine *machine = core->machine;
    uint64_t ticks = ticks_of(machine->l2.write_request_millicycles, 1);
    if (invalidates)
        ticks += ticks_of(machine->l2.invalidate_millicycles, 1);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    enum tma_slice_port from =
        tma_is_near(core, packet) ? TMA_SLICE_FROM_SMS : TMA_SLICE_FROM_PARTITION;
    uint64_t known = tma_slice_look_up(l2, slice, packet->line, from, cycle, ticks);
    uint32_t each = packet->kind == TMA_PACKET_REDUCE ? machine->l2.reduce_sector_millicycles
                                                      : machine->l2.write_sector_millicycles;

    uint64_t written = tma_slice_serve(slice, TMA_SLICE_WRITE, cycle,
                                       ticks_of(each, tma_sector_count(packet->sectors)));
    return tma_later(known, written);
}

/* Cycles for which DRAM's back-pressure keeps a write, which has just arrived, from its home. */
static uint32_t held_at_home(struct tma_core *core, const struct tma_l2 *l2,
                             const struct tma_packet *packet, uint64_t cycle) {
    const struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    return slice->held_cycle > cycle ? (uint32_t)(slice->held_cycle - cycle) : 0;
}

TMA_RARE struct tma_handover tma_l2_receive_write(struct tma_core *core, struct tma_l2 *l2,
                                                  uint32_t id, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    uint32_t sectors = tma_sector_count(packet->sectors);
    bool near = tma_is_near(core, packet);
    bool invalidates = near && tma_copy_was_stored(l2, packet->index);
    if (!tma_write_updates_copy(core, packet))
        tma_copy_invalidate(core, l2, packet);
    uint64_t entered = near ? enter_from_sm(core, l2, packet, packet->server.home, cycle)
                            : enter_from_partition(core, l2, packet, cycle);
    uint64_t done = tma_later(entered, take_tags_and_data(core, l2, packet, invalidates, cycle));
    packet->known_cycles = (uint32_t)(done + core->machine->l2.lookup_cycles - packet->sent_cycle);
    packet->held_cycles = held_at_home(core, l2, packet, cycle);
    core->counters.requests++;
    core->counters.sectors += sectors;
    core->counters.write_sectors += sectors;
    if (packet->kind == TMA_PACKET_REDUCE)
        return tma_l2_reduce(core, l2, id, done);
    struct tma_l2_victim victim;
    const struct tma_set_index index = packet->index;
    int way = tma_tags_allocate(&l2->tags, &l2->tags.sets[index.set], index.tag, &victim);
    tma_slice_write_back(core, index.set, &victim, done);
    return tma_write_line(core, l2, id, way, victim.sectors != 0, done);
}

TMA_RARE struct tma_handover tma_l2_receive_accepted(struct tma_core *core, struct tma_l2 *l2,
                                                     uint32_t id, uint64_t accepted) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    uint64_t done = tma_write_done_cycle(core, packet);
    if (accepted > done) { /* back-pressure: later writes wait behind this one */
        struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
        tma_port_stall(&slice->ports[TMA_SLICE_WRITE], accepted);
        slice->held_cycle = tma_later(slice->held_cycle, accepted);
        done = accepted;
    }
    return tma_write_respond(core, id, done);
}
