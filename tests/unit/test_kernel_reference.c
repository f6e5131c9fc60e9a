/* Kernels with roles against a reference: a plain loop over all cycles, without SimGrid, without
 * looking ahead, and without code of the engine's. Programs are unrolled before they run. Every CTA
 * has to start and end, every operation to be issued and to complete, and every phase of a stage to
 * end in the same cycle in both; roles have to take as long. The memory system, the banks and the
 * places of CTAs are the same in both. Loops over dynamic tiles are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "banks/operation_tile.h"
#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "machine.h"
#include "memory/core/port.h"
#include "memory/system.h"
#include "memory/topology.h"
#include "random_kernels.h"
#include "scenario/kernel_program.h"
#include "trace/promises.h"

enum {
    RANDOM_KERNELS = 300,
    MOST_CYCLES = 1000000,
    MOST_PLACES = 64,
    MOST_EVENTS = 1 << 14,
    MOST_GROUPS = 1 << 10
};

/* An event, as far as both know it. */
struct seen {
    uint64_t cycle;
    enum tma_event_kind kind;
    uint32_t cta, slot;
    uint64_t figures[3];
};

struct log {
    struct seen events[MOST_EVENTS];
    uint32_t count;
    uint64_t role_cycles[TMA_MAX_ROLES];
    enum tma_error_code code;
    struct tma_trace_promises promises;
    uint64_t starts, issues, fills; /* totals of the trace */
};

/* A statement of an unrolled program, with its values. */
struct action {
    const struct tma_statement *statement;
    struct tma_operation operation;
    uint32_t map_index;
    uint64_t amount[TMA_AMOUNTS];
    int64_t expected_bytes; /* ACQUIRE */
};

struct actions {
    struct action *items;
    size_t count, capacity;
};

struct stage {
    uint64_t full_phases, full_cycle, phase_bytes, empty_phases, empty_cycle;
    int64_t full_bytes;
    uint32_t full_missing, empty_missing;
};

struct ring {
    struct stage stages[TMA_MAX_RING_DEPTH];
    uint32_t producers, arrivals, release_mask, first_stage;
    bool own, signalled;
};

enum state {
    ENDED,
    READY,
    WAITS_FULL,
    WAITS_EMPTY,
    WAITS_STORES,
    WAITS_BARRIER,
    REQUESTS,
    ARRIVES,
    COMPUTES
};

struct role {
    uint32_t index, order, operations;
    enum state state;
    uint64_t time, begin; /* it does its next action then */
    struct actions actions;
    size_t next;
    int part; /* of the action: parts 0 and 1 are the fetch, and the instructions of products */
    uint64_t acquired[TMA_MAX_RINGS], waited[TMA_MAX_RINGS], released[TMA_MAX_RINGS];
    uint32_t pending[MOST_GROUPS]; /* stores of each group that have not completed */
    uint64_t stored[MOST_GROUPS];  /* its last completion */
    uint64_t groups;
    bool group_open;
    uint64_t products[MOST_GROUPS], product_count;  /* ends of matrix products */
    uint64_t issued;                                /* all their instructions have been issued */
    uint64_t left, slowed, shares[4], slowed_slots; /* of COMPUTES: see compute() */
    uint64_t computes_since, computed; /* it has not waited from the first cycle to the second */
};

struct cta {
    uint32_t place, number, rank, sm, roles_left, in_flight;
    bool running;
    uint64_t start, end;
    struct ring rings[TMA_MAX_RINGS];
    uint32_t arrived[TMA_MAX_NAMED_BARRIERS];
    struct role roles[TMA_MAX_ROLES]; /* in the order of names */
};

struct sm {
    uint32_t number, places;
    struct tma_port tensor;
    uint64_t tensor_begin;
    uint64_t poll;
    uint64_t *fetched; /* by statement */
};

/* An arrival on the mbarrier of a stage at a later cycle. */
struct arrival {
    uint64_t cycle;
    uint32_t cta, number, ring, stage; /* of the CTA in that place */
    bool full;
};

struct operation {
    uint32_t cta, cta_number, role, number, stage, left;
    uint64_t group;
    const struct action *action;
};

/* An operation that has yet to reach the TMA unit. */
struct issue {
    uint64_t cycle; /* of the instruction */
    uint32_t operation, sm, order, sequence;
};

struct reference {
    const struct tma_machine *machine;
    const struct tma_kernel *kernel;
    struct tma_memory *memory;
    struct cta *ctas;
    uint32_t places, cluster, next_cta, sm_count, barrier_counts[TMA_MAX_NAMED_BARRIERS];
    uint64_t free_cycle[MOST_PLACES]; /* by cluster */
    uint32_t running[MOST_PLACES];    /* CTAs of it */
    struct sm sms[TMA_MAX_SMS];
    uint32_t sm_of[MOST_PLACES];
    struct arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    struct operation *operations;
    size_t operation_count, operation_capacity;
    struct tma_completion *completions;
    size_t completion_count, completion_capacity;
    struct issue issues[MOST_EVENTS];
    uint32_t issue_count;
    struct tma_consumer_report *reports; /* by statement and stage */
    uint64_t now;
    bool moved; /* something happened in this round of the cycle */
    struct log *log;
};

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void note(struct log *log, const struct seen *event) {
    ck_assert_uint_lt(log->count, MOST_EVENTS);
    log->events[log->count++] = *event;
}

static void *room(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return items;
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    items = realloc(items, *capacity * size);
    ck_assert_ptr_nonnull(items);
    return items;
}

/* ---- Programs ---- */

struct unrolling {
    const struct tma_kernel *kernel;
    struct actions *out;
    int64_t variables[TMA_MAX_VARIABLES];
    bool ended; /* by EXIT */
    /* Parts that run ahead: while they are collected, each begins at an index of `parts`. */
    struct actions parts;
    size_t begins[1 << 10], part_count, next_part;
    bool collects, inside, ahead;
};

static int64_t value_of(const struct unrolling *unrolling, const struct tma_value *value) {
    int64_t result = value->constant;
    if (value->expression != NULL)
        ck_assert_int_eq(
            tma_expression_evaluate(value->expression, unrolling->variables, &result, NULL),
            TMA_OK);
    return result;
}

static void add_action(struct unrolling *unrolling, const struct tma_statement *statement) {
    struct actions *to = unrolling->collects ? &unrolling->parts : unrolling->out;
    struct action action = {.statement = statement, .operation = statement->operation};
    for (int d = 0; d < TMA_MAX_RANK; d++)
        action.operation.coordinates[d] = (int32_t)value_of(unrolling, &statement->coordinates[d]);
    for (int d = 0; d < 3; d++) {
        action.operation.im2col_offsets[d] =
            (uint16_t)value_of(unrolling, &statement->im2col_offsets[d]);
    }
    for (int i = 0; i < TMA_AMOUNTS; i++)
        action.amount[i] = (uint64_t)value_of(unrolling, &statement->amount[i]);
    action.operation.cta_mask = (uint16_t)value_of(unrolling, &statement->cta_mask);
    action.operation.shared_address += (uint32_t)value_of(unrolling, &statement->shared_offset);
    action.map_index = (uint32_t)value_of(unrolling, &statement->map_index);
    to->items = room(to->items, to->count, &to->capacity, sizeof *to->items);
    to->items[to->count++] = action;
}

static void unroll(struct unrolling *unrolling, uint32_t first, uint32_t end);

/* Puts the next part that runs ahead into the program, if one is left. */
static void put_part(struct unrolling *unrolling) {
    if (unrolling->next_part == unrolling->part_count)
        return;
    size_t part = unrolling->next_part++;
    size_t end =
        part + 1 < unrolling->part_count ? unrolling->begins[part + 1] : unrolling->parts.count;
    struct actions *out = unrolling->out;
    for (size_t i = unrolling->begins[part]; i < end; i++) {
        out->items = room(out->items, out->count, &out->capacity, sizeof *out->items);
        out->items[out->count++] = unrolling->parts.items[i];
    }
}

