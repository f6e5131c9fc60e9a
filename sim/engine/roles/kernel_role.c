#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "engine/lane_accesses.h"
#include "engine/roles/kernel_operation.h"
#include "engine/roles/kernel_race.h"
#include "engine/roles/kernel_state.h"
#include "engine/roles/statement_operation.h"

/* Statements on the shared memory of another CTA of the cluster. */

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
    if (number == 0)
        return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                             acquired ? "it writes into a stage that it has not acquired"
                                      : "it reads a stage that it has not waited for");
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
    if (!tma_value_at(offset, tma_cursor_place(&role->cursor)->variables, &first, &error))
        return tma_role_fail(role, statement, error.code, error.text);
    if (first < 0 || bytes <= 0 || first > place->bytes || bytes > place->bytes - first) {
        snprintf(text, sizeof text,
                 "it moves %" PRId64 " B from offset %" PRId64 " B on, of a place of %" PRIu32 " B",
                 bytes, first, place->bytes);
        return tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
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
    if (!tma_value_at(&statement->peer, tma_cursor_place(&role->cursor)->variables, &rank, &error))
        return tma_role_fail(role, statement, error.code, error.text);
    if (rank < 0 || rank >= ctas) {
        snprintf(text, sizeof text,
                 "its rank is %" PRId64 "; the cluster has the ranks 0 to %" PRIu32, rank,
                 ctas - 1);
        return tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
    }
    *peer = &role->cta->cluster->ctas[rank];
    if ((*peer)->base.running_actors == 0) {
        snprintf(text, sizeof text,
                 "it is about the shared memory of the CTA of rank %" PRId64
                 " of its cluster, which has ended",
                 rank);
        return tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
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
    if (!tma_exchanged_bytes(statement, variables, &bytes, &error))
        return tma_role_fail(role, statement, error.code, error.text);
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
    return tma_role_fail(role, statement, TMA_ERROR_FAULT, text);
}

/* The role issues an EXCHANGE at its cycle. Returns how long its warps take for that. */
static uint64_t role_exchange(struct tma_role_state *role, const struct tma_statement *statement) {
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

/* How far a role executes ahead of time. */
enum { RUN_AHEAD_CYCLES = 4096 };

static struct tma_kernel_engine *engine_of(const struct tma_role_state *role) {
    return role->cta->engine;
}

/* The role goes on at a later cycle; the time until then has this cause. */
static void spend_until(struct tma_role_state *role, enum tma_role_cause cause, uint64_t cycle) {
    if (cycle <= role->cycle)
        return;
    struct tma_kernel_engine *engine = engine_of(role);
    engine->result->role_cycles[role->index][cause] += cycle - role->cycle;
    const struct tma_span_place place = tma_role_span_place(role, cause);
    tma_observe_role(&engine->simulation.observer, tma_role_source(role), cause, role->cycle, cycle,
                     &place);
    role->cycle = cycle;
}

static void spend(struct tma_role_state *role, enum tma_role_cause cause, uint64_t cycles) {
    spend_until(role, cause, role->cycle + cycles);
}

/* The role waits until `cycle` for products: first for those of other roles before them. */
static void spend_for_products(struct tma_role_state *role, uint64_t cycle) {
    uint64_t left = cycle > role->cycle ? cycle - role->cycle : 0;
    uint64_t queued = role->mma_queued < left ? role->mma_queued : left;
    role->mma_queued = left > 0 ? 0 : role->mma_queued;
    spend(role, TMA_ROLE_TENSOR_QUEUE, queued);
    spend_until(role, TMA_ROLE_PRODUCTS, cycle);
}

/* The time of a compute statement that ends at `cycle`. */
static void spend_for_work(struct tma_role_state *role, enum tma_work work, uint64_t cycle) {
    switch (work) {
    case TMA_WORK_CYCLES:
    case TMA_WORK_INSTRUCTIONS:
        spend(role, TMA_ROLE_UNITS, role->queued);
        spend_until(role, TMA_ROLE_COMPUTE, cycle);
        break;
    case TMA_WORK_MMA:
        spend_for_products(role, cycle);
        break;
    case TMA_WORK_SHARED:
    case TMA_WORK_CONSUMER:
        spend_until(role, TMA_ROLE_SHARED, cycle);
        break;
    }
}

/* The role looks at an mbarrier of a ring whose phase ended at `complete`, or ends then: it goes on
 * when it has looked, and when it knows. The time beyond a look is waiting. */
static void pass_mbarrier(struct tma_role_state *role, uint32_t ring, uint64_t complete,
                          enum tma_role_cause cause) {
    const struct tma_machine *machine = &engine_of(role)->machine;
    uint64_t polls = role->cta->sm->poll_cycles;
    spend(role, TMA_ROLE_MBARRIER, machine->warp.wait_cycles + polls);
    uint64_t looked = role->cycle;
    spend_until(role, cause, complete + machine->warp.wake_cycles + polls);
    engine_of(role)->result->ring_cycles[role->index][ring] += role->cycle - looked;
}

static struct tma_wait wait_for(struct tma_role_state *role, enum tma_role_phase phase,
                                const struct tma_statement *statement) {
    role->phase = phase;
    role->waiting = statement;
    return tma_wait_signal();
}

static const struct tma_ring *ring_of(const struct tma_role_state *role, uint32_t ring) {
    return &engine_of(role)->kernel->rings[ring];
}

/* Why no stage of a ring that the CTA fills again is ever empty. */
static const char *no_release(const struct tma_role_state *role, uint32_t ring) {
    const struct tma_value *mask = &ring_of(role, ring)->release_mask;
    bool sent_elsewhere = mask->expression != NULL || mask->constant != 0;
    return sent_elsewhere
               ? "it waits for a stage to be empty that no release reaches: release_to of the ring "
                 "sends the releases of all CTAs of the cluster to other ones"
               : "it waits for a stage to be empty that no role releases";
}

/* Acquires the next stage of a ring. False: it is not empty yet. */
static bool acquire(struct tma_role_state *role, const struct tma_statement *statement) {
    struct tma_kernel_engine *engine = engine_of(role);
    struct tma_ring_use *use = &role->rings[statement->ring];
    const struct tma_ring_state *ring = &role->cta->rings[statement->ring];
    uint32_t depth = ring_of(role, statement->ring)->depth;
    uint64_t round = use->acquired / depth;
    role->wait_stage = (uint32_t)(use->acquired % depth);
    role->wait_phase = round;
    const struct tma_stage *stage = &ring->stages[role->wait_stage];
    if (ring->own) {
        if (use->acquired >= use->released + depth)
            return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                                 "it fills a stage again that it has not released");
    } else if (round > 0) {
        if (ring->arrivals == 0)
            return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                                 no_release(role, statement->ring));
        if (stage->empty_phases < round)
            return false;
        pass_mbarrier(role, statement->ring, stage->empty_cycle, TMA_ROLE_EMPTY);
        tma_race_wait_empty(role, statement->ring, role->wait_stage);
    } else {
        /* The first look at each stage finds it empty. */
        pass_mbarrier(role, statement->ring, 0, TMA_ROLE_EMPTY);
    }
    use->acquired++;
    int64_t bytes = tma_acquired_bytes(role, statement);
    if (bytes < 0)
        return false;
    if (!ring->signalled)
        tma_race_arrive_full(role, statement->ring, role->wait_stage);
    tma_stage_expect(role->cta, statement->ring, role->wait_stage, bytes, !ring->signalled,
                     role->cycle);
    spend(role, TMA_ROLE_ISSUE, engine->machine.warp.expect_cycles);
    return true;
}

