#include "memory/l2/slice.h"

void tma_slice_take_sectors(const struct tma_core *core, const struct tma_l2 *l2,
                            struct tma_slice *slice, uint32_t sectors) {
    uint64_t ticks = tma_sector_count(sectors) * l2->fill_sector_ticks;
    tma_slice_serve(slice, TMA_SLICE_TAGS, core->cycle, ticks);
}

void tma_slice_write_to_dram(struct tma_core *core, uint64_t line, struct tma_line_server server,
                             uint32_t sectors, bool returns, uint64_t cycle) {
    uint32_t packet = tma_packet_new(core);
    if (packet == TMA_NONE)
        return;
    *tma_packet_at(core, packet) = (struct tma_packet){.line = line,
                                                       .kind = TMA_PACKET_WRITE_BACK,
                                                       .server = server,
                                                       .sectors = (uint8_t)sectors,
                                                       .returns = returns};
    tma_pass(core, TMA_TO_DRAM, packet, cycle);
}

void tma_slice_write_back(struct tma_core *core, const struct tma_l2 *keeper, uint32_t set,
                          const struct tma_l2_victim *victim, uint64_t cycle) {
    if (victim->sectors == 0)
        return;
    /* Only the home of a line holds dirty sectors of it. */
    uint64_t line = tma_line_in_set(&core->map, (struct tma_set_index){set, victim->tag});
    struct tma_line_server server = tma_place_at_home(core, line).server;
    if (keeper != NULL)
        tma_home_slice(core, keeper, server)->operands += tma_slice_operands(victim->sectors);
    tma_slice_write_to_dram(core, line, server, victim->sectors, keeper != NULL, cycle);
}

int tma_slice_allocate(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, uint64_t cycle) {
    struct tma_set_index index = tma_packet_at(core, packet)->index;
    struct tma_l2_victim victim;
    int way = tma_tags_allocate(&l2->tags, &l2->tags.sets[index.set], index.tag, &victim);
    tma_slice_write_back(core, NULL, index.set, &victim, cycle);
    return way;
}
