#include "memory/l2/slice.h"

/* A write takes effect at the home of its line. */

/* The cycle at which a write was through the ports of its home. */
static uint64_t done_cycle(const struct tma_core *core, const struct tma_packet *packet) {
    return tma_known_cycle(packet) - core->machine->l2.lookup_cycles;
}

/* Whether a write at its home leaves the copy in the other partition valid: a store from there has
 * updated it on its way. */
static bool updates_copy(const struct tma_core *core, const struct tma_packet *packet) {
    return packet->kind == TMA_PACKET_STORE && !tma_is_near(core, packet);
}

/* A write is done: the SM gets its credits back, and the result of an atomic. */
TMA_RARE static struct tma_handover respond(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                            uint64_t done) {
    struct tma_packet *packet = tma_packet_at(core, id);
    done = tma_later(done, core->cycle + 1);
    if (!packet->returns) {
        tma_send(core, TMA_TO_STORE_UNIT, id, done);
        return tma_nowhere;
    }
    /* As the request did, the result passes the slice of the SM's partition. */
    packet->merged = TMA_NONE;
    done += core->machine->l2.atomic_cycles;
    if (!tma_is_near(core, packet))
        done = tma_l2_cross(l2, packet->server.home, packet->server, done,
                            tma_sector_count(packet->sectors)) +
               tma_crossing_cycles(core, packet->server) + core->machine->l2.lookup_cycles;
    tma_send(core, TMA_TO_RESPONSE_PORT, id, done);
    return tma_nowhere;
}

/* Writes the sectors of a packet, in a way of their home (-1: none). Returns whether something goes
 * to DRAM. Pointers to packets are invalid afterwards. */
TMA_RARE static bool commit(struct tma_core *core, struct tma_l2 *l2, uint32_t id, int way) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    uint64_t done = tma_later(done_cycle(core, packet), core->cycle);
    if (way < 0) {
        tma_slice_write_to_dram(core, packet->line, packet->server, packet->sectors, false, done);
        return true;
    }
    tma_tags_write(&l2->tags, set, way, packet->sectors);
    tma_tags_hint(&l2->tags, set, way, tma_write_hint(packet));
    tma_tags_set_remote_copy(&l2->tags, set, way, updates_copy(core, packet));
    struct tma_l2_victim cleaned =
        tma_tags_clean(&l2->tags, set, way, core->machine->l2.dirty_ways);
    bool keeps = packet->kind == TMA_PACKET_REDUCE;
    tma_slice_write_back(core, keeps ? l2 : NULL, packet->index.set, &cleaned, done);
    return cleaned.sectors != 0;
}

/* Writes a line that needs no fill. `used_dram`: its way's victim goes to DRAM. The SM gets its
 * credits back at `done`, or as soon as the DRAM channel takes further writes. */
TMA_RARE static struct tma_handover write_line(struct tma_core *core, struct tma_l2 *l2,
                                               uint32_t id, int way, bool used_dram,
                                               uint64_t done) {
    used_dram = commit(core, l2, id, way) || used_dram;
    return used_dram ? (struct tma_handover){id, TMA_TO_DRAM_CREDIT, done}
                     : respond(core, l2, id, done);
}

/* Reductions at L2 slices. A reduction whose line DRAM has to bring waits for it in the home slice,
 * which keeps its operands, so that the SM can go on. A slice keeps only so many operands, and
 * lines that reductions made it write back take the same room. */

bool tma_l2_has_room(const struct tma_core *core, const struct tma_slice *slice) {
    return slice->operands < core->machine->l2.reduction_operands;
}

/* The slice keeps the operands: the SM gets its credits back. Those of an atomic come with its
 * result. */
