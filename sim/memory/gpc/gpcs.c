#include "memory/gpc/gpcs.h"

#include "base/allocation.h"
#include "base/array.h"
#include "memory/gpc/gpc_state.h"

enum tma_error_code tma_gpcs_create(struct tma_gpcs *gpcs, struct tma_core *core,
                                    struct tma_error *error) {
    const struct tma_machine *machine = core->machine;
    uint32_t count = machine->topology.gpc_count, links = tma_machine_slice_groups(machine);
    size_t rows = (size_t)core->map.partitions * TMA_MSHR_ROWS;
    *gpcs = (struct tma_gpcs){
        .core = core,
        .mshrs = tma_allocate_lines(rows << core->mshr_row_bits, sizeof *gpcs->mshrs),
        .has_parts = tma_allocate(rows, sizeof *gpcs->has_parts),
        .ports = tma_allocate(count, sizeof *gpcs->ports),
        .descriptors = tma_descriptor_caches_new(count, machine->tma.gpc_descriptors),
        .fetches = tma_allocate(count, sizeof *gpcs->fetches),
        .sector_ticks = tma_sector_ticks(machine->crossbar.gpc_port_bytes_per_kcycle),
        .link_free_ticks = tma_allocate((size_t)count * links, sizeof *gpcs->link_free_ticks),
        .link_sector_ticks = tma_sector_ticks(machine->crossbar.link_bytes_per_kcycle),
    };
    if (gpcs->mshrs == NULL || gpcs->has_parts == NULL || gpcs->ports == NULL ||
        gpcs->descriptors == NULL || gpcs->fetches == NULL || gpcs->link_free_ticks == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u GPCs", count);
    for (uint32_t gpc = 0; gpc < count; gpc++)
        gpcs->ports[gpc].link_free_ticks = &gpcs->link_free_ticks[(size_t)gpc * links];
    return TMA_OK;
}

void tma_gpcs_free(struct tma_gpcs *gpcs) {
    if (gpcs->core == NULL)
        return;
    tma_descriptor_caches_free(gpcs->descriptors, gpcs->core->machine->topology.gpc_count);
    TMA_RELEASE(gpcs->mshrs, gpcs->has_parts, gpcs->ports, gpcs->fetches, gpcs->link_free_ticks,
                gpcs->tlbs.entries);
}

struct tma_handover tma_gpc_receive_response(struct tma_core *core, struct tma_gpcs *gpcs,
                                             uint32_t id, uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    if (packet->kind == TMA_PACKET_DESCRIPTOR)
        return tma_gpc_receive_descriptor(core, gpcs, id, cycle);
    uint64_t passed = tma_response_port_serve(gpcs, packet, cycle);
    if (packet->coalesces)
        tma_coalescer_respond(gpcs, packet, id, passed);
    if (packet->merged == TMA_NONE)
        return (struct tma_handover){id, TMA_TO_SM, passed};
    tma_pass(core, TMA_TO_SM, id, passed);
    tma_coalescer_deliver_merged(core, gpcs, packet, cycle, passed);
    return tma_nowhere;
}

uint64_t tma_gpcs_busy_cycles(const struct tma_gpcs *gpcs) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < gpcs->core->machine->topology.gpc_count; i++)
        total += gpcs->ports[i].port.busy_ticks / TMA_TICKS;
    return total;
}