/* Waits for the next stage of a ring. False: it is not full yet. */
static bool use_stage(struct tma_role_state *role, const struct tma_statement *statement) {
    struct tma_ring_use *use = &role->rings[statement->ring];
    uint32_t depth = ring_of(role, statement->ring)->depth;
    role->wait_stage = (uint32_t)(use->waited % depth);
    role->wait_phase = use->waited / depth;
    const struct tma_stage *stage = tma_stage_of(role->cta, statement->ring, role->wait_stage);
    if (stage->full_phases <= role->wait_phase)
        return false;
    if (stage->full_phases > role->wait_phase + 1)
        return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                             "the stage that it waits for has been filled again");
    pass_mbarrier(role, statement->ring, stage->full_cycle, TMA_ROLE_FULL);
    tma_race_wait_full(role, statement, role->wait_stage, role->wait_phase);
    use->waited++;
    return true;
}

/* Arrives on the empty mbarriers of a stage, in the CTAs that fill it. */
static void release(struct tma_role_state *role, const struct tma_statement *statement) {
    struct tma_kernel_cta *cta = role->cta;
    const struct tma_machine *machine = &cta->engine->machine;
    const struct tma_ring *ring = ring_of(role, statement->ring);
    struct tma_ring_use *use = &role->rings[statement->ring];
    if (use->waited < (uint64_t)statement->lag + 1)
        return; /* behind the first stage there is none */
    uint64_t number = use->waited - 1 - statement->lag;
    if (number != use->released) {
        tma_role_fail(role, statement, TMA_ERROR_FAULT,
                      number < use->released ? "it releases a stage a second time"
                                             : "it releases a stage before an earlier one");
        return;
    }
    use->released++;
    uint32_t stage = (uint32_t)(number % ring->depth);
    uint64_t cycle = role->cycle;
    bool own = cta->rings[statement->ring].own;
    tma_race_release(role, statement->ring, stage,
                     own ? 0 : cta->rings[statement->ring].release_mask);
    if (own) {
        tma_observe_full_stage(&cta->engine->simulation.observer,
                               tma_stage_of(cta, statement->ring, stage)->full_cycle, cycle);
        return;
    }
    if (ring->release_cluster)
        cycle += machine->tma.cluster_release_cycles;
    uint32_t mask = cta->rings[statement->ring].release_mask;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        uint64_t way = rank == cta->base.rank ? machine->warp.arrive_latency_cycles
                                              : machine->warp.remote_arrive_cycles;
        tma_stage_release(&cta->cluster->ctas[rank], statement->ring, stage, cycle + way);
    }
    spend(role, TMA_ROLE_MBARRIER, machine->warp.arrive_cycles + cta->sm->poll_cycles);
    spend_until(role, TMA_ROLE_MBARRIER, cycle);
}

