#include "memory/dram/channel.h"

#include <stdlib.h>

#include "memory/dram/refresh.h"
#include "memory/dram/scheduler.h"

enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error) {
    uint32_t channels = machine->dram.channels;
    *dram = (struct tma_dram){
        .machine = machine,
        .scheduler = tma_dram_scheduler_policy(machine->dram.scheduler),
        .refresh = tma_refresh_policy(machine->dram.refresh_policy),
        .channels = calloc(channels, sizeof *dram->channels),
        .banks = calloc((size_t)channels * machine->dram.banks, sizeof *dram->banks),
        .bus_ticks_per_sector = (uint64_t)TMA_SECTOR_BYTES * 1000 * TMA_TICKS * channels /
                                tma_machine_dram_bytes_per_kcycle(machine),
        .activate_ticks = tma_millicycles_to_ticks(machine->dram.activate_interval_millicycles),
        .turnaround_ticks = tma_millicycles_to_ticks(machine->dram.turnaround_millicycles),
        .row_gap_ticks = tma_millicycles_to_ticks(machine->dram.row_gap_millicycles),
    };
    if (dram->channels == NULL || dram->banks == NULL) {
        tma_dram_free(dram);
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u DRAM channels", channels);
    }
    for (uint32_t i = 0; i < channels; i++)
        dram->channels[i].refresh_phase = dram->refresh->phase(machine, i);
    return TMA_OK;
}

void tma_dram_free(struct tma_dram *dram) {
    free(dram->channels);
    free(dram->banks);
    *dram = (struct tma_dram){0};
}

static uint32_t channel_of(const struct tma_machine *machine,
                           const struct tma_line_location *location) {
    uint32_t slice =
        location->home * (machine->l2.slices / machine->l2.partitions) + location->server;
    return slice % machine->dram.channels;
}

/* A number that identifies a location. */
static uint64_t number_of(const struct tma_line_location *location) {
    return location->group << 16 | (uint64_t)location->home << 15 | location->slice;
}

/* After a refresh, a channel serves only the first accesses that waited for it in order. Returns
 * how much later the line of another one arrives: a random time. `second`: the access is for the
 * second line of a block whose first line was just read. */
static uint64_t refresh_disorder(struct tma_dram *dram, struct tma_dram_channel *channel,
                                 uint64_t number, bool second, uint64_t cycle) {
    const struct tma_machine *machine = dram->machine;
    uint64_t end = dram->refresh->available(machine, channel, cycle);
    if (end == cycle)
        return 0;
    if (channel->refresh_end != end)
        channel->refresh_waiting = 0;
    channel->refresh_end = end;
    channel->refresh_waiting += !second;
    if (channel->refresh_waiting <= machine->dram.refresh_in_order || machine->topology.draw == 0)
        return 0;
    uint64_t random = tma_mix64(tma_mix64(machine->topology.draw) + 2 * number + second + end + 1);
    return random % (machine->dram.refresh_disorder_cycles + 1);
}

/* Consecutive rows lie in different banks, in an order that differs from one turn of the banks to
 * the next, so that no pitch keeps to few banks. */
static uint32_t bank_of(const struct tma_machine *machine, uint64_t row) {
    uint32_t banks = machine->dram.banks;
    return (uint32_t)((row + tma_mix64(row / banks)) % banks);
}

/* Brings the row of a location into its bank's row buffer, for a command at `cycle`. Returns the
 * cycle at which it is there; *opened says whether it was not there before. */
static uint64_t open_row(struct tma_dram *dram, uint32_t number,
                         const struct tma_line_location *location, uint64_t cycle, bool *opened) {
    const struct tma_machine *machine = dram->machine;
    uint64_t row = location->group / (machine->dram.row_bytes / TMA_LINE_BYTES);
    struct tma_dram_bank *bank = &dram->banks[number * machine->dram.banks + bank_of(machine, row)];
    uint64_t ready = bank->ready_cycle > cycle ? bank->ready_cycle : cycle;
    ready = dram->refresh->available(machine, &dram->channels[number], ready);
    *opened = bank->row != row + 1;
    if (!*opened)
        return ready;
    uint64_t command =
        tma_port_serve(&dram->channels[number].activations, cycle, dram->activate_ticks);
    bank->row = row + 1;
    bank->ready_cycle = (command > ready ? command : ready) + machine->dram.activate_cycles;
    return bank->ready_cycle;
}

uint64_t tma_dram_read(struct tma_dram *dram, const struct tma_line_location *location,
                       uint32_t sectors, uint64_t cycle) {
    uint32_t number = channel_of(dram->machine, location);
    struct tma_dram_channel *channel = &dram->channels[number];
    uint64_t access = number_of(location);
    bool second = channel->last_access == access && channel->last_cycle == cycle, opened;
    uint64_t ready = open_row(dram, number, location, cycle, &opened);
    uint64_t moved = dram->scheduler->read(dram, channel, sectors, opened, cycle);
    uint64_t late = refresh_disorder(dram, channel, access, second, cycle);
    if (second && late == 0) /* behind the first line */
        late = tma_ticks_to_cycle(sectors * dram->bus_ticks_per_sector);
    channel->last_access = access;
    channel->last_cycle = cycle;
    dram->read_sectors += sectors;
    return (moved > ready + late ? moved : ready + late) + dram->machine->dram.access_cycles;
}

void tma_dram_write(struct tma_dram *dram, const struct tma_line_location *location,
                    uint32_t sectors, uint64_t cycle) {
    uint32_t number = channel_of(dram->machine, location);
    bool opened;
    open_row(dram, number, location, cycle, &opened);
    dram->written_sectors += sectors;
    dram->scheduler->write(dram, &dram->channels[number], sectors, opened, cycle);
}

uint64_t tma_dram_accepts(const struct tma_dram *dram, const struct tma_line_location *location) {
    const struct tma_dram_channel *channel = &dram->channels[channel_of(dram->machine, location)];
    uint64_t free_ticks = channel->bus.free_ticks;
    uint64_t queue_ticks = dram->machine->dram.queue_cycles * (uint64_t)TMA_TICKS;
    if (channel->activations.free_ticks > free_ticks)
        free_ticks = channel->activations.free_ticks;
    return free_ticks > queue_ticks ? tma_ticks_to_cycle(free_ticks - queue_ticks) : 0;
}