static void unroll_iterations(struct unrolling *unrolling, uint32_t index) {
    const struct tma_statement *loop = &unrolling->kernel->statements[index];
    if (loop->kind == TMA_STATEMENT_FOR) {
        int64_t from = value_of(unrolling, &loop->from), to = value_of(unrolling, &loop->to);
        int64_t step = loop->step.expression == NULL && loop->step.constant == 0
                           ? 1
                           : value_of(unrolling, &loop->step);
        for (int64_t v = from; v < to && !unrolling->ended; v += step) {
            unrolling->variables[loop->variable] = v;
            unroll(unrolling, index + 1, loop->end);
        }
        return;
    }
    ck_assert(loop->schedule != TMA_TILES_DYNAMIC);
    int64_t tiles_m = value_of(unrolling, &loop->tiles_m);
    int64_t tiles_n = value_of(unrolling, &loop->tiles_n);
    int64_t group = value_of(unrolling, &loop->group);
    for (int64_t tile = unrolling->variables[TMA_VARIABLE_CTA];
         tile < tiles_m * tiles_n && !unrolling->ended;
         tile += unrolling->variables[TMA_VARIABLE_CTAS]) {
        int64_t in_group = group == 0 ? tiles_m : group;
        int64_t first = tile / (in_group * tiles_n) * in_group, rest = tile % (in_group * tiles_n);
        int64_t rows = tiles_m - first < in_group ? tiles_m - first : in_group;
        unrolling->variables[loop->variable] = tile;
        unrolling->variables[loop->variable_m] = first + rest % rows;
        unrolling->variables[loop->variable_n] = rest / rows;
        unroll(unrolling, index + 1, loop->end);
        if (loop->schedule == TMA_TILES_ONE)
            return;
    }
}

static uint32_t parts_in(const struct tma_kernel *kernel, uint32_t index) {
    uint32_t parts = 0;
    for (uint32_t i = index; i < kernel->statements[index].end; i++)
        parts += kernel->statements[i].kind == TMA_STATEMENT_AHEAD;
    return parts;
}

/* A loop with parts that run ahead: first all parts are collected, in their order. So many are done
 * before the loop, and the next one wherever the loop comes to a part. */
static void unroll_loop(struct unrolling *unrolling, uint32_t index) {
    const struct tma_statement *loop = &unrolling->kernel->statements[index];
    if (loop->ahead == 0 || unrolling->collects || unrolling->ahead) {
        unroll_iterations(unrolling, index);
        return;
    }
    struct unrolling collecting = *unrolling;
    collecting.collects = true;
    collecting.part_count = 0;
    collecting.parts = (struct actions){0};
    unroll_iterations(&collecting, index);
    unrolling->parts = collecting.parts;
    unrolling->part_count = collecting.part_count;
    memcpy(unrolling->begins, collecting.begins, sizeof collecting.begins);
    unrolling->next_part = 0;
    unrolling->ahead = true;
    for (uint32_t i = 0; i < loop->ahead * parts_in(unrolling->kernel, index); i++)
        put_part(unrolling);
    unroll_iterations(unrolling, index);
    unrolling->ahead = false;
    free(unrolling->parts.items);
    unrolling->parts = (struct actions){0};
}

static void unroll(struct unrolling *unrolling, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end && !unrolling->ended;
         i = unrolling->kernel->statements[i].end) {
        const struct tma_statement *statement = &unrolling->kernel->statements[i];
        uint32_t otherwise = statement->otherwise > i ? statement->otherwise : statement->end;
        bool passes = unrolling->collects && !unrolling->inside; /* what is no part */
        switch (statement->kind) {
        case TMA_STATEMENT_FOR:
        case TMA_STATEMENT_TILES:
            if (!passes || parts_in(unrolling->kernel, i) > 0)
                unroll_loop(unrolling, i);
            break;
        case TMA_STATEMENT_IF:
            if (value_of(unrolling, &statement->condition) != 0)
                unroll(unrolling, i + 1, otherwise);
            else
                unroll(unrolling, otherwise, statement->end);
            break;
        case TMA_STATEMENT_AHEAD:
            if (unrolling->collects) {
                ck_assert_uint_lt(unrolling->part_count, TABLE_ROWS(unrolling->begins));
                unrolling->begins[unrolling->part_count++] = unrolling->parts.count;
                unrolling->inside = true;
                unroll(unrolling, i + 1, statement->end);
                unrolling->inside = false;
            } else if (unrolling->ahead) {
                put_part(unrolling);
            } else {
                unroll(unrolling, i + 1, statement->end);
            }
            break;
        case TMA_STATEMENT_EXIT:
            unrolling->ended = true;
            break;
        default:
            if (!passes)
                add_action(unrolling, statement);
            break;
        }
    }
}

/* ---- Mbarriers ---- */

static void check_full(struct reference *reference, struct cta *cta, uint32_t ring,
                       uint32_t index) {
    struct stage *stage = &cta->rings[ring].stages[index];
    if (stage->full_missing > 0 || stage->full_bytes != 0)
        return;
    note(reference->log, &(struct seen){reference->now,
                                        TMA_EVENT_MBARRIER,
                                        cta->number,
                                        cta->rings[ring].first_stage + index,
                                        {stage->full_phases, stage->phase_bytes}});
    stage->full_phases++;
    stage->full_cycle = reference->now;
    stage->full_missing = cta->rings[ring].producers;
    stage->phase_bytes = 0;
    reference->moved = true;
}

static void arrive_full(struct reference *reference, struct cta *cta, uint32_t ring, uint32_t stage,
                        int64_t bytes, bool arrives) {
    cta->rings[ring].stages[stage].full_bytes += bytes;
    cta->rings[ring].stages[stage].full_missing -= arrives;
    check_full(reference, cta, ring, stage);
}

static void arrive_empty(struct reference *reference, struct cta *cta, uint32_t ring,
                         uint32_t index) {
    struct stage *stage = &cta->rings[ring].stages[index];
    if (cta->rings[ring].arrivals == 0 || --stage->empty_missing > 0)
        return;
    stage->empty_missing = cta->rings[ring].arrivals;
    stage->empty_phases++;
    stage->empty_cycle = reference->now;
    reference->moved = true;
}

static void arrive_later(struct reference *reference, uint64_t cycle, uint32_t cta, uint32_t ring,
                         uint32_t stage, bool full) {
    reference->arrivals = room(reference->arrivals, reference->arrival_count,
                               &reference->arrival_capacity, sizeof *reference->arrivals);
    reference->arrivals[reference->arrival_count++] =
        (struct arrival){cycle, cta, reference->ctas[cta].number, ring, stage, full};
    reference->moved = true;
}

static void take_arrivals(struct reference *reference) {
    for (size_t i = 0; i < reference->arrival_count;) {
        struct arrival arrival = reference->arrivals[i];
        if (arrival.cycle > reference->now) {
            i++;
            continue;
        }
        reference->arrivals[i] = reference->arrivals[--reference->arrival_count];
        reference->moved = true;
        struct cta *cta = &reference->ctas[arrival.cta];
        if (cta->number != arrival.number)
            continue; /* another one runs there now */
        if (arrival.full)
            arrive_full(reference, cta, arrival.ring, arrival.stage, 0, true);
        else
            arrive_empty(reference, cta, arrival.ring, arrival.stage);
    }
}

/* ---- Units of an SM ---- */

/* A unit does `work` at so much a cycle. */
static uint64_t take_unit(struct tma_port *unit, uint64_t cycle, uint64_t work, uint64_t rate) {
    return tma_port_serve(unit, cycle, rate == 0 ? 0 : (work * TMA_TICKS + rate - 1) / rate);
}

static uint64_t cut(uint64_t amount, uint64_t unit) {
    return (amount + unit - 1) / unit;
}

/* A group of wgmma, which end in order. */
static uint64_t multiply(struct reference *reference, struct cta *cta, struct role *role,
                         const struct action *action, uint64_t cycle) {
    static const uint32_t sizes[] = {2, 4, 1, 8};
    const struct tma_machine *machine = reference->machine;
    const uint32_t rates[] = {machine->sm.mma_half, machine->sm.mma_tf32, machine->sm.mma_byte,
                              machine->sm.mma_fp64};
    struct sm *sm = &reference->sms[cta->sm];
    uint64_t m = action->amount[0], n = action->amount[1], k = action->amount[2];
    uint64_t bytes = sizes[action->statement->type], blocks = cut(m, 64);
    uint64_t a = action->statement->a_in_registers ? 0 : m * k * bytes, b = blocks * n * k * bytes;
    uint64_t groups = reference->kernel->roles[role->index].warps / 4;
    groups = groups > blocks ? blocks : groups;
    groups = groups == 0 ? 1 : groups;
    uint64_t start = cycle + machine->warp.mma_issue_cycles;
    if (m * n * k > 0 && tma_ticks_to_cycle(sm->tensor.free_ticks) <= cycle)
        sm->tensor_begin = start;
    uint64_t end = take_unit(&sm->tensor, start, m * n * k, rates[action->statement->type]);
    uint64_t ticks_a =
        machine->sm.mma_a_bytes == 0 ? 0 : cut(a * TMA_TICKS, machine->sm.mma_a_bytes);
    uint64_t ticks_b =
        machine->sm.mma_b_bytes == 0 ? 0 : cut(b * TMA_TICKS, machine->sm.mma_b_bytes);
    uint64_t begin =
        role->product_count == 0 ? start : later(start, role->products[role->product_count - 1]);
    end = later(end, begin + (ticks_a + ticks_b) / groups / TMA_TICKS);
    end = tma_memory_read_operands(reference->memory, sm->number, start, cut(a + b, 128), end);
    ck_assert_uint_lt(role->product_count, MOST_GROUPS);
    role->products[role->product_count++] = end;
    uint64_t instructions = cut(blocks, groups) * cut(n, 256) * cut(k * bytes, 32);
    role->issued = start;
    if (machine->sm.mma_queue > 0 && instructions > 0)
        role->issued = later(start, end - (end - begin) * machine->sm.mma_queue / instructions);
    if ((end - begin) * machine->sm.mma_queue / (instructions > 0 ? instructions : 1) + start > end)
        role->issued = start;
    uint64_t leaving = action->statement->leaving;
    if (role->product_count <= leaving)
        return start;
    return later(start,
                 role->products[role->product_count - 1 - leaving] + machine->warp.mma_wait_cycles);
}