/* The role signals that it has filled the stage that it acquired last. */
static void signal_stage(struct tma_role_state *role, const struct tma_statement *statement) {
    const struct tma_ring_use *use = &role->rings[statement->ring];
    if (use->acquired == 0) {
        tma_role_fail(role, statement, TMA_ERROR_FAULT,
                      "it signals a stage that it has not acquired");
        return;
    }
    uint32_t stage = (uint32_t)((use->acquired - 1) % ring_of(role, statement->ring)->depth);
    const struct tma_machine *machine = &engine_of(role)->machine;
    tma_race_signal(role, statement, stage);
    tma_stage_expect(role->cta, statement->ring, stage, 0, true,
                     role->cycle + machine->warp.arrive_latency_cycles);
    spend(role, TMA_ROLE_MBARRIER, machine->warp.arrive_cycles + role->cta->sm->poll_cycles);
}

static void commit(struct tma_role_state *role) {
    if (!role->group_open)
        return;
    role->group_open = false;
    while (role->groups_complete < role->groups_committed &&
           role->groups[role->groups_complete % TMA_MAX_GROUPS].pending == 0)
        role->groups_complete++;
    role->groups_committed++;
    if (role->groups_committed - role->groups_complete >= TMA_MAX_GROUPS) {
        tma_role_fail(role, role->cursor.statement, TMA_ERROR_UNSUPPORTED,
                      "more groups of stores in flight than the model follows");
        return;
    }
    role->groups[role->groups_committed % TMA_MAX_GROUPS] = (struct tma_store_group){0, 0};
    spend(role, TMA_ROLE_ISSUE, engine_of(role)->machine.warp.commit_cycles);
}

/* How many of the first ones have to be complete so that at most `leaving` are left. */
static uint64_t all_but(uint64_t count, uint32_t leaving) {
    return count > leaving ? count - leaving : 0;
}

/* Takes the groups up to `until`, by number from *complete on, where all of them are complete:
 * *cycle is when the last one was. False: not yet. */
static bool take_groups(const struct tma_store_group groups[TMA_MAX_GROUPS], uint64_t *complete,
                        uint64_t until, uint64_t *cycle) {
    *cycle = 0;
    for (uint64_t g = *complete; g < until; g++)
        if (groups[g % TMA_MAX_GROUPS].pending > 0)
            return false;
    for (; *complete < until; ++*complete)
        if (groups[*complete % TMA_MAX_GROUPS].cycle > *cycle)
            *cycle = groups[*complete % TMA_MAX_GROUPS].cycle;
    return true;
}

