/* L2: the slices of both partitions. A read goes to the slice of its SM's partition. If that slice
 * lacks sectors and the line's home is the other partition, they come from the home slice. What the
 * home lacks comes from DRAM, in fills of the promotion's size. Writes go to the home slice, the
 * point of coherence.
 *
 * system.c alone includes this header from outside the folder. */
#pragma once

#include "memory/core/packet_queue.h"
#include "memory/l2/promotion.h"
#include "memory/l2/tags.h"
#include "placement/rows.h"

/* What a write makes of its line: those of evict_first stay as others do. */
static inline enum tma_l2_hint tma_write_hint(const struct tma_packet *packet) {
    return packet->hint == TMA_L2_HINT_FIRST ? TMA_L2_HINT_NONE : (enum tma_l2_hint)packet->hint;
}

/* The ports of a slice, which work side by side. */
enum tma_slice_port {
    TMA_SLICE_TAGS,
    TMA_SLICE_READ,           /* what its data array reads */
    TMA_SLICE_WRITE,          /* what its data array writes for SMs */
    TMA_SLICE_ARRIVE,         /* sectors of writes from SMs, and of fills */
    TMA_SLICE_FROM_SMS,       /* flits of writes, from SMs of the partition */
    TMA_SLICE_FROM_PARTITION, /* flits of writes, from the other partition */
    TMA_SLICE_FROM_DRAM,      /* flits of fills */
    TMA_SLICE_PORTS,
};

/* What a read needs lies in one cache line of the host. */
struct tma_slice {
    /* Sectors that it waits for, from DRAM and from the other partition. */
    _Alignas(TMA_HOST_LINE_BYTES) uint32_t fills;
    uint32_t copies;
    struct tma_packet_queue leaving; /* packets that wait to leave it, and for where: see
                                        misses.c */
    bool takes_turns; /* reads wait in queues of CPCs, or one is on its way from there */
    uint32_t last_line, line_before; /* that its tags looked up: see tma_slice_look_up */
    struct tma_port ports[TMA_SLICE_PORTS];
    uint64_t reduce_ticks; /* that its data array has taken for reductions so far */
    uint32_t operands;     /* that it keeps: see tma_slice_operands */
    /* By the port that they came to, from SMs or from the other partition: a reduction that waits
     * until the slice can keep its operands (TMA_NONE: none), and what waits behind it. */
    uint32_t waiting_reduction[2];
    struct tma_packet_queue behind[2];
    uint32_t turn;          /* the port whose reduction goes on next */
    uint64_t arrived_cycle; /* from here on, all writes of SMs that it has received have arrived */
    uint64_t held_cycle;    /* it writes nothing before, because DRAM took no further writes */
};

/* Reads that wait for a slice beyond its queue: see arrivals.c. */
struct tma_arrivals {
    struct tma_packet_queue cpcs[TMA_MAX_CPCS];
    uint32_t reads; /* of all CPCs */
    uint32_t turn;  /* CPC */
    bool halted;    /* until reads leave the slice */
};

struct tma_l2 {
    struct tma_core *core; /* borrowed */
    struct tma_l2_tags tags;
    struct tma_slice *slices;      /* owned: by partition and slice */
    struct tma_arrivals *arrivals; /* owned: likewise */
    struct tma_port *links;     /* owned: by partition that they lead from, and group of slices */
    uint64_t link_sector_ticks; /* for which a flit of 32 bytes occupies one */
    const struct tma_promotion_policy *promotion;
    /* for which a slice's tags are busy: to look up a line, for each sector that a fill or a copy
     * brings, and to look up a fill line */
    uint64_t tag_ticks, fill_sector_ticks, fill_line_ticks;
    uint64_t conflict_ticks;                  /* for which they wait more: see tma_slice_look_up */
    uint64_t fill_flit_ticks, replay_ticks;   /* for which the port from DRAM is busy */
    uint64_t read_ticks[TMA_ALL_SECTORS + 1]; /* in which the data array reads these sectors */
    /* that a full queue of such reads takes a slice: of those that look up one line, or two */
    uint64_t queue_ticks[2][TMA_ALL_SECTORS + 1];
    /* Hits until the host's caches are no longer prefetched for misses. No result depends on it. */
    uint32_t expects_misses;
};

/* Fails with TMA_ERROR_MEMORY. tma_l2_free may be called after a failure. */
enum tma_error_code tma_l2_create(struct tma_l2 *l2, struct tma_core *core,
                                  struct tma_error *error);
