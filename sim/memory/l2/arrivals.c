#include "memory/l2/slice.h"

static struct tma_arrivals *arrivals_of(const struct tma_l2 *l2, const struct tma_slice *slice) {
    return &l2->arrivals[slice - l2->slices];
}

/* The oldest read of the CPC whose turn it is goes to the coalescer, as soon as the slice's queue
 * has room for it. The slice is free from `free` on. */
static void begin_turn(struct tma_core *core, struct tma_l2 *l2, const struct tma_slice *slice,
                       uint64_t free) {
    struct tma_arrivals *arrivals = arrivals_of(l2, slice);
    uint32_t cpc = arrivals->turn;
    arrivals->halted = slice->leaving.count >= core->machine->l2.queue_reads;
    if (arrivals->halted)
        return;
    while (arrivals->cpcs[cpc].count == 0)
        cpc = (cpc + 1) % TMA_MAX_CPCS;
    arrivals->turn = (cpc + 1) % TMA_MAX_CPCS;
    uint32_t id = tma_packet_queue_take(core, &arrivals->cpcs[cpc]);
    arrivals->reads--;
    uint64_t queue = tma_slice_queue_ticks(l2, tma_packet_at(core, id));
    uint64_t cycle = tma_ticks_to_cycle(free > queue ? free - queue : 0);
    tma_send(core, TMA_TO_L2_IN_TURN, id, tma_later(cycle, core->cycle + 1));
}

TMA_RARE void tma_l2_wait_for_turn(struct tma_core *core, struct tma_l2 *l2, uint32_t id) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_near_slice(l2, packet);
    struct tma_arrivals *arrivals = arrivals_of(l2, slice);
    tma_packet_queue_put(core, &arrivals->cpcs[core->sm_cpc[packet->sm]], id);
    arrivals->reads++;
    if (slice->takes_turns)
        return;
    slice->takes_turns = true;
    begin_turn(core, l2, slice, tma_slice_free_ticks(slice));
}

struct tma_handover tma_l2_receive_in_turn(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                           uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_near_slice(l2, packet);
    slice->takes_turns = arrivals_of(l2, slice)->reads > 0;
    if (slice->takes_turns) /* the slice serves this one first, unless it is merged */
        begin_turn(core, l2, slice,
                   tma_later(tma_slice_free_ticks(slice), cycle * TMA_TICKS) +
                       tma_later(l2->tag_ticks, l2->read_ticks[packet->sectors]));
    return (struct tma_handover){id, TMA_TO_COALESCER, cycle};
}

void tma_arrivals_go_on(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice) {
    if (slice->takes_turns && arrivals_of(l2, slice)->halted)
        begin_turn(core, l2, slice, tma_slice_free_ticks(slice));
}
