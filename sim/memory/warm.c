/* What a kernel before would have left in L2; and what a run has counted. */
#include "memory/flight.h"

/* Sets that lines will be left in, fetched into the host's caches a while before it is done. */
enum { PENDING = 32 };

struct pending {
    struct tma_l2_index lines[PENDING]; /* ring */
    uint32_t count;                     /* that have been put in, ever */
};

static void leave(struct tma_l2 *l2, const struct tma_l2_index *line) {
    tma_l2_leave(l2, &l2->sets[line->set], line->tag, TMA_ALL_SECTORS);
}

/* Leaves a line's sectors in a partition, as if they had been there for long: a bit later. */
static void put(struct tma_l2 *l2, struct pending *pending, uint32_t partition,
                const struct tma_place *place) {
    struct tma_l2_index *line = &pending->lines[pending->count % PENDING];
    if (pending->count++ >= PENDING)
        leave(l2, line);
    *line = tma_l2_index(l2, partition, place);
    const char *set = (const char *)&l2->sets[line->set];
    __builtin_prefetch(set, 1);
    __builtin_prefetch(set + 128, 1);
}

static void put_line(struct tma_memory *memory, struct pending *pending, uint32_t partition,
                     uint64_t line) {
    struct tma_place place = tma_place_line(&memory->machine, line);
    put(&memory->l2, pending, place.home, &place);
    if (place.home != partition)
        put(&memory->l2, pending, partition, &place);
}

static void put_lines(struct tma_memory *memory, struct pending *pending, uint32_t partition,
                      const struct tma_row *row) {
    uint64_t first = row->global_address / TMA_LINE_BYTES;
    uint64_t last = (row->global_address + row->data_global_bytes - 1) / TMA_LINE_BYTES;
    for (uint64_t line = first; line <= last; line++)
        put_line(memory, pending, partition, line);
}

void tma_memory_warm(struct tma_memory *memory, uint32_t sm, const struct tma_row_stream *rows) {
    struct tma_row_stream stream = *rows;
    struct tma_row row;
    struct pending pending = {.count = 0};
    uint32_t partition = memory->machine.topology.gpc_partition[memory->sm_gpc[sm]];
    uint32_t fills = 0;
    while (tma_rows_next(&stream, &row))
        if (row.data_bytes > 0)
            put_lines(memory, &pending, partition, &row);
        else if (fills < TMA_FILL_LINES)
            put_line(memory, &pending, partition, tma_fill_line(fills++));
    uint32_t left = pending.count < PENDING ? pending.count : PENDING;
    for (uint32_t i = pending.count - left; i != pending.count; i++)
        leave(&memory->l2, &pending.lines[i % PENDING]);
}

struct tma_memory_counters tma_memory_count(const struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    struct tma_memory_counters counters = memory->counters;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        const struct tma_unit *units = memory->units;
        counters.tma_busy +=
            (units[i].busy_ticks + units[machine->sm_count + i].busy_ticks) / TMA_TICKS;
        counters.sm_port_busy += memory->sm_ports[i].busy_ticks / TMA_TICKS;
    }
    for (uint32_t i = 0; i < machine->topology.gpc_count; i++)
        counters.gpc_port_busy += memory->gpc_ports[i].busy_ticks / TMA_TICKS;
    for (uint32_t i = 0; i < machine->l2.slices; i++)
        counters.slice_busy += memory->slices[i].port.busy_ticks / TMA_TICKS;
    for (uint32_t i = 0; i < machine->dram.channels; i++)
        counters.bus_busy += memory->dram.channels[i].bus.busy_ticks / TMA_TICKS;
    counters.hit_sectors = counters.sectors - counters.miss_sectors;
    counters.evictions = memory->l2.evictions;
    counters.unused_sectors = memory->l2.unused_sectors;
    counters.dram_read_sectors = memory->dram.read_sectors;
    counters.dram_write_sectors = memory->dram.written_sectors;
    return counters;
}