/* Instructions: how long they take alone, in 1/16 ticks; how much longer beside products, and which
 * parts of the pipes they ask for meanwhile, in 1/1024, rounded up. */
static void compute(const struct reference *reference, struct role *role,
                    const struct action *action) {
    const struct tma_machine *machine = reference->machine;
    uint64_t warps = reference->kernel->roles[role->index].warps;
    uint64_t readers = action->amount[0] + action->amount[1] + action->amount[2];
    const uint64_t work[] = {action->amount[0], action->amount[1], action->amount[2],
                             readers + action->amount[3]};
    const uint64_t intervals[] = {machine->core.fma_cycles, machine->core.alu_cycles,
                                  machine->core.special_cycles, 1};
    uint64_t busy[4], alone = action->amount[4] * machine->core.chain_cycles * TMA_TICKS;
    if (role->computed != role->time)
        role->computes_since = role->time;
    for (int p = 0; p < 4; p++) {
        busy[p] = cut(work[p] * intervals[p] * TMA_TICKS, 128);
        alone = later(alone, warps < 4 ? busy[p] * 4 / warps : busy[p]);
    }
    role->left = alone * 16;
    if (alone == 0)
        return;
    uint64_t apart = readers / (32 * warps) * machine->core.mma_warp_issue_millicycles;
    uint64_t beside = later(alone, apart / 1000 * TMA_TICKS + apart % 1000 * TMA_TICKS / 1000);
    uint64_t slots = readers / 128 * machine->core.mma_issue_millicycles;
    slots = slots / 1000 * TMA_TICKS + slots % 1000 * TMA_TICKS / 1000 +
            cut(action->amount[3] * TMA_TICKS, 128);
    for (int p = 0; p < 4; p++)
        role->shares[p] = cut(busy[p] * 1024, alone);
    role->slowed = 16384 * 1024 / cut(beside * 1024, alone);
    role->slowed_slots = cut(slots * 1024, beside);
}

/* The rule of the units: a role asks at `cycle`, after those that asked before it, and gets the
 * cycle at which it goes on. */
static uint64_t serve(struct reference *reference, struct cta *cta, struct role *role,
                      const struct action *action, uint64_t cycle) {
    const struct tma_machine *machine = reference->machine;
    const struct tma_statement *statement = action->statement;
    struct sm *sm = &reference->sms[cta->sm];
    uint64_t wavefronts = action->amount[0], stage = 0;
    switch (statement->work) {
    case TMA_WORK_CYCLES:
        return cycle + action->amount[0] + machine->warp.spin_cycles;
    case TMA_WORK_MMA:
        return multiply(reference, cta, role, action, cycle);
    case TMA_WORK_INSTRUCTIONS:
        ck_abort_msg("instructions take turns with others in each cycle");
    case TMA_WORK_CONSUMER: {
        uint32_t load = statement->consumer.operation;
        uint8_t ring = reference->kernel->statements[load].ring;
        if (ring != TMA_NO_RING && role->waited[ring] > 0)
            stage = (role->waited[ring] - 1) % reference->kernel->rings[ring].depth;
        wavefronts =
            reference
                ->reports[(size_t)(statement - reference->kernel->statements) * TMA_MAX_RING_DEPTH +
                          stage]
                .wavefronts *
            statement->consumer.repeat;
    } /* fall through */
    case TMA_WORK_SHARED:
        return tma_memory_access_shared(reference->memory, sm->number, cycle, wavefronts);
    }
    return cycle;
}

/* ---- Roles ---- */

static void fault(struct reference *reference) {
    if (reference->log->code == TMA_OK)
        reference->log->code = TMA_ERROR_FAULT;
}

static void next_action(struct reference *reference, struct role *role, uint64_t time) {
    role->time = time;
    role->state = READY;
    role->next++;
    role->part = 0;
    reference->moved = true;
}

/* A role looks at an mbarrier from its time on; the phase ended at `complete`. */
static uint64_t looked(const struct reference *reference, const struct cta *cta,
                       const struct role *role, uint64_t complete) {
    uint64_t poll = reference->sms[cta->sm].poll;
    return later(role->time + reference->machine->warp.wait_cycles + poll,
                 complete + reference->machine->warp.wake_cycles + poll);
}

static void do_acquire(struct reference *reference, struct cta *cta, struct role *role,
                       const struct action *action) {
    uint32_t r = action->statement->ring, depth = reference->kernel->rings[r].depth;
    struct ring *ring = &cta->rings[r];
    uint64_t round = role->acquired[r] / depth;
    uint32_t index = (uint32_t)(role->acquired[r] % depth);
    struct stage *stage = &ring->stages[index];
    if (role->part == 2) {
        if (ring->own && role->acquired[r] >= role->released[r] + depth) {
            fault(reference);
            return;
        }
        role->state = WAITS_EMPTY;
        if (!ring->own && round > 0 && stage->empty_phases < round)
            return;
        if (!ring->own)
            role->time = looked(reference, cta, role, round > 0 ? stage->empty_cycle : 0);
        role->state = READY;
        role->part = 3;
        reference->moved = true;
        return;
    }
    role->acquired[r]++;
    arrive_full(reference, cta, r, index, action->expected_bytes, !ring->signalled);
    next_action(reference, role, role->time + reference->machine->warp.expect_cycles);
}

static void do_wait(struct reference *reference, struct cta *cta, struct role *role,
                    const struct action *action) {
    uint32_t r = action->statement->ring, depth = reference->kernel->rings[r].depth;
    uint64_t phase = role->waited[r] / depth;
    const struct stage *stage = &cta->rings[r].stages[role->waited[r] % depth];
    role->state = WAITS_FULL;
    if (stage->full_phases <= phase)
        return;
    if (stage->full_phases > phase + 1) {
        fault(reference);
        return;
    }
    role->waited[r]++;
    next_action(reference, role, looked(reference, cta, role, stage->full_cycle));
}

static void do_release(struct reference *reference, struct cta *cta, struct role *role,
                       const struct action *action) {
    const struct tma_machine *machine = reference->machine;
    uint32_t r = action->statement->ring, depth = reference->kernel->rings[r].depth;
    uint64_t time = role->time;
    if (role->waited[r] < action->statement->lag + 1) {
        next_action(reference, role, time);
        return;
    }
    uint64_t number = role->waited[r] - 1 - action->statement->lag;
    if (number != role->released[r]) {
        fault(reference);
        return;
    }
    role->released[r]++;
    if (cta->rings[r].own) {
        next_action(reference, role, time);
        return;
    }
    if (reference->kernel->rings[r].release_cluster)
        time += machine->tma.cluster_release_cycles;
    for (uint32_t rank = 0; rank < reference->cluster; rank++)
        if ((cta->rings[r].release_mask >> rank & 1) != 0)
            arrive_later(reference,
                         time + (rank == cta->rank ? machine->warp.arrive_latency_cycles
                                                   : machine->warp.remote_arrive_cycles),
                         cta->place - cta->rank + rank, r, (uint32_t)(number % depth), false);
    next_action(
        reference, role,
        later(role->time + machine->warp.arrive_cycles + reference->sms[cta->sm].poll, time));
}

