#include "memory/l2/slice.h"

/* The sectors that a read waits for: those of a fill, or else of a copy. */
static uint32_t sectors_of(const struct tma_packet *packet, bool copy) {
    return tma_sector_count(copy ? packet->wanted : packet->fill.missing);
}

/* Makes room for the sectors that a read which goes to `destination` waits for. False if there is
 * none. */
static bool make_room(const struct tma_core *core, struct tma_slice *slice,
                      const struct tma_packet *packet, enum tma_destination destination) {
    if (destination == TMA_TO_RESPONSE_PORT)
        return true;
    bool copy = destination == TMA_TO_HOME_SLICE;
    uint32_t *missing = copy ? &slice->copies : &slice->fills;
    if (*missing >= core->machine->l2.missing_sectors)
        return false;
    *missing += sectors_of(packet, copy);
    return true;
}

/* The cycle at which a read that leaves at `cycle` arrives. */
static uint64_t arrival(const struct tma_core *core, const struct tma_packet *packet,
                        enum tma_destination destination, uint64_t cycle) {
    bool crosses = destination == TMA_TO_HOME_SLICE;
    return crosses ? cycle + tma_crossing_cycles(core, packet->server) : cycle;
}

struct tma_handover tma_misses_leave(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                     enum tma_destination destination, uint64_t cycle) {
    struct tma_slice *slice = tma_near_slice(l2, tma_packet_at(core, id));
    if (tma_misses_wait(slice) || !make_room(core, slice, tma_packet_at(core, id), destination)) {
        tma_packet_queue_put(core, &slice->leaving, tma_event_of(destination, id));
        return tma_nowhere;
    }
    if (destination == TMA_TO_DRAM)
        return (struct tma_handover){id, destination, cycle};
    tma_send(core, destination, id, arrival(core, tma_packet_at(core, id), destination, cycle));
    return tma_nowhere;
}

void tma_misses_end(struct tma_core *core, struct tma_l2 *l2, uint32_t id, bool copy,
                    uint64_t cycle) {
    struct tma_slice *slice = tma_near_slice(l2, tma_packet_at(core, id));
    *(copy ? &slice->copies : &slice->fills) -= sectors_of(tma_packet_at(core, id), copy);
    cycle = tma_later(cycle, core->cycle + 1);
    while (tma_misses_wait(slice)) {
        uint32_t event = slice->leaving.first, first = tma_event_number(event);
        struct tma_packet *packet = tma_packet_at(core, first);
        enum tma_destination destination = tma_event_destination(event);
        if (!make_room(core, slice, packet, destination))
            break;
        tma_packet_queue_take(core, &slice->leaving);
        uint64_t known = tma_known_cycle(packet), left = tma_later(cycle, known);
        packet->dram_cycles = (uint32_t)(left - known);
        tma_send(core, destination, first, arrival(core, packet, destination, left));
    }
    tma_arrivals_go_on(core, l2, slice);
}
