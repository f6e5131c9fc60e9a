#include "memory/sm/sms.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "memory/sm/descriptor_waits.h"

static void init_unit(struct tma_sms *sms, uint32_t sm) {
    const struct tma_machine *machine = sms->core->machine;
    struct tma_load_unit *load = &sms->load_units[sm];
    struct tma_store_unit *store = &sms->store_units[sm];
    load->head = load->tail = TMA_NONE;
    store->head = store->tail = store->coming = store->open = TMA_NONE;
    store->credits = (int32_t)machine->tma.write_flits;
    for (int i = 0; i < TMA_DESCRIPTOR_WAITS; i++)
        load->waits[i].transfer = store->waits[i].transfer = TMA_NONE;
}

enum tma_error_code tma_sms_create(struct tma_sms *sms, struct tma_core *core,
                                   struct tma_error *error) {
    const struct tma_machine *machine = core->machine;
    uint32_t count = machine->sm_count;
    *sms = (struct tma_sms){
        .core = core,
        .free_transfer = TMA_NONE,
        .load_units = tma_allocate(count, sizeof *sms->load_units),
        .store_units = tma_allocate(count, sizeof *sms->store_units),
        .ports = tma_allocate(count, sizeof *sms->ports),
        .shared = tma_allocate(count, sizeof *sms->shared),
        .descriptors = tma_descriptor_caches_new(count, machine->tma.descriptors),
        .sector_ticks = tma_sector_ticks(machine->crossbar.sm_port_bytes_per_kcycle),
        .wavefront_ticks = (uint64_t)machine->shared.wavefront_cycles * TMA_TICKS,
        .row_ticks = tma_millicycles_to_ticks(machine->tma.row_millicycles),
        .dsmem = {.links = tma_allocate(count, sizeof *sms->dsmem.links),
                  .flit_ticks = tma_millicycles_to_ticks(machine->dsmem.flit_millicycles),
                  .atomic_ticks = tma_millicycles_to_ticks(machine->dsmem.atomic_millicycles)},
    };
    if (sms->load_units == NULL || sms->store_units == NULL || sms->ports == NULL ||
        sms->shared == NULL || sms->descriptors == NULL || sms->dsmem.links == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u SMs", count);
    for (uint32_t sm = 0; sm < count; sm++)
        init_unit(sms, sm);
    return tma_lsus_create(sms, error);
}

void tma_sms_free(struct tma_sms *sms) {
    if (sms->core == NULL)
        return;
    tma_descriptor_caches_free(sms->descriptors, sms->core->machine->sm_count);
    tma_lsus_free(sms);
    TMA_RELEASE(sms->transfers, sms->completions, sms->reports, sms->load_units, sms->store_units,
                sms->ports, sms->shared, sms->dsmem.links);
}

TMA_RARE struct tma_handover tma_sm_receive_descriptor(struct tma_core *core, struct tma_sms *sms,
                                                       uint32_t packet_id, uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, packet_id);
    uint32_t id = packet->transfer, sm = packet->sm;
    bool store = tma_writes_tensor(sms->transfers[id].direction), now = cycle == core->cycle;
    tma_packet_free(core, packet_id);
    if (store) {
        tma_descriptor_arrive(sms->store_units[sm].waits, id, cycle);
        if (now)
            return tma_store_unit_wake_now(sms, sm, cycle);
        tma_store_unit_resume(core, sms, sm, core->cycle);
    } else {
        tma_descriptor_arrive(sms->load_units[sm].waits, id, cycle);
        if (now)
            return tma_load_unit_wake_now(sms, sm, cycle);
        tma_load_unit_resume(core, sms, sm, core->cycle);
    }
    return tma_nowhere;
}

uint64_t tma_sms_busy_unit_cycles(const struct tma_sms *sms) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sms->core->machine->sm_count; i++)
        total += (sms->load_units[i].busy_ticks + sms->store_units[i].busy_ticks) / TMA_TICKS;
    return total;
}

uint64_t tma_sms_busy_port_cycles(const struct tma_sms *sms) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sms->core->machine->sm_count; i++)
        total += sms->ports[i].busy_ticks / TMA_TICKS;
    return total;
}

uint64_t tma_sms_busy_lsu_cycles(const struct tma_sms *sms) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sms->core->machine->sm_count; i++)
        total += sms->lsus.units[i].busy_ticks / TMA_TICKS;
    return total;
}

uint64_t tma_sms_busy_dsmem_cycles(const struct tma_sms *sms) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sms->core->machine->sm_count; i++) {
        const struct tma_dsmem_link *link = &sms->dsmem.links[i];
        total += tma_later(link->out.busy_ticks, link->in.busy_ticks) / TMA_TICKS;
    }
    return total;
}

uint64_t tma_sms_busy_shared_cycles(const struct tma_sms *sms) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sms->core->machine->sm_count; i++)
        total += sms->shared[i].accesses.busy_ticks / TMA_TICKS;
    return total;
}

/* What is in flight, in words: for the message about a fault of the model. */

static bool is_free(const struct tma_sms *sms, uint32_t id) {
    uint32_t free = sms->free_transfer;
    while (free != TMA_NONE && free != id)
        free = sms->transfers[free].next;
    return free == id;
}

static const char *name_of(const struct tma_transfer *transfer) {
    switch (transfer->direction) {
    case TMA_LOAD:
        return transfer->completion.copied ? "copy of a multicast load" : "load";
    case TMA_STORE:
        return "store";
    case TMA_REDUCE:
        return "reduction";
    case TMA_PREFETCH:
        break;
    }
    return "prefetch";
}

static const char *state_of(const struct tma_transfer *transfer) {
    if (transfer->generated)
        return "all made";
    return transfer->begun ? "not all made" : "none made";
}

void tma_sms_describe(const struct tma_sms *sms, char *text, size_t size) {
    enum { NAMED = 3 };
    uint32_t named = 0;
    int used = snprintf(text, size, "%" PRIu32 " in flight", sms->transfers_used);
    for (uint32_t i = 1; i < sms->transfer_count && named < sms->transfers_used && named < NAMED;
         i++) {
        const struct tma_transfer *transfer = &sms->transfers[i];
        if (used < 0 || (size_t)used >= size || is_free(sms, i))
            continue;
        named++;
        used += snprintf(text + used, size - (size_t)used,
                         "; %s of SM %" PRIu32 " issued at cycle %" PRIu64 ": packets %s, %" PRIu32
                         " not answered",
                         name_of(transfer), transfer->sm, transfer->completion.issue_cycle,
                         state_of(transfer), transfer->outstanding);
    }
    if (sms->lsus.accesses_used > 0 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; %" PRIu32 " accesses of warps",
                 sms->lsus.accesses_used);
}
