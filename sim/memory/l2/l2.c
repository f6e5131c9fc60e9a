#include "memory/l2/l2.h"

#include "base/allocation.h"
#include "base/array.h"
#include "memory/l2/slice.h"

static void convert_rates(struct tma_l2 *l2) {
    const struct tma_machine *machine = l2->core->machine;
    l2->tag_ticks = tma_millicycles_to_ticks(machine->l2.request_millicycles);
    l2->fill_sector_ticks = tma_millicycles_to_ticks(machine->l2.fill_sector_millicycles);
    l2->conflict_ticks = tma_millicycles_to_ticks(machine->l2.line_conflict_millicycles);
    l2->fill_flit_ticks = tma_millicycles_to_ticks(machine->l2.fill_flit_millicycles);
    l2->replay_ticks = tma_millicycles_to_ticks(machine->l2.replay_millicycles);
    l2->fill_line_ticks = tma_millicycles_to_ticks(machine->l2.fill_millicycles);
    l2->link_sector_ticks = tma_sector_ticks(machine->crossbar.partition_link_bytes_per_kcycle);
    for (uint32_t sectors = 0; sectors <= TMA_ALL_SECTORS; sectors++) {
        l2->read_ticks[sectors] = tma_millicycles_to_ticks((uint64_t)tma_sector_count(sectors) *
                                                           machine->l2.sector_millicycles);
        for (uint32_t lines = 1; lines <= TMA_BLOCK_LINES; lines++)
            l2->queue_ticks[lines - 1][sectors] =
                machine->l2.queue_reads * tma_later(lines * l2->tag_ticks, l2->read_ticks[sectors]);
    }
}

