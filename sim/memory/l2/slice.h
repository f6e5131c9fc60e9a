/* The parts of a slice that reads and writes share. Internal to l2/. */
#pragma once

#include "memory/l2/l2.h"

static inline struct tma_l2_set *tma_slice_set(const struct tma_l2 *l2,
                                               const struct tma_packet *packet) {
    return &l2->tags.sets[packet->index.set];
}

/* Flits of 32 bytes, which are there at `ready`, leave a partition for the other one: data that
 * reads of the other one lacked, writes on the way to their home, results of atomics. Requests of
 * reads take none. Returns the cycle at which the link has taken all, from where they take
 * tma_crossing_cycles. What is ready sooner does not wait for them. */
static inline uint64_t tma_l2_cross(struct tma_l2 *l2, uint32_t from, struct tma_line_server server,
                                    uint64_t ready, uint32_t flits) {
    uint32_t groups = tma_machine_slice_groups(l2->core->machine);
    struct tma_port *link = &l2->links[from * groups + server.slice / TMA_GROUP_SLICES];
    return tma_later(ready, tma_port_serve(link, l2->core->cycle, flits * l2->link_sector_ticks));
}

/* A client of one port of a slice: as tma_port_serve. */
static inline uint64_t tma_slice_serve(struct tma_slice *slice, enum tma_slice_port port,
                                       uint64_t cycle, uint64_t ticks) {
    return tma_port_serve(&slice->ports[port], cycle, ticks);
}

/* Whether a packet that has come from the other partition, or else from an SM, waits behind a
 * reduction, and puts it there: what comes to a port goes on in order. `destination`: the packet's
 * own. */
static inline bool tma_slice_waits(struct tma_core *core, struct tma_slice *slice, bool crossed,
                                   enum tma_destination destination, uint32_t id) {
    if (slice->waiting_reduction[crossed] == TMA_NONE)
        return false;
    tma_packet_queue_put(core, &slice->behind[crossed], tma_event_of(destination, id));
    return true;
}

/* A slice's tags look up a line for a request that came in by one of its two ports. That takes
 * `ticks`, and `conflict_ticks` more if the line is that of the last look-up but one, and not that
 * of the last one. Only look-ups count that came in by the same port and follow each other without
 * a pause. Lines are told apart by 31 bits. */
__attribute__((always_inline)) static inline uint64_t
tma_slice_look_up(const struct tma_l2 *l2, struct tma_slice *slice, uint64_t line,
                  enum tma_slice_port from, uint64_t cycle, uint64_t ticks) {
    const uint32_t port = from == TMA_SLICE_FROM_SMS;
    uint32_t number = (uint32_t)(line + 1) << 1 | port, last = slice->last_line;
    bool follows = cycle * TMA_TICKS <= slice->ports[TMA_SLICE_TAGS].free_ticks;
    bool conflicts = follows && number == slice->line_before && number != last;
    slice->line_before = follows && !conflicts && (last & 1) == port ? last : 0;
    slice->last_line = number;
    return tma_slice_serve(slice, TMA_SLICE_TAGS, cycle,
                           conflicts ? ticks + l2->conflict_ticks : ticks);
}

/* A line comes from DRAM, and requests wait for it besides the one that asked for it: the slice's
 * port from DRAM is busy while they are looked up again, however many. */
static inline void tma_slice_replay(const struct tma_core *core, const struct tma_l2 *l2,
                                    struct tma_slice *slice) {
    tma_slice_serve(slice, TMA_SLICE_FROM_DRAM, core->cycle, l2->replay_ticks);
}

/* Sectors from DRAM or from the other partition arrive and are written: they occupy the slice,
 * which other requests wait for. */
void tma_slice_take_sectors(const struct tma_core *core, const struct tma_l2 *l2,
                            struct tma_slice *slice, uint32_t sectors);

/* Allocates a way for a packet's line (see tma_tags_allocate) and writes its victim back to DRAM.
 * Returns -1 if every way has a pending fill. Pointers to packets are invalid afterwards. */
int tma_slice_allocate(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, uint64_t cycle);

/* What a slice keeps of a reduction that waits for its line, and of a line that a reduction made it
 * write back until DRAM has written it, in units of 32 bytes: its sectors, and which they are. */
static inline uint32_t tma_slice_operands(uint32_t sectors) {
    return tma_sector_count(sectors) + 1;
}

/* Sends dirty sectors of a set to DRAM, if there are any. `keeper`: the L2 whose slice keeps them
 * among its operands until DRAM has written them; NULL: none does. Pointers to packets are invalid
 * afterwards. */
void tma_slice_write_back(struct tma_core *core, const struct tma_l2 *keeper, uint32_t set,
                          const struct tma_l2_victim *victim, uint64_t cycle);

/* Sends `sectors` of a line to DRAM. `returns`: the slice waits until DRAM has written them
 * (tma_l2_end_write_back). Pointers to packets are invalid afterwards. */
void tma_slice_write_to_dram(struct tma_core *core, uint64_t line, struct tma_line_server server,
                             uint32_t sectors, bool returns, uint64_t cycle);

/* The sectors that a fill brings for `missing` ones of a line: blocks of 64 bytes, or the line. */
static inline uint32_t tma_slice_fill_sectors(enum tma_l2_promotion promotion, uint32_t missing) {
    if (promotion >= TMA_L2_128B)
        return TMA_ALL_SECTORS;
    return ((missing & 3u) != 0 ? 3u : 0u) | ((missing & 12u) != 0 ? 12u : 0u);
}

