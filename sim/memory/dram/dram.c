#include "memory/dram/dram.h"

void tma_dram_receive(struct tma_dram *dram, struct tma_core *core, uint32_t id, uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (packet->kind == TMA_PACKET_WRITE_BACK) {
        tma_dram_write(dram, &packet->location, tma_sector_count(packet->sectors), cycle);
        tma_packet_free(core, id);
        return;
    }
    uint32_t sectors = tma_sector_count(packet->fill.missing);
    tma_pass(core, TMA_TO_SLICE_FILL, id, tma_dram_read(dram, &packet->location, sectors, cycle));
}

void tma_dram_receive_credit(const struct tma_dram *dram, struct tma_core *core, uint32_t id) {
    tma_pass(core, TMA_TO_WRITE_ACCEPTED, id,
             tma_dram_accepts(dram, &tma_packet_at(core, id)->location));
}

uint64_t tma_dram_busy_cycles(const struct tma_dram *dram) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < dram->machine->dram.channels; i++)
        total += dram->channels[i].bus.busy_ticks / TMA_TICKS;
    return total;
}
