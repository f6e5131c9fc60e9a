/* A GPC's cache of tensor maps, behind those of its SMs. It fetches from L2 what it lacks. Requests
 * of several SMs for one tensor map are one fetch. */
#include "memory/gpc/gpc_state.h"
#include "memory/gpc/gpcs.h"

static uint32_t descriptor_of(const struct tma_core *core, const struct tma_packet *packet) {
    return (uint32_t)(packet->line - core->descriptor_line + 1);
}

/* Merges a request into an outstanding fetch of the same tensor map. False where there is none. */
static bool merge(struct tma_core *core, struct tma_gpcs *gpcs, struct tma_packet *packet,
                  uint32_t id) {
    const struct tma_descriptor_fetches *fetches = &gpcs->fetches[packet->gpc];
    for (uint32_t i = 0; i < fetches->count; i++) {
        struct tma_packet *first = tma_packet_at(core, fetches->packets[i]);
        if (first->line != packet->line)
            continue;
        packet->next = first->merged;
        first->merged = id;
        return true;
    }
    return false;
}

static void fetch(struct tma_core *core, struct tma_gpcs *gpcs, struct tma_packet *packet,
                  uint32_t id, uint64_t cycle) {
    struct tma_descriptor_fetches *fetches = &gpcs->fetches[packet->gpc];
    assert(fetches->count < TMA_MAX_DESCRIPTOR_FETCHES);
    fetches->packets[fetches->count++] = id;
    core->counters.descriptor_l2_fetches++;
    tma_locate_read(core, packet, &core->gpc_sides[packet->gpc]);
    tma_send(core, TMA_TO_L2, id, cycle + core->request_cycles[packet->sm]);
}

TMA_RARE struct tma_handover tma_gpc_receive_descriptor_request(struct tma_core *core,
                                                                struct tma_gpcs *gpcs, uint32_t id,
                                                                uint64_t cycle) {
    struct tma_packet *packet = tma_packet_at(core, id);
    if (tma_descriptor_cache_use(&gpcs->descriptors[packet->gpc], descriptor_of(core, packet)))
        return (struct tma_handover){id, TMA_TO_SM_DESCRIPTORS,
                                     cycle + core->machine->tma.descriptor_fetch_cycles};
    if (!merge(core, gpcs, packet, id))
        fetch(core, gpcs, packet, id, cycle);
    return tma_nowhere;
}

static void forget_fetch(struct tma_descriptor_fetches *fetches, uint32_t id) {
    uint32_t i = 0;
    while (fetches->packets[i] != id)
        i++;
    fetches->packets[i] = fetches->packets[--fetches->count];
}

TMA_RARE struct tma_handover tma_gpc_receive_descriptor(struct tma_core *core,
                                                        struct tma_gpcs *gpcs, uint32_t id,
                                                        uint64_t cycle) {
    const struct tma_packet *first = tma_packet_at(core, id);
    uint64_t arrival = tma_later(
        tma_response_port_serve(gpcs, first, cycle) + core->response_cycles[first->sm], cycle + 1);
    tma_descriptor_cache_put(&gpcs->descriptors[first->gpc], descriptor_of(core, first));
    forget_fetch(&gpcs->fetches[first->gpc], id);
    uint32_t fetch_cycles = core->machine->tma.descriptor_fetch_cycles;

    for (uint32_t merged = first->merged; merged != TMA_NONE;
         merged = tma_packet_at(core, merged)->next)
        tma_pass(core, TMA_TO_SM_DESCRIPTORS, merged,
                 tma_later(arrival, tma_packet_at(core, merged)->sent_cycle + fetch_cycles));
    return (struct tma_handover){id, TMA_TO_SM_DESCRIPTORS,
                                 tma_later(arrival, first->sent_cycle + fetch_cycles)};
}