static void do_operation(struct reference *reference, struct cta *cta, struct role *role,
                         const struct action *action) {
    const struct tma_statement *statement = action->statement;
    uint32_t r = statement->ring;
    enum tma_direction direction = statement->operation.direction;
    struct operation operation = {.cta = cta->place,
                                  .cta_number = cta->number,
                                  .role = role->order,
                                  .number = role->operations++,
                                  .left = 1,
                                  .group = role->groups,
                                  .action = action};
    if (direction != TMA_PREFETCH && r != TMA_NO_RING) {
        bool acquired = direction == TMA_LOAD || role->waited[r] == 0;
        uint64_t count = acquired ? role->acquired[r] : role->waited[r];
        if (count == 0) {
            fault(reference);
            return;
        }
        operation.stage = (uint32_t)((count - 1) % reference->kernel->rings[r].depth);
    }
    if (tma_writes_tensor(direction)) {
        ck_assert_uint_lt(role->groups, MOST_GROUPS);
        role->pending[role->groups]++;
        role->group_open = true;
    }
    cta->in_flight += direction != TMA_PREFETCH;
    reference->operations = room(reference->operations, reference->operation_count,
                                 &reference->operation_capacity, sizeof *reference->operations);
    reference->operations[reference->operation_count] = operation;
    ck_assert_uint_lt(reference->issue_count, MOST_EVENTS);
    reference->issues[reference->issue_count] = (struct issue){
        reference->now, (uint32_t)reference->operation_count, reference->sms[cta->sm].number,
        cta->place * reference->kernel->role_count + role->order,
        (uint32_t)reference->operation_count};
    reference->operation_count++;
    reference->issue_count++;
    note(reference->log,
         &(struct seen){
             reference->now, TMA_EVENT_ISSUE, cta->number, role->index, {operation.number}});
    next_action(reference, role, role->time + reference->machine->warp.issue_cycles);
}

static void do_wait_stores(struct reference *reference, struct role *role,
                           const struct action *action) {
    uint64_t leaving = action->statement->leaving, stored = 0;
    uint64_t until = role->groups > leaving ? role->groups - leaving : 0;
    role->state = WAITS_STORES;
    for (uint64_t g = 0; g < until; g++) {
        if (role->pending[g] > 0)
            return;
        stored = later(stored, role->stored[g]);
    }
    uint64_t time = role->time + reference->machine->warp.wait_group_cycles;
    if (stored > 0)
        time = later(time, stored + reference->machine->warp.store_wake_cycles);
    next_action(reference, role, time);
}

static uint64_t product_end(const struct reference *reference, const struct role *role,
                            uint64_t leaving) {
    return role->product_count <= leaving
               ? role->time
               : later(role->time, role->products[role->product_count - 1 - leaving] +
                                       reference->machine->warp.mma_wait_cycles);
}

static void end_cta(struct reference *reference, struct cta *cta) {
    if (cta->roles_left > 0 || cta->in_flight > 0)
        return;
    cta->running = false;
    cta->end = reference->now;
    note(reference->log,
         &(struct seen){cta->end, TMA_EVENT_CTA_END, cta->number, 0, {cta->end - cta->start}});
    uint32_t cluster = cta->place / reference->cluster;
    reference->running[cluster]--;
    reference->free_cycle[cluster] =
        later(reference->free_cycle[cluster], cta->end + reference->machine->warp.launch_cycles);
}

static void end_role(struct reference *reference, struct cta *cta, struct role *role) {
    role->time = product_end(reference, role, 0);
    if (role->time > reference->now)
        return;
    role->state = ENDED;
    reference->log->role_cycles[role->index] += role->time - role->begin;
    reference->moved = true;
    cta->roles_left--;
    end_cta(reference, cta);
}

static void do_action(struct reference *reference, struct cta *cta, struct role *role,
                      const struct action *action) {
    const struct tma_statement *statement = action->statement;
    const struct tma_machine *machine = reference->machine;
    switch (statement->kind) {
    case TMA_STATEMENT_ACQUIRE:
        do_acquire(reference, cta, role, action);
        break;
    case TMA_STATEMENT_WAIT:
        do_wait(reference, cta, role, action);
        break;
    case TMA_STATEMENT_RELEASE:
        do_release(reference, cta, role, action);
        break;
    case TMA_STATEMENT_SIGNAL:
        if (role->acquired[statement->ring] == 0) {
            fault(reference);
            break;
        }
        arrive_later(reference, role->time + machine->warp.arrive_latency_cycles, cta->place,
                     statement->ring,
                     (uint32_t)((role->acquired[statement->ring] - 1) %
                                reference->kernel->rings[statement->ring].depth),
                     true);
        next_action(reference, role,
                    role->time + machine->warp.arrive_cycles + reference->sms[cta->sm].poll);
        break;
    case TMA_STATEMENT_OPERATION:
        do_operation(reference, cta, role, action);
        break;
    case TMA_STATEMENT_COMMIT:
        role->groups += role->group_open;
        next_action(reference, role,
                    role->time + (role->group_open ? machine->warp.commit_cycles : 0));
        role->group_open = false;
        break;
    case TMA_STATEMENT_WAIT_STORES:
        do_wait_stores(reference, role, action);
        break;
    case TMA_STATEMENT_BARRIER:
        role->state = ARRIVES;
        break;
    case TMA_STATEMENT_COMPUTE:
        role->state = REQUESTS;
        if (statement->work == TMA_WORK_CYCLES)
            next_action(reference, role, serve(reference, cta, role, action, role->time));
        break;
    case TMA_STATEMENT_WAIT_MMA:
        next_action(reference, role, product_end(reference, role, statement->leaving));
        break;
    default:
        ck_abort_msg("a statement that is no action");
    }
}

/* What a role does in this cycle. */
static void step_role(struct reference *reference, struct cta *cta, struct role *role) {
    while (role->state != ENDED && role->state < WAITS_BARRIER && role->time <= reference->now &&
           reference->log->code == TMA_OK) {
        if (role->next == role->actions.count) {
            end_role(reference, cta, role);
            return;
        }
        const struct action *action = &role->actions.items[role->next];
        const struct tma_statement *statement = action->statement;
        if (role->part == 0) {
            uint64_t *fetched =
                &reference->sms[cta->sm].fetched[statement - reference->kernel->statements];
            if (*fetched == 0 && reference->machine->warp.fetch_cycles > 0)
                *fetched = role->time + reference->machine->warp.fetch_cycles;
            role->time = later(role->time, *fetched);
            role->part = 1;
        } else if (role->part == 1) {
            bool between = statement->kind == TMA_STATEMENT_COMPUTE &&
                           statement->work == TMA_WORK_INSTRUCTIONS;
            if (!between)
                role->time = later(role->time, role->issued);
            role->part = 2;
        } else {
            size_t next = role->next;
            int part = role->part;
            do_action(reference, cta, role, action);
            if (role->next == next && role->part == part)
                return;
        }
    }
}

/* ---- Cycles ---- */

