#include "bound/program_work.h"

#include "base/numbers.h"
#include "engine/roles/mma.h"
#include "engine/roles/statement_operation.h"
#include "memory/core/port.h"
#include "memory/core/sectors.h"
#include "placement/rows.h"

/* Above all that kernels have, so that sums of products do not overflow. */
#define MOST (UINT64_C(1) << 60)

static uint64_t times_of(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > MOST ? MOST : product;
}

static void increase(uint64_t *sum, uint64_t times, uint64_t each) {
    *sum += times_of(times, each);
    if (*sum > MOST)
        *sum = MOST;
}

static uint64_t ticks(uint64_t cycles) {
    return times_of(cycles, TMA_TICKS);
}

void tma_work_begin(struct tma_work_walk *walk, const struct tma_machine *machine,
                    const struct tma_kernel *kernel, enum tma_work_cta cta) {
    uint32_t cluster = tma_kernel_cluster_ctas(kernel);
    *walk = (struct tma_work_walk){.machine = machine, .kernel = kernel, .cta = cta};
    walk->variables[TMA_VARIABLE_CTAS] = kernel->cta_count;
    walk->variables[TMA_VARIABLE_CLUSTER] = cluster;
    walk->known = 1u << TMA_VARIABLE_CTAS | 1u << TMA_VARIABLE_CLUSTER;
    if (cta == TMA_WORK_OF_FIRST)
        walk->known |= 1u << TMA_VARIABLE_CTA | 1u << TMA_VARIABLE_RANK;
    else if (cluster == 1)
        walk->known |= 1u << TMA_VARIABLE_RANK;
}

bool tma_work_value(const struct tma_work_walk *walk, const struct tma_value *value,
                    int64_t *result) {
    *result = value->constant;
    if (value->expression == NULL)
        return true;
    if ((tma_expression_variables(value->expression) & ~walk->known) != 0)
        return false;
    return tma_expression_evaluate(value->expression, walk->variables, result, NULL) == TMA_OK;
}

/* The tiles of all CTAs; 0 where they are not known. */
static uint64_t all_tiles(const struct tma_work_walk *walk, const struct tma_statement *loop) {
    int64_t m, n;
    if (!tma_work_value(walk, &loop->tiles_m, &m) || !tma_work_value(walk, &loop->tiles_n, &n) ||
        m <= 0 || n <= 0)
        return 0;
    return times_of((uint64_t)m, (uint64_t)n);
}

/* The tiles of a CTA. */
static uint64_t tiles_of(const struct tma_work_walk *walk, const struct tma_statement *loop) {
    uint64_t ctas = walk->kernel->cta_count, tiles = all_tiles(walk, loop);
    if (tiles == 0)
        return 0;
    bool first = walk->cta == TMA_WORK_OF_FIRST;
    switch (loop->schedule) {
    case TMA_TILES_ONE:
        return first || ctas <= tiles;
    case TMA_TILES_PERSISTENT:
        return first ? tma_divide_up(tiles, ctas) : tiles / ctas;
    case TMA_TILES_DYNAMIC:
        return walk->cta == TMA_WORK_OF_MOST ? tma_divide_up(tiles, ctas) : first || ctas <= tiles;
    }
    return 0;
}

/* How often the body of a loop runs in the CTA, at least. */
static uint64_t work_times(const struct tma_work_walk *walk, const struct tma_statement *loop) {
    int64_t from, to, step;
    if (loop->kind == TMA_STATEMENT_TILES)
        return tiles_of(walk, loop);
    if (loop->once)
        return 1;
    if (!tma_work_value(walk, &loop->from, &from) || !tma_work_value(walk, &loop->to, &to) ||
        !tma_work_value(walk, &loop->step, &step) || from >= to || step < 1)
        return 0;
    return tma_divide_up((uint64_t)to - (uint64_t)from, (uint64_t)step);
}

/* Either of two: what both have at least. */
static struct tma_program_work least(const struct tma_program_work *a,
                                     const struct tma_program_work *b) {
    struct tma_program_work work = {
        .serial = tma_smaller(a->serial, b->serial),
        .chain = tma_smaller(a->chain, b->chain),
        .operations = tma_smaller(a->operations, b->operations),
        .tensor = tma_smaller(a->tensor, b->tensor),
        .shared = tma_smaller(a->shared, b->shared),
        .tma = tma_smaller(a->tma, b->tma),
        .port = tma_smaller(a->port, b->port),
    };
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        work.pipes[p] = tma_smaller(a->pipes[p], b->pipes[p]);
    for (uint32_t r = 0; r < TMA_MAX_RINGS; r++)
        work.waits[r] = tma_smaller(a->waits[r], b->waits[r]);
    return work;
}

