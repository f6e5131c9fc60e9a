#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "engine/relieved_wavefronts.h"
#include "engine/roles/kernel_state.h"
#include "engine/roles/mma.h"

/* Shared memory that a wavefront moves. */
enum { WAVEFRONT_BYTES = 128 };

/* Most that one statement can compute. */
#define MAX_WORK (INT64_C(1) << 50)

static const struct tma_machine *machine_of(const struct tma_role_state *role) {
    return &role->cta->engine->machine;
}

/* The one place where roles occupy the shared memory of their SM: `wavefronts` from `cycle` on.
 * Returns the cycle at which they end. */
static uint64_t take_shared_memory(const struct tma_role_state *role, uint64_t cycle,
                                   uint64_t wavefronts) {
    return tma_memory_access_shared(role->cta->engine->simulation.memory, role->cta->sm->number,
                                    cycle, wavefronts);
}

/* The one place where products read their operands in the shared memory of their SM. Returns the
 * cycle at which the product ends, which ends at `end` as far as the operands come in time. */
static uint64_t read_operands(const struct tma_role_state *role, uint64_t cycle,
                              uint64_t wavefronts, uint64_t end) {
    struct tma_kernel_sm *sm = role->cta->sm;
    const struct tma_kernel_relieved *relieved = &role->cursor.kernel->relieved;
    if (relieved->wavefronts == TMA_WAVEFRONTS_TENTH_FASTER)
        wavefronts = tma_tenth_faster(wavefronts);
    return tma_memory_read_operands(role->cta->engine->simulation.memory, sm->number, cycle,
                                    wavefronts, end);
}

struct tma_products tma_kernel_products(const struct tma_kernel_sm *sm) {
    return (struct tma_products){sm->tensor_begin, tma_ticks_to_cycle(sm->tensor.free_ticks)};
}

/* The tensor cores of the role's SM compute, behind what they were asked for before. Returns the
 * cycle at which they are done; *begin is that at which they begin. */
static uint64_t take_tensor_cores(const struct tma_role_state *role, uint64_t cycle, uint64_t ticks,
                                  uint64_t *begin) {
    struct tma_kernel_sm *sm = role->cta->sm;
    struct tma_port *tensor = &sm->tensor;
    uint64_t free = tma_ticks_to_cycle(tensor->free_ticks);
    tma_pipes_advance(&sm->pipes, tma_kernel_products(sm), role->cycle);
    /* A pause that is shorter than the issue of a product is none. */
    if (ticks > 0 && free <= role->cycle)
        sm->tensor_begin = cycle;
    *begin = tma_later(free, cycle);
    uint64_t end = tma_port_serve(tensor, cycle, ticks);
    tma_observe_unit(&role->cta->engine->simulation.observer, TMA_SERIES_TENSOR_TICKS,
                     tensor->free_ticks, ticks);
    return end;
}

/* A unit works for the role's statement from `start` to `end`. */
static void observe(const struct tma_role_state *role, enum tma_span_kind kind, uint64_t start,
                    uint64_t end) {
    const struct tma_span_place place = tma_role_span_place(role, TMA_ROLE_COMPUTE);
    tma_observe_work(&role->cta->engine->simulation.observer, kind, tma_role_source(role), start,
                     end, &place);
}

uint64_t tma_role_mma_end(const struct tma_role_state *role, uint32_t leaving) {
    if (role->mma_committed <= leaving)
        return role->cycle;
    uint64_t end = role->mma_ends[(role->mma_committed - 1 - leaving) % TMA_MAX_GROUPS];
    end += machine_of(role)->warp.mma_wait_cycles;
    return end > role->cycle ? end : role->cycle;
}

/* Warp groups of the role that share the rows of a product. A wgmma reads its rows of A, unless
 * they are in registers, and B. */
static uint64_t warp_groups(const struct tma_role_state *role, uint64_t parts) {
    uint64_t groups = role->cta->engine->kernel->roles[role->index].warps / TMA_WARP_GROUP_WARPS;
    groups = groups < parts ? groups : parts;
    return groups > 0 ? groups : 1;
}

/* The cycle at which a group has been issued that is asked for at `start`, and whose products run
 * from `begin` to `end`: when no more of its instructions are left than a warp group has in flight.
 */
static uint64_t issued_cycle(const struct tma_machine *machine, uint64_t instructions,
                             uint64_t start, uint64_t begin, uint64_t end) {
    uint64_t queue = machine->sm.mma_queue;
    if (queue == 0 || instructions == 0)
        return start;
    uint64_t in_flight = (end - begin) * queue / instructions;
    return end > start + in_flight ? end - in_flight : start;
}

