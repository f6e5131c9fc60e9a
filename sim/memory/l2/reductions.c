/* Reductions at L2 slices. A reduction whose line DRAM has to bring waits for it in the home slice,
 * which keeps its operands, so that the SM can go on. A slice keeps only so many operands. */
#include "memory/l2/reductions.h"

#include "memory/l2/commit.h"

static bool has_room(const struct tma_core *core, const struct tma_slice *slice) {
    return slice->operands < core->machine->l2.reduction_operands;
}

/* What a slice keeps of a reduction, in units of 32 bytes: its sectors and the operation. */
static uint32_t operands_of(const struct tma_packet *packet) {
    return tma_sector_count(packet->sectors) + 1;
}

/* The slice keeps the operands: the SM gets its credits back. Those of an atomic come with its
 * result. */
static void keep_operands(struct tma_core *core, struct tma_slice *slice, uint32_t id,
                          uint64_t cycle) {
    slice->operands += operands_of(tma_packet_at(core, id));
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

TMA_RARE struct tma_handover tma_l2_reduce(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                           uint64_t done) {
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    bool complete = is_complete(l2, packet);
    if (!complete && !has_room(core, slice)) {
        tma_packet_queue_put(core, &slice->reductions, id);
        return tma_nowhere;
    }
    struct tma_l2_victim victim;
    const struct tma_set_index index = packet->index;
    int way = tma_tags_allocate(&l2->tags, set, index.tag, &victim);
    tma_slice_write_back(core, index.set, &victim, done);
    packet = tma_packet_at(core, id);
    uint32_t missing = packet->wanted;
    if (way >= 0) {
        missing &= ~tma_sectors_of_way(set->valid, way);
        tma_tags_access(&l2->tags, set, way, packet->sectors);
    }
    if (complete)
        return tma_write_line(core, l2, id, way, victim.sectors != 0, done);
    keep_operands(core, slice, id, done);
    packet = tma_packet_at(core, id);
    if (missing == 0) { /* on its way */
        packet->next = tma_tags_wait(set, way, id);
        return tma_nowhere;
    }
    tma_slice_count_missed(core, packet, tma_sector_count(missing & packet->sectors));
    return tma_slice_start_fill(core, l2, id, way, missing, done);
}

TMA_RARE struct tma_handover tma_l2_reduce_filled(struct tma_core *core, struct tma_l2 *l2,
                                                  uint32_t id, int way, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    slice->operands -= operands_of(packet);
    tma_write_commit(core, l2, id, way);
    packet = tma_packet_at(core, id);
    if (!packet->returns) { /* the SM has the credits of all flits already */
        packet->sectors = 0;
        packet->partial = true;
    }
    while (slice->reductions.count > 0 && has_room(core, slice)) {
        uint32_t first = tma_packet_queue_take(core, &slice->reductions);
        uint64_t done = tma_write_done_cycle(core, tma_packet_at(core, first));
        struct tma_handover next = tma_l2_reduce(core, l2, first, tma_later(done, cycle));
        if (next.destination != TMA_TO_NOWHERE)
            tma_pass(core, next.destination, next.packet, next.cycle);
    }
    return tma_write_respond(core, id, cycle);
}