static void add_work(struct tma_program_work *sum, const struct tma_program_work *work) {
    increase(&sum->serial, 1, work->serial);
    increase(&sum->chain, 1, work->chain);
    increase(&sum->operations, 1, work->operations);
    increase(&sum->tensor, 1, work->tensor);
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        increase(&sum->pipes[p], 1, work->pipes[p]);
    increase(&sum->shared, 1, work->shared);
    increase(&sum->tma, 1, work->tma);
    increase(&sum->port, 1, work->port);
    for (uint32_t r = 0; r < TMA_MAX_RINGS; r++)
        increase(&sum->waits[r], 1, work->waits[r]);
}

static void add_branch(const struct tma_work_walk *walk, uint32_t index, uint64_t times,
                       struct tma_program_work *work) {
    const struct tma_statement *branch = &walk->kernel->statements[index];
    uint32_t otherwise = branch->otherwise > index ? branch->otherwise : branch->end;
    struct tma_program_work then_work = {0}, else_work = {0};
    int64_t condition;
    bool known = tma_work_value(walk, &branch->condition, &condition);
    if (!known || condition != 0)
        tma_work_add(walk, index + 1, otherwise, times, &then_work);
    if (!known || condition == 0)
        tma_work_add(walk, otherwise, branch->end, times, &else_work);
    if (!known)
        then_work = least(&then_work, &else_work);
    add_work(work, known && condition == 0 ? &else_work : &then_work);
}

/* Rows and bytes of loads. Data and fill of a row are requests of their own, and a request touches
 * at least the sectors of its bytes. Of a multicast load the SM that issues it need not be one that
 * gets the data. */
static void add_load(const struct tma_work_walk *walk, const struct tma_statement *statement,
                     uint64_t times, struct tma_program_work *work) {
    const struct tma_machine *machine = walk->machine;
    const struct tma_tensor_map *map = &walk->kernel->maps[statement->map];
    struct tma_operation operation = statement->operation;
    struct tma_operation_size size;
    struct tma_row_stream rows;
    tma_go_inside_box(map, &operation);
    if (tma_rows_begin(&rows, map, &operation, &size, NULL) != TMA_OK)
        return;
    uint64_t bytes = size.row_moved_bytes;
    uint64_t requests = size.rows * tma_divide_up(bytes, TMA_LINE_BYTES);
    uint64_t unit = requests * tma_millicycles_to_ticks(machine->tma.row_millicycles);
    uint64_t dispatch = ticks(machine->tma.dispatch_interval_cycles);
    increase(&work->tma, times, unit > dispatch ? unit : dispatch);
    if (statement->cta_mask.expression == NULL && statement->cta_mask.constant == 0)
        increase(&work->port, times * size.rows,
                 tma_divide_up(bytes, TMA_SECTOR_BYTES) *
                     tma_sector_ticks(machine->crossbar.sm_port_bytes_per_kcycle));
}

static uint64_t unit_ticks(uint64_t amount, uint64_t rate) {
    return rate == 0 ? 0 : ticks(amount) / rate;
}

static void add_mma(const struct tma_work_walk *walk, const struct tma_statement *statement,
                    uint64_t times, struct tma_program_work *work) {
    const struct tma_machine *machine = walk->machine;
    int64_t m, n, k;
    increase(&work->serial, times, ticks(machine->warp.mma_issue_cycles));
    if (!tma_work_value(walk, &statement->amount[0], &m) ||
        !tma_work_value(walk, &statement->amount[1], &n) ||
        !tma_work_value(walk, &statement->amount[2], &k) || m <= 0 || n <= 0 || k <= 0)
        return;
    uint64_t bytes = tma_divide_up(times_of((uint64_t)k, tma_mma_element_bits(statement->type)), 8);
    uint64_t parts = tma_divide_up((uint64_t)m, TMA_MMA_ROWS);
    uint64_t groups = walk->warps / TMA_WARP_GROUP_WARPS;
    groups = groups > parts ? parts : groups > 0 ? groups : 1;
    uint64_t product = unit_ticks(times_of(times_of((uint64_t)m, (uint64_t)n), (uint64_t)k),
                                  tma_mma_rate(machine, statement->type));
    uint64_t a = statement->a_in_registers ? 0 : times_of((uint64_t)m, bytes);
    uint64_t b = times_of(times_of(parts, (uint64_t)n), bytes);
    uint64_t reads =
        (unit_ticks(a, machine->sm.mma_a_bytes) + unit_ticks(b, machine->sm.mma_b_bytes)) / groups;
    reads -= reads % TMA_TICKS;
    increase(&work->tensor, times, product);
    increase(&work->chain, times, reads);
    if (statement->leaving == 0) {
        increase(&work->serial, times,
                 (product > reads ? product : reads) + ticks(machine->warp.mma_wait_cycles));
        return;
    }
    /* The instructions beyond those in flight are issued when earlier ones are done. */
    uint64_t instructions = tma_divide_up(parts, groups) *
                            tma_divide_up((uint64_t)n, TMA_MMA_COLUMNS) *
                            tma_divide_up(bytes, TMA_MMA_K_BYTES);
    uint64_t queue = machine->sm.mma_queue;
    if (queue == 0 || instructions <= queue)
        return;
    /* The first time, the SM fetches the instructions of the next statement meanwhile. */
    uint64_t issue = reads / instructions * (instructions - queue);
    uint64_t fetch = walk->fetches ? ticks(machine->warp.fetch_cycles) : 0;
    increase(&work->serial, times - 1, issue);
    increase(&work->serial, 1, issue > fetch ? issue - fetch : 0);
}

