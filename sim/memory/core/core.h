/* The core that all components share: the clock, the event queue, the pool of packets, and the ways
 * to send a packet. A component includes core headers and its own, never those of another
 * component.
 *
 * tma_send puts a packet into the event queue: its destination receives it at a later cycle. A
 * component that receives a packet returns where a packet goes next within the same cycle, or
 * tma_nowhere. If it has several packets to hand over, tma_pass takes those that go before the one
 * that it returns. system.c delivers all of them. */
#pragma once

#include <assert.h>

#include "base/error.h"
#include "memory/core/counters.h"
#include "memory/core/event_queue.h"
#include "memory/core/packet.h"
#include "memory/core/port.h"

/* A receiver that is off the busiest path. Not inlined into the event loop, which so needs fewer
 * registers. */
#define TMA_RARE __attribute__((noinline))

/* An event: a destination, and the number of what it receives there. So the event loop knows where
 * a packet goes without a look at it. */
static inline uint32_t tma_event_of(enum tma_destination destination, uint32_t number) {
    return (uint32_t)destination << TMA_PACKET_BITS | number;
}

static inline enum tma_destination tma_event_destination(uint32_t event) {
    return (enum tma_destination)(event >> TMA_PACKET_BITS);
}

static inline uint32_t tma_event_number(uint32_t event) {
    return event & TMA_PACKET_MASK;
}

/* Events from here on are no packets, and from there on TMA units. */
#define TMA_FIRST_CHANNEL ((uint32_t)TMA_WAKE_CHANNEL << TMA_PACKET_BITS)
#define TMA_FIRST_UNIT    ((uint32_t)TMA_WAKE_UNIT << TMA_PACKET_BITS)
_Static_assert(TMA_WAKE_UNIT < 1 << (32 - TMA_PACKET_BITS), "an event has 32 bits");

/* Packets that one component hands over in one call: the units of all SMs of a GPC, at most. */
enum { TMA_MAX_HANDOVERS = 2 * TMA_MAX_SMS };

/* A packet that is handed over within the cycle. Small enough for two registers of the host. */
struct tma_handover {
    uint32_t packet;
    enum tma_destination destination;
    uint64_t cycle; /* its way through the sender ends; the receiver computes from there on */
};

static const struct tma_handover tma_nowhere = {.destination = TMA_TO_NOWHERE};

/* What L2 fetched on behalf of a transfer. */
struct tma_fill_counts {
    uint64_t last_cycle;   /* the last fill reaches L2 */
    uint32_t fills;        /* from DRAM */
    uint32_t fill_sectors; /* of these */
    uint32_t miss_sectors; /* that were asked for and that L2 did not hold */
};

/* The side of the chip on which a GPC lies. */
struct tma_gpc_side {
    uint32_t partition;   /* that is next to it */
    uint32_t first_slice; /* of that partition */
    uint32_t first_mshr;  /* in that partition: its own */
};

struct tma_core {
    const struct tma_machine *machine; /* borrowed */
    struct tma_address_map map;
    struct tma_page_places *pages; /* owned */
    uint64_t cycle;                /* the current one */
    bool out_of_memory;
    struct tma_event_queue queue; /* of events: see tma_event_of */
    struct tma_packet *packets;   /* owned */
    uint32_t packet_capacity;
    uint32_t packet_count;              /* packets that were ever in use */
    uint32_t *free_packets, free_count; /* owned: a stack of packets that are free again */
    uint32_t handover_count;
    struct tma_handover handovers[TMA_MAX_HANDOVERS];
    struct tma_fill_counts *fill_counts; /* owned: by transfer */
    uint16_t *hop_cycles;      /* owned: by GPC, partition and slice: see tma_hop_cycles */
    uint16_t *crossing_cycles; /* owned: by slice of a partition: see tma_crossing_cycles */
    struct tma_gpc_side gpc_sides[TMA_MAX_GPCS];
    uint32_t mshr_row_bits; /* a row of MSHRs has 2 to the power of it */
    uint32_t sm_gpc[TMA_MAX_SMS], sm_cpc[TMA_MAX_SMS];
    uint32_t request_cycles[TMA_MAX_SMS];  /* from an SM to the nearest slice */
    uint32_t response_cycles[TMA_MAX_SMS]; /* from the nearest slice to an SM */
    uint64_t descriptor_line;              /* of tensor map number 1; the others follow it */
    struct tma_memory_counters counters;
};

/* Fails with TMA_ERROR_MEMORY. tma_core_free may be called after a failure. */
enum tma_error_code tma_core_create(struct tma_core *core, const struct tma_machine *machine,
                                    struct tma_error *error);
void tma_core_free(struct tma_core *core);

/* Makes room for the fill counts of `capacity` transfers. False when out of memory. */
bool tma_core_reserve_transfers(struct tma_core *core, uint32_t capacity);

/* Doubles the pool of packets. False when out of memory, which the core notes. */
bool tma_core_grow_packets(struct tma_core *core);

static inline struct tma_packet *tma_packet_at(const struct tma_core *core, uint32_t packet) {
    return &core->packets[packet];
}

/* What L2 fetches for the transfer of a packet. Accesses of warps have a transfer in common, which
 * no TMA unit has. */
static inline struct tma_fill_counts *tma_fill_counts_of(const struct tma_core *core,
                                                         const struct tma_packet *packet) {
    return &core->fill_counts[packet->of_access ? 0 : packet->transfer];
}

