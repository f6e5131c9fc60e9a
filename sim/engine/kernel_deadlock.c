#include <inttypes.h>
#include <stdio.h>

#include "engine/expected_bytes.h"
#include "engine/kernel_failure.h"
#include "engine/kernel_memory.h"
#include "engine/kernel_ring.h"

enum { ROLE_TEXT_BYTES = 240 };

/* What a role waits for. */
static void describe_wait(const struct tma_role_state *role, char *text, size_t size) {
    const struct tma_kernel *kernel = role->cursor.kernel;
    const struct tma_statement *statement = role->waiting;
    const struct tma_stage *stage;
    switch (role->phase) {
    case TMA_ROLE_WAITS_FULL:
        stage = tma_stage_of(role->cta, statement->ring, role->wait_stage);
        snprintf(text, size,
                 "for stage %u of ring %s to be full (phase %" PRIu64 ": %" PRId64
                 " bytes and %u arrivals missing)",
                 role->wait_stage, kernel->rings[statement->ring].name, role->wait_phase,
                 stage->full_bytes, stage->full_missing);
        break;
    case TMA_ROLE_WAITS_EMPTY:
        stage = tma_stage_of(role->cta, statement->ring, role->wait_stage);
        snprintf(text, size,
                 "for stage %u of ring %s to be empty (phase %" PRIu64 ": %u arrivals missing)",
                 role->wait_stage, kernel->rings[statement->ring].name, role->wait_phase,
                 stage->empty_missing);
        break;
    case TMA_ROLE_WAITS_BARRIER:
        snprintf(text, size, "at barrier %s, which %u of %u have reached",
                 kernel->barriers[statement->barrier].name,
                 role->cta->barriers[statement->barrier].arrived,
                 role->cta->barriers[statement->barrier].expected);
        break;
    case TMA_ROLE_WAITS_STORES:
        snprintf(text, size, "for its stores");
        break;
    default:
        snprintf(text, size, "for the next tile");
        break;
    }
}

/* When the last operation completed, as a warp sees it, or the last role began to wait. */
static uint64_t last_cycle(const struct tma_kernel_engine *engine) {
    uint64_t last = engine->completed_cycle;
    for (uint32_t i = 0; i < engine->cta_places * engine->kernel->role_count; i++)
        if (engine->roles[i].cycle > last)
            last = engine->roles[i].cycle;
    return last;
}

/* Whether a role waits for a phase in which all have arrived, and only bytes are missing. */
static bool lacks_bytes(const struct tma_kernel_engine *engine) {
    for (uint32_t i = 0; i < engine->cta_places * engine->kernel->role_count; i++) {
        const struct tma_role_state *role = &engine->roles[i];
        if (role->phase != TMA_ROLE_WAITS_FULL)
            continue;
        const struct tma_stage *stage =
            tma_stage_of(role->cta, role->waiting->ring, role->wait_stage);
        if (stage->full_missing == 0 && stage->full_bytes > 0)
            return true;
    }
    return false;
}

void tma_kernel_deadlock(struct tma_kernel_engine *engine) {
    char text[TMA_ERROR_TEXT_BYTES], wait[160], variables[100];
    size_t used =
        (size_t)snprintf(text, sizeof text, "deadlock at cycle %" PRIu64 ": nothing is in flight",
                         last_cycle(engine));
    uint32_t waiting = 0, named = 0, count = engine->cta_places * engine->kernel->role_count;
    if (lacks_bytes(engine))
        used += (size_t)snprintf(text + used, sizeof text - used, "; %s", TMA_MORE_EXPECTED);
    for (uint32_t i = 0; i < count; i++) {
        struct tma_role_state *role = &engine->roles[i];
        if (role->phase == TMA_ROLE_IDLE || role->waiting == NULL)
            continue;
        if (waiting++ == 0 && engine->simulation.code == TMA_OK)
            engine->failed = role->waiting;
        describe_wait(role, wait, sizeof wait);
        tma_role_describe(role, variables, sizeof variables);
        if (used + ROLE_TEXT_BYTES > sizeof text)
            continue;
        named++;
        used += (size_t)snprintf(text + used, sizeof text - used, "; CTA %u role %s%s%s%s waits %s",
                                 role->cta->number, engine->kernel->roles[role->index].name,
                                 variables[0] != '\0' ? " (" : "", variables,
                                 variables[0] != '\0' ? ")" : "", wait);
        if (used >= sizeof text)
            used = sizeof text - 1;
    }
    if (waiting > named)
        snprintf(text + used, sizeof text - used, "; and %u more", waiting - named);
    tma_simulation_fail(&engine->simulation, TMA_ERROR_DEADLOCK, text);
}
