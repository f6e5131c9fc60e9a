#include "memory/gpc/gate.h"

#include "base/allocation.h"

enum tma_error_code tma_gates_create(struct tma_gates *gates, struct tma_error *error) {
    gates->ports = tma_allocate(TMA_MAX_GPCS, sizeof *gates->ports);
    return gates->ports != NULL ? TMA_OK : tma_fail(error, TMA_ERROR_MEMORY, "no memory for gates");
}

void tma_gates_free(struct tma_gates *gates) {
    tma_release(gates->ports);
}

struct tma_handover tma_gate_receive(struct tma_core *core, struct tma_gates *gates,
                                     uint32_t packet, uint64_t cycle) {
    struct tma_port *port = &gates->ports[tma_packet_at(core, packet)->gpc];
    tma_send(core, TMA_TO_L2, packet, tma_port_serve(port, cycle, TMA_GATE_CYCLES * TMA_TICKS));
    return tma_nowhere;
}