/* Waits until at most `leaving` groups of stores are left. False: not yet. */
static bool wait_stores(struct tma_role_state *role, const struct tma_statement *statement) {
    const struct tma_machine *machine = &engine_of(role)->machine;
    uint64_t until = all_but(role->groups_committed, statement->leaving), complete;
    if (!take_groups(role->groups, &role->groups_complete, until, &complete))
        return false;
    tma_race_know_stores(role, until);
    spend(role, TMA_ROLE_ISSUE, machine->warp.wait_group_cycles);
    if (complete > 0)
        spend_until(role, TMA_ROLE_STORES, complete + machine->warp.store_wake_cycles);
    return true;
}

/* Waits until at most `leaving` loads into registers are left. False: not yet. */
static bool wait_loads(struct tma_role_state *role, const struct tma_statement *statement) {
    uint64_t until = all_but(role->reads_issued, statement->leaving), complete;
    if (!take_groups(role->reads, &role->reads_complete, until, &complete))
        return false;
    spend_until(role, TMA_ROLE_LOADS, complete);
    return true;
}

/* A barrier is complete at `cycle`: those that wait there go on. */
static void complete_barrier(struct tma_kernel_cta *cta, uint32_t index, uint64_t cycle) {
    struct tma_kernel_engine *engine = cta->engine;
    uint64_t next = cycle + engine->machine.warp.barrier_cycles;
    cta->barriers[index].arrived = 0;
    for (uint32_t i = 0; i < engine->kernel->role_count; i++) {
        struct tma_role_state *role = &cta->roles[i];
        if (role->request != NULL && role->served && role->request->barrier == index &&
            role->request->kind == TMA_STATEMENT_BARRIER && role->served_cycle == UINT64_MAX) {
            tma_race_leave_barrier(role, index);
            role->served_cycle = next;
        }
        if (role->phase != TMA_ROLE_WAITS_BARRIER || role->waiting->barrier != index)
            continue;
        tma_race_leave_barrier(role, index);
        spend_until(role, TMA_ROLE_BARRIER, next);
        role->phase = TMA_ROLE_RUNNING;
        tma_actor_signal(&engine->simulation.actors, role->number);
    }
    tma_race_end_barrier(cta, index);
}

/* At the end of a cycle: counts the arrivals of a CTA in this cycle, in the order of roles. */
static void count_arrivals(struct tma_kernel_cta *cta, uint64_t now) {
    for (uint32_t i = 0; i < cta->engine->kernel->role_count; i++) {
        struct tma_role_state *role = &cta->roles[i];
        if (role->request == NULL || role->request->kind != TMA_STATEMENT_BARRIER || role->served ||
            role->cycle > now)
            continue;
        struct tma_barrier_state *barrier = &cta->barriers[role->request->barrier];
        tma_race_arrive_barrier(role, role->request->barrier);
        role->served = true;
        role->served_cycle = role->request->arrive_only
                                 ? role->cycle + cta->engine->machine.warp.barrier_arrive_cycles
                                 : UINT64_MAX;
        if (++barrier->arrived >= barrier->expected)
            complete_barrier(cta, role->request->barrier, role->cycle);
    }
}

/* Arrives at a barrier to which a role may come again before others have come: arrivals count in
 * order of time. False: *wait is what the role waits for. */
static bool arrive_in_turn(struct tma_role_state *role, const struct tma_statement *statement,
                           uint64_t now, struct tma_wait *wait) {
    if (role->request == NULL) {
        wait_for(role, TMA_ROLE_REQUESTS, statement);
        role->request = statement;
        *wait = tma_wait_cycle_end(role->cycle > now ? role->cycle : now);
        return false;
    }
    if (!role->served)
        count_arrivals(role->cta, now);
    role->request = NULL;
    role->served = false;
    if (role->served_cycle == UINT64_MAX) {
        *wait = wait_for(role, TMA_ROLE_WAITS_BARRIER, statement);
        return false;
    }
    spend_until(role, TMA_ROLE_BARRIER, role->served_cycle);
    return true;
}

