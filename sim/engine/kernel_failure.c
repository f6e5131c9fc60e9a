#include "engine/kernel_failure.h"

#include <inttypes.h>
#include <stdio.h>

void tma_role_describe(const struct tma_role_state *role, char *text, size_t size) {
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

void tma_role_fail(struct tma_role_state *role, const struct tma_statement *statement,
                   enum tma_error_code code, const char *text) {
    char where[160], message[TMA_ERROR_TEXT_BYTES];
    struct tma_kernel_engine *engine = role->cta->engine;
    tma_role_describe(role, where, sizeof where);
    int used =
        snprintf(message, sizeof message, "cycle %" PRIu64 ", CTA %u, role %s%s%s: ", role->cycle,
                 role->cta->number, engine->kernel->roles[role->index].name,
                 where[0] != '\0' ? ", " : "", where);
    snprintf(message + used, sizeof message - (size_t)used, "%.300s", text);
    if (engine->simulation.code == TMA_OK && statement != NULL)
        engine->failed = statement;
    tma_simulation_fail(&engine->simulation, code, message);
}