static uint64_t multiply(struct tma_role_state *role, const struct tma_statement *statement,
                         const uint64_t amount[TMA_AMOUNTS], uint64_t cycle) {
    const struct tma_machine *machine = machine_of(role);
    uint64_t m = amount[0], n = amount[1], k = amount[2];
    uint64_t k_bytes = tma_divide_up(k * tma_mma_element_bits(statement->type), 8);
    uint64_t parts = tma_divide_up(m, TMA_MMA_ROWS);
    uint64_t read_a = statement->a_in_registers ? 0 : m * k_bytes, read_b = parts * n * k_bytes;
    uint64_t start = cycle + machine->warp.mma_issue_cycles;
    /* The operands come from shared memory while the product is computed. With few columns a warp
     * group takes longer to read its part of A than the tensor cores to compute, which other groups
     * and other CTAs use meanwhile. */
    uint64_t tensor_begin;
    uint64_t end = take_tensor_cores(
        role, start, tma_work_to_ticks(m * n * k, tma_mma_rate(machine, statement->type)),
        &tensor_begin);
    uint64_t groups = warp_groups(role, parts);
    uint64_t instructions = tma_divide_up(parts, groups) * tma_divide_up(n, TMA_MMA_COLUMNS) *
                            tma_divide_up(k_bytes, TMA_MMA_K_BYTES);
    uint64_t ticks = (tma_work_to_ticks(read_a, machine->sm.mma_a_bytes) +
                      tma_work_to_ticks(read_b, machine->sm.mma_b_bytes)) /
                     groups;
    uint64_t before =
        role->mma_committed == 0 ? 0 : role->mma_ends[(role->mma_committed - 1) % TMA_MAX_GROUPS];
    uint64_t begin = before > start ? before : start;
    role->cta->engine->result->counters.multiply_adds += m * n * k;
    observe(role, TMA_SPAN_TENSOR, tensor_begin, end);
    role->mma_queued += tensor_begin > begin ? tensor_begin - begin : 0;
    uint64_t read_end = begin + ticks / TMA_TICKS;
    end = read_operands(role, start, tma_divide_up(read_a + read_b, WAVEFRONT_BYTES),
                        read_end > end ? read_end : end);
    role->mma_ends[role->mma_committed++ % TMA_MAX_GROUPS] = end;
    role->issued_cycle = issued_cycle(machine, instructions, start, begin, end);
    uint64_t next = start;
    if (role->mma_committed > statement->leaving) {
        uint64_t done =
            role->mma_ends[(role->mma_committed - 1 - statement->leaving) % TMA_MAX_GROUPS] +
            machine->warp.mma_wait_cycles;
        if (done > next)
            next = done;
    }
    return next;
}

/* Computes the amounts of a statement; false where the run stops. */
static bool find_amounts(struct tma_role_state *role, const struct tma_statement *statement,
                         uint64_t amount[TMA_AMOUNTS]) {
    const int64_t *variables = tma_cursor_place(&role->cursor)->variables;
    struct tma_error error;
    char text[120];
    uint64_t product = 1;
    for (int i = 0; i < TMA_AMOUNTS; i++) {
        int64_t value;
        if (!tma_value_at(&statement->amount[i], variables, &value, &error))
            return tma_role_fail(role, statement, error.code, error.text);
        bool used = i == 0 || statement->work == TMA_WORK_MMA;
        if (value < 0 || value > MAX_WORK ||
            (used && value > 0 && __builtin_mul_overflow(product, (uint64_t)value, &product)) ||
            product > (uint64_t)MAX_WORK) {
            snprintf(text, sizeof text, "a compute statement of %" PRId64 "; allowed: 0 to 2^50",
                     value);
            return tma_role_fail(role, statement, TMA_ERROR_ARGUMENT, text);
        }
        amount[i] = (uint64_t)value;
    }
    return true;
}