/* Arrives at a named barrier. False: *wait is what the role waits for. */
static bool arrive_at_barrier(struct tma_role_state *role, const struct tma_statement *statement,
                              uint64_t now, struct tma_wait *wait) {
    struct tma_barrier_state *barrier = &role->cta->barriers[statement->barrier];
    if (!barrier->gathers)
        return arrive_in_turn(role, statement, now, wait);
    if (role->cycle > barrier->last_cycle)
        barrier->last_cycle = role->cycle;
    tma_race_arrive_barrier(role, statement->barrier);
    if (++barrier->arrived < barrier->expected) {
        *wait = wait_for(role, TMA_ROLE_WAITS_BARRIER, statement);
        return false;
    }
    tma_race_leave_barrier(role, statement->barrier);
    complete_barrier(role->cta, statement->barrier, barrier->last_cycle);
    spend_until(role, TMA_ROLE_BARRIER,
                barrier->last_cycle + engine_of(role)->machine.warp.barrier_cycles);
    return true;
}

/* A role adds to a flag at `cycle`: those that wait for it go on, if it is high enough. */
static void wake_for_flag(struct tma_kernel_engine *engine, const int64_t *counter,
                          uint64_t cycle) {
    for (uint32_t i = 0; i < tma_program_actors(&engine->simulation); i++) {
        struct tma_role_state *role = &engine->roles[i];
        struct tma_flag_request request;
        if (role->phase != TMA_ROLE_WAITS_FLAG ||
            !tma_flag_request(role, role->waiting, &request, NULL) || request.counter != counter ||
            *counter < request.number)
            continue;
        engine->waiting_for_flags--;
        spend_until(role, TMA_ROLE_FLAG, tma_flag_seen(&engine->machine, role->cycle, cycle));
        role->phase = TMA_ROLE_RUNNING;
        tma_actor_signal(&engine->simulation.actors, role->number);
    }
}

/* Adds to a flag, or waits for it, in order of time: additions in a cycle, and at its end those
 * that look. False: *wait is what the role waits for. */
static bool use_flag(struct tma_role_state *role, const struct tma_statement *statement,
                     uint64_t now, struct tma_wait *wait) {
    struct tma_kernel_engine *engine = engine_of(role);
    struct tma_flag_request request;
    struct tma_error error;
    bool adds = statement->kind == TMA_STATEMENT_ADD_FLAG;
    if (role->request == NULL && (!adds || role->cycle > now)) {
        wait_for(role, TMA_ROLE_REQUESTS, statement);
        role->request = statement;
        *wait = adds ? tma_wait_cycle(role->cycle)
                     : tma_wait_cycle_end(role->cycle > now ? role->cycle : now);
        return false;
    }
    role->request = NULL;
    if (!tma_flag_request(role, statement, &request, &error)) {
        tma_role_fail(role, statement, error.code, error.text);
        return true;
    }
    if (adds) {
        *request.counter += request.number;
        if (engine->waiting_for_flags > 0)
            wake_for_flag(engine, request.counter, role->cycle);
        spend(role, TMA_ROLE_ISSUE, engine->machine.core.lsu_cycles);
        return true;
    }
    if (*request.counter >= request.number) {
        spend_until(role, TMA_ROLE_FLAG, tma_flag_seen(&engine->machine, role->cycle, role->cycle));
        return true;
    }
    engine->waiting_for_flags++;
    *wait = wait_for(role, TMA_ROLE_WAITS_FLAG, statement);
    return false;
}

static void end_role(struct tma_role_state *role) {
    struct tma_kernel_cta *cta = role->cta;
    role->phase = TMA_ROLE_IDLE;
    cta->engine->result->statements += role->cursor.steps;
    tma_cta_extend(&cta->base, role->cycle);
    tma_cta_end_actor(&cta->base);
}

void tma_role_start(struct tma_role_state *role, uint64_t cycle) {
    struct tma_kernel_cta *cta = role->cta;
    tma_cursor_begin(&role->cursor, cta->engine->kernel, role->index, cta->base.number);
    role->cursor.cut = tma_kernel_cut(cta->engine);
    role->cursor.gap = &cta->base.cluster->gap;
    for (uint32_t r = 0; r < TMA_MAX_RINGS; r++)
        role->rings[r] = (struct tma_ring_use){0};
    role->cycle = cycle;
    role->operations = 0;
    role->groups_committed = role->groups_complete = role->mma_committed = role->issued_cycle =
        role->mma_queued = 0;
    role->computes_since = role->computed_cycle = 0;
    role->groups[0] = (struct tma_store_group){0};
    role->reads_issued = role->reads_complete = 0;
    role->group_open = role->computes = false;
    role->phase = TMA_ROLE_RUNNING;
    tma_actor_signal(&cta->engine->simulation.actors, role->number);
}

