#include "memory/core/core.h"

#include "base/allocation.h"
#include "base/fuzzing.h"
#include "memory/topology.h"

/* The pool begins with as many packets as the largest GPUs have in flight. Memory that is never
 * touched costs nothing; to move the pool costs time. */
enum { FIRST_PACKETS = TMA_UNLESS_FUZZING(1 << 17, 16) };

bool tma_core_grow_packets(struct tma_core *core) {
    uint32_t old = core->packet_capacity, capacity = old == 0 ? FIRST_PACKETS : 2 * old;
    struct tma_packet *packets = NULL;
    if (capacity <= TMA_PACKET_MASK)
        packets =
            tma_resize_aligned(core->packets, old * sizeof *packets, capacity * sizeof *packets);
    if (packets == NULL) {
        core->out_of_memory = true;
        return false;
    }
    core->packets = packets;
    uint32_t *free_packets = tma_resize(core->free_packets, capacity, sizeof *free_packets);
    if (free_packets == NULL) {
        core->out_of_memory = true;
        return false;
    }
    core->free_packets = free_packets;
    core->packet_capacity = capacity;
    return true;
}

bool tma_core_reserve_transfers(struct tma_core *core, uint32_t capacity) {
    struct tma_fill_counts *counts = tma_resize(core->fill_counts, capacity, sizeof *counts);
    if (counts == NULL)
        return false;
    core->fill_counts = counts;
    return true;
}

/* A distance in percent of the furthest one's. */
static uint32_t percent_of(uint32_t spread, uint32_t percent) {
    return (spread * percent + 50) / 100;
}

/* The distance of number `place` of `count` that are evenly spread. */
static uint32_t even_distance(uint32_t spread, uint32_t place, uint32_t count) {
    return count == 1 ? 0 : place * spread / (count - 1);
}

/* How much longer the way from a GPC to a slice takes than to the nearest one. Slices whose
 * distance is not known lie at evenly spread distances, in another order for each GPC. */
static uint32_t distance(const struct tma_machine *machine, uint32_t slices, uint32_t gpc,
                         uint32_t slice) {
    uint32_t spread = machine->crossbar.spread_cycles, place = slice % slices;
    if (machine->topology.slice_distance_count > 0) {
        uint32_t group = gpc * tma_machine_slice_groups(machine) + place / TMA_GROUP_SLICES;
        return percent_of(spread, machine->topology.slice_distances[group]);
    }
    uint32_t order = (place * 7 + gpc * 13 + slice / slices * 29) % slices;
    return even_distance(spread, order, slices);
}

static void spread_slices(struct tma_core *core) {
    const struct tma_machine *machine = core->machine;
    uint32_t slices = machine->l2.slices;
    for (uint32_t gpc = 0; gpc < machine->topology.gpc_count; gpc++)
        for (uint32_t slice = 0; slice < slices; slice++)
            core->hop_cycles[gpc * slices + slice] =
                (uint16_t)distance(machine, core->map.slices, gpc, slice);
}

/* Slices whose distance from the other partition is not known lie at evenly spread distances. */
static void spread_partitions(struct tma_core *core) {
    const struct tma_machine *machine = core->machine;
    uint32_t slices = core->map.slices, spread = machine->crossbar.partition_spread_cycles;
    for (uint32_t slice = 0; slice < slices; slice++) {
        uint32_t further = even_distance(spread, slice, slices);
        if (machine->topology.partition_distance_count > 0)
            further =
                percent_of(spread, machine->topology.partition_distances[slice / TMA_GROUP_SLICES]);
        core->crossing_cycles[slice] = (uint16_t)(machine->crossbar.partition_cycles + further);
    }
}

/* Half of a TPC's distance lies on the way to L2, and half on the way back. */
static void spread_sms(struct tma_core *core) {
    const struct tma_machine *machine = core->machine;
    for (uint32_t sm = 0; sm < machine->sm_count; sm++) {
        uint32_t distance = tma_machine_sm_distance(machine, sm);
        core->request_cycles[sm] = machine->crossbar.request_cycles + distance / 2;
        core->response_cycles[sm] = machine->crossbar.response_cycles + distance - distance / 2;
    }
}

/* A row of MSHRs takes a cache line of the host, at least: four of them (gpc/gpc_state.h). */
enum { LEAST_MSHR_ROW_BITS = 2 };

/* Each GPC next to a partition has a place in the partition's rows of MSHRs. */
static void place_gpcs(struct tma_core *core) {
    const struct tma_machine *machine = core->machine;
    uint32_t places[2] = {0};
    for (uint32_t gpc = 0; gpc < machine->topology.gpc_count; gpc++)
        places[machine->topology.gpc_partition[gpc]]++;
    core->mshr_row_bits = LEAST_MSHR_ROW_BITS;
    while (1u << core->mshr_row_bits < places[0] || 1u << core->mshr_row_bits < places[1])
        core->mshr_row_bits++;
    for (uint32_t gpc = machine->topology.gpc_count; gpc-- > 0;) {
        uint32_t partition = machine->topology.gpc_partition[gpc];
        core->gpc_sides[gpc] = (struct tma_gpc_side){
            .partition = partition,
            .first_slice = partition * core->map.slices,
            .first_mshr = (partition * TMA_MSHR_ROWS << core->mshr_row_bits) + --places[partition],
        };
    }
}

enum tma_error_code tma_core_create(struct tma_core *core, const struct tma_machine *machine,
                                    struct tma_error *error) {
    *core = (struct tma_core){.machine = machine,
                              .map = tma_address_map_of(machine),
                              .descriptor_line = tma_default_descriptor_line()};
    tma_event_queue_init(&core->queue);
    tma_machine_gpcs(machine, core->sm_gpc);
    tma_machine_cpcs(machine, core->sm_cpc);
    place_gpcs(core);
    size_t distances = (size_t)machine->topology.gpc_count * machine->l2.slices;
    core->hop_cycles = tma_allocate(distances, sizeof *core->hop_cycles);
    core->crossing_cycles = tma_allocate(core->map.slices, sizeof *core->crossing_cycles);
    core->pages = tma_page_places_new();
    if (core->pages == NULL || core->hop_cycles == NULL || core->crossing_cycles == NULL ||
        !tma_core_grow_packets(core))
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u SMs", machine->sm_count);
    spread_slices(core);
    spread_partitions(core);
    spread_sms(core);
    return TMA_OK;
}

void tma_core_free(struct tma_core *core) {
    tma_event_queue_free(&core->queue);
    TMA_RELEASE(core->pages, core->packets, core->free_packets, core->fill_counts, core->hop_cycles,
                core->crossing_cycles);
}
