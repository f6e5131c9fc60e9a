/* A component as an example: each GPC has a gate, which the reads of its load units pass one after
 * the other on their way to L2. */
#pragma once

#include "memory/core/core.h"

/* A read occupies its gate for so long. */
enum { TMA_GATE_CYCLES = 20 };

struct tma_gates {
    struct tma_port *ports; /* owned: by GPC */
};

/* Fails with TMA_ERROR_MEMORY. tma_gates_free may be called after a failure. */
enum tma_error_code tma_gates_create(struct tma_gates *gates, struct tma_error *error);
void tma_gates_free(struct tma_gates *gates);

/* A read comes to the gate of its GPC. */
struct tma_handover tma_gate_receive(struct tma_core *core, struct tma_gates *gates,
                                     uint32_t packet, uint64_t cycle);