void tma_l2_free(struct tma_l2 *l2);

/* The slice of a partition that serves a line. */
static inline struct tma_slice *tma_slice_of(struct tma_core *core, const struct tma_l2 *l2,
                                             uint32_t partition, struct tma_line_server server) {
    return &l2->slices[partition * core->map.slices + server.slice];
}

/* The slice that serves a line at home. */
static inline struct tma_slice *tma_home_slice(struct tma_core *core, const struct tma_l2 *l2,
                                               struct tma_line_server server) {
    return &l2->slices[tma_home_slice_number(&core->map, server)];
}

/* The slice that serves a read in the partition of its SM. */
static inline struct tma_slice *tma_near_slice(const struct tma_l2 *l2,
                                               const struct tma_packet *packet) {
    return &l2->slices[packet->near_slice];
}

/* The time at which a slice will have looked up, and read, all that it has accepted. */
static inline uint64_t tma_slice_free_ticks(const struct tma_slice *slice) {
    return tma_later(slice->ports[TMA_SLICE_TAGS].free_ticks,
                     slice->ports[TMA_SLICE_READ].free_ticks);
}

/* For how long a slice that is full of reads like this one is busy. */
static inline uint64_t tma_slice_queue_ticks(const struct tma_l2 *l2,
                                             const struct tma_packet *packet) {
    return l2->queue_ticks[tma_promotes(l2->promotion, packet)][packet->sectors];
}

/* Whether a slice's queue has no room for a read, or others wait for their turn already. (It often
 * has room for the reads that are served soonest, so for all.) */
static inline bool tma_slice_is_full(const struct tma_core *core, const struct tma_l2 *l2,
                                     const struct tma_slice *slice,
                                     const struct tma_packet *packet) {
    uint64_t free = tma_slice_free_ticks(slice), now = core->cycle * TMA_TICKS;
    return slice->takes_turns || slice->leaving.count >= core->machine->l2.queue_reads ||
           (free > now + l2->queue_ticks[0][0] && free > now + tma_slice_queue_ticks(l2, packet));
}

/* arrivals.c: a read waits for the turn of its CPC. */
void tma_l2_wait_for_turn(struct tma_core *core, struct tma_l2 *l2, uint32_t packet);

/* A read arrives at its SM's partition. Returns whether it waits there for the turn of its CPC. */
static inline bool tma_l2_waits(struct tma_core *core, struct tma_l2 *l2, uint32_t id) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (!tma_slice_is_full(core, l2, tma_near_slice(l2, packet), packet))
        return false;
    tma_l2_wait_for_turn(core, l2, id);
    return true;
}

/* arrivals.c: a read that waited goes on. */
struct tma_handover tma_l2_receive_in_turn(struct tma_core *core, struct tma_l2 *l2,
                                           uint32_t packet, uint64_t cycle);

/* reads.c: a packet arrives at a slice. */
struct tma_handover tma_l2_receive_read(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                        uint64_t cycle);
struct tma_handover tma_l2_receive_merged(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                          uint64_t cycle);
struct tma_handover tma_l2_receive_at_home(struct tma_core *core, struct tma_l2 *l2,
                                           uint32_t packet, uint64_t cycle);

/* Prefetches into the host's caches what a promotion needs: the page of a packet's block, and the
 * sets of its second line, at its home and in the other partition. The packet's index is that at
 * the home. (Most often, though not always, the second line lies in the next slice.) */
__attribute__((always_inline)) static inline void
tma_l2_prefetch_promotion(const struct tma_core *core, const struct tma_l2 *l2,
                          const struct tma_packet *packet) {
    if (packet->promotion != TMA_L2_256B || packet->line % 2 != 0)
        return;
    uint32_t sets = core->map.slices * core->map.slice_sets; /* of a partition */
    uint32_t set = packet->index.set + core->map.slice_sets;
    uint32_t end = packet->server.home == 0 ? sets : 2 * sets;
    set = set < end ? set : set - sets;
    __builtin_prefetch(tma_page_slot(core->pages, packet->line));
    tma_tags_prefetch(&l2->tags, set);
    tma_tags_prefetch_fill(&l2->tags, set);
    if (core->map.partitions == 2)
        tma_tags_prefetch(&l2->tags, tma_opposite_set(&core->map, set));
}

