/* A write takes effect at the home of its line. */
#include "memory/l2/commit.h"

TMA_RARE struct tma_handover tma_write_respond(struct tma_core *core, uint32_t id, uint64_t done) {
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
        done += tma_crossing_cycles(core, packet->server) + core->machine->l2.lookup_cycles;
    tma_send(core, TMA_TO_RESPONSE_PORT, id, done);
    return tma_nowhere;
}

TMA_RARE bool tma_write_commit(struct tma_core *core, struct tma_l2 *l2, uint32_t id, int way) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    uint64_t done = tma_later(tma_write_done_cycle(core, packet), core->cycle);
    if (way < 0) {
        tma_slice_write_to_dram(core, packet->line, packet->server, packet->sectors, done);
        return true;
    }
    tma_tags_write(&l2->tags, set, way, packet->sectors);
    tma_tags_set_remote_copy(&l2->tags, set, way, tma_write_updates_copy(core, packet));
    struct tma_l2_victim cleaned =
        tma_tags_clean(&l2->tags, set, way, core->machine->l2.dirty_ways);
    tma_slice_write_back(core, packet->index.set, &cleaned, done);
    return cleaned.sectors != 0;
}

TMA_RARE struct tma_handover tma_write_line(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                            int way, bool used_dram, uint64_t done) {
    used_dram = tma_write_commit(core, l2, id, way) || used_dram;
    return used_dram ? (struct tma_handover){id, TMA_TO_DRAM_CREDIT, done}
                     : tma_write_respond(core, id, done);
}
