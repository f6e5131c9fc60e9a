#include "memory/dram/channel.h"

#include "base/allocation.h"
#include "memory/dram/refresh.h"
#include "memory/dram/scheduler.h"

enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error) {
    uint32_t channels = machine->dram.channels;
    *dram = (struct tma_dram){
        .machine = machine,
        .scheduler = tma_dram_scheduler_policy(machine->dram.scheduler),
        .refresh = tma_refresh_policy(machine->dram.refresh_policy),
        .channels = tma_allocate(channels, sizeof *dram->channels),
        .slice_channels = tma_allocate(machine->l2.slices, sizeof *dram->slice_channels),
        .banks = tma_allocate((size_t)channels * machine->dram.banks, sizeof *dram->banks),
        .partition_slices = machine->l2.slices / machine->l2.partitions,
        .by_row_lines = tma_divisor_of(machine->dram.row_bytes / TMA_LINE_BYTES),
        .by_banks = tma_divisor_of(machine->dram.banks),
        .by_refresh = tma_divisor_of(
            machine->dram.refresh_interval_cycles > 0 ? machine->dram.refresh_interval_cycles : 1),
        .bus_ticks_per_sector = (uint64_t)TMA_SECTOR_BYTES * 1000 * TMA_TICKS * channels /
                                tma_machine_dram_bytes_per_kcycle(machine),
        .activate_ticks = tma_millicycles_to_ticks(machine->dram.activate_interval_millicycles),
        .turnaround_ticks = tma_millicycles_to_ticks(machine->dram.turnaround_millicycles),
        .row_gap_ticks = tma_millicycles_to_ticks(machine->dram.row_gap_millicycles),
    };
    if (dram->channels == NULL || dram->banks == NULL || dram->slice_channels == NULL) {
        tma_dram_free(dram);
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u DRAM channels", channels);
    }
    for (uint32_t i = 0; i < channels; i++) {
        dram->channels[i].refresh_phase = dram->refresh->phase(machine, i);
        dram->channels[i].last_row = UINT64_MAX;
    }
    for (uint32_t i = 0; i < machine->l2.slices; i++)
        dram->slice_channels[i] = (uint16_t)(i % channels);
    return TMA_OK;
}

void tma_dram_free(struct tma_dram *dram) {
    tma_release(dram->channels);
    tma_release(dram->slice_channels);
    tma_release(dram->banks);
    *dram = (struct tma_dram){0};
}

static uint32_t channel_of(const struct tma_dram *dram, const struct tma_line_location *location) {
    return dram->slice_channels[location->home * dram->partition_slices + location->server];
}

/* A number that identifies a location. */
static uint64_t number_of(const struct tma_line_location *location) {
    return location->group << 16 | (uint64_t)location->home << 15 | location->slice;
}

/* After a refresh, a channel serves only the first dram.refresh_in_order of the waiting accesses in
 * order. Returns the random delay of the line of any other access. `second`: the access is for the
 * second line of a block whose first line was just read. */
static uint64_t refresh_disorder(const struct tma_dram *dram, struct tma_dram_channel *channel,
                                 uint64_t number, bool second, uint64_t end) {
    const struct tma_machine *machine = dram->machine;
    if (channel->refresh_end != end)
        channel->refresh_waiting = 0;
    channel->refresh_end = end;
    channel->refresh_waiting += !second;
    if (channel->refresh_waiting <= machine->dram.refresh_in_order || machine->topology.seed == 0)
        return 0;
    uint64_t random = tma_mix64(tma_mix64(machine->topology.seed) + 2 * number + second + end + 1);
    return random % (machine->dram.refresh_disorder_cycles + 1);
}

/* Consecutive rows lie in different banks, in an order that differs from one turn of the banks to
 * the next, so that no pitch keeps to few banks. */
static uint32_t bank_of(const struct tma_dram *dram, uint64_t row) {
    uint64_t turn = tma_divide(row, &dram->by_banks);
    return (uint32_t)tma_modulo(row + tma_mix64(turn), &dram->by_banks);
}

/* The same for a row of a channel, which is most often the row of the last access. */
static uint32_t bank_in_channel(const struct tma_dram *dram, struct tma_dram_channel *channel,
                                uint64_t row) {
    if (channel->last_row != row) {
        channel->last_row = row;
        channel->last_bank = bank_of(dram, row);
    }
    return channel->last_bank;
}

/* Brings the row of a location into its bank's row buffer, for a command at `cycle`, from which the
 * channel is available at `available`. Returns the cycle at which the row is there; *opened says
 * whether it was not there before. */
static uint64_t open_row(struct tma_dram *dram, uint32_t number,
                         const struct tma_line_location *location, uint64_t cycle,
                         uint64_t available, bool *opened) {
    const struct tma_machine *machine = dram->machine;
    uint64_t row = tma_divide(location->group, &dram->by_row_lines);
    struct tma_dram_bank *bank = &dram->banks[number * machine->dram.banks +
                                              bank_in_channel(dram, &dram->channels[number], row)];
    uint64_t ready = available;
    if (bank->ready_cycle > cycle)
        ready = dram->refresh->available(dram, &dram->channels[number], bank->ready_cycle);
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
    uint32_t number = channel_of(dram, location);
    struct tma_dram_channel *channel = &dram->channels[number];
    uint64_t access = number_of(location);
    bool second = channel->last_access == access && channel->last_cycle == cycle, opened;
    uint64_t available = dram->refresh->available(dram, channel, cycle), late = 0;
    uint64_t ready = open_row(dram, number, location, cycle, available, &opened);
    uint64_t moved = dram->scheduler->read(dram, channel, sectors, opened, cycle);
    if (available > cycle)
        late = refresh_disorder(dram, channel, access, second, available);
    if (second && late == 0) /* behind the first line */
        late = tma_ticks_to_cycle(sectors * dram->bus_ticks_per_sector);
    channel->last_access = access;
    channel->last_cycle = cycle;
    dram->read_sectors += sectors;
    return (moved > ready + late ? moved : ready + late) + dram->machine->dram.access_cycles;
}

void tma_dram_write(struct tma_dram *dram, const struct tma_line_location *location,
                    uint32_t sectors, uint64_t cycle) {
    uint32_t number = channel_of(dram, location);
    bool opened;
    uint64_t available = dram->refresh->available(dram, &dram->channels[number], cycle);
    open_row(dram, number, location, cycle, available, &opened);
    dram->written_sectors += sectors;
    dram->scheduler->write(dram, &dram->channels[number], sectors, opened, cycle);
}

uint64_t tma_dram_accepts(const struct tma_dram *dram, const struct tma_line_location *location) {
    const struct tma_dram_channel *channel = &dram->channels[channel_of(dram, location)];
    uint64_t free_ticks = channel->bus.free_ticks;
    uint64_t queue_ticks = dram->machine->dram.queue_cycles * (uint64_t)TMA_TICKS;
    if (channel->activations.free_ticks > free_ticks)
        free_ticks = channel->activations.free_ticks;
    return free_ticks > queue_ticks ? tma_ticks_to_cycle(free_ticks - queue_ticks) : 0;
}
