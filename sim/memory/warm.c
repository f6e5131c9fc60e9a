/* What a kernel before would have left in L2; and what a run has counted. */
#include "memory/flight.h"

/* Lines are left in their sets a while after it is known which those are, and many at once: by then
 * the sets are in the host's caches. */
enum { PENDING = 128, LEFT_AT_ONCE = 64 };

/* A line to be left in a set. */
struct line {
    struct tma_l2_index index;
    bool again;   /* it was left there before, for the other partition */
    bool passing; /* on its way to a copy: see l2.h */
};

struct pending {
    struct line lines[PENDING]; /* ring */
    uint32_t put, left;         /* how many, ever */
};

static void leave(struct tma_l2 *l2, struct pending *pending, uint32_t count) {
    for (uint32_t end = pending->left + count; pending->left != end; pending->left++) {
        const struct line *line = &pending->lines[pending->left % PENDING];
        if (!line->again || !line->passing || l2->full)
            tma_l2_leave(l2, &l2->sets[line->index.set], line->index.tag, line->passing,
                         TMA_ALL_SECTORS);
    }
}

/* The line's sectors are to be left in a partition, as if they had been there for long. */
static void put(struct tma_l2 *l2, struct pending *pending, uint32_t partition,
                const struct tma_place *place, bool again, bool passing) {
    struct line *line = &pending->lines[pending->put % PENDING];
    *line = (struct line){tma_l2_index(l2, partition, place), again, passing};
    if (!again || !passing || l2->full)
        tma_l2_prefetch(l2, line->index.set);
}

/* At home, and in the partition that has come to it. Where that is the home, which is as likely as
 * not, the second one is put for nothing: to jump over it would take the host longer. */
static void put_line(struct tma_memory *memory, struct pending *pending, uint32_t partition,
                     uint64_t line, bool again) {
    struct tma_place place = tma_place_line(&memory->l2.dealing, line);
    put(&memory->l2, pending, place.home, &place, again, place.home != partition);
    pending->put++;
    put(&memory->l2, pending, partition, &place, false, false);
    pending->put += place.home != partition;
    if (pending->put - pending->left > PENDING - 2)
        leave(&memory->l2, pending, LEFT_AT_ONCE);
}

static void put_row(struct tma_memory *memory, struct pending *pending, uint32_t partition,
                    uint64_t address, uint32_t bytes, bool again) {
    uint64_t first = address / TMA_LINE_BYTES, last = (address + bytes - 1) / TMA_LINE_BYTES;
    for (uint64_t line = first; line <= last; line++)
        put_line(memory, pending, partition, line, again);
}

static void warm(struct tma_memory *memory, uint32_t partition, struct tma_row_stream rows,
                 bool again) {
    const struct tma_row_run *run;
    struct pending pending = {.put = 0};
    uint32_t fills = 0;
    while ((run = tma_rows_next_run(&rows)) != NULL)
        for (uint32_t i = 0; i < run->rows; i++)
            if (run->first.data_bytes > 0)
                put_row(memory, &pending, partition,
                        run->first.global_address + i * run->global_step_bytes,
                        run->first.data_global_bytes, again);
            else if (fills < TMA_FILL_LINES)
                put_line(memory, &pending, partition, tma_fill_line(fills++), again);
    leave(&memory->l2, &pending, pending.put - pending.left);
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

/* Ticks for which the busiest part of a slice was. */
static uint64_t busiest(const struct tma_port *tags, const struct tma_write_ports *writes) {
    const uint64_t ticks[] = {tags->busy_ticks, writes->from_sms.busy_ticks,
                              writes->from_partition.busy_ticks, writes->data.busy_ticks};
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
        if (ticks[i] > most)
            most = ticks[i];
    return most;
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
        counters.slice_busy += busiest(&memory->slices[i], &memory->write_ports[i]) / TMA_TICKS;
    for (uint32_t i = 0; i < machine->dram.channels; i++)
        counters.bus_busy += memory->dram.channels[i].bus.busy_ticks / TMA_TICKS;
    counters.hit_sectors = counters.sectors - counters.miss_sectors;
    counters.evictions = memory->l2.evictions;
    counters.unused_sectors = memory->l2.unused_sectors;
    counters.dram_read_sectors = memory->dram.read_sectors;
    counters.dram_write_sectors = memory->dram.written_sectors;
    return counters;
}