/* Takes a packet from the pool. TMA_NONE when out of memory, which the core notes. Pointers to
 * packets are invalid afterwards: the pool may have moved. */
static inline uint32_t tma_packet_new(struct tma_core *core) {
    if (core->free_count > 0)
        return core->free_packets[--core->free_count];
    if (core->packet_count == core->packet_capacity && !tma_core_grow_packets(core))
        return TMA_NONE;
    return core->packet_count++;
}

/* Prefetches into the host's caches a packet that comes out of the pool a few packets later. */
__attribute__((always_inline)) static inline void
tma_packet_prefetch_new(const struct tma_core *core) {
    enum { AHEAD = 4 };
    if (core->free_count > AHEAD)
        __builtin_prefetch(&core->packets[core->free_packets[core->free_count - AHEAD]], 1);
}

static inline void tma_packet_free(struct tma_core *core, uint32_t packet) {
    core->free_packets[core->free_count++] = packet;
}

/* Sends a packet: its destination receives it at `cycle`, later than the current one. */
static inline void tma_send(struct tma_core *core, enum tma_destination destination,
                            uint32_t packet, uint64_t cycle) {
    tma_event_queue_push(&core->queue, tma_event_of(destination, packet), cycle);
}

/* Hands a packet over: its destination receives it in this cycle, before the packet that the
 * running component returns. */
static inline void tma_pass(struct tma_core *core, enum tma_destination destination,
                            uint32_t packet, uint64_t cycle) {
    assert(core->handover_count < TMA_MAX_HANDOVERS);
    core->handovers[core->handover_count++] = (struct tma_handover){packet, destination, cycle};
}

/* The same, of what another component has returned. */
static inline void tma_pass_on(struct tma_core *core, struct tma_handover next) {
    if (next.destination != TMA_TO_NOWHERE)
        tma_pass(core, next.destination, next.packet, next.cycle);
}

/* The partition next to a packet's SM. */
static inline uint32_t tma_near_partition(const struct tma_core *core,
                                          const struct tma_packet *packet) {
    return core->gpc_sides[packet->gpc].partition;
}

/* Whether the home of a packet's line is the partition next to its SM. */
static inline bool tma_is_near(const struct tma_core *core, const struct tma_packet *packet) {
    return tma_near_partition(core, packet) == packet->server.home;
}

/* The place of a line in a partition, and at its home. */
static inline struct tma_line_place tma_place_in(const struct tma_core *core, uint64_t line,
                                                 uint32_t partition) {
    return tma_place_on(tma_page_of(core->pages, &core->map, line), &core->map, line, partition);
}

static inline struct tma_line_place tma_place_at_home(const struct tma_core *core, uint64_t line) {
    struct tma_page_places *page = tma_page_of(core->pages, &core->map, line);
    return tma_place_on(page, &core->map, line, page->home);
}

/* Finds the place of a read's line in the partition that is next to its SM. */
static inline void tma_locate_read(const struct tma_core *core, struct tma_packet *packet,
                                   const struct tma_gpc_side *side) {
    struct tma_line_place place = tma_place_in(core, packet->line, side->partition);
    packet->index = place.index;
    packet->server = place.server;
    packet->near_slice = (side->first_slice + place.server.slice) & 0x3fffu;
    packet->mshr = side->first_mshr + (tma_mshr_row(packet->line) << core->mshr_row_bits);
}

/* Cycles between a GPC and a slice, beyond those of the nearest slice, both ways together. */
static inline uint32_t tma_hop_cycles(const struct tma_core *core, uint32_t gpc,
                                      struct tma_line_server server) {
    uint32_t slice = tma_home_slice_number(&core->map, server);
    return core->hop_cycles[gpc * core->machine->l2.slices + slice];
}

/* Cycles from a slice in one partition to that in the other one. */
static inline uint32_t tma_crossing_cycles(const struct tma_core *core,
                                           struct tma_line_server server) {
    return core->crossing_cycles[server.slice];
}

static inline bool tma_is_write(const struct tma_packet *packet) {
    return packet->kind == TMA_PACKET_STORE || packet->kind == TMA_PACKET_REDUCE;
}

/* Cycles from an SM to the slice that receives a request first. */
static inline uint64_t tma_way_cycles(const struct tma_core *core,
                                      const struct tma_packet *packet) {
    uint64_t way = core->request_cycles[packet->sm];
    return tma_is_write(packet) ? way + tma_hop_cycles(core, packet->gpc, packet->server) : way;
}

/* A request, whose line has been located, reaches L2 at `cycle`. */
static inline void tma_send_to_l2(struct tma_core *core, uint32_t id, uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    enum tma_destination destination = TMA_TO_L2;
    if (tma_is_write(packet))
        destination = tma_is_near(core, packet) ? TMA_TO_WRITE_SLICE : TMA_TO_WRITE_TRANSIT;
    tma_send(core, destination, id, cycle);
}

/* A request leaves its SM for L2 at its sent_cycle, by way of the TLB. */
static inline void tma_send_out(struct tma_core *core, uint32_t id) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (core->machine->tlb.start == TMA_TRANSLATION_warm)
        tma_send_to_l2(core, id, packet->sent_cycle + tma_way_cycles(core, packet));
    else
        tma_send(core, TMA_TO_TLB, id, tma_later(packet->sent_cycle, core->cycle + 1));
}