/* The same for what a read needs in the partition of its SM, if L2 lacks its line. */
__attribute__((always_inline)) static inline void
tma_l2_prefetch_read(const struct tma_core *core, const struct tma_l2 *l2,
                     const struct tma_packet *packet) {
    if (l2->expects_misses == 0)
        return;
    tma_tags_prefetch_fill(&l2->tags, packet->index.set);
    if (tma_is_near(core, packet))
        tma_l2_prefetch_promotion(core, l2, packet);
}

/* The same for what it needs at its home, where it fills a copy. */
__attribute__((always_inline)) static inline void
tma_l2_prefetch_at_home(const struct tma_core *core, const struct tma_l2 *l2,
                        const struct tma_packet *packet) {
    struct tma_set_index copy = tma_opposite_index(&core->map, packet->line, packet->index);
    tma_tags_prefetch_fill(&l2->tags, packet->index.set);
    tma_tags_prefetch(&l2->tags, copy.set);
    tma_tags_prefetch_fill(&l2->tags, copy.set);
    tma_l2_prefetch_promotion(core, l2, packet);
}

/* The same for what a write needs: the copy of its line, which a store leaves on its way to the
 * home, and other writes invalidate there. */
__attribute__((always_inline)) static inline void
tma_l2_prefetch_write(const struct tma_core *core, const struct tma_l2 *l2,
                      const struct tma_packet *packet, bool transit) {
    if (packet->kind == TMA_PACKET_REDUCE)
        tma_tags_prefetch_fill(&l2->tags, packet->index.set);
    bool leaves_copy = packet->kind == TMA_PACKET_STORE && !tma_is_near(core, packet);
    if (leaves_copy == transit && core->map.partitions == 2)
        tma_tags_prefetch(&l2->tags,
                          tma_opposite_index(&core->map, packet->line, packet->index).set);
}

/* Prefetches what the end of a fill needs. */
__attribute__((always_inline)) static inline void
tma_l2_prefetch_filled(const struct tma_core *core, const struct tma_l2 *l2,
                       const struct tma_packet *packet) {
    tma_tags_prefetch(&l2->tags, packet->index.set);
    tma_tags_prefetch_fill(&l2->tags, packet->index.set);
    if (packet->kind == TMA_PACKET_PROMOTION || tma_is_near(core, packet))
        return;
    struct tma_set_index copy = tma_opposite_index(&core->map, packet->line, packet->index);
    tma_tags_prefetch(&l2->tags, copy.set);
    tma_tags_prefetch_fill(&l2->tags, copy.set);
}

/* Prefetches the packets that wait for a fill, whose set has been prefetched. */
__attribute__((always_inline)) static inline void
tma_l2_prefetch_waiting(const struct tma_core *core, const struct tma_l2 *l2,
                        const struct tma_packet *packet) {
    if (packet->fill.way < 0)
        return;
    uint32_t waiting = tma_tags_waiting(&l2->tags.sets[packet->index.set], packet->fill.way);
    if (waiting != TMA_NONE)
        __builtin_prefetch(tma_packet_at(core, waiting), 1);
}

/* writes.c: a write arrives at a slice; a DRAM channel takes further writes. */
struct tma_handover tma_l2_receive_write_in_transit(struct tma_core *core, struct tma_l2 *l2,
                                                    uint32_t packet, uint64_t cycle);
struct tma_handover tma_l2_receive_write(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                         uint64_t cycle);
struct tma_handover tma_l2_receive_accepted(struct tma_core *core, struct tma_l2 *l2,
                                            uint32_t packet, uint64_t cycle);

/* l2.c: DRAM delivers what a packet asked for. */
struct tma_handover tma_l2_receive_fill(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                        uint64_t cycle);

/* warm_start.c: brings the lines of an operation into L2 without taking time: the state that an
 * earlier kernel with the same operation left. `partition` is that of the SM. `again`: an SM of the
 * other partition brought the same lines in before. */
void tma_l2_warm(struct tma_core *core, struct tma_l2 *l2, uint32_t partition,
                 enum tma_direction direction, enum tma_l2_promotion promotion,
                 const struct tma_row_stream *rows, bool again);

/* warm_start.c: brings one line, in all its sectors, into both partitions. */
void tma_l2_warm_line(struct tma_core *core, struct tma_l2 *l2, uint64_t line);

/* Cycles for which slices were busy, each by its busiest port, summed. */
uint64_t tma_l2_busy_cycles(const struct tma_l2 *l2);

/* Cycles that reductions and atomics took the data array of the slice that had most of them. */
uint64_t tma_l2_atomic_cycles(const struct tma_l2 *l2);
