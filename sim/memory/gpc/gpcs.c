#include "memory/gpc/gpcs.h"

#include "base/allocation.h"
#include "base/array.h"
#include "memory/gpc/response_port.h"

/* The MSHRs of both partitions. A row takes a cache line of the host, or several. */
static void create_mshrs(struct tma_gpcs *gpcs) {
    const struct tma_core *core = gpcs->core;
    uint32_t neighbours[2] = {0};
    size_t rows = (size_t)core->map.partitions * TMA_MSHR_ROWS;
    for (uint32_t gpc = 0; gpc < core->machine->topology.gpc_count; gpc++)
        gpcs->place[gpc] = (uint8_t)neighbours[core->gpc_partition[gpc]]++;
    while (sizeof *gpcs->mshrs << gpcs->row_bits < TMA_HOST_LINE_BYTES ||
           1u << gpcs->row_bits < neighbours[0] || 1u << gpcs->row_bits < neighbours[1])
        gpcs->row_bits++;
    gpcs->mshrs = tma_allocate_lines(rows << gpcs->row_bits, sizeof *gpcs->mshrs);
    gpcs->has_parts = tma_allocate(rows, sizeof *gpcs->has_parts);
}

enum tma_error_code tma_gpcs_create(struct tma_gpcs *gpcs, struct tma_core *core,
                                    struct tma_error *error) {
    const struct tma_machine *machine = core->machine;
    uint32_t count = machine->topology.gpc_count, links = tma_machine_slice_groups(machine);
    *gpcs = (struct tma_gpcs){
        .core = core,
        .ports = tma_allocate(count, sizeof *gpcs->ports),
        .descriptors = tma_descriptor_caches_new(count, machine->tma.gpc_descriptors),
        .fetches = tma_allocate(count, sizeof *gpcs->fetches),
        .sector_ticks = tma_sector_ticks(machine->crossbar.gpc_port_bytes_per_kcycle),
        .link_free_ticks = tma_allocate((size_t)count * links, sizeof *gpcs->link_free_ticks),
        .link_count = links,
        .link_sector_ticks = tma_sector_ticks(machine->crossbar.link_bytes_per_kcycle),
    };
    create_mshrs(gpcs);
    if (gpcs->mshrs == NULL || gpcs->has_parts == NULL || gpcs->ports == NULL ||
        gpcs->descriptors == NULL || gpcs->fetches == NULL || gpcs->link_free_ticks == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u GPCs", count);
    return TMA_OK;
}

void tma_gpcs_free(struct tma_gpcs *gpcs) {
    if (gpcs->core == NULL)
        return;
    tma_descriptor_caches_free(gpcs->descriptors, gpcs->core->machine->topology.gpc_count);
    tma_release(gpcs->mshrs);
    tma_release(gpcs->has_parts);
    tma_release(gpcs->ports);
    tma_release(gpcs->fetches);
    tma_release(gpcs->link_free_ticks);
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
        total += gpcs->ports[i].busy_ticks / TMA_TICKS;
    return total;
}