static int by_cta_and_role(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* At the end of a cycle, those that want a unit of an SM are served by CTA and role. */
static void serve_units(struct reference *reference) {
    uint32_t asking[MOST_PLACES * TMA_MAX_ROLES][3], count = 0;
    for (uint32_t p = 0; p < reference->places; p++)
        for (uint32_t i = 0; i < reference->kernel->role_count; i++) {
            const struct role *role = &reference->ctas[p].roles[i];
            if (role->state == REQUESTS && role->time <= reference->now)
                memcpy(asking[count++], (uint32_t[]){reference->ctas[p].number, i, p},
                       sizeof asking[0]);
        }
    qsort(asking, count, sizeof asking[0], by_cta_and_role);
    for (uint32_t i = 0; i < count; i++) {
        struct cta *cta = &reference->ctas[asking[i][2]];
        struct role *role = &cta->roles[asking[i][1]];
        const struct action *action = &role->actions.items[role->next];
        if (action->statement->work == TMA_WORK_INSTRUCTIONS) {
            compute(reference, role, action);
            role->state = COMPUTES;
            if (role->left == 0) {
                next_action(reference, role, role->time);
                role->computed = role->time;
            }
            continue;
        }
        uint64_t time = serve(reference, cta, role, action, role->time);
        bool goes_on = action->statement->work == TMA_WORK_MMA && role->computed == role->time &&
                       time == role->time + reference->machine->warp.mma_issue_cycles;
        next_action(reference, role, time);
        if (goes_on)
            role->computed = time;
    }
}

struct computing {
    struct role *role;
    uint32_t cta;
};

static int by_turn(const void *a, const void *b) {
    const struct role *x = (*(const struct computing *)a).role;
    const struct role *y = (*(const struct computing *)b).role;
    uint32_t i = (*(const struct computing *)a).cta, j = (*(const struct computing *)b).cta;
    if (x->computes_since != y->computes_since)
        return x->computes_since < y->computes_since ? -1 : 1;
    return i != j ? (i > j) - (i < j) : (x > y) - (x < y);
}

/* What a role asks for of a pipe at a speed, in 1/1024. */
static uint64_t asks(const struct role *role, int pipe, bool beside, uint64_t speed) {
    return beside && pipe == 3 ? cut(role->slowed_slots * speed, role->slowed)
                               : cut(role->shares[pipe] * speed, 16384);
}

/* The instructions of all roles of an SM go on for a cycle. Where they ask for more of a pipe than
 * there is, a part of it serves one role after the other, those that have computed for longest
 * first; of the rest, each that uses it gets the same part of what it asks for. */
static void compute_cycle(struct reference *reference) {
    uint64_t first = reference->machine->core.first_percent * 1024 / 100;
    for (uint32_t s = 0; s < reference->machine->sm_count; s++) {
        const struct sm *sm = &reference->sms[s];
        bool beside = reference->now >= sm->tensor_begin &&
                      reference->now < tma_ticks_to_cycle(sm->tensor.free_ticks);
        struct computing turns[MOST_PLACES * TMA_MAX_ROLES];
        uint64_t asked[4] = {0}, left[4] = {1024, 1024, 1024, 1024};
        uint32_t count = 0;
        for (uint32_t p = 0; p < reference->places; p++)
            for (uint32_t i = 0; i < reference->kernel->role_count; i++) {
                struct role *role = &reference->ctas[p].roles[i];
                if (reference->ctas[p].sm != s || role->state != COMPUTES)
                    continue;
                turns[count++] = (struct computing){role, reference->ctas[p].number};
                for (int q = 0; q < 4; q++)
                    asked[q] += asks(role, q, beside, beside ? role->slowed : 16384);
            }
        qsort(turns, count, sizeof *turns, by_turn);
        for (uint32_t i = 0; i < count; i++) {
            struct role *role = turns[i].role;
            uint64_t full = beside ? role->slowed : 16384, rest = full, even = full;
            for (int q = 0; q < 4; q++) {
                uint64_t wants = asks(role, q, beside, full);
                if (wants > left[q])
                    rest = full * left[q] / wants < rest ? full * left[q] / wants : rest;
                if (wants > 0 && full * 1024 / later(asked[q], 1024) < even)
                    even = full * 1024 / later(asked[q], 1024);
            }
            for (int q = 0; q < 4; q++) {
                uint64_t takes = asks(role, q, beside, rest);
                left[q] -= left[q] < takes ? left[q] : takes;
            }
            uint64_t speed = (first * rest + (1024 - first) * even) / 1024;
            role->left -= role->left < speed ? role->left : speed;
            if (role->left > 0)
                continue;
            next_action(reference, role, reference->now + 1);
            role->computed = role->time;
        }
    }
}

/* At the end of a cycle, arrivals at named barriers count in the order of roles. */
static void meet(struct reference *reference, struct cta *cta) {
    for (uint32_t i = 0; i < reference->kernel->role_count; i++) {
        struct role *role = &cta->roles[i];
        if (role->state != ARRIVES || role->time > reference->now)
            continue;
        const struct tma_statement *statement = role->actions.items[role->next].statement;
        uint32_t barrier = statement->barrier;
        role->state = WAITS_BARRIER;
        if (statement->arrive_only)
            next_action(reference, role,
                        role->time + reference->machine->warp.barrier_arrive_cycles);
        if (++cta->arrived[barrier] < reference->barrier_counts[barrier])
            continue;
        cta->arrived[barrier] = 0;
        for (uint32_t o = 0; o < reference->kernel->role_count; o++) {
            struct role *other = &cta->roles[o];
            if (other->state == WAITS_BARRIER &&
                other->actions.items[other->next].statement->barrier == barrier)
                next_action(reference, other,
                            reference->now + reference->machine->warp.barrier_cycles);
        }
    }
}

static int by_issuer(const void *a, const void *b) {
    const struct issue *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

/* The number of a tensor map: they lie in the order of their places. */
static uint32_t descriptor_of(const struct tma_kernel *kernel, uint32_t map, uint32_t index) {
    uint32_t number = 1 + index;
    for (uint32_t other = 0; other < kernel->map_count; other++) {
        uint32_t maps = kernel->arrays[other].count > 0 ? kernel->arrays[other].count : 1;
        bool before =
            map == kernel->map_count || kernel->map_places[other] < kernel->map_places[map];
        number += before ? maps : 0;
    }
    return number;
}

/* The memory system learns of operations when they reach their TMA units. */
static void hand_over(struct reference *reference) {
    uint32_t left = 0;
    const struct tma_kernel *kernel = reference->kernel;
    qsort(reference->issues, reference->issue_count, sizeof *reference->issues, by_issuer);
    for (uint32_t i = 0; i < reference->issue_count; i++) {
        if (reference->issues[i].cycle + reference->machine->tma.issue_cycles > reference->now) {
            reference->issues[left++] = reference->issues[i];
            continue;
        }
        struct operation *operation = &reference->operations[reference->issues[i].operation];
        const struct action *action = operation->action;
        const struct tma_statement *statement = action->statement;
        const struct cta *cta = &reference->ctas[operation->cta];
        struct tma_operation at = action->operation;
        struct tma_tensor_map map = kernel->maps[statement->map];
        struct tma_row_stream rows;
        struct tma_operation_size size;
        uint32_t copies[TMA_MAX_CLUSTER], copy_count = 0;
        map.global_address += kernel->arrays[statement->map].pitch_bytes * action->map_index;
        if (at.direction != TMA_PREFETCH)
            at.shared_address +=
                statement->ring == TMA_NO_RING
                    ? kernel->buffers[statement->buffer].shared_offset
                    : kernel->rings[statement->ring].shared_offset +
                          operation->stage * kernel->rings[statement->ring].stage_bytes;
        if (tma_rows_begin(&rows, &map, &at, &size, NULL) != TMA_OK) {
            fault(reference);
            return;
        }
        for (uint32_t rank = 0; rank < reference->cluster; rank++)
            if ((at.cta_mask >> rank & 1) != 0 && rank != cta->rank)
                copies[copy_count++] =
                    reference->sms[reference->sm_of[cta->place - cta->rank + rank]].number;
        operation->left = 1 + copy_count;
        struct tma_issue issue = {.cycle = reference->issues[i].cycle,
                                  .tag = reference->issues[i].operation,
                                  .sm = reference->issues[i].sm,
                                  .direction = at.direction,
                                  .warp = reference->issues[i].order % 256,
                                  .map = &map,
                                  .descriptor =
                                      descriptor_of(kernel, statement->map, action->map_index),
                                  .rows = &rows,
                                  .size = &size,
                                  .copies = copies,
                                  .copy_count = copy_count};
        ck_assert(tma_memory_issue(reference->memory, &issue));
    }
    reference->issue_count = left;
}

/* Warps look at mbarriers every wake_interval cycles. */
static uint64_t visible_cycle(const struct reference *reference,
                              const struct tma_completion *completion) {
    uint64_t interval = reference->machine->tma.wake_interval_cycles, cycle = completion->cycle;
    return interval == 0 ? cycle : cut(cycle, interval) * interval;
}

static void complete(struct reference *reference, const struct tma_completion *completion) {
    struct operation *operation = &reference->operations[completion->tag];
    struct cta *issuer = &reference->ctas[operation->cta], *cta = issuer;
    const struct tma_statement *statement = operation->action->statement;
    enum tma_direction direction = statement->operation.direction;
    uint32_t mask = operation->action->operation.cta_mask;
    struct role *role = &issuer->roles[operation->role];
    for (uint32_t rank = 0; completion->copied && rank < reference->cluster; rank++) {
        struct cta *other = &reference->ctas[issuer->place - issuer->rank + rank];
        if (reference->sms[other->sm].number == completion->sm)
            cta = other;
    }
    note(reference->log, &(struct seen){completion->cycle,
                                        TMA_EVENT_ARRIVAL,
                                        cta == issuer ? operation->cta_number : cta->number,
                                        role->index,
                                        {operation->number, completion->bytes,
                                         completion->cycle - completion->issue_cycle}});
    if (direction == TMA_LOAD && (mask == 0 || (mask >> cta->rank & 1) != 0)) {
        cta->rings[statement->ring].stages[operation->stage].phase_bytes += completion->bytes;
        arrive_full(reference, cta, statement->ring, operation->stage, -(int64_t)completion->bytes,
                    false);
    }
    if (tma_writes_tensor(direction)) {
        role->pending[operation->group]--;
        role->stored[operation->group] = later(role->stored[operation->group], reference->now);
    }
    if (--operation->left > 0 || direction == TMA_PREFETCH)
        return;
    issuer->in_flight--;
    end_cta(reference, issuer);
}

static void take_completions(struct reference *reference) {
    for (size_t i = 0; i < reference->completion_count;) {
        struct tma_completion completion = reference->completions[i];
        if (visible_cycle(reference, &completion) > reference->now) {
            i++;
            continue;
        }
        reference->completions[i] = reference->completions[--reference->completion_count];
        complete(reference, &completion);
    }
}

static void unroll_role(struct reference *reference, struct cta *cta, struct role *role) {
    static struct unrolling unrolling;
    const struct tma_role *program = &reference->kernel->roles[role->index];
    unrolling = (struct unrolling){.kernel = reference->kernel, .out = &role->actions};
    role->actions.count = 0;
    unrolling.variables[TMA_VARIABLE_CTA] = cta->number;
    unrolling.variables[TMA_VARIABLE_RANK] = cta->rank;
    unrolling.variables[TMA_VARIABLE_CTAS] = reference->kernel->cta_count;
    unrolling.variables[TMA_VARIABLE_CLUSTER] = reference->cluster;
    unroll(&unrolling, program->first, program->end);
}

static uint32_t load_bytes(const struct reference *reference, const struct action *action) {
    struct tma_operation operation = action->operation;
    struct tma_operation_size size;
    struct tma_row_stream rows;
    return tma_rows_begin(&rows, &reference->kernel->maps[action->statement->map], &operation,
                          &size, NULL) == TMA_OK
               ? size.transaction_bytes
               : 0;
}

/* A role that acquires a stage expects what the same roles of all CTAs of the cluster load into it
 * before they acquire the next one. */
static void find_expected_bytes(struct reference *reference, struct cta *ctas, uint32_t role) {
    for (uint32_t to = 0; to < reference->cluster; to++) {
        struct actions *actions = &ctas[to].roles[role].actions;
        uint64_t fills[TMA_MAX_RINGS] = {0};
        for (size_t i = 0; i < actions->count; i++) {
            struct action *acquire = &actions->items[i];
            if (acquire->statement->kind != TMA_STATEMENT_ACQUIRE)
                continue;
            uint32_t ring = acquire->statement->ring;
            uint64_t fill = ++fills[ring];
            acquire->expected_bytes = 0;
            for (uint32_t from = 0; from < reference->cluster; from++) {
                const struct actions *others = &ctas[from].roles[role].actions;
                uint64_t number = 0;
                for (size_t j = 0; j < others->count && number <= fill; j++) {
                    const struct action *load = &others->items[j];
                    if (load->statement->ring != ring)
                        continue;
                    number += load->statement->kind == TMA_STATEMENT_ACQUIRE;
                    uint32_t mask = load->operation.cta_mask;
                    if (load->statement->kind == TMA_STATEMENT_OPERATION && number == fill &&
                        load->operation.direction == TMA_LOAD &&
                        (mask == 0 ? from == to : (mask >> to & 1) != 0))
                        acquire->expected_bytes += load_bytes(reference, load);
                }
            }
        }
    }
}

static void start_cta(struct reference *reference, struct cta *cta, uint64_t start) {
    const struct tma_kernel *kernel = reference->kernel;
    cta->number = reference->next_cta++;
    cta->running = true;
    cta->start = start;
    cta->roles_left = kernel->role_count;
    cta->in_flight = 0;
    memset(cta->arrived, 0, sizeof cta->arrived);
    note(reference->log, &(struct seen){start, TMA_EVENT_CTA_START, cta->number, 0, {0}});
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        for (uint32_t s = 0; s < kernel->rings[r].depth; s++)
            cta->rings[r].stages[s] = (struct stage){.full_missing = cta->rings[r].producers,
                                                     .empty_missing = cta->rings[r].arrivals};
    for (uint32_t i = 0; i < kernel->role_count; i++) {
        struct role *role = &cta->roles[i];
        struct actions actions = role->actions;
        *role = (struct role){.index = role->index,
                              .order = i,
                              .state = READY,
                              .time = start + reference->machine->warp.start_cycles,
                              .begin = start + reference->machine->warp.start_cycles,
                              .actions = actions};
        unroll_role(reference, cta, role);
    }
}

/* At the end of a cycle: clusters take the places of those that have ended. */
static void start_clusters(struct reference *reference) {
    for (uint32_t c = 0; c < reference->places / reference->cluster; c++) {
        if (reference->running[c] > 0 || reference->next_cta >= reference->kernel->cta_count)
            continue;
        struct cta *ctas = &reference->ctas[c * reference->cluster];
        uint64_t start = later(reference->now, reference->free_cycle[c]);
        reference->running[c] = reference->cluster;
        for (uint32_t i = 0; i < reference->cluster; i++)
            start_cta(reference, &ctas[i], start);
        for (uint32_t i = 0; i < reference->kernel->role_count; i++)
            find_expected_bytes(reference, ctas, i);
        reference->moved = true;
    }
}

static void do_cycle(struct reference *reference) {
    do {
        reference->moved = false;
        take_completions(reference);
        take_arrivals(reference);
        for (uint32_t p = 0; p < reference->places; p++)
            for (uint32_t i = 0; i < reference->kernel->role_count; i++)
                step_role(reference, &reference->ctas[p], &reference->ctas[p].roles[i]);
        if (reference->moved)
            continue;
        serve_units(reference);
        for (uint32_t p = 0; p < reference->places; p++)
            meet(reference, &reference->ctas[p]);
        if (!reference->moved)
            start_clusters(reference);
    } while (reference->moved && reference->log->code == TMA_OK);
    compute_cycle(reference);
    hand_over(reference);
    ck_assert(tma_memory_advance(reference->memory, ++reference->now));
    struct tma_completion completion;
    while (tma_memory_take(reference->memory, &completion)) {
        reference->completions =
            room(reference->completions, reference->completion_count,
                 &reference->completion_capacity, sizeof *reference->completions);
        reference->completions[reference->completion_count++] = completion;
    }
}

/* Whether something is still to come. */
static bool goes_on(const struct reference *reference) {
    for (uint32_t p = 0; p < reference->places; p++)
        for (uint32_t i = 0; i < reference->kernel->role_count; i++) {
            const struct role *role = &reference->ctas[p].roles[i];
            bool waits = role->state != READY && role->state < REQUESTS;
            if (!waits || (role->state != ENDED && role->time >= reference->now))
                return true;
        }
    return reference->issue_count > 0 || reference->arrival_count > 0 ||
           reference->completion_count > 0 || tma_memory_in_flight(reference->memory) > 0;
}

/* ---- What a run begins with ---- */

static void join_rings(struct reference *reference, struct cta *cta) {
    const struct tma_kernel *kernel = reference->kernel;
    uint32_t stages = 0;
    for (uint32_t r = 0; r < kernel->ring_count; r++) {
        struct ring *ring = &cta->rings[r];
        uint32_t fills = 0, waits = 0, releases = 0;
        ring->first_stage = stages;
        stages += kernel->rings[r].depth;
        for (uint32_t q = 0; q < kernel->role_count; q++)
            for (uint32_t i = kernel->roles[q].first; i < kernel->roles[q].end; i++) {
                const struct tma_statement *statement = &kernel->statements[i];
                if (statement->ring != r)
                    continue;
                fills |= (uint32_t)(statement->kind == TMA_STATEMENT_ACQUIRE) << q;
                waits |= (uint32_t)(statement->kind == TMA_STATEMENT_WAIT) << q;
                releases |= (uint32_t)(statement->kind == TMA_STATEMENT_RELEASE) << q;
                ring->signalled |= statement->kind == TMA_STATEMENT_SIGNAL;
            }
        const struct tma_value *mask = &kernel->rings[r].release_mask;
        struct unrolling unrolling = {.kernel = kernel};
        unrolling.variables[TMA_VARIABLE_RANK] = cta->rank;
        unrolling.variables[TMA_VARIABLE_CTAS] = kernel->cta_count;
        unrolling.variables[TMA_VARIABLE_CLUSTER] = reference->cluster;
        bool own_only = mask->expression == NULL && mask->constant == 0;
        ring->release_mask = own_only ? 0 : (uint32_t)value_of(&unrolling, mask);
        if (ring->release_mask == 0)
            ring->release_mask = 1u << cta->rank;
        ring->producers = (uint32_t)__builtin_popcount(fills);
        ring->arrivals = (uint32_t)__builtin_popcount(releases);
        ring->own = ring->producers == 1 && fills == waits && fills == releases && own_only;
    }
}

/* A stage is empty when the roles of all CTAs that release to it have done so. */
static void join_clusters(struct reference *reference) {
    for (uint32_t r = 0; r < reference->kernel->ring_count; r++) {
        uint32_t roles = reference->ctas[0].rings[r].arrivals;
        for (uint32_t p = 0; p < reference->places; p++) {
            struct cta *cta = &reference->ctas[p];
            cta->rings[r].arrivals = 0;
            for (uint32_t i = 0; i < reference->cluster; i++)
                if ((reference->ctas[p - cta->rank + i].rings[r].release_mask >> cta->rank & 1) !=
                    0)
                    cta->rings[r].arrivals += roles;
        }
    }
}

static void count_arrivals(struct reference *reference) {
    const struct tma_kernel *kernel = reference->kernel;
    for (uint32_t b = 0; b < kernel->barrier_count; b++) {
        uint32_t roles = 0;
        for (uint32_t i = 0; i < kernel->statement_count; i++)
            if (kernel->statements[i].kind == TMA_STATEMENT_BARRIER &&
                kernel->statements[i].barrier == b)
                for (uint32_t q = 0; q < kernel->role_count; q++)
                    if (i >= kernel->roles[q].first && i < kernel->roles[q].end)
                        roles |= 1u << q;
        reference->barrier_counts[b] = kernel->barriers[b].arrivals > 0
                                           ? kernel->barriers[b].arrivals
                                           : (uint32_t)__builtin_popcount(roles);
    }
}

static uint32_t warps_of(const struct tma_kernel *kernel) {
    uint32_t warps = 0;
    for (uint32_t q = 0; q < kernel->role_count; q++)
        warps += kernel->roles[q].warps;
    return warps;
}

/* How many CTAs an SM has room for, one after the other: registers go to warps in units of 256,
 * shared memory to CTAs in units of 128 bytes. */
static uint32_t ctas_of_an_sm(const struct tma_machine *machine, const struct tma_kernel *kernel) {
    int64_t threads = machine->sm.threads, registers = machine->sm.registers,
            bytes = machine->shared_memory_bytes;
    uint32_t ctas = 0;
    for (; ctas < machine->sm.ctas; ctas++) {
        threads -= 32 * (int64_t)warps_of(kernel);
        registers -= 256 * (int64_t)warps_of(kernel) * (int64_t)cut(kernel->registers, 8);
        bytes -= 128 * (int64_t)cut(kernel->shared_bytes, 128) + machine->sm.reserved_bytes;
        if (threads < 0 || registers < 0 || bytes < 0)
            break;
    }
    return ctas;
}

/* CTAs of the first wave: all SMs get one before one gets its second. */
static void place_ctas(struct reference *reference, uint32_t *sms) {
    const struct tma_kernel *kernel = reference->kernel;
    uint32_t per_sm =
        kernel->ctas_per_sm > 0 ? kernel->ctas_per_sm : ctas_of_an_sm(reference->machine, kernel);
    uint32_t most = kernel->sm_count > 0 && kernel->sm_count < reference->machine->sm_count
                        ? kernel->sm_count
                        : reference->machine->sm_count;
    for (uint32_t layer = 0; layer < per_sm && reference->places < kernel->cta_count; layer++) {
        uint32_t left = kernel->cta_count - reference->places, count = left < most ? left : most;
        uint32_t *to = sms + reference->places;
        ck_assert_uint_le(reference->places + count, MOST_PLACES);
        if (reference->cluster > 1)
            count = reference->cluster * tma_machine_place_clusters(reference->machine,
                                                                    reference->cluster,
                                                                    count / reference->cluster, to);
        else if (kernel->cluster_ctas == 1)
            tma_machine_place_shared(reference->machine, count, to);
        else
            tma_machine_place(reference->machine, count, to);
        if (count == 0)
            break;
        reference->places += count;
    }
}

static void create_places(struct reference *reference) {
    const struct tma_kernel *kernel = reference->kernel;
    uint32_t sms[MOST_PLACES];
    uint64_t launches[MOST_PLACES];
    place_ctas(reference, sms);
    tma_machine_launch(reference->machine, sms, reference->places, reference->cluster,
                       warps_of(kernel), launches);
    reference->ctas = calloc(reference->places, sizeof *reference->ctas);
    ck_assert_ptr_nonnull(reference->ctas);
    for (uint32_t p = 0; p < reference->places; p++) {
        struct cta *cta = &reference->ctas[p];
        uint32_t at = 0;
        while (at < reference->sm_count && reference->sms[at].number != sms[p])
            at++;
        if (at == reference->sm_count) {
            reference->sms[reference->sm_count++] = (struct sm){
                .number = sms[p],
                .fetched = calloc(kernel->statement_count, sizeof *reference->sms[at].fetched)};
            ck_assert_ptr_nonnull(reference->sms[at].fetched);
        }
        reference->sms[at].places++;
        cta->place = p;
        cta->rank = p % reference->cluster;
        cta->sm = reference->sm_of[p] = at;
        reference->free_cycle[p / reference->cluster] =
            p % reference->cluster == 0 ? launches[p]
                                        : reference->free_cycle[p / reference->cluster];
        join_rings(reference, cta);
        /* Roles in the order of their names. */
        for (uint32_t q = 0; q < kernel->role_count; q++) {
            uint32_t before = 0;
            for (uint32_t o = 0; o < kernel->role_count; o++)
                before += strcmp(kernel->roles[o].name, kernel->roles[q].name) < 0;
            cta->roles[before].index = q;
        }
    }
    for (uint32_t i = 0; i < reference->sm_count; i++)
        reference->sms[i].poll = ((uint64_t)(reference->sms[i].places - 1) * warps_of(kernel) *
                                      reference->machine->tma.poll_millicycles / 1000 +
                                  (warps_of(kernel) - 1) * reference->machine->warp.poll_cycles) /
                                 TMA_SCHEDULERS;
    join_clusters(reference);
    count_arrivals(reference);
}

/* Wavefronts of the consumers, by the stage that they read. */
static void measure_consumers(struct reference *reference) {
    const struct tma_kernel *kernel = reference->kernel;
    reference->reports =
        calloc((size_t)kernel->statement_count * TMA_MAX_RING_DEPTH, sizeof *reference->reports);
    ck_assert_ptr_nonnull(reference->reports);
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind != TMA_STATEMENT_COMPUTE || statement->work != TMA_WORK_CONSUMER)
            continue;
        const struct tma_statement *load = &kernel->statements[statement->consumer.operation];
        uint32_t depth = load->ring == TMA_NO_RING ? 1 : kernel->rings[load->ring].depth;
        for (uint32_t s = 0; s < depth; s++) {
            struct tma_operation operation = load->operation;
            struct tma_tile tile;
            memset(operation.coordinates, 0, sizeof operation.coordinates);
            operation.shared_address += load->ring == TMA_NO_RING
                                            ? kernel->buffers[load->buffer].shared_offset
                                            : kernel->rings[load->ring].shared_offset +
                                                  s * kernel->rings[load->ring].stage_bytes;
            ck_assert_int_eq(tma_operation_tile(&kernel->maps[load->map], &operation, &tile, NULL),
                             TMA_OK);
            reference->reports[(size_t)i * TMA_MAX_RING_DEPTH + s] =
                tma_consumer_measure(&statement->consumer, &tile);
        }
    }
}

