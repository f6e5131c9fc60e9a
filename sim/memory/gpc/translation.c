#include "base/allocation.h"
#include "base/fuzzing.h"
#include "memory/gpc/gpcs.h"

/* Which TLB a translation is in: number of the CPC, or that of the GPU. */
enum { GPU_TLB = TMA_MAX_CPCS, TLB_BITS = 6, FIRST_BITS = TMA_UNLESS_FUZZING(10, 2) };
_Static_assert(GPU_TLB < 1 << TLB_BITS, "a key has the number of a TLB");

/* The entry of a key, or the free one that it would take. */
static struct tma_tlb_entry *find(const struct tma_tlbs *tlbs, uint64_t key) {
    uint32_t mask = (1u << tlbs->bits) - 1, at = (uint32_t)tma_mix64(key) & mask;
    while (tlbs->entries[at].key != 0 && tlbs->entries[at].key != key)
        at = (at + 1) & mask;
    return &tlbs->entries[at];
}

/* Makes room for one entry more. False when out of memory. */
static bool reserve(struct tma_tlbs *tlbs) {
    if (tlbs->entries != NULL && tlbs->count < 1u << (tlbs->bits - 1))
        return true;
    struct tma_tlbs old = *tlbs;
    tlbs->bits = old.entries == NULL ? FIRST_BITS : old.bits + 1;
    tlbs->entries = tma_allocate((size_t)1 << tlbs->bits, sizeof *tlbs->entries);
    if (tlbs->entries == NULL) {
        *tlbs = old;
        return false;
    }
    for (uint32_t i = 0; old.entries != NULL && i < 1u << old.bits; i++)
        if (old.entries[i].key != 0)
            *find(tlbs, old.entries[i].key) = old.entries[i];
    tma_release(old.entries);
    return true;
}

/* Looks a block up. NULL when out of memory; a new entry has the key alone. */
static struct tma_tlb_entry *look_up(struct tma_core *core, struct tma_tlbs *tlbs, uint64_t block,
                                     uint32_t tlb, bool *missed) {
    uint64_t key = (block + 1) << TLB_BITS | tlb;
    if (!reserve(tlbs)) {
        core->out_of_memory = true;
        return NULL;
    }
    struct tma_tlb_entry *entry = find(tlbs, key);
    *missed = entry->key == 0;
    tlbs->count += *missed;
    entry->key = key;
    return entry;
}

/* The cycle at which the TLB of the GPU has a block that it is asked for at `cycle`. */
static uint64_t ask_gpu(struct tma_core *core, struct tma_tlbs *tlbs, uint64_t block,
                        uint64_t cycle) {
    const struct tma_machine *machine = core->machine;
    bool missed;
    struct tma_tlb_entry *entry = look_up(core, tlbs, block, GPU_TLB, &missed);
    if (entry == NULL)
        return cycle;
    if (missed) {
        uint64_t interval = machine->tlb.walk_interval_cycles;
        core->counters.tlb_walks++;
        entry->cycle = tma_port_serve(&tlbs->walker, cycle, interval * TMA_TICKS) - interval +
                       machine->tlb.walk_cycles;
    }
    return tma_later(entry->cycle, cycle);
}

/* The cycle at which the TLB of a CPC, which lacks a block, has it. */
static uint64_t ask(struct tma_core *core, struct tma_tlbs *tlbs, const struct tma_packet *packet,
                    uint64_t block, uint64_t cycle) {
    const struct tma_machine *machine = core->machine;
    uint32_t cpc = core->sm_cpc[packet->sm], *next = &tlbs->next_arrival[cpc];
    uint64_t *arrival = &tlbs->arrivals[cpc][*next];
    uint64_t way = machine->tlb.miss_cycles;
    if (tma_near_partition(core, packet) == 1)
        way += machine->tlb.far_cycles;
    core->counters.tlb_misses++;
    *next = (*next + 1) % machine->tlb.misses;
    cycle = tma_later(cycle, *arrival);
    *arrival = ask_gpu(core, tlbs, block, cycle + way / 2) + way - way / 2;
    return *arrival;
}

TMA_RARE struct tma_handover tma_gpc_translate(struct tma_core *core, struct tma_gpcs *gpcs,
                                               uint32_t id) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    uint64_t block = packet->line * TMA_LINE_BYTES / core->machine->tlb.block_bytes, sent;
    bool missed;
    struct tma_tlb_entry *entry =
        look_up(core, &gpcs->tlbs, block, core->sm_cpc[packet->sm], &missed);
    if (entry == NULL)
        return tma_nowhere;
    if (missed) {
        uint64_t there = ask(core, &gpcs->tlbs, packet, block, packet->sent_cycle);
        if (core->out_of_memory)
            return tma_nowhere;
        entry = look_up(core, &gpcs->tlbs, block, core->sm_cpc[packet->sm], &missed);
        if (entry == NULL)
            return tma_nowhere;
        entry->cycle = there;
    }
    sent = tma_later(packet->sent_cycle, entry->cycle);
    tma_send_to_l2(core, id, tma_later(sent + tma_way_cycles(core, packet), core->cycle + 1));
    return tma_nowhere;
}