/* Reads what a way (-1: none) lacks of `missing` sectors from DRAM. The packet's transfer counts
 * the fill here: a promotion may end behind the transfer. */
static inline struct tma_handover tma_slice_start_fill(struct tma_core *core, struct tma_l2 *l2,
                                                       uint32_t id, int way, uint32_t missing,
                                                       uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    uint32_t sectors = missing;
    if (packet->kind != TMA_PACKET_REDUCE)
        sectors = tma_slice_fill_sectors(packet->promotion, missing);
    else if (tma_is_near(core, packet))
        sectors = tma_slice_fill_sectors(TMA_L2_NONE, missing);
    if (way >= 0) {
        struct tma_l2_set *set = tma_slice_set(l2, packet);
        sectors &= ~tma_sectors_of_way(set->valid, way);
        tma_tags_begin_fill(&l2->tags, set, way, sectors);
    }
    packet->fill.way = (int8_t)way;
    packet->fill.missing = (uint8_t)sectors;
    packet->dram_cycles = (uint32_t)(cycle - tma_known_cycle(packet));
    tma_fill_counts_of(core, packet)->fills++;
    tma_fill_counts_of(core, packet)->fill_sectors += tma_sector_count(sectors);
    return (struct tma_handover){id, TMA_TO_DRAM, cycle};
}

/* Counts sectors that L2 lacked for a request. */
static inline void tma_slice_count_missed(struct tma_core *core, const struct tma_packet *packet,
                                          uint32_t sectors) {
    if (packet->kind == TMA_PACKET_DESCRIPTOR) {
        core->counters.descriptor_dram_fetches++;
        return;
    }
    tma_fill_counts_of(core, packet)->miss_sectors += sectors;
    core->counters.miss_sectors += sectors;
}

/* The misses of a slice. A slice has room for so many sectors that it waits for: from DRAM, and,
 * apart from those, from the other partition. Reads leave a slice in the order in which it looked
 * them up. One that lacks sectors while there is no room waits, and those behind it wait too,
 * whether L2 has their lines or not. */

/* Whether reads wait to leave a slice. */
static inline bool tma_misses_wait(const struct tma_slice *slice) {
    return slice->leaving.count > 0;
}

/* A read of an SM leaves the slice of the SM's partition at `cycle`: to DRAM or to the home in the
 * other partition, if there is room for what it lacks, or as a response. */
struct tma_handover tma_misses_leave(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                     enum tma_destination destination, uint64_t cycle);

/* What a read lacked has arrived at `cycle`: a fill, or else a copy. Reads that waited for room go
 * on. */
void tma_misses_end(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, bool copy,
                    uint64_t cycle);

/* Reads of SMs that arrive at a slice. As many as `l2.queue` wait in its queue, of all SMs, until
 * the slice looks them up, or in the list of those that wait to leave it (misses.c). Further ones
 * wait in queues of the CPCs of their SMs. Whenever there is room, the CPC whose turn it is sends
 * its oldest read: first to the coalescer, which reads in the queues have not passed yet. Internal
 * to l2/, but for l2.h. */

/* Reads have left a slice, which may have room for others. */
void tma_arrivals_go_on(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice);

/* Coherence between the two partitions. The home of a line knows of the copy in the other
 * partition; a write at the home invalidates the copy. */

/* Whether the other partition holds a copy of all of a line, with no fill of it pending. `home`:
 * the index of the line at its home. */
bool tma_copy_is_complete(struct tma_core *core, const struct tma_l2 *l2, uint64_t line,
                          struct tma_set_index home);

/* Marks sectors at the home as requested, since a request asked for them in the copy. */
void tma_copy_mark_requested(struct tma_l2 *l2, struct tma_set_index home, uint32_t sectors);

/* A store on its way to the home, for which it has the index, leaves its sectors in the copy of its
 * SM's partition. */
void tma_copy_store(struct tma_core *core, struct tma_l2 *l2, const struct tma_packet *packet,
                    uint64_t cycle);

/* Invalidates the copy of a packet's line. The packet's index is that at the home. */
void tma_copy_invalidate(struct tma_core *core, struct tma_l2 *l2, const struct tma_packet *packet);

/* Whether the last write to a line at its home was a store of the other partition. */
bool tma_copy_was_stored(const struct tma_l2 *l2, struct tma_set_index home);

/* Reads at a slice: the step after a fill. */

/* The home has the sectors that a read lacked at `ready`. Sends the data back. */
struct tma_handover tma_read_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                    uint64_t ready);

/* The same for packets that wait for a line of their home: a list, the newest first. */
void tma_read_answer(struct tma_core *core, struct tma_l2 *l2, uint32_t waiting, uint64_t ready);

/* Writes and reductions at the home of their line, where they take effect: the step after a fill.
 * */

/* A reduction that waited takes effect in `way` of its home (-1: none), which DRAM has filled. */
struct tma_handover tma_l2_reduce_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                         int way, uint64_t cycle);

/* DRAM has written a line that a reduction made its home write back: that has room again. */
void tma_l2_end_write_back(struct tma_core *core, struct tma_l2 *l2, uint32_t packet);

/* Whether a slice has room for the operands of a reduction, and a reduction that has waited for it
 * (tma_slice.waiting_reduction) goes on. */
bool tma_l2_has_room(const struct tma_core *core, const struct tma_slice *slice);
struct tma_handover tma_l2_reduce_waiting(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                          uint64_t cycle);
