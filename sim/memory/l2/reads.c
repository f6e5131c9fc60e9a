/* Reads at L2 slices: loads, prefetches and tensor maps. */
#include "memory/l2/slice.h"

static void count_request(struct tma_core *core, uint32_t sectors) {
    core->counters.requests++;
    core->counters.sectors += tma_sector_count(sectors);
}

/* The data of a read leaves the slice of the SM's partition at `ready`. A prefetch has no response.
 */
static struct tma_handover respond(struct tma_core *core, uint32_t id, uint64_t ready) {
    struct tma_packet *packet = tma_packet_at(core, id);
    if (packet->kind == TMA_PACKET_PREFETCH)
        return (struct tma_handover){id, TMA_TO_SM, ready};
    packet->dram_cycles = (uint32_t)(ready - tma_known_cycle(packet));
    tma_send(core, TMA_TO_RESPONSE_PORT, id, ready);
    return tma_nowhere;
}

/* Reverses a list of packets, which has the newest first. */
static uint32_t oldest_first(struct tma_core *core, uint32_t id) {
    uint32_t first = TMA_NONE;
    while (id != TMA_NONE) {
        struct tma_packet *packet = tma_packet_at(core, id);
        uint32_t next = packet->next;
        packet->next = first;
        first = id;
        id = next;
    }
    return first;
}

/* The home's data reaches the SM's partition at `ready`: ends the pending fill there and answers
 * the packets that wait for it. The packet's index is that at the home. */
static void complete_copy(struct tma_core *core, struct tma_l2 *l2, const struct tma_packet *packet,
                          uint64_t ready) {
    struct tma_set_index home = packet->index;
    struct tma_set_index index = tma_opposite_index(&core->map, packet->line, home);
    struct tma_l2_set *set = &l2->tags.sets[index.set];
    int way = tma_tags_find(&l2->tags, set, index.tag);
    if (way < 0 || (set->pending & 1u << way) == 0)
        return;
    struct tma_slice *slice = tma_slice_of(core, l2, 1u - packet->server.home, packet->server);
    tma_slice_take_sectors(core, l2, slice, packet->wanted);
    uint32_t waiting = oldest_first(core, tma_tags_end_fill(set, way, 0, ready));
    uint32_t requested = 0;
    while (waiting != TMA_NONE) {
        const struct tma_packet *other = tma_packet_at(core, waiting);
        uint32_t next = other->next;
        uint64_t known = tma_known_cycle(other);
        requested |= other->sectors;
        respond(core, waiting, tma_later(ready, known));
        waiting = next;
    }
    if (requested != 0)
        tma_copy_mark_requested(l2, home, requested);
}

/* A packet whose line is looked up at `cycle` waits for the pending fill of a way. */
static struct tma_handover wait_for_fill(struct tma_core *core, struct tma_l2_set *set, int way,
                                         uint32_t id, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    packet->dram_cycles = (uint32_t)(cycle - tma_known_cycle(packet));
    packet->next = tma_tags_wait(set, way, id);
    return tma_nowhere;
}

/* Sends the data of a read back. The home has them at `ready`. */
static struct tma_handover deliver(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                   uint64_t ready) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (tma_is_near(core, packet))
        return respond(core, id, ready);
    if (packet->kind != TMA_PACKET_PREFETCH)
        ready = tma_l2_cross(l2, packet->server.home, packet->server, ready,
                             tma_sector_count(packet->wanted));
    ready += tma_crossing_cycles(core, packet->server);
    struct tma_handover next = respond(core, id, ready);
    if (packet->kind != TMA_PACKET_PREFETCH) {
        tma_misses_end(core, l2, id, true, ready);
        complete_copy(core, l2, packet, ready);
    }
    return next;
}

/* Whether requests at the line's home would delay a promotion from the other partition too long. */
static bool is_busy(struct tma_core *core, const struct tma_l2 *l2, struct tma_line_server server) {
    uint64_t until = core->cycle + 1 + core->machine->l2.promotion_wait_cycles;
    const struct tma_slice *slice = tma_home_slice(core, l2, server);
    return slice->ports[TMA_SLICE_TAGS].free_ticks > until * TMA_TICKS;
}