static void add_instructions(const struct tma_work_walk *walk,
                             const struct tma_statement *statement, uint64_t times,
                             struct tma_program_work *work) {
    struct tma_instructions instructions = {.warps = walk->warps};
    for (int i = 0; i < TMA_AMOUNTS; i++) {
        int64_t value;
        bool known = tma_work_value(walk, &statement->amount[i], &value) && value > 0;
        instructions.amount[i] = known ? (uint64_t)value : 0;
    }
    const struct tma_instruction_ticks each = tma_instruction_ticks(walk->machine, &instructions);
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        increase(&work->pipes[p], times, each.pipes[p]);
    increase(&work->serial, times, each.alone);
}

static void add_compute(const struct tma_work_walk *walk, const struct tma_statement *statement,
                        uint64_t times, struct tma_program_work *work) {
    const struct tma_machine *machine = walk->machine;
    int64_t amount;
    uint64_t took = 0;
    if (statement->work == TMA_WORK_MMA) {
        add_mma(walk, statement, times, work);
        return;
    }
    if (statement->work == TMA_WORK_INSTRUCTIONS) {
        add_instructions(walk, statement, times, work);
        return;
    }
    if (!tma_work_value(walk, &statement->amount[0], &amount) || amount < 0)
        amount = 0;
    switch (statement->work) {
    case TMA_WORK_CYCLES:
        took = ticks((uint64_t)amount) + ticks(machine->warp.spin_cycles);
        break;
    case TMA_WORK_SHARED:
        took = ticks(times_of((uint64_t)amount, machine->shared.wavefront_cycles));
        increase(&work->shared, times, took);
        break;
    case TMA_WORK_MMA:
    case TMA_WORK_INSTRUCTIONS:
    case TMA_WORK_CONSUMER: /* its wavefronts depend on the stage */
        break;
    }
    increase(&work->serial, times, took);
}

static uint64_t instruction_cycles(const struct tma_machine *machine,
                                   const struct tma_statement *statement, bool own) {
    switch (statement->kind) {
    case TMA_STATEMENT_ACQUIRE:
        return machine->warp.expect_cycles + (own ? 0 : machine->warp.wait_cycles);
    case TMA_STATEMENT_WAIT:
        return machine->warp.wait_cycles;
    case TMA_STATEMENT_SIGNAL:
        return machine->warp.arrive_cycles;
    case TMA_STATEMENT_OPERATION:
        return tma_lanes_carry(statement->lanes.by) ? 0 : machine->warp.issue_cycles;
    case TMA_STATEMENT_WAIT_STORES:
        return machine->warp.wait_group_cycles;
    case TMA_STATEMENT_BARRIER:
        return statement->arrive_only ? machine->warp.barrier_arrive_cycles
                                      : machine->warp.barrier_cycles;
    case TMA_STATEMENT_ADD_FLAG:
        return machine->core.lsu_cycles;
    case TMA_STATEMENT_WAIT_FLAG:
        return machine->warp.tile_cycles;
    case TMA_STATEMENT_RELEASE: /* this one and the next three may have nothing to do */
    case TMA_STATEMENT_COMMIT:
    case TMA_STATEMENT_WAIT_MMA:
    case TMA_STATEMENT_WAIT_LOADS:
    case TMA_STATEMENT_EXCHANGE:
    case TMA_STATEMENT_FOR:
    case TMA_STATEMENT_TILES:
    case TMA_STATEMENT_IF:
    case TMA_STATEMENT_AHEAD:
    case TMA_STATEMENT_COMPUTE:
    case TMA_STATEMENT_EXIT:
    case TMA_STATEMENT_KIND_COUNT:
        break;
    }
    return 0;
}

