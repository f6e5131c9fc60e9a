#include <inttypes.h>
#include <stdio.h>

#include "engine/roles/kernel_state.h"

bool tma_flag_request(const struct tma_role_state *role, const struct tma_statement *statement,
                      struct tma_flag_request *request, struct tma_error *error) {
    const struct tma_kernel_engine *engine = role->cta->engine;
    const struct tma_flag *flag = &engine->kernel->flags[statement->flag];
    const struct tma_program_cursor *cursor = &role->cursor;
    const int64_t *variables = (cursor->in_part ? &cursor->ahead : &cursor->main)->variables;
    int64_t index;
    if (!tma_value_at(&statement->amount[0], variables, &index, error) ||
        !tma_value_at(&statement->amount[1], variables, &request->number, error))
        return false;
    if (index < 0 || index >= flag->count) {
        tma_fail(error, TMA_ERROR_ARGUMENT, "flag %s has no number %" PRId64 "; allowed: 0 to %u",
                 flag->name, index, flag->count - 1);
        return false;
    }
    request->counter = &engine->flags[statement->flag][index];
    return true;
}

uint64_t tma_flag_seen(const struct tma_machine *machine, uint64_t first, uint64_t cycle) {
    uint64_t round = machine->warp.tile_cycles, late = cycle > first ? cycle - first : 0;
    if (round == 0)
        return first + late;
    return first + ((late + round - 1) / round + 1) * round;
}

void tma_flag_describe(const struct tma_role_state *role, char *text, size_t size) {
    struct tma_flag_request request;
    const struct tma_kernel_engine *engine = role->cta->engine;
    const struct tma_statement *statement = role->waiting;
    if (!tma_flag_request(role, statement, &request, NULL))
        return;
    snprintf(text, size, "for flag %s[%td] to be %" PRId64 ", which is %" PRId64,
             engine->kernel->flags[statement->flag].name,
             request.counter - engine->flags[statement->flag], request.number, *request.counter);
}