/* Fetches the second line of a read's block, which has the same home; its slice sees the promotion
 * in the next cycle. Near its SM, a promotion counts as a request of the SM, and a load makes it
 * only for a line that is not present. From the other partition, it is dropped where the home is
 * busy. */
static struct tma_handover promote(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                   uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    bool near = tma_is_near(core, packet);
    uint64_t line = packet->line | 1;
    struct tma_line_place second = tma_place_at_home(core, line);
    struct tma_set_index index = second.index;
    struct tma_l2_set *set = &l2->tags.sets[index.set];
    struct tma_l2_victim victim;
    if (tma_copy_is_complete(core, l2, line, index) || (!near && is_busy(core, l2, second.server)))
        return tma_nowhere;
    int way = tma_tags_allocate(&l2->tags, set, index.tag, &victim);
    uint32_t missing = way < 0 ? 0 : TMA_ALL_SECTORS & ~tma_sectors_of_way(set->valid, way);
    tma_slice_write_back(core, NULL, index.set, &victim, cycle);
    packet = tma_packet_at(core, id);
    if (way >= 0)
        tma_tags_hint(&l2->tags, set, way, packet->hint);
    if (missing == 0 && way >= 0 && (set->pending & 1u << way) != 0)
        tma_slice_replay(core, l2, tma_home_slice(core, l2, second.server));
    if (near && missing == 0 && packet->kind == TMA_PACKET_LOAD)
        return tma_nowhere;
    if (near) {
        count_request(core, TMA_ALL_SECTORS);
        core->counters.miss_sectors += tma_sector_count(missing);
    }
    if (missing == 0)
        return tma_nowhere;
    uint32_t promotion = tma_packet_new(core);
    if (promotion == TMA_NONE)
        return tma_nowhere;
    /* The server stays that of the first line: DRAM reads both lines in one access. */
    struct tma_packet *pair = tma_packet_at(core, promotion);
    *pair = *tma_packet_at(core, id);
    pair->kind = TMA_PACKET_PROMOTION;
    pair->line = line;
    pair->index = index;
    pair->sectors = 0;
    return tma_slice_start_fill(core, l2, promotion, way, missing, cycle);
}

/* A read goes on, as `next` says; its block is promoted. The home looked the line up at `known`. */
static struct tma_handover go_on_and_promote(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                             uint64_t known, struct tma_handover next) {
    if (!tma_promotes(l2->promotion, tma_packet_at(core, id)))
        return next;
    tma_pass_on(core, next);
    return promote(core, l2, id, known);
}

void tma_read_answer(struct tma_core *core, struct tma_l2 *l2, uint32_t waiting, uint64_t ready) {
    waiting = oldest_first(core, waiting);
    while (waiting != TMA_NONE) {
        const struct tma_packet *packet = tma_packet_at(core, waiting);
        uint32_t next = packet->next;
        struct tma_handover answer;
        if (packet->kind == TMA_PACKET_REDUCE) {
            int way = tma_tags_find(&l2->tags, tma_slice_set(l2, packet), packet->index.tag);
            answer = tma_l2_reduce_filled(core, l2, waiting, way, ready);
        } else {
            uint64_t known = tma_known_cycle(packet) + packet->dram_cycles;
            answer = deliver(core, l2, waiting, tma_later(ready, known));
        }
        if (answer.destination != TMA_TO_NOWHERE)
            tma_send(core, answer.destination, answer.packet, answer.cycle);
        waiting = next;
    }
}

struct tma_handover tma_read_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                    uint64_t ready) {
    return deliver(core, l2, id, ready);
}

/* Reads a line at its home. (Inlined into both callers: that spares the busiest path a tenth of its
 * instructions.) */
