#include <assert.h>

#include "memory/system.h"

void tma_machine_place(const struct tma_machine *machine, uint32_t count, uint32_t *sms) {
    assert(count <= machine->sm_count);
    bool taken[TMA_MAX_SMS] = {false};
    for (uint32_t i = 0; i < count; i++)
        taken[machine->topology.placement[i]] = true;
    uint32_t cta = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        if (taken[machine->topology.sms[i]])
            sms[cta++] = machine->topology.sms[i];
    assert(cta == count);
}
