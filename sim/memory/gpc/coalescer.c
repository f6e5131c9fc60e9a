/* The coalescers, one for each partition of L2: loads of the same sectors of a line, of one SM or
 * of several of a GPC, become one request to L2, until the first one's response has passed the
 * GPC's port. The response serves all of them. A load of other sectors of that line, of any GPC
 * next to the partition, is a request of its own, and closes the MSHR of the line for all of these
 * GPCs: the next load opens it anew. */
#include "memory/gpc/gpc_state.h"
#include "memory/gpc/gpcs.h"

/* What an MSHR can hold. */
#define TAG_BITS   ((UINT64_C(1) << 49) - 1)
#define CYCLE_BITS ((UINT64_C(1) << 63) - 1)

/* Whether further loads can be merged into that of an MSHR. */
static bool is_open(const struct tma_core *core, const struct tma_mshr *mshr, uint64_t cycle) {
    return mshr->loads > 0 && mshr->loads < core->machine->crossbar.coalesced_requests &&
           (!mshr->responded || cycle < mshr->number);
}

/* A load's line and its sectors: tags of the same line differ in the lowest bits only. */
enum { SECTOR_BITS = 4 };

static uint64_t tag_of(const struct tma_packet *packet) {
    return packet->line << SECTOR_BITS | packet->sectors;
}

static bool is_other_part(uint64_t tag, uint64_t other) {
    return (tag ^ other) - 1 < (UINT64_C(1) << SECTOR_BITS) - 1;
}

/* Closes the MSHRs that have other sectors of a load's line. Returns whether any was open. */
TMA_RARE static bool close_other_parts(const struct tma_core *core, struct tma_gpcs *gpcs,
                                       const struct tma_packet *packet, uint64_t cycle) {
    bool *has_parts = &gpcs->has_parts[packet->mshr >> core->mshr_row_bits];
    *has_parts |= packet->sectors != TMA_ALL_SECTORS;
    gpcs->any_parts |= *has_parts;
    if (!*has_parts)
        return false;
    uint32_t row_mshrs = 1u << core->mshr_row_bits;
    struct tma_mshr *row = &gpcs->mshrs[packet->mshr & ~(row_mshrs - 1)];
    uint64_t tag = tag_of(packet);
    bool closed = false;
    for (uint32_t place = 0; place < row_mshrs; place++)
        if (is_other_part(row[place].tag, tag)) {
            closed |= is_open(core, &row[place], cycle);
            row[place].loads = 0;
        }
    return closed;
}

/* The cycle at which the response to a merged load has passed the port. The response to the first
 * load, of `first_sm`, passed it at `passed`. One response serves several SMs; a second response to
 * the same SM passes the port separately. */
static uint64_t pass_port(struct tma_gpcs *gpcs, const struct tma_packet *packet, uint32_t first_sm,
                          uint64_t cycle, uint64_t passed) {
    return packet->sm == first_sm ? tma_response_port_serve(gpcs, packet, cycle) : passed;
}

/* Merges a load into one that is outstanding. */
static struct tma_handover merge(struct tma_core *core, struct tma_gpcs *gpcs,
                                 struct tma_mshr *mshr, uint32_t id, uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    if (packet->sm != mshr->sm && mshr->loads % tma_sector_count(packet->sectors) != 0)
        packet->wanted = 0; /* a flit that the slice sends has room for its SM */
    mshr->loads = (mshr->loads + 1u) & TMA_MAX_COALESCED;
    tma_pass(core, TMA_TO_SLICE_MERGED, id, cycle);
    if (!mshr->responded) {
        struct tma_packet *first = tma_packet_at(core, (uint32_t)mshr->number);
        packet->next = first->merged;
        first->merged = id;
        return tma_nowhere;
    }
    packet->known_cycles = core->request_cycles[packet->sm];
    return (struct tma_handover){id, TMA_TO_SM,
                                 pass_port(gpcs, packet, mshr->sm, cycle, mshr->number)};
}

struct tma_handover tma_gpc_receive_load(struct tma_core *core, struct tma_gpcs *gpcs, uint32_t id,
                                         uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (!packet->coalesces)
        return (struct tma_handover){id, TMA_TO_SLICE, cycle};
    struct tma_mshr *mshr = tma_mshr_of(gpcs, packet);
    uint64_t tag = tag_of(packet);
    if (mshr->tag == tag && is_open(core, mshr, cycle))
        return merge(core, gpcs, mshr, id, cycle);
    bool parts = gpcs->any_parts || packet->sectors != TMA_ALL_SECTORS;
    if (!parts || !close_other_parts(core, gpcs, packet, cycle))
        *mshr =
            (struct tma_mshr){.tag = tag & TAG_BITS, .loads = 1, .sm = packet->sm, .number = id};
    return (struct tma_handover){id, TMA_TO_SLICE, cycle};
}

void tma_coalescer_respond(struct tma_gpcs *gpcs, const struct tma_packet *packet, uint32_t id,
                           uint64_t passed) {
    struct tma_mshr *mshr = tma_mshr_of(gpcs, packet);
    if (mshr->responded || mshr->number != id)
        return;
    mshr->responded = 1;
    mshr->number = passed & CYCLE_BITS;
}

/* A merged load waited for what the first one waited for, but only since it was merged. */
static void attribute_time(const struct tma_core *core, const struct tma_packet *first,
                           struct tma_packet *packet) {
    uint64_t known = tma_known_cycle(first), ready = known + first->dram_cycles;
    uint64_t merged = packet->sent_cycle + core->request_cycles[packet->sm];
    if (known < merged)
        known = merged;
    packet->known_cycles = (uint32_t)(known - packet->sent_cycle);
    packet->dram_cycles = ready > known ? (uint32_t)(ready - known) : 0;
}

void tma_coalescer_deliver_merged(struct tma_core *core, struct tma_gpcs *gpcs,
                                  const struct tma_packet *first, uint64_t cycle, uint64_t passed) {
    uint32_t next;
    for (uint32_t id = first->merged; id != TMA_NONE; id = next) {
        struct tma_packet *packet = tma_packet_at(core, id);
        next = packet->next;
        attribute_time(core, first, packet);
        tma_pass(core, TMA_TO_SM, id, pass_port(gpcs, packet, first->sm, cycle, passed));
    }
}