/* A loop of the role takes the next tile of its cluster. False: it is not known yet. */
static bool take_tile(struct tma_role_state *role) {
    struct tma_kernel_cluster *cluster = role->cta->cluster;
    uint64_t index = role->cursor.tile_index;
    if (index >= cluster->tile_count)
        return false;
    const struct tma_taken_tile *taken = &cluster->tiles[index];
    spend_until(role, TMA_ROLE_TILE, taken->cycle);
    tma_cursor_give_tile(&role->cursor, taken->tile + role->cta->base.rank);
    return true;
}

/* The same; where it returns false, *wait is what the role waits for. It asks for a tile at its own
 * cycle, since other CTAs may do so before. */
static bool want_tile(struct tma_role_state *role, uint64_t now, struct tma_wait *wait) {
    if (take_tile(role))
        return true;
    *wait = wait_for(role, TMA_ROLE_WAITS_TILE, role->cursor.statement);
    if (role->cycle > now)
        *wait = tma_wait_cycle(role->cycle);
    else
        tma_request_tile(role, now);
    return false;
}

/* What the warps can do between the instructions of a matrix product, where a compiler puts it:
 * they do the rest when all of them have been issued. */
static bool goes_between_products(const struct tma_statement *statement) {
    return statement->kind == TMA_STATEMENT_COMPUTE && statement->work == TMA_WORK_INSTRUCTIONS;
}

/* Executes one statement. Where it returns false, *wait is what the role waits for. */
static bool execute(struct tma_role_state *role, const struct tma_statement *statement,
                    uint64_t now, struct tma_wait *wait) {
    /* Where a request of the role has been served meanwhile, the instructions are its own. */
    if (role->request == NULL && !goes_between_products(statement))
        spend_until(role, TMA_ROLE_PRODUCTS, role->issued_cycle);
    switch (statement->kind) {
    case TMA_STATEMENT_ACQUIRE:
        if (acquire(role, statement))
            return true;
        *wait = wait_for(role, TMA_ROLE_WAITS_EMPTY, statement);
        return false;
    case TMA_STATEMENT_WAIT:
        if (use_stage(role, statement))
            return true;
        *wait = wait_for(role, TMA_ROLE_WAITS_FULL, statement);
        return false;
    case TMA_STATEMENT_RELEASE:
        release(role, statement);
        return true;
    case TMA_STATEMENT_SIGNAL:
        signal_stage(role, statement);
        return true;
    case TMA_STATEMENT_OPERATION:
        spend(role, TMA_ROLE_ISSUE, tma_role_issue(role, statement));
        return true;
    case TMA_STATEMENT_EXCHANGE:
        spend(role, TMA_ROLE_ISSUE, role_exchange(role, statement));
        return true;
    case TMA_STATEMENT_COMMIT:
        commit(role);
        return true;
    case TMA_STATEMENT_WAIT_STORES:
        if (wait_stores(role, statement))
            return true;
        *wait = wait_for(role, TMA_ROLE_WAITS_STORES, statement);
        return false;
    case TMA_STATEMENT_WAIT_LOADS:
        if (wait_loads(role, statement))
            return true;
        *wait = wait_for(role, TMA_ROLE_WAITS_LOADS, statement);
        return false;
    case TMA_STATEMENT_BARRIER:
        return arrive_at_barrier(role, statement, now, wait);
    case TMA_STATEMENT_COMPUTE: {
        uint64_t end;
        if (!tma_role_compute(role, statement, now, wait, &end))
            return false;
        tma_race_compute(role, statement, role->cycle);
        spend_for_work(role, statement->work, end);
        return true;
    }
    case TMA_STATEMENT_WAIT_MMA:
        spend_for_products(role, tma_role_mma_end(role, statement->leaving));
        if (role->mma_committed > statement->leaving)
            tma_race_know_products(role, role->mma_committed - statement->leaving);
        return true;
    case TMA_STATEMENT_ADD_FLAG:
    case TMA_STATEMENT_WAIT_FLAG:
        return use_flag(role, statement, now, wait);
    case TMA_STATEMENT_FOR: /* from here on: the cursor takes them itself */
    case TMA_STATEMENT_TILES:
    case TMA_STATEMENT_IF:
    case TMA_STATEMENT_AHEAD:
    case TMA_STATEMENT_EXIT:
    case TMA_STATEMENT_KIND_COUNT:
        break;
    }
    assert(0);
    return true;
}

