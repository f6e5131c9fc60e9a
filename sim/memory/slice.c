/* L2 slices: what happens to a request there. A request goes to the slice of its SM's own
 * partition; what that one doesn't have, and whose home is the other partition, it asks for there;
 * what the home doesn't have comes from DRAM, in fills of the promotion's size. */
#include <assert.h>

#include "memory/flight.h"

static uint32_t slice_number(const struct tma_memory *memory, uint32_t partition,
                             const struct tma_place *place) {
    return partition * memory->l2.slices + place->slice;
}

/* Waits for the slice, and for its look-up: gives the cycle at which the answer is known. */
static uint64_t look_up(struct tma_memory *memory, uint32_t partition,
                        const struct tma_place *place, uint32_t sectors, uint64_t cycle) {
    const struct tma_machine *machine = &memory->machine;
    uint64_t millicycles =
        machine->l2.request_millicycles + (uint64_t)sectors * machine->l2.sector_millicycles;
    struct tma_port *slice = &memory->slices[slice_number(memory, partition, place)];
    return tma_port_serve(slice, cycle, millicycles * TMA_TICKS / 1000) + machine->l2.lookup_cycles;
}

/* Sends a request's data back, which leaves the slice of the SM's partition at `cycle`. */
static void respond(struct tma_memory *memory, uint32_t entry, const struct tma_place *place,
                    uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    uint32_t gpc = memory->sm_gpc[memory->flights[request->flight].sm];
    request->stage = TMA_STAGE_RESPONSE;
    tma_wheel_put(&memory->wheel, entry,
                  cycle + memory->machine.crossbar.response_cycles +
                      tma_hop_cycles(memory, gpc, place));
}

/* Sectors that a fill brings for `missing` ones of a line: whole blocks of 64 bytes, or the line.
 */
static uint32_t fill_sectors(enum tma_l2_promotion promotion, uint32_t missing) {
    if (promotion >= TMA_L2_128B)
        return TMA_ALL_SECTORS;
    return ((missing & 3u) != 0 ? 3u : 0u) | ((missing & 12u) != 0 ? 12u : 0u);
}

/* Fills a line from DRAM at its home, into a way or (-1) past the cache; gives the cycle at which
 * the data is there. */
static uint64_t fill(struct tma_memory *memory, struct tma_flight *flight,
                     const struct tma_place *place, struct tma_l2_set *set, int way,
                     uint32_t missing, uint64_t cycle) {
    uint32_t sectors = fill_sectors(flight->promotion, missing);
    if (way >= 0)
        sectors &= ~(uint32_t)set->valid[way];
    uint32_t count = (uint32_t)__builtin_popcount(sectors);
    uint64_t ready = tma_dram_read(&memory->dram, place, count, cycle);
    if (way >= 0) {
        set->valid[way] = (uint8_t)(set->valid[way] | sectors);
        if (ready > set->ready[way])
            set->ready[way] = ready;
    }
    flight->completion.fills++;
    flight->completion.fill_sectors += count;
    if (ready > flight->completion.fill_cycle)
        flight->completion.fill_cycle = ready;
    memory->counters.fills++;
    memory->counters.fill_sectors += count;
    return ready;
}

/* Promotion to 256 bytes: the other line of the pair is fetched along, by a request of its own. */
static void promote(struct tma_memory *memory, uint32_t of, uint64_t cycle) {
    uint32_t entry = tma_request_new(memory);
    if (entry == TMA_NONE)
        return;
    struct tma_request *request = tma_request_at(memory, entry);
    *request = *tma_request_at(memory, of);
    request->line ^= 1;
    request->stage = TMA_STAGE_PROMOTE;
    request->sectors = TMA_ALL_SECTORS;
    request->next = TMA_NONE;
    memory->flights[request->flight].promotes++;
    tma_wheel_put(&memory->wheel, entry, cycle + 1);
}

/* The sectors of a request that a way does not have; from now on they have been asked for. Way -1,
 * none to be had, has nothing. */