/* What a launch behind another kernel finds: tensor maps that came with it, and a busy DRAM. */
static void leave_descriptors(struct reference *reference) {
    const struct tma_kernel *kernel = reference->kernel;
    uint32_t all = descriptor_of(kernel, kernel->map_count, 0) - 1;
    uint64_t bytes = (uint64_t)all * 128, lowest = UINT64_MAX;
    for (uint32_t i = 0; i < kernel->map_count; i++)
        if (kernel->maps[i].global_address < lowest)
            lowest = kernel->maps[i].global_address;
    ck_assert_uint_gt(lowest, bytes + 128);
    tma_memory_place_descriptors(reference->memory, (lowest - bytes) / 128 * 128);
    for (uint32_t number = 1; number <= all; number++)
        if (all <= reference->machine->tma.gpc_descriptors)
            tma_memory_leave_descriptor_in_gpcs(reference->memory, number);
        else
            tma_memory_leave_descriptor_in_l2(reference->memory, number);
}

static void free_reference(struct reference *reference) {
    for (uint32_t p = 0; p < reference->places; p++)
        for (uint32_t i = 0; i < TMA_MAX_ROLES; i++)
            free(reference->ctas[p].roles[i].actions.items);
    for (uint32_t i = 0; i < reference->sm_count; i++)
        free(reference->sms[i].fetched);
    free(reference->ctas);
    free(reference->arrivals);
    free(reference->operations);
    free(reference->completions);
    free(reference->reports);
    tma_memory_free(reference->memory);
}

