#include "engine/roles/kernel_state.h"

/* The stage of the ring that a statement of the role is about; of a wait, only from the time on at
 * which the role looks at the mbarrier. */
static uint32_t stage_of(const struct tma_role_state *role, const struct tma_statement *statement,
                         enum tma_role_cause cause) {
    bool looks = cause == TMA_ROLE_MBARRIER || cause == TMA_ROLE_EMPTY || cause == TMA_ROLE_FULL ||
                 cause == TMA_ROLE_ISSUE;
    uint32_t ring = statement->ring, lag = 0;
    if (statement->kind == TMA_STATEMENT_ACQUIRE || statement->kind == TMA_STATEMENT_WAIT)
        return looks ? role->wait_stage : TMA_NO_SPAN_STAGE;
    if (statement->kind == TMA_STATEMENT_COMPUTE) {
        const struct tma_shared_place *place = statement->work == TMA_WORK_MMA
                                                   ? &statement->operands[TMA_MMA_B].place
                                                   : &statement->touched;
        ring = place->kind == TMA_PLACE_RING ? place->index : TMA_NO_RING;
    } else if (statement->kind == TMA_STATEMENT_RELEASE) {
        lag = statement->lag;
    }
    if (ring == TMA_NO_RING)
        return TMA_NO_SPAN_STAGE;
    const struct tma_ring_use *use = &role->rings[ring];
    bool acquired = tma_statement_fills(statement) || use->waited == 0;
    uint64_t stages = acquired ? use->acquired : use->waited;
    return stages <= lag
               ? TMA_NO_SPAN_STAGE
               : (uint32_t)((stages - 1 - lag) % role->cta->engine->kernel->rings[ring].depth);
}

struct tma_span_place tma_role_span_place(const struct tma_role_state *role,
                                          enum tma_role_cause cause) {
    const struct tma_statement *statement = role->cursor.statement;
    if (statement == NULL || !tma_observes_spans(&role->cta->engine->simulation.observer))
        return (struct tma_span_place){.stage = TMA_NO_SPAN_STAGE};
    return (struct tma_span_place){
        .statement = 1 + (uint32_t)(statement - role->cta->engine->kernel->statements),
        .stage = stage_of(role, statement, cause),
        .loops = tma_cursor_loops(&role->cursor)};
}
