#include "memory/dram/dram.h"

struct tma_handover tma_dram_receive(struct tma_core *core, struct tma_dram *dram, uint32_t id,
                                     uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (packet->kind == TMA_PACKET_WRITE_BACK) {
        tma_dram_write(dram, &packet->location, tma_sector_count(packet->sectors), cycle);
        tma_packet_free(core, id);
        return tma_nowhere;
    }
    uint32_t sectors = tma_sector_count(packet->fill.missing);
    uint64_t ready = tma_dram_read(dram, &packet->location, sectors, cycle);
    return (struct tma_handover){id, TMA_TO_SLICE_FILL, ready};
}

TMA_RARE struct tma_handover tma_dram_receive_credit(struct tma_core *core,
                                                     const struct tma_dram *dram, uint32_t id) {
    uint64_t accepted = tma_dram_accepts(dram, &tma_packet_at(core, id)->location);
    return (struct tma_handover){id, TMA_TO_WRITE_ACCEPTED, accepted};
}

uint64_t tma_dram_busy_cycles(const struct tma_dram *dram) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < dram->machine->dram.channels; i++)
        total += dram->channels[i].bus.busy_ticks / TMA_TICKS;
    return total;
}
