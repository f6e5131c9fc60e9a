/* Writes and reductions at the home slice of their line: L2 is the point of coherence. */
#include "memory/flight.h"

/* What a write or a reduction takes its slice. */
static uint64_t write_ticks(const struct tma_machine *machine, const struct tma_request *request) {
    uint64_t sectors = tma_sector_count(request->asked);
    uint64_t millicycles;
    if (request->direction == TMA_REDUCE)
        millicycles = machine->l2.reduce_request_millicycles +
                      (2 * sectors - request->partial) * machine->l2.reduce_sector_millicycles / 2;
    else
        millicycles = machine->l2.write_request_millicycles +
                      sectors * machine->l2.write_sector_millicycles +
                      (request->partial ? machine->l2.write_partial_millicycles : 0);
    return millicycles * TMA_TICKS / 1000;
}

/* The other partition's copy is out of date. */
static void invalidate_copy(struct tma_memory *memory, const struct tma_request *request) {
    for (uint32_t partition = 0; partition < memory->l2.partitions; partition++) {
        if (partition == request->place.home)
            continue;
        struct tma_l2_index index = tma_l2_index(&memory->l2, partition, &request->place);
        tma_l2_drop(&memory->l2, &memory->l2.sets[index.set], index.tag);
    }
}

/* A write to a line of the other partition passes the slice that has the same place in the SM's
 * own, which takes as long as to write it (an H200 counts its sectors twice). */
void tma_slice_pass(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    uint32_t near = memory->machine.topology.gpc_partition[request->gpc];
    uint64_t passed = tma_slice_take(memory, near, &request->place,
                                     write_ticks(&memory->machine, request), cycle);
    request->stage = TMA_STAGE_WRITE;
    tma_wheel_put(&memory->wheel, entry, passed + memory->machine.crossbar.partition_cycles);
}

void tma_slice_write(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    uint64_t done = tma_slice_look_up(memory, request->place.home, &request->place,
                                      write_ticks(&memory->machine, request), cycle);
    request->known_cycles = (uint32_t)(done - request->sent_cycle);
    memory->counters.requests++;
    memory->counters.sectors += tma_sector_count(request->asked);
    memory->counters.write_sectors += tma_sector_count(request->asked);
    int way = tma_slice_claim(memory, request, false, done);
    uint64_t written = done;
    if (request->direction == TMA_REDUCE) {
        written = tma_slice_data(memory, entry, way, done);
        request = tma_request_at(memory, entry);
    }
    if (way >= 0) {
        struct tma_l2_set *set = &memory->l2.sets[request->index.set];
        tma_l2_write(&memory->l2, set, way, request->asked);
        struct tma_l2_victim cleaned =
            tma_l2_clean(&memory->l2, set, way, memory->machine.l2.dirty_ways);
        tma_slice_write_back(memory, request->index.set, &cleaned, done);
    } else
        tma_dram_write(&memory->dram, &request->place, tma_sector_count(request->asked), done);
    invalidate_copy(memory, request);
    request->stage = TMA_STAGE_WRITTEN;
    tma_wheel_put(&memory->wheel, entry, written + memory->machine.crossbar.response_cycles);
}