__attribute__((always_inline)) static inline struct tma_handover
read_at_home(struct tma_core *core, struct tma_l2 *l2, uint32_t id, uint64_t cycle) {
    int way = tma_slice_allocate(core, l2, id, cycle);
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    uint32_t missing = packet->wanted;
    if (way >= 0) {
        missing &= ~tma_sectors_of_way(set->valid, way);
        tma_tags_access(&l2->tags, set, way, packet->sectors);
        tma_tags_hint(&l2->tags, set, way, packet->hint);
    }
    if (missing != 0) {
        tma_slice_count_missed(core, packet, tma_sector_count(missing & packet->sectors));
        struct tma_handover fill = tma_slice_start_fill(core, l2, id, way, missing, cycle);
        if (tma_is_near(core, packet))
            fill = tma_misses_leave(core, l2, id, TMA_TO_DRAM, cycle);
        return go_on_and_promote(core, l2, id, cycle, fill);
    }
    bool prefetch = packet->kind == TMA_PACKET_PREFETCH;
    if ((set->pending & 1u << way) != 0) {
        wait_for_fill(core, set, way, id, cycle);
        return prefetch ? go_on_and_promote(core, l2, id, cycle, tma_nowhere) : tma_nowhere;
    }
    uint64_t ready = tma_tags_ready_cycle(set, way, cycle);
    struct tma_handover next = deliver(core, l2, id, ready);
    return prefetch && ready > cycle ? go_on_and_promote(core, l2, id, cycle, next) : next;
}

/* Reads a line whose home is the other partition: from the copy here, or by way of one. */
static struct tma_handover read_copy(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                     uint64_t cycle) {
    int way = tma_slice_allocate(core, l2, id, cycle);
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    bool first = false, pending = way >= 0 && (set->pending & 1u << way) != 0;
    uint32_t missing = packet->sectors;
    if (way >= 0) {
        missing = tma_tags_access_copy(&l2->tags, set, way, packet->sectors, &first);
        tma_tags_hint(&l2->tags, set, way, packet->hint);
    }
    if (missing == 0 && pending)
        return wait_for_fill(core, set, way, id, cycle);
    if (missing == 0) {
        if (first)
            tma_copy_mark_requested(l2, tma_opposite_index(&core->map, packet->line, packet->index),
                                    packet->sectors);
        return respond(core, id, tma_tags_ready_cycle(set, way, cycle));
    }
    /* A copy is as large as a fill from DRAM would be. */
    uint32_t copied = tma_slice_fill_sectors(packet->promotion, missing);
    if (way >= 0)
        copied &= ~tma_sectors_of_way(set->valid, way);
    packet->wanted = (uint8_t)copied;
    core->counters.partition_sectors += tma_sector_count(copied);
    if (packet->kind != TMA_PACKET_DESCRIPTOR)
        core->counters.lookup_miss_sectors += tma_sector_count(copied);
    if (way >= 0)
        tma_tags_begin_copy(set, way, copied);
    packet->index = tma_opposite_index(&core->map, packet->line, packet->index);
    return tma_misses_leave(core, l2, id, TMA_TO_HOME_SLICE, cycle);
}

/* A prefetch of a line whose home is the other partition leaves no copy here: it goes on to the
 * home. Its promotion, which the home makes, counts here. */
static struct tma_handover forward_prefetch(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                            uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    core->counters.lookup_miss_sectors += tma_sector_count(packet->sectors);
    if (tma_promotes(l2->promotion, packet)) {
        count_request(core, TMA_ALL_SECTORS);
        core->counters.lookup_miss_sectors += TMA_SECTORS;
    }
    packet->index = tma_opposite_index(&core->map, packet->line, packet->index);
    tma_send(core, TMA_TO_HOME_SLICE, id, cycle + tma_crossing_cycles(core, packet->server));
    return tma_nowhere;
}

struct tma_handover tma_l2_receive_merged(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                          uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    tma_slice_serve(tma_near_slice(l2, packet), TMA_SLICE_READ, cycle,
                    l2->read_ticks[packet->wanted]);
    return tma_nowhere;
}

