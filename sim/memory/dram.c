#include "memory/dram.h"

#include <stdlib.h>
#include <string.h>

uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine) {
    /* bits / 8, two edges of the memory clock, in 1000 cycles of the SM clock */
    return (uint64_t)machine->dram.bus_bits * 2 * machine->dram.clock_mhz * 1000 / 8 /
           machine->sm_clock_mhz;
}

/* A number for each `what`, drawn. */
static uint64_t draw(const struct tma_dram *dram, uint64_t what) {
    return tma_mix64(tma_mix64(dram->machine->topology.draw) + what + 1);
}

enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error) {
    uint32_t channels = machine->dram.channels;
    *dram = (struct tma_dram){
        .machine = machine,
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
    for (uint32_t i = 0; i < channels && machine->dram.refresh_interval_cycles > 0; i++)
        dram->channels[i].refresh_phase = draw(dram, i) % machine->dram.refresh_interval_cycles;
    return TMA_OK;
}

void tma_dram_free(struct tma_dram *dram) {
    free(dram->channels);
    free(dram->banks);
    *dram = (struct tma_dram){0};
}

/* The first cycle from `cycle` on at which the channel is not away for refresh. */
static uint64_t after_refresh(const struct tma_machine *machine,
                              const struct tma_dram_channel *channel, uint64_t cycle) {
    uint32_t interval = machine->dram.refresh_interval_cycles;
    if (interval == 0)
        return cycle;
    uint64_t phase = (cycle + channel->refresh_phase) % interval;
    return phase < machine->dram.refresh_cycles ? cycle + machine->dram.refresh_cycles - phase
                                                : cycle;
}

/* A number for each place, to draw by. */
static uint64_t number_of(const struct tma_place *place) {
    return place->group << 16 | (uint64_t)place->home << 15 | place->slice;
}

/* Of what waits for the end of a refresh, only the first accesses are served in order: how much
 * later another one's line comes. */
static uint64_t after_others(struct tma_dram *dram, struct tma_dram_channel *channel,
                             uint64_t number, bool second, uint64_t cycle) {
    const struct tma_machine *machine = dram->machine;
    uint64_t end = after_refresh(machine, channel, cycle);
    if (end == cycle)
        return 0;
    if (channel->refresh_end != end)
        channel->refresh_waiting = 0;
    channel->refresh_end = end;
    channel->refresh_waiting += !second;
    if (channel->refresh_waiting <= machine->dram.refresh_in_order || machine->topology.draw == 0)
        return 0;
    return draw(dram, 2 * number + second + end) % (machine->dram.refresh_disorder_cycles + 1);
}

static uint32_t channel_of(const struct tma_machine *machine, const struct tma_place *place) {
    uint32_t slice = place->home * (machine->l2.slices / machine->l2.partitions) + place->server;
    return slice % machine->dram.channels;
}

/* The bus goes to whoever is ready: a bank that is late holds nobody else up. Gives when it has
 * moved the data, for which so many rows were opened. */
static uint64_t move(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t sectors,
                     uint32_t rows_opened, bool writes, uint64_t cycle) {
    uint64_t ticks = sectors * dram->bus_ticks_per_sector + rows_opened * dram->row_gap_ticks;
    if (channel->writes != writes)
        ticks += dram->turnaround_ticks;
    channel->writes = writes;
    return tma_port_serve(&channel->bus, cycle, ticks);
}

/* Rows that follow each other are in different banks, in an order that differs from one turn of the
 * banks to the next: no pitch keeps to few of them. */
static uint32_t bank_of(const struct tma_machine *machine, uint64_t row) {
    uint32_t banks = machine->dram.banks;
    return (uint32_t)((row + tma_mix64(row / banks)) % banks);
}

/* When the row that a place is in is open, for a command at `cycle`. */
static uint64_t open_row(struct tma_dram *dram, uint32_t number, const struct tma_place *place,
                         uint64_t cycle) {
    const struct tma_machine *machine = dram->machine;
    uint64_t row = place->group / (machine->dram.row_bytes / TMA_LINE_BYTES);
    uint32_t bank_number = number * machine->dram.banks + bank_of(machine, row);
    struct tma_dram_bank *bank = &dram->banks[bank_number];
    uint64_t ready = bank->ready_cycle > cycle ? bank->ready_cycle : cycle;
    ready = after_refresh(machine, &dram->channels[number], ready);
    dram->channels[number].row_opened = bank->row != row + 1; /* stored plus 1: 0 is none */
    if (!dram->channels[number].row_opened)
        return ready;
    uint64_t command =
        tma_port_serve(&dram->channels[number].activations, cycle, dram->activate_ticks);
    bank->row = row + 1;
    bank->ready_cycle = (command > ready ? command : ready) + machine->dram.activate_cycles;
    return bank->ready_cycle;
}

uint64_t tma_dram_read(struct tma_dram *dram, const struct tma_place *place, uint32_t sectors,
                       uint64_t cycle) {
    uint32_t number = channel_of(dram->machine, place);
    struct tma_dram_channel *channel = &dram->channels[number];
    uint64_t access = number_of(place);
    bool second = channel->last_access == access && channel->last_cycle == cycle;
    uint64_t ready = open_row(dram, number, place, cycle);
    uint64_t moved = move(dram, channel, sectors, channel->row_opened, false, cycle);
    uint64_t late = after_others(dram, channel, access, second, cycle);
    if (second && late == 0) /* behind the first line */
        late = tma_ticks_to_cycle(sectors * dram->bus_ticks_per_sector);
    channel->last_access = access;
    channel->last_cycle = cycle;
    dram->read_sectors += sectors;
    return (moved > ready + late ? moved : ready + late) + dram->machine->dram.access_cycles;
}

void tma_dram_write(struct tma_dram *dram, const struct tma_place *place, uint32_t sectors,
                    uint64_t cycle) {
    uint32_t number = channel_of(dram->machine, place);
    struct tma_dram_channel *channel = &dram->channels[number];
    open_row(dram, number, place, cycle);
    dram->written_sectors += sectors;
    channel->gathered.sectors += sectors;
    channel->gathered.rows_opened += channel->row_opened;
    if (++channel->gathered.count < dram->machine->dram.write_batch)
        return;
    move(dram, channel, channel->gathered.sectors, channel->gathered.rows_opened, true, cycle);
    memset(&channel->gathered, 0, sizeof channel->gathered);
}

uint64_t tma_dram_accepts(const struct tma_dram *dram, const struct tma_place *place) {
    const struct tma_dram_channel *channel = &dram->channels[channel_of(dram->machine, place)];
    uint64_t free_ticks = channel->bus.free_ticks,
             queue_ticks = dram->machine->dram.queue_cycles * (uint64_t)TMA_TICKS;
    if (channel->activations.free_ticks > free_ticks)
        free_ticks = channel->activations.free_ticks;
    return free_ticks > queue_ticks ? tma_ticks_to_cycle(free_ticks - queue_ticks) : 0;
}
