#include <inttypes.h>
#include <stdio.h>

#include "engine/expected_bytes.h"
#include "engine/roles/kernel_state.h"

/* Writes the role's loop variables as "k = 3, m = 0". */
static void describe_role(const struct tma_role_state *role, char *text, size_t size) {
    const struct tma_program_cursor *cursor = &role->cursor;
    const struct tma_program_place *place = cursor->in_part ? &cursor->ahead : &cursor->main;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < place->depth; d++) {
        const struct tma_statement *loop = &cursor->kernel->statements[place->frames[d].statement];
        uint32_t variables[3] = {loop->variable, loop->variable_m, loop->variable_n};
        uint32_t count = loop->kind == TMA_STATEMENT_FOR     ? 1
                         : loop->kind == TMA_STATEMENT_TILES ? 3
                                                             : 0;
        for (uint32_t i = 0; i < count && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%s = %" PRId64,
                                     used > 0 ? ", " : "", cursor->kernel->variables[variables[i]],
                                     place->variables[variables[i]]);
    }
}

bool tma_role_fail(struct tma_role_state *role, const struct tma_statement *statement,
                   enum tma_error_code code, const char *text) {
    char where[160], message[TMA_ERROR_TEXT_BYTES];
    struct tma_kernel_engine *engine = role->cta->engine;
    describe_role(role, where, sizeof where);
    int used =
        snprintf(message, sizeof message, "cycle %" PRIu64 ", CTA %u, role %s%s%s: ", role->cycle,
                 role->cta->base.number, engine->kernel->roles[role->index].name,
                 where[0] != '\0' ? ", " : "", where);
    snprintf(message + used, sizeof message - (size_t)used, "%.300s", text);
    if (engine->simulation.code == TMA_OK && statement != NULL)
        engine->failed = statement;
    tma_simulation_fail(&engine->simulation, code, message);
    return false;
}

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
    case TMA_ROLE_WAITS_FLAG:
        tma_flag_describe(role, text, size);
        break;
    case TMA_ROLE_WAITS_STORES:
        snprintf(text, size, "for its stores");
        break;
    case TMA_ROLE_WAITS_LOADS:
        snprintf(text, size, "for its loads");
        break;
    case TMA_ROLE_IDLE:
    case TMA_ROLE_RUNNING:
    case TMA_ROLE_WAITS_TILE:
    case TMA_ROLE_WAITS_FETCH:
    case TMA_ROLE_REQUESTS:
        snprintf(text, size, "for the next tile");
        break;
    }
}

bool tma_role_describe_wait(struct tma_simulation *simulation, uint32_t actor, char *text,
                            size_t size) {
    struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    struct tma_role_state *role = &engine->roles[actor];
    char wait[160], variables[100];
    if (role->phase == TMA_ROLE_IDLE || role->waiting == NULL)
        return false;
    if (engine->failed == NULL)
        engine->failed = role->waiting;
    describe_wait(role, wait, sizeof wait);
    describe_role(role, variables, sizeof variables);
    snprintf(text, size, "CTA %u role %s%s%s%s waits %s", role->cta->base.number,
             engine->kernel->roles[role->index].name, variables[0] != '\0' ? " (" : "", variables,
             variables[0] != '\0' ? ")" : "", wait);
    return true;
}

/* Whether a role waits for a phase in which all have arrived, and only bytes are missing. */
const char *tma_roles_explain_deadlock(const struct tma_simulation *simulation) {
    const struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++) {
        const struct tma_role_state *role = &engine->roles[i];
        if (role->phase != TMA_ROLE_WAITS_FULL)
            continue;
        const struct tma_stage *stage =
            tma_stage_of(role->cta, role->waiting->ring, role->wait_stage);
        if (stage->full_missing == 0 && stage->full_bytes > 0)
            return TMA_MORE_EXPECTED;
    }
    return NULL;
}
