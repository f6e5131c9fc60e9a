/* Stores and reductions at L2 slices. The home slice of a line is the point of coherence. */
#include "memory/l2/writes.h"

#include "memory/l2/coherence.h"

static uint64_t ticks_of(uint32_t millicycles, uint32_t count) {
    return tma_millicycles_to_ticks((uint64_t)millicycles * count);
}

static struct tma_write_ports *ports_of(struct tma_core *core, const struct tma_l2 *l2,
                                        uint32_t partition,
                                        const struct tma_line_location *location) {
    return &l2->write_ports[partition * core->map.slices + location->server];
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The flits of a write from an SM enter a slice of the SM's partition. Returns the cycle at which
 * the last one has entered. */
static uint64_t enter_from_sm(struct tma_core *core, struct tma_l2 *l2,
                              const struct tma_packet *packet, uint32_t partition, uint64_t cycle) {
    uint32_t flits = tma_write_flits(packet->kind, packet->sectors, packet->partial);
    return tma_port_serve(&ports_of(core, l2, partition, &packet->location)->from_sms, cycle,
                          ticks_of(core->machine->l2.write_flit_millicycles, flits));
}

/* The same for a write from the other partition. The first slice has merged the byte masks of
 * stores with the data, so they take no flit. */
static uint64_t enter_from_partition(struct tma_core *core, struct tma_l2 *l2,
                                     const struct tma_packet *packet, uint64_t cycle) {
    bool partial = packet->kind == TMA_PACKET_REDUCE && packet->partial;
    uint32_t flits = tma_write_flits(packet->kind, packet->sectors, partial);
    uint32_t home = packet->location.home;
    return tma_port_serve(&ports_of(core, l2, home, &packet->location)->from_partition, cycle,
                          ticks_of(core->machine->l2.write_flit_millicycles, flits));
}

TMA_RARE struct tma_handover tma_l2_receive_write_in_transit(struct tma_core *core,
                                                             struct tma_l2 *l2, uint32_t id,
                                                             uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    const struct tma_machine *machine = core->machine;
    uint32_t partition = tma_near_partition(core, packet);
    uint64_t entered = enter_from_sm(core, l2, packet, partition, cycle);
    uint64_t known = tma_slice_occupy(core, l2, partition, &packet->location,
                                      ticks_of(machine->l2.write_request_millicycles, 1), cycle);
    if (packet->kind == TMA_PACKET_STORE)
        tma_copy_store(core, l2, packet, known);
    tma_send(core, TMA_TO_WRITE_SLICE, id,
             later(entered, known) + machine->crossbar.partition_cycles);
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
    uint32_t home = packet->location.home;
    uint64_t known = tma_slice_occupy(core, l2, home, &packet->location, ticks, cycle);
    uint64_t written = tma_port_serve(
        &ports_of(core, l2, home, &packet->location)->data, cycle,
        ticks_of(machine->l2.write_sector_millicycles, tma_sector_count(packet->sectors)));
    return later(known, written);
}

/* The cycle at which a write was through the ports of its home. */
static uint64_t done_cycle(const struct tma_core *core, const struct tma_packet *packet) {
    return tma_known_cycle(packet) - core->machine->l2.lookup_cycles;
}

/* The write is done: the SM gets its credits back. */
static struct tma_handover respond(struct tma_core *core, uint32_t id, uint64_t done) {
    tma_send(core, TMA_TO_STORE_UNIT, id, later(done, core->cycle + 1));
    return tma_nowhere;
}

/* Whether a write at its home leaves the copy in the other partition valid: a store from there has
 * updated it on its way. */
static bool updates_copy(const struct tma_core *core, const struct tma_packet *packet) {
    return packet->kind == TMA_PACKET_STORE && !tma_is_near(core, packet);
}

TMA_RARE struct tma_handover tma_write_commit(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                              int way, bool used_dram) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    uint64_t done = done_cycle(core, packet);
    if (way >= 0) {
        tma_tags_write(&l2->tags, set, way, packet->sectors);
        tma_tags_set_remote_copy(set, way, updates_copy(core, packet));
        struct tma_l2_victim cleaned =
            tma_tags_clean(&l2->tags, set, way, core->machine->l2.dirty_ways);
        used_dram = used_dram || cleaned.sectors != 0;
        tma_slice_write_back(core, packet->index.set, &cleaned, done);
    } else {
        used_dram = true;
        tma_slice_write_to_dram(core, &packet->location, packet->sectors, done);
    }
    if (used_dram)
        return (struct tma_handover){id, TMA_TO_DRAM_CREDIT, done};
    return respond(core, id, done);
}

TMA_RARE struct tma_handover tma_l2_receive_write(struct tma_core *core, struct tma_l2 *l2,
                                                  uint32_t id, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    uint32_t sectors = tma_sector_count(packet->sectors);
    bool near = tma_is_near(core, packet);
    bool invalidates = near && tma_copy_was_stored(l2, packet->index);
    if (!updates_copy(core, packet))
        tma_copy_invalidate(core, l2, &packet->location);
    uint64_t entered = near ? enter_from_sm(core, l2, packet, packet->location.home, cycle)
                            : enter_from_partition(core, l2, packet, cycle);
    uint64_t done = later(entered, take_tags_and_data(core, l2, packet, invalidates, cycle));
    packet->known_cycles = (uint32_t)(done + core->machine->l2.lookup_cycles - packet->sent_cycle);
    core->counters.requests++;
    core->counters.sectors += sectors;
    core->counters.write_sectors += sectors;
    struct tma_l2_victim victim;
    const struct tma_set_index index = packet->index;
    int way = tma_tags_allocate(&l2->tags, &l2->tags.sets[index.set], index.tag, false, &victim);
    tma_slice_write_back(core, index.set, &victim, done);
    packet = tma_packet_at(core, id);
    uint32_t missing = 0;
    if (packet->kind == TMA_PACKET_REDUCE) {
        struct tma_l2_set *set = tma_slice_set(l2, packet);
        missing = packet->wanted;
        if (way >= 0) {
            missing &= ~tma_sectors_of_way(set->valid, way);
            tma_tags_access(&l2->tags, set, way, packet->sectors);
        }
    }
    if (missing == 0)
        return tma_write_commit(core, l2, id, way, victim.sectors != 0);
    tma_slice_count_missed(core, packet, tma_sector_count(missing & packet->sectors));
    return tma_slice_start_fill(core, l2, id, way, missing, done);
}

TMA_RARE struct tma_handover tma_l2_receive_accepted(struct tma_core *core, struct tma_l2 *l2,
                                                     uint32_t id, uint64_t accepted) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    uint64_t done = done_cycle(core, packet);
    if (accepted > done) { /* back-pressure: later writes wait behind this one */
        tma_port_stall(&ports_of(core, l2, packet->location.home, &packet->location)->data,
                       accepted);
        done = accepted;
    }
    return respond(core, id, done);
}
