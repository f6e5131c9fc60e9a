#include "memory/l2/arrivals.h"

/* The time at which a slice will have looked up, and read, all that it has accepted. */
static uint64_t free_ticks(const struct tma_slice *slice) {
    return tma_later(slice->ports[TMA_SLICE_TAGS].free_ticks,
                     slice->ports[TMA_SLICE_READ].free_ticks);
}

/* The time from which on a slice's queue has room for a read, if the slice is free from `free` on.
 */
static uint64_t room_ticks(const struct tma_l2 *l2, uint64_t free,
                           const struct tma_packet *packet) {
    uint64_t queue = l2->queue_ticks[tma_promotes(l2->promotion, packet)][packet->sectors];
    return free > queue ? free - queue : 0;
}

static struct tma_arrivals *arrivals_of(const struct tma_l2 *l2, const struct tma_slice *slice) {
    return &l2->arrivals[slice - l2->slices];
}

/* The oldest read of the CPC whose turn it is goes to the coalescer, as soon as the slice's queue
 * has room for it. The slice is free from `free` on. */
static void begin_turn(struct tma_core *core, struct tma_l2 *l2, const struct tma_slice *slice,
                       uint64_t free) {
    struct tma_arrivals *arrivals = arrivals_of(l2, slice);
    uint32_t cpc = arrivals->turn;
    arrivals->halted = slice->leaving >= core->machine->l2.queue_reads;
    if (arrivals->halted)
        return;
    while (arrivals->cpcs[cpc].reads == 0)
        cpc = (cpc + 1) % TMA_MAX_CPCS;
    arrivals->turn = (cpc + 1) % TMA_MAX_CPCS;
    uint32_t id = arrivals->cpcs[cpc].first;
    const struct tma_packet *packet = tma_packet_at(core, id);
    arrivals->cpcs[cpc].first = packet->next_waiting;
    arrivals->cpcs[cpc].reads--;
    arrivals->reads--;
    uint64_t cycle = tma_ticks_to_cycle(room_ticks(l2, free, packet));
    tma_send(core, TMA_TO_L2_IN_TURN, id, tma_later(cycle, core->cycle + 1));
}

TMA_RARE void tma_l2_wait_for_turn(struct tma_core *core, struct tma_l2 *l2, uint32_t id) {
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_near_slice(core, l2, packet);
    struct tma_arrivals *arrivals = arrivals_of(l2, slice);
    uint32_t cpc = core->sm_cpc[packet->sm];
    packet->next_waiting = TMA_NONE;
    if (arrivals->cpcs[cpc].reads++ == 0)
        arrivals->cpcs[cpc].first = id;
    else
        tma_packet_at(core, arrivals->cpcs[cpc].last)->next_waiting = id;
    arrivals->cpcs[cpc].last = id;
    arrivals->reads++;
    if (slice->takes_turns)
        return;
    slice->takes_turns = true;
    begin_turn(core, l2, slice, free_ticks(slice));
}

struct tma_handover tma_l2_receive_in_turn(struct tma_core *core, struct tma_l2 *l2, uint32_t id,
                                           uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_slice *slice = tma_near_slice(core, l2, packet);
    slice->takes_turns = arrivals_of(l2, slice)->reads > 0;
    if (slice->takes_turns) /* the slice serves this one first, unless it is merged */
        begin_turn(core, l2, slice,
                   tma_later(free_ticks(slice), cycle * TMA_TICKS) +
                       tma_later(l2->tag_ticks, l2->read_ticks[packet->sectors]));
    return (struct tma_handover){id, TMA_TO_COALESCER, cycle};
}

void tma_arrivals_go_on(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice) {
    if (slice->takes_turns && arrivals_of(l2, slice)->halted)
        begin_turn(core, l2, slice, free_ticks(slice));
}
