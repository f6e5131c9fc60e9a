/* Writes and reductions at the home slice of their line: L2 is the point of coherence. */
#include "memory/flight.h"

static uint64_t ticks_of(uint32_t millicycles, uint32_t count) {
    return tma_millicycles_to_ticks((uint64_t)millicycles * count);
}

static struct tma_write_ports *ports_of(struct tma_memory *memory, uint32_t partition,
                                        const struct tma_place *place) {
    return &memory->write_ports[partition * memory->l2.slices + place->server];
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* What a store writes stays in its SM's partition, too. */
static void leave_copy(struct tma_memory *memory, const struct tma_request *request,
                       uint64_t cycle) {
    struct tma_l2_index index = tma_l2_copy_index(&memory->l2, &request->place);
    struct tma_l2_set *set = &memory->l2.sets[index.set];
    struct tma_l2_victim victim;
    int way = tma_l2_claim(&memory->l2, set, index.tag, false, &victim);
    tma_slice_write_back(memory, index.set, &victim, cycle);
    if (way >= 0)
        tma_l2_copy(&memory->l2, set, way, request->asked);
}

/* The other partition's copy is out of date. */
static void drop_copy(struct tma_memory *memory, const struct tma_place *place) {
    if (memory->l2.partitions == 1)
        return;
    struct tma_l2_index index = tma_l2_copy_index(&memory->l2, place);
    tma_l2_drop(&memory->l2, &memory->l2.sets[index.set], index.tag);
}

/* At the home of a line: the other partition has stored to it since a write from here. */
static bool is_lent(const struct tma_memory *memory, struct tma_l2_index index) {
    const struct tma_l2_set *set = &memory->l2.sets[index.set];
    int way = tma_l2_find(&memory->l2, set, index.tag);
    return way >= 0 && (set->lent & 1u << way) != 0;
}

/* A write from an SM comes into a slice of its partition. */
static uint64_t take_flits(struct tma_memory *memory, const struct tma_request *request,
                           uint32_t partition, uint64_t cycle) {
    uint32_t flits = tma_write_flits(request->direction, request->asked, request->partial);
    return tma_port_serve(&ports_of(memory, partition, &request->place)->from_sms, cycle,
                          ticks_of(memory->machine.l2.write_flit_millicycles, flits));
}

void tma_slice_pass(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    const struct tma_machine *machine = &memory->machine;
    uint32_t near = machine->topology.gpc_partition[request->gpc];
    uint64_t taken = take_flits(memory, request, near, cycle);
    uint64_t passed = tma_slice_take(memory, near, &request->place,
                                     ticks_of(machine->l2.write_request_millicycles, 1), cycle);
    if (request->direction == TMA_STORE)
        leave_copy(memory, request, passed);
    request->stage = TMA_STAGE_WRITE;
    tma_wheel_put(&memory->wheel, entry, later(taken, passed) + machine->crossbar.partition_cycles);
}

/* A write has come in at its home, from an SM there or from the other partition. */
static uint64_t take_at_home(struct tma_memory *memory, const struct tma_request *request,
                             bool foreign, uint64_t cycle) {
    if (!foreign)
        return take_flits(memory, request, request->place.home, cycle);
    /* Which bytes are stored, the first slice has made out. */
    bool partial = request->direction == TMA_REDUCE && request->partial;
    uint32_t flits = tma_write_flits(request->direction, request->asked, partial);
    return tma_port_serve(&ports_of(memory, request->place.home, &request->place)->from_partition,
                          cycle, ticks_of(memory->machine.l2.write_flit_millicycles, flits));
}

/* A write goes through its home's tags, where it may have to tell the other partition, and the
 * data. */
static uint64_t put(struct tma_memory *memory, const struct tma_request *request, bool tells,
                    uint64_t cycle) {
    const struct tma_machine *machine = &memory->machine;
    uint64_t tags = ticks_of(machine->l2.write_request_millicycles, 1);
    if (tells)
        tags += ticks_of(machine->l2.invalidate_millicycles, 1);
    uint64_t looked_up = tma_slice_take(memory, request->place.home, &request->place, tags, cycle);
    uint64_t moved = tma_port_serve(
        &ports_of(memory, request->place.home, &request->place)->data, cycle,
        ticks_of(machine->l2.write_sector_millicycles, tma_sector_count(request->asked)));
    return later(looked_up, moved);
}

static uint64_t dram_sectors(const struct tma_memory *memory) {
    return memory->dram.read_sectors + memory->dram.written_sectors;
}

/* A write that needs DRAM waits in its slice while DRAM is behind, and others wait behind it; gives
 * the cycle from which one that was done at `done` does not. */
static uint64_t wait_for_dram(struct tma_memory *memory, const struct tma_place *place,
                              uint64_t done) {
    struct tma_port *data = &ports_of(memory, place->home, place)->data;
    uint64_t accepted = tma_dram_accepts(&memory->dram, place);
    if (accepted <= done)
        return done;
    if (data->free_ticks < accepted * TMA_TICKS)
        data->free_ticks = accepted * TMA_TICKS;
    return accepted;
}

void tma_slice_write(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    const struct tma_machine *machine = &memory->machine;
    uint32_t sectors = tma_sector_count(request->asked);
    bool foreign = machine->topology.gpc_partition[request->gpc] != request->place.home;
    struct tma_l2_set *set = &memory->l2.sets[request->index.set];
    bool updates = foreign && request->direction == TMA_STORE; /* the copy, on its way here */
    bool tells = !foreign && is_lent(memory, request->index);
    if (!updates)
        drop_copy(memory, &request->place);
    uint64_t taken = take_at_home(memory, request, foreign, cycle);
    uint64_t done = later(taken, put(memory, request, tells, cycle));
    uint64_t moved = dram_sectors(memory);
    request->known_cycles = (uint32_t)(done + machine->l2.lookup_cycles - request->sent_cycle);
    memory->counters.requests++;
    memory->counters.sectors += sectors;
    memory->counters.write_sectors += sectors;
    int way = tma_slice_claim(memory, request, false, done);
    if (request->direction == TMA_REDUCE) {
        tma_slice_data(memory, entry, way, done);
        request = tma_request_at(memory, entry);
    }
    if (way >= 0) {
        tma_l2_write(&memory->l2, set, way, request->asked);
        tma_l2_lend(set, way, updates);
        struct tma_l2_victim cleaned = tma_l2_clean(&memory->l2, set, way, machine->l2.dirty_ways);
        tma_slice_write_back(memory, request->index.set, &cleaned, done);
    } else
        tma_dram_write(&memory->dram, &request->place, sectors, done);
    if (dram_sectors(memory) != moved)
        done = wait_for_dram(memory, &request->place, done);
    request->stage = TMA_STAGE_WRITTEN;
    tma_wheel_put(&memory->wheel, entry, later(done, cycle + 1));
}
