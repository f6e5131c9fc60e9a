#include "engine/deadlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/program.h"

enum { WAIT_BYTES = 240, REST_BYTES = sizeof "; and 4294967295 more" };

/* When the last operation completed, as a warp sees it, or an actor did something last. */
static uint64_t last_cycle(const struct tma_simulation *simulation) {
    uint64_t last = simulation->completed_cycle;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++) {
        uint64_t cycle = simulation->program->last_cycle(simulation, i);
        last = cycle > last ? cycle : last;
    }
    return last;
}

void tma_fail_deadlock(struct tma_simulation *simulation) {
    char text[TMA_ERROR_TEXT_BYTES], wait[WAIT_BYTES];
    const char *why = simulation->program->explain_deadlock(simulation);
    size_t used = (size_t)snprintf(
        text, sizeof text, "deadlock at cycle %" PRIu64 ": nothing is in flight%s%s",
        last_cycle(simulation), why != NULL ? "; " : "", why != NULL ? why : "");
    uint32_t waiting = 0, named = 0;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++) {
        if (!simulation->program->describe_wait(simulation, i, wait, sizeof wait) ||
            waiting++ > named)
            continue;
        if (used + sizeof "; " + strlen(wait) + REST_BYTES > sizeof text)
            continue;
        named++;
        used += (size_t)snprintf(text + used, sizeof text - used, "; %s", wait);
    }
    if (waiting > named)
        snprintf(text + used, sizeof text - used, "; and %u more", waiting - named);
    tma_simulation_fail(simulation, TMA_ERROR_DEADLOCK, text);
}
