#include "engine/simulation.h"

void tma_simulation_fail(struct tma_simulation *simulation, enum tma_error_code code,
                         const char *text) {
    if (simulation->code == TMA_OK)
        simulation->code = tma_fail(&simulation->error, code, "%s", text);
}

void tma_simulation_out_of_memory(struct tma_simulation *simulation) {
    tma_simulation_fail(simulation, TMA_ERROR_MEMORY, "out of memory");
}