static uint32_t ask(struct tma_l2 *l2, struct tma_l2_set *set, int way,
                    const struct tma_request *request) {
    if (way < 0)
        return request->sectors;
    tma_l2_touch(l2, set, way);
    set->asked[way] |= request->sectors;
    return request->sectors & ~(uint32_t)set->valid[way];
}

/* Looks a line up at its home and fills what is missing; gives the cycle at which all is there. */
static uint64_t home_data(struct tma_memory *memory, uint32_t entry, const struct tma_place *place,
                          uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_flight *flight = &memory->flights[request->flight];
    struct tma_l2_set *set = tma_l2_set(&memory->l2, place->home, place);
    int way = tma_l2_claim(&memory->l2, set, request->line);
    uint32_t missing = ask(&memory->l2, set, way, request);
    uint64_t ready = way < 0 ? cycle : set->ready[way];
    memory->counters.miss_sectors += (uint32_t)__builtin_popcount(missing);
    if (missing != 0) {
        flight->completion.miss_sectors += (uint32_t)__builtin_popcount(missing);
        ready = fill(memory, flight, place, set, way, missing, cycle);
        if (flight->promotion == TMA_L2_256B)
            promote(memory, entry, cycle);
    }
    return ready > cycle ? ready : cycle;
}

/* Lets go of all that waited for a line whose data will be there at `ready`. */
static void release_waiters(struct tma_memory *memory, uint32_t entry,
                            const struct tma_place *place, uint64_t ready) {
    while (entry != TMA_NONE) {
        struct tma_request *request = tma_request_at(memory, entry);
        uint32_t next = request->next;
        request->dram_cycles = (uint32_t)(ready - request->l2_done_cycle);
        respond(memory, entry, place, ready);
        entry = next;
    }
}

/* At the slice of the SM's partition, where the line's home is the other one: a copy, or a way to
 * get it. */
static void request_copy(struct tma_memory *memory, uint32_t entry, const struct tma_place *place,
                         uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_l2_set *set = tma_l2_set(&memory->l2, request->partition, place);
    int way = tma_l2_claim(&memory->l2, set, request->line);
    uint32_t missing = ask(&memory->l2, set, way, request);
    bool waiting = way >= 0 && (set->waiting & 1u << way) != 0;
    if (missing == 0 && waiting) {
        request->next = (uint32_t)set->ready[way];
        set->ready[way] = entry;
        return;
    }
    if (missing == 0) {
        uint64_t ready = set->ready[way] > cycle ? set->ready[way] : cycle;
        request->dram_cycles = (uint32_t)(ready - cycle);
        respond(memory, entry, place, ready);
        return;
    }
    memory->counters.partition_sectors += (uint32_t)__builtin_popcount(missing);
    if (way >= 0 && !waiting) {
        set->waiting = (uint16_t)(set->waiting | 1u << way);
        set->ready[way] = TMA_NONE;
    }
    if (way >= 0)
        set->valid[way] |= request->sectors;
    request->next = TMA_NONE;
    request->stage = TMA_STAGE_HOME;
    tma_wheel_put(&memory->wheel, entry, cycle + memory->machine.crossbar.partition_cycles);
}

void tma_slice_request(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_place place = tma_place_line(&memory->machine, request->line);
    uint32_t count = (uint32_t)__builtin_popcount(request->sectors);
    uint64_t done = look_up(memory, request->partition, &place, count, cycle);
    request->l2_cycles = (uint32_t)(done - cycle);
    request->l2_done_cycle = done;
    memory->counters.requests++;
    memory->counters.sectors += count;
    if (place.home == request->partition) {
        uint64_t ready = home_data(memory, entry, &place, done);
        request = tma_request_at(memory, entry); /* promotion may have moved the pool */
        request->dram_cycles = (uint32_t)(ready - done);
        respond(memory, entry, &place, ready);
    } else {
        request_copy(memory, entry, &place, done);
    }
}