/* The role begins instructions, for which it shares the pipes of its SM. */
static void begin_instructions(struct tma_role_state *role, const uint64_t amount[TMA_AMOUNTS],
                               uint64_t cycle) {
    static const enum tma_series_figure figures[TMA_UNIT_COUNT] = {
        [TMA_UNIT_FMA] = TMA_SERIES_FMA_TICKS,
        [TMA_UNIT_ALU] = TMA_SERIES_ALU_TICKS,
        [TMA_UNIT_SFU] = TMA_SERIES_SFU_TICKS,
        [TMA_UNIT_ISSUE] = TMA_SERIES_ISSUE_TICKS};
    const struct tma_machine *machine = machine_of(role);
    struct tma_kernel_engine *engine = role->cta->engine;
    struct tma_pipes *pipes = &role->cta->sm->pipes;
    struct tma_instructions instructions = {.warps = engine->kernel->roles[role->index].warps,
                                            .faster = engine->kernel->relieved.faster_units};
    memcpy(instructions.amount, amount, sizeof instructions.amount);
    const struct tma_instruction_ticks ticks = tma_instruction_ticks(machine, &instructions);
    if (role->computed_cycle != cycle)
        role->computes_since = cycle;
    tma_pipes_advance(pipes, tma_kernel_products(role->cta->sm), cycle);
    tma_pipes_begin(
        pipes, machine, &instructions, &ticks,
        (struct tma_pipe_job){.number = role->number,
                              .order = (uint64_t)role->cta->base.number << 32 | role->number,
                              .since = role->computes_since});
    role->alone_cycles = tma_ticks_to_cycle(ticks.alone);
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        tma_observe_unit(&engine->simulation.observer, figures[p],
                         cycle * TMA_TICKS + ticks.pipes[p], ticks.pipes[p]);
}

/* The wavefronts of a consumer's passes over the current stage of the ring that it reads. */
static uint64_t count_wavefronts(const struct tma_role_state *role,
                                 const struct tma_statement *statement) {
    struct tma_kernel_engine *engine = role->cta->engine;
    const struct tma_kernel *kernel = engine->kernel;
    const struct tma_statement *load = &kernel->statements[statement->consumer.operation];
    const struct tma_statement_facts *facts = &engine->facts[statement - kernel->statements];
    uint64_t stage = 0;
    if (load->ring != TMA_NO_RING && role->rings[load->ring].waited > 0)
        stage = (role->rings[load->ring].waited - 1) % kernel->rings[load->ring].depth;
    const struct tma_consumer_report *report = &facts->reports[stage];
    if (facts->consumer < TMA_MAX_CONSUMERS)
        tma_account_passes(&engine->simulation.accounting, facts->consumer, report,
                           statement->consumer.repeat);
    return report->wavefronts * statement->consumer.repeat;
}

/* The role gets what it asks for at `cycle`. Returns the cycle at which it goes on. */
static uint64_t serve(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t cycle) {
    const struct tma_machine *machine = machine_of(role);
    struct tma_kernel_sm *sm = role->cta->sm;
    uint64_t amount[TMA_AMOUNTS];
    role->queued = 0;
    if (!find_amounts(role, statement, amount))
        return cycle;
    const struct tma_kernel_relieved *relieved = &role->cursor.kernel->relieved;
    switch (statement->work) {
    case TMA_WORK_CYCLES:
        if (relieved->shorter_work)
            amount[0] = (amount[0] * 9 + 5) / 10;
        return cycle + amount[0] + machine->warp.spin_cycles;
    case TMA_WORK_MMA:
        return multiply(role, statement, amount, cycle);
    case TMA_WORK_INSTRUCTIONS:
        begin_instructions(role, amount, cycle);
        return tma_pipes_end(&sm->pipes, tma_kernel_products(sm), role->number);
    case TMA_WORK_SHARED:
        if (relieved->wavefronts == TMA_WAVEFRONTS_TENTH_FASTER)
            amount[0] = tma_tenth_faster(amount[0]);
        return take_shared_memory(role, cycle, amount[0]);
    case TMA_WORK_CONSUMER:
        return take_shared_memory(role, cycle, count_wavefronts(role, statement));
    }
    return cycle;
}

static bool comes_before(const struct tma_role_state *a, const struct tma_role_state *b) {
    return a->cta->base.number != b->cta->base.number ? a->cta->base.number < b->cta->base.number
                                                      : a->number < b->number;
}

/* At the end of a cycle: serves the requests of an SM for this cycle, by CTA and role. */
static void serve_requests(struct tma_kernel_sm *sm, uint64_t cycle) {
    for (uint32_t i = 0; i < sm->request_count; i++) {
        struct tma_role_state *role = sm->requests[i];
        uint32_t at = i;
        for (; at > 0 && comes_before(role, sm->requests[at - 1]); at--)
            sm->requests[at] = sm->requests[at - 1];
        sm->requests[at] = role;
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < sm->request_count; i++) {
        struct tma_role_state *role = sm->requests[i];
        if (role->cycle > cycle) {
            sm->requests[left++] = role;
            continue;
        }
        role->served_cycle = serve(role, role->request, role->cycle);
        role->served = true;
        role->computes = role->request->work == TMA_WORK_INSTRUCTIONS;
    }
    sm->request_count = left;
}

