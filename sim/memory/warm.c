/* What a kernel before would have left in L2; and what a run has counted. */
#include "memory/flight.h"

/* Lines are left in their sets a while after it is known which those are, and many at once: by then
 * the sets are in the host's caches. */
enum { PENDING = 128, LEFT_AT_ONCE = 64 };

/* A line to be left in a set. */
struct line {
    struct tma_l2_index index;
    bool again;      /* it was left there before, for the other partition */
    bool passing;    /* on its way to a copy: see l2.h */
    bool lent;       /* likewise */
    uint8_t written; /* sectors: bit mask */
};

struct pending {
    struct line lines[PENDING]; /* ring */
    uint32_t put, left;         /* how many, ever */
};

/* An operation of a kernel before. */
struct visit {
    uint32_t partition; /* of its SM */
    enum tma_direction direction;
    bool again; /* the lines were brought in before, for the other partition */
};

/* What was written and has not been written to DRAM by the kernel's end. */
static void leave_written(struct tma_memory *memory, const struct line *line, int way) {
    struct tma_l2_set *set = &memory->l2.sets[line->index.set];
    tma_l2_write(&memory->l2, set, way, line->written);
    tma_l2_lend(set, way, line->lent);
    tma_l2_clean(&memory->l2, set, way, memory->machine.l2.dirty_ways);
}

/* It was left before, and nothing has driven it out. */
static bool is_left(const struct tma_l2 *l2, const struct line *line) {
    return line->again && line->passing && !l2->full;
}

static void leave(struct tma_memory *memory, struct pending *pending, uint32_t count) {
    struct tma_l2 *l2 = &memory->l2;
    for (uint32_t end = pending->left + count; pending->left != end; pending->left++) {
        const struct line *line = &pending->lines[pending->left % PENDING];
        if (is_left(l2, line))
            continue;
        int way = tma_l2_leave(l2, &l2->sets[line->index.set], line->index.tag, line->passing,
                               TMA_ALL_SECTORS);
        if (line->written != 0)
            leave_written(memory, line, way);
    }
}

/* The line's sectors are to be left in a set, as if they had been there for long. */
static void put(const struct tma_l2 *l2, struct pending *pending, struct line line) {
    pending->lines[pending->put % PENDING] = line;
    if (!is_left(l2, &line))
        tma_l2_prefetch(l2, line.index.set);
}

/* At home, where a load from the other partition leaves it for a copy there, and a write what it
 * wrote; and in the partition that has loaded or stored it. Where that is the home, which is as
 * likely as not, the second one is put for nothing: to jump over it would take the host longer. */
static void put_line(struct tma_memory *memory, struct pending *pending, const struct visit *visit,
                     uint64_t line, uint8_t sectors) {
    const struct tma_l2 *l2 = &memory->l2;
    struct tma_place place = tma_place_line(&l2->dealing, line);
    bool foreign = place.home != visit->partition;
    bool stored = visit->direction == TMA_STORE, loaded = visit->direction == TMA_LOAD;
    put(l2, pending,
        (struct line){.index = tma_l2_index(l2, place.home, &place),
                      .again = visit->again,
                      .passing = foreign && loaded,
                      .lent = foreign && stored,
                      .written = tma_writes_tensor(visit->direction) ? sectors : 0});
    pending->put++;
    put(l2, pending, (struct line){.index = tma_l2_index(l2, visit->partition, &place)});
    pending->put += foreign && (stored || loaded);
    if (pending->put - pending->left > PENDING - 2)
        leave(memory, pending, LEFT_AT_ONCE);
}

/* Sectors of a line that some bytes are in. */
static uint8_t sectors_of(uint64_t line, uint64_t first, uint64_t last) {
    uint64_t start = line * TMA_LINE_BYTES, end = start + TMA_LINE_BYTES - 1;
    uint32_t from = (uint32_t)(first > start ? first - start : 0);
    return (uint8_t)tma_sector_mask(from, (uint32_t)((last < end ? last : end) - start));
}

static void put_row(struct tma_memory *memory, struct pending *pending, const struct visit *visit,
                    uint64_t address, uint32_t bytes) {
    uint64_t last = address + bytes - 1;
    for (uint64_t line = address / TMA_LINE_BYTES; line <= last / TMA_LINE_BYTES; line++)
        put_line(memory, pending, visit, line, sectors_of(line, address, last));
}

void tma_memory_warm(struct tma_memory *memory, uint32_t sm, enum tma_direction direction,
                     const struct tma_row_stream *rows, bool again) {
    const struct visit visit = {tma_memory_partition(memory, sm), direction, again};
    struct tma_row_stream left = *rows;
    const struct tma_row_run *run;
    struct pending pending = {.put = 0};
    uint32_t fills = 0;
    while ((run = tma_rows_next_run(&left)) != NULL)
        for (uint32_t i = 0; i < run->rows; i++)
            if (run->first.data_bytes > 0)
                put_row(memory, &pending, &visit,
                        run->first.global_address + i * run->global_step_bytes,
                        run->first.data_global_bytes);
            else if (fills < TMA_FILL_LINES && direction == TMA_LOAD)
                put_line(memory, &pending, &visit, tma_fill_line(fills++), 0);
    leave(memory, &pending, pending.put - pending.left);
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