static void keep_operands(struct tma_core *core, struct tma_slice *slice, uint32_t id,
                          uint64_t cycle) {
    slice->operands += tma_slice_operands(tma_packet_at(core, id)->sectors);
    if (tma_packet_at(core, id)->returns)
        return;
    uint32_t credit = tma_packet_new(core);
    if (credit == TMA_NONE)
        return;
    struct tma_packet *packet = tma_packet_at(core, credit);
    *packet = *tma_packet_at(core, id);
    packet->kind = TMA_PACKET_CREDIT;
    tma_send(core, TMA_TO_STORE_UNIT, credit, tma_later(cycle, core->cycle + 1));
}

/* Whether L2 has all sectors that a reduction needs, and none of them is on its way. */
static bool is_complete(const struct tma_l2 *l2, const struct tma_packet *packet) {
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    int way = tma_tags_find(&l2->tags, set, packet->index.tag);
    return way >= 0 && (set->pending & 1u << way) == 0 &&
           (packet->wanted & ~tma_sectors_of_way(set->valid, way)) == 0;
}

/* A reduction has passed the ports of its home at `done`. */
TMA_RARE static struct tma_handover reduce(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                           uint64_t done) {
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    bool complete = is_complete(l2, packet);
    if (!complete && !tma_l2_has_room(core, slice)) {
        slice->waiting_reduction[!tma_is_near(core, packet)] = id;
        return tma_nowhere;
    }
    struct tma_l2_victim victim;
    const struct tma_set_index index = packet->index;
    int way = tma_tags_allocate(&l2->tags, set, index.tag, &victim);
    tma_slice_write_back(core, NULL, index.set, &victim, done);
    packet = tma_packet_at(core, id);
    uint32_t missing = packet->wanted;
    if (way >= 0) {
        missing &= ~tma_sectors_of_way(set->valid, way);
        tma_tags_access(&l2->tags, set, way, packet->sectors);
    }
    if (complete)
        return write_line(core, l2, id, way, victim.sectors != 0, done);
    keep_operands(core, slice, id, done);
    packet = tma_packet_at(core, id);
    if (missing == 0) { /* on its way */
        packet->next = tma_tags_wait(set, way, id);
        return tma_nowhere;
    }
    tma_slice_count_missed(core, packet, tma_sector_count(missing & packet->sectors));
    return tma_slice_start_fill(core, l2, id, way, missing, done);
}

void tma_l2_end_write_back(struct tma_core *core, struct tma_l2 *l2, uint32_t id) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    tma_home_slice(core, l2, packet->server)->operands -= tma_slice_operands(packet->sectors);
    tma_packet_free(core, id);
}

struct tma_handover tma_l2_reduce_waiting(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                          uint64_t cycle) {
    return reduce(core, l2, id, tma_later(done_cycle(core, tma_packet_at(core, id)), cycle));
}

TMA_RARE struct tma_handover tma_l2_reduce_filled(struct tma_core *core, struct tma_l2 *l2,
                                                  uint32_t id, int way, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    slice->operands -= tma_slice_operands(packet->sectors);
    commit(core, l2, id, way);
    packet = tma_packet_at(core, id);
    if (!packet->returns) { /* the SM has the credits of all flits already */
        packet->sectors = 0;
        packet->partial = true;
    }
    return respond(core, l2, id, cycle);
}

/* Stores and reductions at L2 slices. The home slice of a line is the point of coherence. */

static uint64_t ticks_of(uint32_t millicycles, uint32_t count) {
    return tma_millicycles_to_ticks((uint64_t)millicycles * count);
}

/* The flits of a write enter a slice by one of its ports. Those of SMs take turns with fills, for
 * which the port waits; those from the other partition pass the link between them. (The link takes
 * writes when they arrive: what a write waits for it comes behind the way across.) Returns the
 * cycle at which the last one has entered. */
