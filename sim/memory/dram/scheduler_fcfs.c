/* FCFS: the bus moves reads in order of arrival. A bank that opens a row delays only its own data.
 * Writes wait until there is a batch of them (dram.write_batch), which spares turnarounds. */
#include "memory/dram/scheduler.h"

/* Moves data over the bus; `rows_opened` rows were opened for it. Returns the cycle at which the
 * transfer ends. */
static uint64_t move(const struct tma_dram *dram, struct tma_dram_channel *channel,
                     uint32_t sectors, uint32_t rows_opened, bool writing, uint64_t cycle) {
    uint64_t ticks = sectors * dram->bus_ticks_per_sector + rows_opened * dram->row_gap_ticks;
    if (channel->writing != writing)
        ticks += dram->turnaround_ticks;
    channel->writing = writing;
    return tma_port_serve(&channel->bus, cycle, ticks);
}

static uint64_t serve_read(const struct tma_dram *dram, struct tma_dram_channel *channel,
                           uint32_t sectors, bool opens_row, uint64_t cycle) {
    return move(dram, channel, sectors, opens_row, false, cycle);
}

static void serve_write(const struct tma_dram *dram, struct tma_dram_channel *channel,
                        uint32_t sectors, bool opens_row, uint64_t cycle) {
    channel->write_buffer.sectors += sectors;
    channel->write_buffer.rows_opened += opens_row;
    if (++channel->write_buffer.count < dram->machine->dram.write_batch)
        return;
    move(dram, channel, channel->write_buffer.sectors, channel->write_buffer.rows_opened, true,
         cycle);
    channel->write_buffer.count = 0;
    channel->write_buffer.sectors = 0;
    channel->write_buffer.rows_opened = 0;
}

const struct tma_dram_scheduler_policy tma_dram_scheduler_fcfs = {serve_read, serve_write};