static void run_reference(const struct tma_machine *machine, const struct tma_kernel *kernel,
                          struct log *log) {
    static struct reference reference;
    reference = (struct reference){.machine = machine,
                                   .kernel = kernel,
                                   .log = log,
                                   .cluster = kernel->cluster_ctas > 0 ? kernel->cluster_ctas : 1};
    log->count = 0;
    log->code = TMA_OK;
    memset(log->role_cycles, 0, sizeof log->role_cycles);
    if (ctas_of_an_sm(machine, kernel) < (kernel->ctas_per_sm > 0 ? kernel->ctas_per_sm : 1)) {
        log->code = TMA_ERROR_ARGUMENT;
        return;
    }
    ck_assert_int_eq(tma_memory_create(&reference.memory, machine, NULL), TMA_OK);
    create_places(&reference);
    measure_consumers(&reference);
    tma_memory_follow_load(reference.memory);
    leave_descriptors(&reference);
    do
        do_cycle(&reference);
    while (log->code == TMA_OK && goes_on(&reference) && reference.now < MOST_CYCLES);
    bool ended = reference.next_cta == kernel->cta_count;
    for (uint32_t p = 0; p < reference.places; p++)
        ended &= !reference.ctas[p].running;
    if (log->code == TMA_OK && !ended)
        log->code = reference.now < MOST_CYCLES ? TMA_ERROR_DEADLOCK : TMA_ERROR_UNSUPPORTED;
    free_reference(&reference);
}

