#include "memory/l2/slice.h"

uint64_t tma_slice_occupy(struct tma_core *core, const struct tma_l2 *l2, uint32_t partition,
                          const struct tma_line_location *location, uint64_t ticks,
                          uint64_t cycle) {
    if (ticks < l2->interval_ticks)
        ticks = l2->interval_ticks;
    return tma_port_serve(tma_slice_port(core, l2, partition, location), cycle, ticks);
}

uint64_t tma_slice_look_up(struct tma_core *core, const struct tma_l2 *l2, uint32_t partition,
                           const struct tma_line_location *location, uint64_t ticks,
                           uint64_t cycle) {
    return tma_slice_occupy(core, l2, partition, location, ticks, cycle) +
           core->machine->l2.lookup_cycles;
}

void tma_slice_write_to_dram(struct tma_core *core, const struct tma_line_location *location,
                             uint32_t sectors, uint64_t cycle) {
    const struct tma_line_location where = *location;
    uint32_t packet = tma_packet_new(core);
    if (packet == TMA_NONE)
        return;
    *tma_packet_at(core, packet) = (struct tma_packet){
        .kind = TMA_PACKET_WRITE_BACK, .location = where, .sectors = sectors & 15u};
    tma_pass(core, TMA_TO_DRAM, packet, cycle);
}

void tma_slice_write_back(struct tma_core *core, uint32_t set, const struct tma_l2_victim *victim,
                          uint64_t cycle) {
    if (victim->sectors == 0)
        return;
    /* Only the home of a line holds dirty sectors of it. */
    uint64_t line = tma_line_in_set(&core->map, (struct tma_set_index){set, victim->tag});
    struct tma_line_location location = tma_locate(&core->map, line);
    tma_slice_write_to_dram(core, &location, victim->sectors, cycle);
}

int tma_slice_allocate(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, bool remote,
                       uint64_t cycle) {
    struct tma_set_index index = tma_packet_at(core, packet)->index;
    struct tma_l2_victim victim;
    int way = tma_tags_allocate(&l2->tags, &l2->tags.sets[index.set], index.tag, remote, &victim);
    tma_slice_write_back(core, index.set, &victim, cycle);
    return way;
}

uint32_t tma_slice_fill_sectors(enum tma_l2_promotion promotion, uint32_t missing) {
    if (promotion >= TMA_L2_128B)
        return TMA_ALL_SECTORS;
    return ((missing & 3u) != 0 ? 3u : 0u) | ((missing & 12u) != 0 ? 12u : 0u);
}

struct tma_handover tma_slice_start_fill(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                         int way, uint32_t missing, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    uint32_t sectors = missing;
    if (packet->kind != TMA_PACKET_REDUCE)
        sectors = tma_slice_fill_sectors(packet->promotion, missing);
    else if (tma_is_near(core, packet))
        sectors = tma_slice_fill_sectors(TMA_L2_NONE, missing);
    if (way >= 0)
        sectors &= ~tma_sectors_of_way(tma_slice_set(l2, packet)->valid, way);
    packet->fill.way = (int8_t)way;
    packet->fill.missing = (uint8_t)sectors;
    packet->dram_cycles = (uint32_t)(cycle - tma_known_cycle(packet));
    return (struct tma_handover){id, TMA_TO_DRAM, cycle};
}