/* Whether the role's instructions have ended at `now`. Others may have begun meanwhile, which only
 * makes them end later: served_cycle is then the cycle at which to ask again. */
static bool have_ended(struct tma_role_state *role, uint64_t now) {
    struct tma_kernel_sm *sm = role->cta->sm;
    if (role->served_cycle <= now) {
        tma_pipes_advance(&sm->pipes, tma_kernel_products(sm), now);
        role->served_cycle = tma_pipes_end(&sm->pipes, tma_kernel_products(sm), role->number);
    }
    return role->served_cycle <= now;
}

/* The role has done a statement at `end`. */
static void note_end(struct tma_role_state *role, const struct tma_statement *statement,
                     uint64_t end) {
    uint64_t issued = role->cycle + machine_of(role)->warp.mma_issue_cycles;
    bool product = statement->work == TMA_WORK_MMA && role->computed_cycle == role->cycle;
    if (statement->work == TMA_WORK_INSTRUCTIONS)
        observe(role, TMA_SPAN_PIPES, role->cycle, end);
    if (statement->work == TMA_WORK_INSTRUCTIONS || (product && end == issued))
        role->computed_cycle = end;
    if (statement->work == TMA_WORK_INSTRUCTIONS && end > role->cycle + role->alone_cycles)
        role->queued = end - role->cycle - role->alone_cycles;
}

bool tma_role_compute(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t now, struct tma_wait *wait, uint64_t *end) {
    struct tma_kernel_sm *sm = role->cta->sm;
    /* Shared memory has to be asked in order of time even by one role, since its data arrive. */
    bool shared = statement->work == TMA_WORK_SHARED || statement->work == TMA_WORK_CONSUMER;
    if (statement->work == TMA_WORK_CYCLES || (!role->cta->engine->shares_units && !shared)) {
        *end = serve(role, statement, role->cycle);
        if (statement->work == TMA_WORK_INSTRUCTIONS)
            tma_pipes_advance(&sm->pipes, tma_kernel_products(sm), *end);
        note_end(role, statement, *end);
        return true;
    }
    if (role->request != NULL) {
        if (!role->served)
            serve_requests(sm, now);
        if (role->computes && !have_ended(role, now)) {
            role->phase = TMA_ROLE_REQUESTS;
            role->waiting = statement;
            *wait = tma_wait_cycle(role->served_cycle);
            return false;
        }
        role->computes = false;
        role->request = NULL;
        role->served = false;
        *end = role->served_cycle;
        note_end(role, statement, *end);
        return true;
    }
    role->phase = TMA_ROLE_REQUESTS;
    role->waiting = statement;
    role->request = statement;
    sm->requests[sm->request_count++] = role;
    *wait = tma_wait_cycle_end(role->cycle > now ? role->cycle : now);
    return false;
}

void tma_request_tile(struct tma_role_state *role, uint64_t now) {
    struct tma_kernel_engine *engine = role->cta->engine;
    (void)now;
    role->cta->cluster->requests_tile = true;
    engine->tiles_requested = true;
    tma_actor_signal(&engine->simulation.actors, tma_scheduler_actor(&engine->simulation));
}

static bool add_tile(struct tma_kernel_cluster *cluster, uint64_t tile, uint64_t cycle) {
    if (!TMA_GROW(cluster->tiles, cluster->tile_count, cluster->tile_capacity))
        return false;
    cluster->tiles[cluster->tile_count++] = (struct tma_taken_tile){tile, cycle};
    return true;
}

/* The first tile of a cluster is that of its number; the counter begins behind them. */
void tma_serve_tiles(struct tma_kernel_engine *engine, uint64_t now) {
    engine->tiles_requested = false;
    for (uint32_t c = 0; c < engine->simulation.cluster_count; c++) {
        struct tma_kernel_cluster *cluster = &engine->clusters[c];
        if (!cluster->requests_tile)
            continue;
        cluster->requests_tile = false;
        uint64_t tile = cluster->ctas[0].base.number, cycle = now;
        if (cluster->tile_count > 0) {
            tile = engine->next_tile;
            engine->next_tile += engine->simulation.cluster_ctas;
            cycle += engine->machine.warp.tile_cycles;
        }
        if (!add_tile(cluster, tile, cycle))
            tma_simulation_out_of_memory(&engine->simulation);
        for (uint32_t i = 0; i < engine->simulation.cluster_ctas; i++)
            for (uint32_t r = 0; r < engine->kernel->role_count; r++)
                if (cluster->ctas[i].roles[r].phase == TMA_ROLE_WAITS_TILE)
                    tma_actor_signal(&engine->simulation.actors, cluster->ctas[i].roles[r].number);
    }
}
