#include "engine/roles/kernel_exchange.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/lane_accesses.h"
#include "engine/roles/kernel_failure.h"
#include "engine/roles/kernel_operation.h"
#include "engine/roles/kernel_race.h"
#include "engine/roles/kernel_ring.h"
#include "engine/roles/statement_operation.h"

/* What an EXCHANGE moves. */
struct exchange {
    struct tma_kernel_cta *peer;
    uint32_t stage;    /* of the statement's ring */
    uint32_t to, from; /* addresses in the shared memory of the peer, and of the own CTA (bulk) */
    uint32_t bytes;
};

/* The stage of a ring that the role acquired last, or has waited for last. */
static bool find_stage(struct tma_role_state *role, const struct tma_statement *statement,
                       uint32_t ring, bool acquired, uint32_t *stage) {
    const struct tma_ring_use *use = &role->rings[ring];
    uint64_t number = acquired ? use->acquired : use->waited;
    if (number == 0) {
        tma_role_fail(role, statement, TMA_ERROR_FAULT,
                      acquired ? "it writes into a stage that it has not acquired"
                               : "it reads a stage that it has not waited for");
        return false;
    }
    *stage = (uint32_t)((number - 1) % role->cursor.kernel->rings[ring].depth);
    return true;
}

/* The address of a part of a place. */
static bool find_part(struct tma_role_state *role, const struct tma_statement *statement,
                      const struct tma_shared_place *place, const struct tma_value *offset,
                      int64_t bytes, uint32_t stage, uint32_t *address) {
    const struct tma_kernel *kernel = role->cursor.kernel;
    struct tma_error error;
    int64_t first;
    char text[160];
    if (!tma_value_at(offset, tma_cursor_place(&role->cursor)->variables, &first, &error)) {
        tma_role_fail(role, statement, error.code, error.text);
        return false;
    }
    if (first < 0 || bytes <= 0 || first > place->bytes || bytes > place->bytes - first) {
        snprintf(text, sizeof text,
                 "it moves %" PRId64 " B from offset %" PRId64 " B on, of a place of %" PRIu32 " B",
                 bytes, first, place->bytes);
        tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
        return false;
    }
    *address = (uint32_t)first + place->offset_bytes;
    *address += place->kind == TMA_PLACE_BUFFER
                    ? kernel->buffers[place->index].shared_offset
                    : kernel->rings[place->index].shared_offset +
                          stage * kernel->rings[place->index].stage_bytes;
    return true;
}

/* The other CTA, which has to run. */
static bool find_peer(struct tma_role_state *role, const struct tma_statement *statement,
                      struct tma_kernel_cta **peer) {
    uint32_t ctas = role->cta->engine->simulation.cluster_ctas;
    struct tma_error error;
    int64_t rank;
    char text[120];
    if (!tma_value_at(&statement->peer, tma_cursor_place(&role->cursor)->variables, &rank,
                      &error)) {
        tma_role_fail(role, statement, error.code, error.text);
        return false;
    }
    if (rank < 0 || rank >= ctas) {
        snprintf(text, sizeof text,
                 "its rank is %" PRId64 "; the cluster has the ranks 0 to %" PRIu32, rank,
                 ctas - 1);
        tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
        return false;
    }
    *peer = &role->cta->cluster->ctas[rank];
    if ((*peer)->base.running_actors == 0) {
        snprintf(text, sizeof text,
                 "it is about the shared memory of the CTA of rank %" PRId64
                 " of its cluster, which has ended",
                 rank);
        tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
        return false;
    }
    return true;
}

static bool find_exchange(struct tma_role_state *role, const struct tma_statement *statement,
                          struct exchange *exchange) {
    const int64_t *variables = tma_cursor_place(&role->cursor)->variables;
    const struct tma_lanes *lanes = &statement->lanes;
    uint32_t unit = lanes->by == TMA_BY_BULK ? 16 : lanes->lane_bytes, stage = 0;
    struct tma_error error;
    int64_t bytes;
    char text[120];
    if (!tma_exchanged_bytes(statement, variables, &bytes, &error)) {
        tma_role_fail(role, statement, error.code, error.text);
        return false;
    }
    if (!find_peer(role, statement, &exchange->peer) ||
        (statement->ring != TMA_NO_RING &&
         !find_stage(role, statement, statement->ring, statement->operation.direction != TMA_LOAD,
                     &exchange->stage)) ||
        !find_part(role, statement, &statement->touched, &statement->shared_offset, bytes,
                   exchange->stage, &exchange->to))
        return false;
    if (lanes->by == TMA_BY_BULK &&
        ((statement->source.kind == TMA_PLACE_RING &&
          !find_stage(role, statement, statement->source.index, false, &stage)) ||
         !find_part(role, statement, &statement->source, &statement->source_offset, bytes, stage,
                    &exchange->from)))
        return false;
    exchange->bytes = (uint32_t)bytes;
    if (exchange->bytes % unit == 0 && exchange->to % unit == 0 && exchange->from % unit == 0)
        return true;
    snprintf(text, sizeof text,
             "it moves %" PRId64 " B from address %" PRIu32
             " on; both have to be multiples of %" PRIu32 " B",
             bytes, exchange->to, unit);
    tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
    return false;
}

uint64_t tma_role_exchange(struct tma_role_state *role, const struct tma_statement *statement) {
    struct tma_kernel_cta *cta = role->cta;
    struct exchange exchange = {.bytes = 0};
    bool reads = tma_statement_reads(statement), bulk = statement->lanes.by == TMA_BY_BULK;
    if (!find_exchange(role, statement, &exchange) ||
        (reads && !tma_role_begin_read(role, statement)))
        return 0;
    struct tma_kernel_operation *operation = tma_operation_new(&cta->base, role->number);
    if (operation == NULL)
        return 0;
    struct tma_issued *issued = &operation->base;
    operation->statement = statement;
    operation->stage = exchange.stage;
    operation->group = role->reads_issued;
    issued->operation = statement->operation;
    issued->operation.shared_address = exchange.to;
    issued->number = role->operations++;
    issued->slot = role->index;
    issued->warp = role->number % 256;
    issued->cta_stays = true;
    issued->lanes = statement->lanes;
    issued->distant = true;
    issued->peer = exchange.peer->sm->number;
    issued->bytes = exchange.bytes;
    if (tma_statement_sends(statement)) {
        operation->phase = (role->rings[statement->ring].acquired - 1) /
                           cta->engine->kernel->rings[statement->ring].depth;
        tma_stage_load(exchange.peer, statement->ring, exchange.stage, operation->phase);
    }
    tma_race_exchange(role, operation, exchange.peer, exchange.from);
    role->reads_issued += reads;
    tma_operation_issue(&cta->base, issued, role->cycle);
    if (bulk)
        return cta->engine->machine.warp.issue_cycles;
    uint64_t pieces = tma_distant_pieces(&statement->lanes, exchange.bytes);
    return tma_role_lane_cycles(role, (pieces + TMA_WARP_LANES - 1) / TMA_WARP_LANES);
}
