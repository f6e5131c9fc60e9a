#include "memory/dram/dram.h"

#include "memory/dram/address.h"

/* Requests that a channel serves in one wake-up, at most: their packets are handed over together.
 */
enum { MAX_SERVED = 64 };

/* Wakes a channel up some time after the bus can move data, at `next_cycle`, so that one wake-up
 * serves many requests, whose packets the host finds in its caches. All of them reach L2 later than
 * that. */
static void wake_for(struct tma_core *core, const struct tma_dram *dram,
                     struct tma_dram_channel *channel, uint64_t next_cycle) {
    uint64_t at = core->cycle + 1;
    if (next_cycle == UINT64_MAX)
        return;
    if (next_cycle + dram->wake_cycles > at)
        at = next_cycle + dram->wake_cycles;
    if (at >= channel->wake_cycle)
        return;
    channel->wake_cycle = at;
    tma_event_queue_push(&core->queue,
                         tma_event_of(TMA_WAKE_CHANNEL, (uint32_t)(channel - dram->channels)), at);
}

static struct tma_dram_place place_of(const struct tma_core *core, const struct tma_dram *dram,
                                      const struct tma_packet *packet) {
    /* Both lines of a promoted block are read in one access. */
    uint64_t line = packet->line - (packet->kind == TMA_PACKET_PROMOTION);
    uint32_t slice = tma_home_slice_number(&core->map, packet->server);
    struct tma_dram_place place = tma_dram_place_of(dram, slice, tma_block_of(&core->map, line));
    place.line |= packet->line & 1;
    return place;
}

struct tma_handover tma_dram_receive(struct tma_core *core, struct tma_dram *dram, uint32_t id,
                                     uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    const struct tma_dram_place place = place_of(core, dram, packet);
    struct tma_dram_channel *channel = &dram->channels[place.channel];
    bool write = packet->kind == TMA_PACKET_WRITE_BACK, returns = !write || packet->returns;
    uint32_t sectors = tma_sector_count(write ? packet->sectors : packet->fill.missing);
    if (!tma_dram_enqueue(dram, &place, returns ? id : TMA_NONE, write, sectors, cycle))
        core->out_of_memory = true;
    if (!returns)
        tma_packet_free(core, id);
    /* This request alone can be earlier than those that the coming wake-up is for. */
    uint64_t free_cycle = channel->bus.free_ticks / TMA_TICKS;
    uint64_t earliest = tma_later(free_cycle, cycle) + dram->wake_cycles;
    if (earliest < channel->wake_cycle)
        wake_for(core, dram, channel, tma_dram_next_cycle(dram, channel));
    return tma_nowhere;
}

static bool has_room(const struct tma_dram *dram, const struct tma_dram_channel *channel) {
    return channel->queues[TMA_DRAM_WRITES].size < dram->machine->dram.write_queue;
}

TMA_RARE struct tma_handover tma_dram_receive_credit(struct tma_core *core, struct tma_dram *dram,
                                                     uint32_t id, uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_dram_channel *channel = &dram->channels[place_of(core, dram, packet).channel];
    if (has_room(dram, channel))
        return (struct tma_handover){id, TMA_TO_WRITE_ACCEPTED, cycle};
    tma_packet_queue_put(core, &channel->credits, id);
    return tma_nowhere;
}

/* There is room for writes again. */
TMA_RARE static void give_credits(struct tma_core *core, const struct tma_dram *dram,
                                  struct tma_dram_channel *channel, uint64_t cycle) {
    if (!has_room(dram, channel))
        return;
    while (channel->credits.count > 0) {
        uint32_t id = tma_packet_queue_take(core, &channel->credits);
        tma_send(core, TMA_TO_WRITE_ACCEPTED, id, tma_later(cycle, core->cycle + 1));
    }
}

struct tma_handover tma_dram_wake(struct tma_core *core, struct tma_dram *dram, uint32_t number) {
    struct tma_dram_channel *channel = &dram->channels[number];
    struct tma_dram_served served;
    if (channel->wake_cycle != core->cycle)
        return tma_nowhere; /* an earlier wake-up took its place */
    channel->wake_cycle = UINT64_MAX;
    uint64_t until = core->cycle + core->machine->l2.lookup_cycles + 1;
    for (int i = 0; i < MAX_SERVED; i++) {
        if (!tma_dram_serve(dram, channel, until, &served)) {
            wake_for(core, dram, channel, served.cycle);
            return tma_nowhere;
        }
        if (served.packet != TMA_NONE) {
            __builtin_prefetch(tma_packet_at(core, served.packet), 1);
            tma_pass(core, TMA_TO_SLICE_FILL, served.packet, served.cycle);
            if (served.other_line != TMA_NONE)
                tma_pass(core, TMA_TO_SLICE_FILL, served.other_line, served.cycle);
        }
        if (served.write && channel->credits.count > 0)
            give_credits(core, dram, channel, tma_ticks_to_cycle(channel->bus.free_ticks));
    }
    wake_for(core, dram, channel, core->cycle + 1);
    return tma_nowhere;
}

uint64_t tma_dram_busy_cycles(const struct tma_dram *dram) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < dram->machine->dram.channels; i++)
        total += dram->channels[i].bus.busy_ticks / TMA_TICKS;
    return total;
}