/* A slice looks a read up, and both lines of its block if it promotes; its data array reads
 * `sectors`. It waits for the flits of writes that came to the port `from` before, and takes none
 * itself. Returns the cycle at which the result is known. */
__attribute__((always_inline)) static inline uint64_t
look_up(const struct tma_core *core, const struct tma_l2 *l2, struct tma_slice *slice,
        const struct tma_packet *packet, uint32_t sectors, enum tma_slice_port from,
        uint64_t cycle) {
    uint64_t found, entered = tma_ticks_to_cycle(slice->ports[from].free_ticks);
    if (packet->fill_line) {
        found = tma_slice_serve(slice, TMA_SLICE_TAGS, cycle, l2->fill_line_ticks);
    } else {
        found = tma_slice_look_up(l2, slice, packet->line, from, cycle, l2->tag_ticks);
        if (tma_promotes(l2->promotion, packet))
            found = tma_slice_look_up(l2, slice, packet->line | 1, from, cycle, l2->tag_ticks);
    }
    uint64_t read = tma_slice_serve(slice, TMA_SLICE_READ, cycle, l2->read_ticks[sectors]);
    return tma_later(tma_later(found, entered), read) + core->machine->l2.lookup_cycles;
}

/* Hits in a row after which L2 expects no more misses. */
enum { HITS_IN_A_ROW = 64 };

/* A read that is no plain hit. */
TMA_RARE static struct tma_handover read_missing(struct tma_core *core, struct tma_l2 *l2,
                                                 uint32_t id, uint64_t known) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    l2->expects_misses = HITS_IN_A_ROW;
    if (tma_is_near(core, packet))
        return read_at_home(core, l2, id, known);
    if (packet->kind == TMA_PACKET_PREFETCH)
        return forward_prefetch(core, l2, id, known);
    return read_copy(core, l2, id, known);
}

/* The line that a load has hit changes its priority. */
TMA_RARE static void hint_hit(struct tma_l2 *l2, const struct tma_packet *packet) {
    struct tma_l2_set *set = tma_slice_set(l2, packet);
    tma_tags_set_priority(&l2->tags, set, tma_tags_find(&l2->tags, set, packet->index.tag),
                          packet->hint);
}

struct tma_handover tma_l2_receive_read(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                        uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_near_slice(l2, packet);
    if (tma_slice_waits(core, slice, false, TMA_TO_SLICE, id))
        return tma_nowhere;
    uint64_t known = look_up(core, l2, slice, packet, packet->sectors, TMA_SLICE_FROM_SMS, cycle);
    packet->known_cycles = (uint32_t)(known - packet->sent_cycle);
    if (packet->kind != TMA_PACKET_DESCRIPTOR)
        count_request(core, packet->sectors);
    if (packet->kind == TMA_PACKET_LOAD &&
        tma_tags_hit(&l2->tags, tma_slice_set(l2, packet), packet->index.tag, packet->sectors)) {
        l2->expects_misses -= l2->expects_misses > 0;
        if (l2->tags.hinted || packet->hint != TMA_L2_HINT_NONE)
            hint_hit(l2, packet);
        if (tma_misses_wait(slice))
            return tma_misses_leave(core, l2, id, TMA_TO_RESPONSE_PORT, known);
        tma_send(core, TMA_TO_RESPONSE_PORT, id, known);
        return tma_nowhere;
    }
    return read_missing(core, l2, id, known);
}

struct tma_handover tma_l2_receive_at_home(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                           uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    uint32_t sectors = packet->kind == TMA_PACKET_PREFETCH ? 0 : packet->wanted;
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    if (tma_slice_waits(core, slice, true, TMA_TO_HOME_SLICE, id))
        return tma_nowhere;
    uint64_t known = look_up(core, l2, slice, packet, sectors, TMA_SLICE_FROM_PARTITION, cycle);
    return read_at_home(core, l2, id, known);
}