/* The SM fetches the instructions of a statement that none of its CTAs has executed before. CTAs
 * that come to the statement meanwhile wait for the same fetch. Where an SM has several CTAs, a
 * role asks for a fetch at its own cycle, since other CTAs may do so before: then it returns false.
 */
static bool fetch(struct tma_role_state *role, const struct tma_statement *statement, uint64_t now,
                  struct tma_wait *wait) {
    const struct tma_kernel_engine *engine = engine_of(role);
    uint64_t *fetched = &role->cta->sm->fetched[statement - engine->kernel->statements];
    uint32_t cycles = engine->machine.warp.fetch_cycles;
    if (*fetched == 0 && cycles > 0) {
        if (role->cta->sm->cta_places > 1 && role->cycle > now) {
            wait_for(role, TMA_ROLE_WAITS_FETCH, statement);
            *wait = tma_wait_cycle(role->cycle);
            return false;
        }
        *fetched = role->cycle + cycles;
    }
    spend_until(role, TMA_ROLE_FETCH, *fetched);
    return true;
}

static bool fetch_and_execute(struct tma_role_state *role, const struct tma_statement *statement,
                              uint64_t now, struct tma_wait *wait) {
    return fetch(role, statement, now, wait) && execute(role, statement, now, wait);
}

/* Executes the statement that the role waits with, or the next one. Returns false where it waits.
 */
static bool go_on(struct tma_role_state *role, uint64_t now, struct tma_wait *wait) {
    if (role->waiting != NULL) {
        const struct tma_statement *statement = role->waiting;
        enum tma_role_phase phase = role->phase;
        role->phase = TMA_ROLE_RUNNING;
        role->waiting = NULL;
        if (phase == TMA_ROLE_WAITS_TILE)
            return want_tile(role, now, wait);
        if (phase == TMA_ROLE_WAITS_FETCH)
            return fetch_and_execute(role, statement, now, wait);
        if ((statement->kind == TMA_STATEMENT_BARRIER ||
             statement->kind == TMA_STATEMENT_WAIT_FLAG) &&
            phase == TMA_ROLE_RUNNING)
            return true; /* who completed it has set the cycle */
        return execute(role, statement, now, wait);
    }
    switch (tma_cursor_next(&role->cursor)) {
    case TMA_CURSOR_STATEMENT:
        return fetch_and_execute(role, role->cursor.statement, now, wait);
    case TMA_CURSOR_TILE:
        return want_tile(role, now, wait);
    case TMA_CURSOR_END:
        /* Matrix products that the program does not wait for run to their end. */
        spend_for_products(role, tma_role_mma_end(role, 0));
        /* The next CTA goes where one has ended first: in order of time. */
        if (role->cycle > now) {
            *wait = tma_wait_cycle(role->cycle);
            return false;
        }
        tma_race_end_role(role);
        end_role(role);
        *wait = tma_wait_signal();
        return false;
    case TMA_CURSOR_FAILED:
        tma_role_fail(role, role->cursor.statement, role->cursor.code, role->cursor.error.text);
        break;
    }
    *wait = tma_wait_signal();
    return false;
}

struct tma_wait tma_role_step(struct tma_role_state *role, uint64_t now) {
    struct tma_simulation *simulation = &engine_of(role)->simulation;
    struct tma_wait wait = tma_wait_signal();
    while (!tma_simulation_is_over(simulation)) {
        if (role->phase == TMA_ROLE_IDLE)
            return tma_wait_signal();
        if (role->phase == TMA_ROLE_RUNNING && role->cycle > now + RUN_AHEAD_CYCLES)
            return tma_wait_cycle(role->cycle);
        if (!go_on(role, now, &wait) && !tma_simulation_is_over(simulation))
            return wait;
    }
    return tma_wait_nothing();
}
