/* What a kernel before would have left in L2; and what a run has counted. */
#include "memory/flight.h"

/* Sets that lines will be left in, fetched into the host's caches a while before it is done. */
enum { PENDING = 32 };

/* A line to be left in a set. */
struct line {
    struct tma_l2_index index;
    bool again; /* it was left there before */
};

struct pending {
    struct line lines[PENDING]; /* ring */
    uint32_t count;             /* that have been put in, ever */
};

static void leave(struct tma_l2 *l2, const struct line *line) {
    if (!line->again || l2->full)
        tma_l2_leave(l2, &l2->sets[line->index.set], line->index.tag, TMA_ALL_SECTORS);
}

/* Leaves a line's sectors in a partition, as if they had been there for long: a bit later. */
static void put(struct tma_l2 *l2, struct pending *pending, uint32_t partition,
                const struct tma_place *place, bool again) {
    struct line *line = &pending->lines[pending->count % PENDING];
    if (pending->count++ >= PENDING)
        leave(l2, line);
    *line = (struct line){tma_l2_index(l2, partition, place), again};
    if (again && !l2->full)
        return;
    tma_l2_prefetch(l2, line->index.set);
}

static void put_line(struct tma_memory *memory, struct pending *pending, uint32_t partition,
                     uint64_t line, bool again) {
    struct tma_place place = tma_place_line(&memory->machine, line);
    put(&memory->l2, pending, place.home, &place, again);
    if (place.home != partition)
        put(&memory->l2, pending, partition, &place, false);
}

static void put_lines(struct tma_memory *memory, struct pending *pending, uint32_t partition,
                      const struct tma_row *row, bool again) {
    uint64_t first = row->global_address / TMA_LINE_BYTES;
    uint64_t last = (row->global_address + row->data_global_bytes - 1) / TMA_LINE_BYTES;
    for (uint64_t line = first; line <= last; line++)
        put_line(memory, pending, partition, line, again);
}

static void warm(struct tma_memory *memory, uint32_t partition, struct tma_row_stream rows,
                 bool again) {
    struct tma_row row;
    struct pending pending = {.count = 0};
    uint32_t fills = 0;
    while (tma_rows_next(&rows, &row))
        if (row.data_bytes > 0)
            put_lines(memory, &pending, partition, &row, again);
        else if (fills < TMA_FILL_LINES)
            put_line(memory, &pending, partition, tma_fill_line(fills++), again);
    uint32_t left = pending.count < PENDING ? pending.count : PENDING;
    for (uint32_t i = pending.count - left; i != pending.count; i++)
        leave(&memory->l2, &pending.lines[i % PENDING]);
}

void tma_memory_warm(struct tma_memory *memory, uint32_t sm, const struct tma_row_stream *rows) {
    warm(memory, tma_memory_partition(memory, sm), *rows, false);
}

void tma_memory_warm_again(struct tma_memory *memory, uint32_t sm,
                           const struct tma_row_stream *rows) {
    warm(memory, tma_memory_partition(memory, sm), *rows, true);
}

bool tma_memory_is_full(const struct tma_memory *memory) {
    return memory->l2.full;
}

uint32_t tma_memory_partition(const struct tma_memory *memory, uint32_t sm) {
    return memory->machine.topology.gpc_partition[memory->sm_gpc[sm]];
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