static uint64_t enter(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice,
                      enum tma_slice_port port, const struct tma_packet *packet, bool masked,
                      uint64_t cycle) {
    uint32_t each = core->machine->l2.write_flit_millicycles,
             sectors = tma_sector_count(packet->sectors),
             flits = tma_write_flits(packet->kind, packet->sectors, masked);
    uint64_t entered = tma_slice_serve(slice, port, cycle, ticks_of(each, flits));
    if (port != TMA_SLICE_FROM_SMS)
        return tma_later(entered,
                         tma_l2_cross(l2, 1u - packet->server.home, packet->server, cycle, flits));
    slice->arrived_cycle = tma_slice_serve(slice, TMA_SLICE_ARRIVE, cycle, ticks_of(each, sectors));
    tma_port_stall(&slice->ports[port], slice->arrived_cycle);
    return tma_later(entered, slice->arrived_cycle);
}

TMA_RARE struct tma_handover tma_l2_receive_write_in_transit(struct tma_core *core,
                                                             struct tma_l2 *l2, uint32_t id,
                                                             uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    const struct tma_machine *machine = core->machine;
    struct tma_slice *slice =
        tma_slice_of(core, l2, tma_near_partition(core, packet), packet->server);
    if (tma_slice_waits(core, slice, false, TMA_TO_WRITE_TRANSIT, id))
        return tma_nowhere;
    uint64_t entered = enter(core, l2, slice, TMA_SLICE_FROM_SMS, packet, packet->partial, cycle);
    uint64_t known = tma_slice_look_up(l2, slice, packet->line, TMA_SLICE_FROM_SMS, cycle,
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
    uint64_t data_ticks = ticks_of(each, tma_sector_count(packet->sectors));
    if (packet->kind == TMA_PACKET_REDUCE)
        slice->reduce_ticks += data_ticks;
    uint64_t written = tma_slice_serve(slice, TMA_SLICE_WRITE, cycle, data_ticks);
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
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    uint32_t sectors = tma_sector_count(packet->sectors);
    bool near = tma_is_near(core, packet);
    if (tma_slice_waits(core, slice, !near, TMA_TO_WRITE_SLICE, id))
        return tma_nowhere;
    bool invalidates = near && tma_copy_was_stored(l2, packet->index);
    if (!updates_copy(core, packet))
        tma_copy_invalidate(core, l2, packet);
    /* Where a store comes from the other partition, the first slice has merged its byte masks with
     * the data: they take no flit. */
    bool masked = packet->partial && (near || packet->kind == TMA_PACKET_REDUCE);
    uint64_t entered = enter(core, l2, slice, near ? TMA_SLICE_FROM_SMS : TMA_SLICE_FROM_PARTITION,
                             packet, masked, cycle);
    uint64_t done = tma_later(entered, take_tags_and_data(core, l2, packet, invalidates, cycle));
    packet->known_cycles = (uint32_t)(done + core->machine->l2.lookup_cycles - packet->sent_cycle);
    packet->held_cycles = held_at_home(core, l2, packet, cycle);
    core->counters.requests++;
    core->counters.sectors += sectors;
    core->counters.write_sectors += sectors;
    if (packet->kind == TMA_PACKET_REDUCE)
        return reduce(core, l2, id, done);
    struct tma_l2_victim victim;
    const struct tma_set_index index = packet->index;
    int way = tma_tags_allocate(&l2->tags, &l2->tags.sets[index.set], index.tag, &victim);
    tma_slice_write_back(core, NULL, index.set, &victim, done);
    return write_line(core, l2, id, way, victim.sectors != 0, done);
}

TMA_RARE struct tma_handover tma_l2_receive_accepted(struct tma_core *core, struct tma_l2 *l2,
                                                     uint32_t id, uint64_t accepted) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    uint64_t done = done_cycle(core, packet);
    if (accepted > done) { /* back-pressure: later writes wait behind this one */
        struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
        tma_port_stall(&slice->ports[TMA_SLICE_WRITE], accepted);
        slice->held_cycle = tma_later(slice->held_cycle, accepted);
        done = accepted;
    }
    return respond(core, l2, id, done);
}