/* ---- Comparing ---- */

static void expect_promise(const char *broken) {
    ck_assert_msg(broken == NULL, "%s", broken);
}

static void take_event(void *context, const struct tma_event *event) {
    struct log *log = context;
    expect_promise(tma_trace_promises_take(&log->promises, event));
    log->starts += event->kind == TMA_EVENT_CTA_START;
    log->issues += event->kind == TMA_EVENT_ISSUE;
    if (event->kind == TMA_EVENT_L2_FILL)
        log->fills += event->figures[1];
    struct seen seen = {event->cycle,
                        event->kind,
                        event->cta,
                        event->slot,
                        {event->figures[0], event->figures[1], event->figures[2]}};
    switch (event->kind) {
    case TMA_EVENT_ISSUE:
        seen.figures[1] = 0; /* the map */
        note(context, &seen);
        break;
    case TMA_EVENT_CTA_START:
    case TMA_EVENT_ARRIVAL:
    case TMA_EVENT_MBARRIER:
    case TMA_EVENT_CTA_END:
        note(context, &seen);
        break;
    default:
        break;
    }
}

static void run_engine(const struct tma_machine *machine, const struct tma_kernel *kernel,
                       struct log *log) {
    static struct tma_result result;
    struct tma_event_sink sink = {take_event, log};
    log->count = 0;
    log->starts = log->issues = log->fills = 0;
    log->promises = (struct tma_trace_promises){.has_copies = true};
    log->code = tma_kernel_run(machine, kernel, &sink, &result, NULL, NULL);
    if (log->code == TMA_OK) {
        expect_promise(tma_trace_promises_end(&log->promises));
        ck_assert_uint_eq(log->starts, kernel->cta_count);
        ck_assert_uint_eq(log->issues, result.counters.operations);
        ck_assert_uint_eq(log->fills + result.counters.descriptor_dram_fetches,
                          result.counters.l2_fills);
    }
    tma_trace_promises_free(&log->promises);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        log->role_cycles[r] = 0;
        for (int cause = 0; cause < TMA_ROLE_CAUSE_COUNT; cause++)
            log->role_cycles[r] += result.role_cycles[r][cause];
    }
}

static int by_place(const void *a, const void *b) {
    const struct seen *x = a, *y = b;
    const uint64_t left[] = {x->cycle,      x->cta,        x->slot,      x->kind,
                             x->figures[0], x->figures[1], x->figures[2]};
    const uint64_t right[] = {y->cycle,      y->cta,        y->slot,      y->kind,
                              y->figures[0], y->figures[1], y->figures[2]};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static const char *text_of(const struct log *log, uint32_t index, char text[160]) {
    if (index >= log->count)
        return "no event";
    const struct seen *seen = &log->events[index];
    snprintf(text, 160, "cycle %llu, CTA %u, slot %u, %s %llu %llu %llu",
             (unsigned long long)seen->cycle, seen->cta, seen->slot, tma_event_word(seen->kind),
             (unsigned long long)seen->figures[0], (unsigned long long)seen->figures[1],
             (unsigned long long)seen->figures[2]);
    return text;
}

/* What a kernel came to, in both. Which of several faults comes first, and whether a stage that is
 * filled again too early is noticed, is left open. */
static enum tma_error_code expect_same(const char *name, const struct tma_machine *machine,
                                       const struct tma_kernel *kernel, const char *yaml) {
    static struct log engine, reference;
    char texts[2][160];
    run_engine(machine, kernel, &engine);
    run_reference(machine, kernel, &reference);
    if (engine.code == TMA_ERROR_FAULT || engine.code == TMA_ERROR_FILE ||
        reference.code == TMA_ERROR_FAULT)
        return TMA_ERROR_FAULT;
    ck_assert_msg(engine.code == reference.code, "%s: engine %d, reference %d\n%.3000s", name,
                  engine.code, reference.code, yaml);
    if (engine.code != TMA_OK)
        return engine.code;
    qsort(engine.events, engine.count, sizeof *engine.events, by_place);
    qsort(reference.events, reference.count, sizeof *reference.events, by_place);
    for (uint32_t i = 0; i < engine.count || i < reference.count; i++)
        ck_assert_msg(i < engine.count && i < reference.count &&
                          by_place(&engine.events[i], &reference.events[i]) == 0,
                      "%s: engine: %s; reference: %s\n%.3000s", name, text_of(&engine, i, texts[0]),
                      text_of(&reference, i, texts[1]), yaml);
    for (uint32_t r = 0; r < kernel->role_count; r++)
        ck_assert_msg(engine.role_cycles[r] == reference.role_cycles[r],
                      "%s: role %s: engine %llu cycles, reference %llu\n%.3000s", name,
                      kernel->roles[r].name, (unsigned long long)engine.role_cycles[r],
                      (unsigned long long)reference.role_cycles[r], yaml);
    return TMA_OK;
}

/* Whether loads of another CTA may come into a stage that its own CTA has not released to it: what
 * then is in the stage is a race. */
static bool races(const struct tma_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind != TMA_STATEMENT_OPERATION || statement->ring == TMA_NO_RING)
            continue;
        const struct tma_value *mask = &kernel->rings[statement->ring].release_mask;
        if ((statement->cta_mask.expression != NULL || statement->cta_mask.constant != 0) &&
            mask->expression == NULL && mask->constant == 0)
            return true;
    }
    return false;
}

TEST(random_kernels_are_exact) {
    static struct yaml_text yaml;
    static struct tma_scenario scenario;
    int count = kernels_to_try(RANDOM_KERNELS), ran = 0;
    uint64_t state = first_random_state(1);
    for (int i = 0; i < count; i++) {
        char name[40];
        draw_kernel_text(&state, i, &yaml);
        struct tma_machine machine = draw_machine(&state);
        if (read_scenario_text(yaml.bytes, "random", NULL, 0, &scenario, NULL) &&
            !races(&scenario.program->kernel)) {
            struct tma_kernel *kernel = &scenario.program->kernel;
            kernel->cold = true;
            kernel->allow_races = true; /* many have some: the reference knows none */
            kernel->ctas_per_sm = (uint32_t)random_between(&state, 0, 2);
            kernel->registers = (uint32_t)random_between(&state, 0, 64);
            snprintf(name, sizeof name, "kernel %d", i);
            ran += expect_same(name, &machine, kernel, yaml.bytes) == TMA_OK;
        }
        tma_scenario_free(&scenario);
    }
    ck_assert_int_gt(4 * ran, count); /* others fault, deadlock, or are refused */
}

TEST_SUITE("kernels and reference", .timeout = 36000,
           .prepare = load_engine); /* a soak takes hours */