void tma_slice_home(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_place place = tma_place_line(&memory->machine, tma_request_at(memory, entry)->line);
    uint32_t count = (uint32_t)__builtin_popcount(tma_request_at(memory, entry)->sectors);
    uint64_t done = look_up(memory, place.home, &place, count, cycle);
    uint64_t ready =
        home_data(memory, entry, &place, done) + memory->machine.crossbar.partition_cycles;
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_l2_set *set = tma_l2_set(&memory->l2, request->partition, &place);
    int way = tma_l2_find(&memory->l2, set, request->line);
    uint32_t waiters = TMA_NONE;
    if (way >= 0 && (set->waiting & 1u << way) != 0) {
        waiters = (uint32_t)set->ready[way];
        set->waiting = (uint16_t)(set->waiting & ~(1u << way));
        set->ready[way] = ready;
    }
    release_waiters(memory, waiters, &place, ready);
    release_waiters(memory, entry, &place, ready);
}

void tma_slice_promote(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_flight *flight = &memory->flights[request->flight];
    struct tma_place place = tma_place_line(&memory->machine, request->line);
    uint64_t done = look_up(memory, place.home, &place, 0, cycle);
    struct tma_l2_set *set = tma_l2_set(&memory->l2, place.home, &place);
    int way = tma_l2_claim(&memory->l2, set, request->line);
    uint32_t missing = way < 0 ? 0 : request->sectors & ~(uint32_t)set->valid[way];
    if (request->partition == place.home) { /* the SM's own partition counts it as the SM's */
        memory->counters.requests++;
        memory->counters.sectors += TMA_SECTORS;
        memory->counters.miss_sectors += (uint32_t)__builtin_popcount(missing);
    }
    if (missing != 0)
        fill(memory, flight, &place, set, way, missing, done);
    flight->promotes--;
    tma_request_free(memory, entry);
}

/* Leaves a line's sectors in a partition as if they had been there for long. */
static void leave(struct tma_l2 *l2, uint32_t partition, const struct tma_place *place,
                  uint64_t line, uint32_t sectors) {
    struct tma_l2_set *set = tma_l2_set(l2, partition, place);
    int way = tma_l2_claim(l2, set, line);
    tma_l2_touch(l2, set, way);
    set->valid[way] = (uint8_t)(set->valid[way] | sectors);
}

void tma_memory_warm(struct tma_memory *memory, uint32_t sm, const struct tma_row_stream *rows) {
    struct tma_row_stream stream = *rows;
    struct tma_row row;
    uint32_t partition = memory->machine.topology.gpc_partition[memory->sm_gpc[sm]];
    while (tma_rows_next(&stream, &row)) {
        if (row.data_bytes == 0)
            continue;
        uint64_t first = row.global_address / TMA_LINE_BYTES;
        uint64_t last = (row.global_address + row.data_global_bytes - 1) / TMA_LINE_BYTES;
        for (uint64_t line = first; line <= last; line++) {
            struct tma_place place = tma_place_line(&memory->machine, line);
            leave(&memory->l2, place.home, &place, line, TMA_ALL_SECTORS);
            if (place.home != partition)
                leave(&memory->l2, partition, &place, line, TMA_ALL_SECTORS);
        }
    }
}

struct tma_memory_counters tma_memory_count(const struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    struct tma_memory_counters counters = memory->counters;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        counters.tma_busy += memory->units[i].busy_ticks / TMA_TICKS;
        counters.sm_port_busy += memory->sm_ports[i].busy_ticks / TMA_TICKS;
    }
    for (uint32_t i = 0; i < machine->topology.gpc_count; i++)
        counters.gpc_port_busy += memory->gpc_ports[i].busy_ticks / TMA_TICKS;
    for (uint32_t i = 0; i < machine->l2.slices; i++)
        counters.slice_busy += memory->slices[i].busy_ticks / TMA_TICKS;
    for (uint32_t i = 0; i < machine->dram.channels; i++)
        counters.bus_busy += memory->dram.buses[i].busy_ticks / TMA_TICKS;
    counters.hit_sectors = counters.sectors - counters.miss_sectors;
    counters.evictions = memory->l2.evictions;
    counters.unused_sectors = memory->l2.unused_sectors + tma_l2_count_unused(&memory->l2);
    counters.dram_read_sectors = memory->dram.read_sectors;
    counters.dram_write_sectors = memory->dram.written_sectors;
    return counters;
}