/* Whether one role alone has statements for a ring: then it has no empty mbarriers to look at. A
 * ring that several roles use may count as own here, which only lowers the bound. */
static bool may_be_own(const struct tma_kernel *kernel, uint32_t ring) {
    uint32_t acquiring = 0, waiting = 0;
    for (uint32_t role = 0; role < kernel->role_count; role++)
        for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
            if (kernel->statements[i].ring != ring)
                continue;
            if (kernel->statements[i].kind == TMA_STATEMENT_ACQUIRE)
                acquiring |= 1u << role;
            if (kernel->statements[i].kind == TMA_STATEMENT_WAIT)
                waiting |= 1u << role;
        }
    return (acquiring & waiting) != 0;
}

static void add_statement(const struct tma_work_walk *walk, const struct tma_statement *statement,
                          uint64_t times, struct tma_program_work *work) {
    const struct tma_machine *machine = walk->machine;
    bool own =
        statement->kind == TMA_STATEMENT_ACQUIRE && may_be_own(walk->kernel, statement->ring);
    if (times == 0)
        return;
    if (walk->fetches)
        increase(&work->serial, 1, ticks(machine->warp.fetch_cycles));
    increase(&work->serial, times, ticks(instruction_cycles(machine, statement, own)));
    if (statement->kind == TMA_STATEMENT_WAIT)
        increase(&work->waits[statement->ring], 1, times);
    else if (statement->kind == TMA_STATEMENT_COMPUTE)
        add_compute(walk, statement, times, work);
    if (statement->kind != TMA_STATEMENT_OPERATION)
        return;
    increase(&work->operations, tma_statement_pieces(walk->kernel, statement), times);
    if (statement->operation.direction == TMA_LOAD && !tma_lanes_carry(statement->lanes.by))
        add_load(walk, statement, times, work);
}

/* Whether the program may end in the statements from `first` to `end`. */
static bool may_exit(const struct tma_work_walk *walk, uint32_t first, uint32_t end) {
    const struct tma_statement *statements = walk->kernel->statements;
    for (uint32_t i = first; i < end; i++) {
        int64_t condition;
        if (statements[i].kind == TMA_STATEMENT_EXIT)
            return true;
        if (statements[i].kind == TMA_STATEMENT_IF && statements[i].otherwise <= i &&
            tma_work_value(walk, &statements[i].condition, &condition) && condition == 0)
            i = statements[i].end - 1;
    }
    return false;
}

/* The tiles that all CTAs take, each of which begins the loop equally often. */
static void add_all_tiles(const struct tma_work_walk *walk, uint32_t index, uint64_t times,
                          struct tma_program_work *work) {
    const struct tma_statement *loop = &walk->kernel->statements[index];
    struct tma_work_walk one = *walk;
    uint64_t ctas = walk->kernel->cta_count, tiles = all_tiles(walk, loop);
    if (loop->schedule == TMA_TILES_ONE)
        tiles = tma_smaller(tiles, ctas);
    one.cta = TMA_WORK_OF_ANY;
    tma_work_add(&one, index + 1, loop->end, times_of(times / ctas, tiles), work);
}

void tma_work_add(const struct tma_work_walk *walk, uint32_t first, uint32_t end, uint64_t times,
                  struct tma_program_work *work) {
    const struct tma_statement *statements = walk->kernel->statements;
    for (uint32_t i = first; i < end; i = statements[i].end) {
        if (may_exit(walk, i, statements[i].end))
            return; /* this and what follows may not run */
        switch (statements[i].kind) {
        case TMA_STATEMENT_TILES:
            if (walk->cta == TMA_WORK_OF_ALL) {
                add_all_tiles(walk, i, times, work);
                break;
            }
            /* fall through */
        case TMA_STATEMENT_FOR:
            tma_work_add(walk, i + 1, statements[i].end,
                         times_of(times, work_times(walk, &statements[i])), work);
            break;
        case TMA_STATEMENT_IF:
            add_branch(walk, i, times, work);
            break;
        case TMA_STATEMENT_AHEAD:
            tma_work_add(walk, i + 1, statements[i].end, times, work);
            break;
        case TMA_STATEMENT_ACQUIRE:
        case TMA_STATEMENT_OPERATION:
        TMA_PLAIN_STATEMENTS:
        case TMA_STATEMENT_EXCHANGE:
        case TMA_STATEMENT_EXIT:
            add_statement(walk, &statements[i], times, work);
            break;
        case TMA_STATEMENT_KIND_COUNT:
            break;
        }
    }
}