enum tma_error_code tma_l2_create(struct tma_l2 *l2, struct tma_core *core,
                                  struct tma_error *error) {
    const struct tma_machine *machine = core->machine;
    l2->core = core;
    l2->promotion = tma_promotion_policy(machine->l2.promotion);
    convert_rates(l2);
    l2->slices = tma_allocate_lines(machine->l2.slices, sizeof *l2->slices);
    l2->arrivals = tma_allocate(machine->l2.slices, sizeof *l2->arrivals);
    l2->links = tma_allocate((size_t)machine->l2.partitions * tma_machine_slice_groups(machine),
                             sizeof *l2->links);
    if (l2->slices == NULL || l2->arrivals == NULL || l2->links == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u L2 slices", machine->l2.slices);
    for (uint32_t i = 0; i < machine->l2.slices; i++)
        l2->slices[i].waiting_reduction[0] = l2->slices[i].waiting_reduction[1] = TMA_NONE;
    return tma_tags_create(&l2->tags, machine, error);
}

void tma_l2_free(struct tma_l2 *l2) {
    tma_tags_free(&l2->tags);
    TMA_RELEASE(l2->links, l2->arrivals, l2->slices);
}

/* Counts a fill that ends. The profiler counts only fills for SMs
 * of the home partition as misses there. */
static void count_fill(struct tma_core *core, const struct tma_packet *packet, uint32_t sectors,
                       uint64_t cycle) {
    struct tma_fill_counts *counts = tma_fill_counts_of(core, packet);
    if (cycle > counts->last_cycle)
        counts->last_cycle = cycle;
    core->counters.fills++;
    core->counters.fill_sectors += sectors;
    if (tma_is_near(core, packet) && packet->kind != TMA_PACKET_DESCRIPTOR)
        core->counters.lookup_miss_sectors += sectors;
}

/* What has waited behind a reduction reaches its slice. */
static struct tma_handover receive(struct tma_core *core, struct tma_l2 *l2, uint32_t event,
                                   uint64_t cycle) {
    uint32_t id = tma_event_number(event);
    switch (tma_event_destination(event)) {
    case TMA_TO_SLICE:
        return tma_l2_receive_read(core, l2, id, cycle);
    case TMA_TO_HOME_SLICE:
        return tma_l2_receive_at_home(core, l2, id, cycle);
    case TMA_TO_WRITE_TRANSIT:
        return tma_l2_receive_write_in_transit(core, l2, id, cycle);
    default:
        return tma_l2_receive_write(core, l2, id, cycle);
    }
}

/* What waited behind a reduction that has gone on follows it, up to the next one that waits. Where
 * a wake-up has no room for more handovers, it comes again in the next cycle. */
static void go_on_behind(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice,
                         uint32_t port) {
    while (slice->waiting_reduction[port] == TMA_NONE && slice->behind[port].count > 0) {
        uint32_t event = tma_packet_queue_take(core, &slice->behind[port]);
        if (core->handover_count < TMA_MAX_HANDOVERS / 2)
            tma_pass_on(core, receive(core, l2, event, core->cycle));
        else
            tma_event_queue_push(&core->queue, event, core->cycle + 1);
    }
}

/* Reductions that waited go on, as far as there is room for their operands, and what waited behind
 * them. The two ports take turns. */
TMA_RARE static void go_on(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice,
                           uint64_t cycle) {
    for (int idle = 0; idle < 2 && tma_l2_has_room(core, slice);) {
        const uint32_t port = slice->turn, first = slice->waiting_reduction[port];
        slice->turn = !port;
        if (first == TMA_NONE) {
            idle++;
            continue;
        }
        idle = 0;
        slice->waiting_reduction[port] = TMA_NONE;
        tma_pass_on(core, tma_l2_reduce_waiting(core, l2, first, cycle));
        go_on_behind(core, l2, slice, port);
    }
}

struct tma_handover tma_l2_receive_fill(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                        uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_home_slice(core, l2, packet->server);
    if (packet->kind == TMA_PACKET_WRITE_BACK) {
        tma_l2_end_write_back(core, l2, id);
        go_on(core, l2, slice, cycle);
        return tma_nowhere;
    }
    int way = packet->fill.way; /* NOLINT(*-signed-char-misuse, cert-str34-c): -1 is none */
    const uint64_t ticks = tma_sector_count(packet->fill.missing) * l2->fill_flit_ticks;
    /* The packet is here before its data: at this cycle, it waits for the writes before it. */
    if (slice->arrived_cycle > core->cycle)
        cycle += slice->arrived_cycle - core->cycle;
    tma_slice_serve(slice, TMA_SLICE_ARRIVE, core->cycle, ticks);
    cycle = tma_slice_serve(slice, TMA_SLICE_FROM_DRAM, cycle, ticks);
    uint32_t waiting = TMA_NONE;
    if (way >= 0)
        waiting = tma_tags_end_fill(tma_slice_set(l2, packet), way, packet->fill.missing, cycle);
    tma_slice_take_sectors(core, l2, slice, packet->fill.missing);
    count_fill(core, packet, tma_sector_count(packet->fill.missing), cycle);
    struct tma_handover next = tma_nowhere;
    if (packet->kind == TMA_PACKET_PROMOTION) {
        tma_packet_free(core, id);
    } else if (packet->kind == TMA_PACKET_REDUCE) {
        next = tma_l2_reduce_filled(core, l2, id, way, cycle);
    } else {
        if (tma_is_near(core, packet))
            tma_misses_end(core, l2, id, false, cycle);
        next = tma_read_filled(core, l2, id, cycle);
    }
    if (waiting != TMA_NONE) {
        tma_slice_replay(core, l2, slice);
        tma_read_answer(core, l2, waiting, cycle);
    }
    if (slice->waiting_reduction[0] != TMA_NONE || slice->waiting_reduction[1] != TMA_NONE)
        go_on(core, l2, slice, cycle);
    return next;
}

uint64_t tma_l2_atomic_cycles(const struct tma_l2 *l2) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < l2->core->machine->l2.slices; i++)
        most = tma_later(most, l2->slices[i].reduce_ticks);
    return most / TMA_TICKS;
}

uint64_t tma_l2_busy_cycles(const struct tma_l2 *l2) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < l2->core->machine->l2.slices; i++) {
        uint64_t busiest = 0;
        for (size_t k = 0; k < TMA_SLICE_PORTS; k++)
            busiest = tma_later(busiest, l2->slices[i].ports[k].busy_ticks);
        total += busiest / TMA_TICKS;
    }
    return total;
}
