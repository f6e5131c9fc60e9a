#include "engine/step_cut.h"

#include <string.h>

#include "engine/operation_set.h"
#include "engine/statement_operation.h"
#include "memory/core/sectors.h"
#include "placement/rows.h"
#include "tensormap/types.h"

enum {
    LEAST_HALF = 4,    /* steps in each half of the timed ones, */
    LEAST_PERIODS = 3, /* and at least so many periods of them */
    MOST_PERIOD = 4,
    LAST_TILES = 2 /* of a CTA that stays, behind those that are left out */
};

/* The loop of a role with the most steps, and how many. */
static uint32_t longest_loop(const struct tma_kernel *kernel, uint32_t role, uint64_t *steps) {
    uint32_t found = UINT32_MAX;
    *steps = 0;
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
        uint64_t around = tma_loop_steps(&kernel->statements[i]);
        if (around <= *steps)
            continue;
        *steps = around;
        found = i;
    }
    return found;
}

static bool takes_stage(const struct tma_kernel *kernel, uint32_t loop, uint8_t ring) {
    for (uint32_t i = loop + 1; i < kernel->statements[loop].end; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        bool takes =
            statement->kind == TMA_STATEMENT_ACQUIRE || statement->kind == TMA_STATEMENT_WAIT;
        if (takes && statement->ring == ring)
            return true;
    }
    return false;
}

/* Whether an iteration of the loop moves a part of a stage that all iterations share. Without some
 * of them the stage would never be full. */
static bool moves_parts(const struct tma_kernel *kernel, uint32_t loop) {
    for (uint32_t i = loop + 1; i < kernel->statements[loop].end; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_OPERATION && statement->ring != TMA_NO_RING &&
            !takes_stage(kernel, loop, statement->ring))
            return true;
    }
    return false;
}

/* Stages of the deepest ring: they are filled in so many first steps, and drained in as many last
 * ones. */
static uint64_t most_stages(const struct tma_kernel *kernel) {
    uint64_t most = 1;
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        most = kernel->rings[r].depth > most ? kernel->rings[r].depth : most;
    return most;
}

/* Steps of which one finds a line of L2 absent that the others then find there. Early and late
 * timed steps have all of them. */
static uint64_t period_of(const struct tma_kernel *kernel) {
    uint64_t most = 1;
    for (uint32_t m = 0; m < kernel->map_count; m++) {
        const struct tma_tensor_map *map = &kernel->maps[m];
        uint64_t fetched = map->l2_promotion == TMA_L2_256B ? 2 * TMA_LINE_BYTES : TMA_LINE_BYTES;
        uint64_t row = (uint64_t)map->box_dim[0] * tma_type_info(map->data_type)->global_bits / 8;
        uint64_t period = row == 0 ? 1 : fetched / row;
        most = period > most ? period : most;
    }
    return most < MOST_PERIOD ? most : MOST_PERIOD;
}

/* The steps of each half of the timed ones. A ring is filled in one go at first, so that so many
 * steps as it has stages are fast, and then one waits. */
static uint64_t half_of(uint64_t stages, uint64_t period) {
    uint64_t half = stages;
    while (half < LEAST_HALF || half < LEAST_PERIODS * period || half % period != 0)
        half += stages;
    return half;
}

bool tma_step_cut_find(const struct tma_kernel *kernel, struct tma_step_cut *cut) {
    *cut = (struct tma_step_cut){.timed_role = UINT32_MAX};
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        uint64_t steps;
        cut->loops[role] = longest_loop(kernel, role, &steps);
        if (cut->loops[role] == UINT32_MAX)
            continue;
        bool same = cut->timed_role == UINT32_MAX || steps == cut->steps;
        if (!same || moves_parts(kernel, cut->loops[role]))
            return false;
        cut->timed_role = role;
        cut->steps = steps;
    }
    uint64_t period = period_of(kernel), stages = most_stages(kernel);
    uint64_t last = stages + 2 * half_of(stages, period);
    uint64_t simulated = last + 1 + stages;
    if (cut->timed_role == UINT32_MAX || cut->steps < simulated + simulated / 2)
        return false;
    cut->timed = (struct tma_timed_steps){stages, last};
    cut->left_out = (cut->steps - simulated) / period * period;
    return true;
}

/* The loop of a role over the output tiles of a CTA that stays; UINT32_MAX: it has none. */
static uint32_t tile_loop(const struct tma_kernel *kernel, uint32_t role) {
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_TILES &&
            kernel->statements[i].schedule == TMA_TILES_PERSISTENT)
            return i;
    return UINT32_MAX;
}

void tma_step_cut_leave_tiles(const struct tma_kernel *kernel, struct tma_step_cut *cut,
                              uint64_t first, uint64_t loops) {
    /* Some CTAs have one tile less than others. */
    const uint64_t simulated = first + LAST_TILES + 1;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        cut->tiles[role] = tile_loop(kernel, role);
        if (cut->tiles[role] == UINT32_MAX)
            return;
    }
    cut->first_tiles = first;
    cut->tiles_left_out = loops > simulated ? loops - simulated : 0;
}

struct tma_loop_gap tma_step_cut_gap(const struct tma_step_cut *cut) {
    return (struct tma_loop_gap){.after = cut->timed.last,
                                 .by = cut->left_out,
                                 .tiles_after = cut->first_tiles - 1,
                                 .tiles_by = cut->tiles_left_out};
}

struct tma_loop_cut tma_step_cut_loops(const struct tma_step_cut *cut) {
    struct tma_loop_cut loops = {.counted = cut->timed_role};
    memcpy(loops.loops, cut->loops, sizeof loops.loops);
    memcpy(loops.tiles, cut->tiles, sizeof loops.tiles);
    return loops;
}

static void add_work(const struct tma_program_cursor *cursor, const int64_t *variables,
                     struct tma_program_amounts *amounts) {
    static const struct {
        enum tma_work work;
        enum tma_tally_unit unit;
        int factors;
    } units[] = {{TMA_WORK_MMA, TMA_TALLY_TENSOR, 3},
                 {TMA_WORK_MMA, TMA_TALLY_OPERANDS, 3},
                 {TMA_WORK_ALU, TMA_TALLY_ALU, 1},
                 {TMA_WORK_SFU, TMA_TALLY_SFU, 1}};
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        uint64_t work = 1;
        for (int i = 0; i < units[u].factors && units[u].work == cursor->statement->work; i++) {
            int64_t amount;
            if (!tma_value_at(&cursor->statement->amount[i], variables, &amount, NULL))
                return;
            work *= (uint64_t)amount;
        }
        if (units[u].work == cursor->statement->work)
            amounts->units[units[u].unit] += work;
    }
}

static void add_statement(struct tma_program_cursor *cursor, struct tma_program_amounts *amounts) {
    const struct tma_statement *statement = cursor->statement;
    if (statement->kind == TMA_STATEMENT_COMPUTE)
        add_work(cursor, tma_cursor_place(cursor)->variables, amounts);
    if (statement->kind == TMA_STATEMENT_ACQUIRE)
        amounts->acquired[statement->ring]++;
    if (statement->kind == TMA_STATEMENT_WAIT)
        amounts->waited[statement->ring]++;
    if (statement->kind != TMA_STATEMENT_OPERATION)
        return;
    uint64_t bytes = tma_moved_bytes(&cursor->kernel->maps[statement->map], &statement->operation);
    amounts->operations++;
    if (tma_writes_tensor(statement->operation.direction))
        amounts->store_bytes += bytes;
    else
        amounts->load_bytes += bytes;
}

static void add_role(const struct tma_kernel *kernel, uint32_t cta, uint32_t role,
                     struct tma_loop_walk *walk, const struct tma_loop_gap *gap,
                     struct tma_program_amounts *amounts) {
    struct tma_program_cursor *cursor = walk->cursor;
    tma_cursor_begin(cursor, kernel, role, cta);
    cursor->cut = walk->cut;
    cursor->gap = gap;
    for (;;) {
        enum tma_cursor_state state = tma_cursor_next(cursor);
        if (state == TMA_CURSOR_TILE)
            tma_cursor_give_tile(cursor, cta + cursor->tile_index * kernel->cta_count);
        else if (state == TMA_CURSOR_STATEMENT)
            add_statement(cursor, amounts);
        else
            break;
    }
    amounts->statements += cursor->steps;
}

struct tma_program_amounts tma_step_cut_amounts(const struct tma_kernel *kernel,
                                                const struct tma_step_cut *cut, bool whole,
                                                struct tma_loop_walk *walk) {
    struct tma_program_amounts amounts = {0};
    uint32_t ctas = tma_kernel_cluster_ctas(kernel);
    struct tma_loop_gap gap = tma_step_cut_gap(cut);
    if (whole)
        gap = (struct tma_loop_gap){0};
    *walk->cut = tma_step_cut_loops(cut);
    for (uint32_t cta = 0; cta < ctas; cta++)
        for (uint32_t role = 0; role < kernel->role_count; role++)
            add_role(kernel, cta, role, walk, &gap, &amounts);
    amounts.loops = walk->cut->passes / (cut->steps - gap.by) / ctas;
    return amounts;
}

bool tma_step_cut_balances(const struct tma_program_amounts *whole,
                           const struct tma_program_amounts *part) {
    for (uint32_t r = 0; r < TMA_MAX_RINGS; r++)
        if (whole->acquired[r] * part->waited[r] != part->acquired[r] * whole->waited[r])
            return false;
    return true;
}

/* A walk through the first output tiles of CTAs. */
struct footprint_walk {
    const struct tma_step_cut *cut;
    struct tma_operation_set set;
    uint64_t steps_bytes, other_bytes; /* within the loops that are cut, and outside */
};

static bool is_within(const struct tma_program_place *place, uint32_t loop) {
    bool within = false;
    for (uint32_t d = 0; d < place->depth; d++)
        within |= place->frames[d].statement == loop;
    return within;
}

static void touch(struct footprint_walk *footprint, struct tma_program_cursor *cursor) {
    const struct tma_statement *statement = cursor->statement;
    const struct tma_program_place *place = tma_cursor_place(cursor);
    struct tma_operation operation;
    uint32_t map_index;
    struct tma_error error;
    if (!tma_statement_operation(cursor->kernel, statement, place->variables, &operation,
                                 &map_index, &error))
        return; /* the run says so */
    struct tma_set_operation *found =
        tma_operation_set_find(&footprint->set, statement->map, map_index, &operation);
    uint64_t bytes = tma_moved_bytes(&cursor->kernel->maps[statement->map], &statement->operation);
    if (found->mask != 0)
        return;
    found->mask = 1;
    if (is_within(place, footprint->cut->loops[cursor->role]))
        footprint->steps_bytes += bytes;
    else
        footprint->other_bytes += bytes;
}

static void touch_first_tile(struct footprint_walk *footprint, const struct tma_kernel *kernel,
                             uint32_t cta, uint32_t role, struct tma_loop_walk *walk) {
    const struct tma_step_cut *cut = footprint->cut;
    const struct tma_loop_gap gap = tma_step_cut_gap(cut);
    struct tma_program_cursor *cursor = walk->cursor;
    tma_cursor_begin(cursor, kernel, role, cta);
    cursor->cut = walk->cut;
    cursor->gap = &gap;
    while (cursor->passes <= cut->steps - cut->left_out) {
        enum tma_cursor_state state = tma_cursor_next(cursor);
        if (state == TMA_CURSOR_TILE)
            tma_cursor_give_tile(cursor, cta + cursor->tile_index * kernel->cta_count);
        else if (state != TMA_CURSOR_STATEMENT)
            break;
        else if (cursor->statement->kind == TMA_STATEMENT_OPERATION)
            touch(footprint, cursor);
    }
}

bool tma_step_cut_footprint(const struct tma_kernel *kernel, const struct tma_step_cut *cut,
                            uint32_t ctas, const struct tma_program_amounts *part,
                            struct tma_loop_walk *walk, struct tma_step_footprint *found) {
    struct footprint_walk footprint = {.cut = cut};
    uint64_t simulated = cut->steps - cut->left_out;
    if (!tma_operation_set_create(&footprint.set, part->operations * ctas))
        return false;
    for (uint32_t cta = 0; cta < ctas; cta++)
        for (uint32_t role = 0; role < kernel->role_count; role++)
            touch_first_tile(&footprint, kernel, cta, role, walk);
    tma_operation_set_free(&footprint.set);
    *found = (struct tma_step_footprint){
        .whole_bytes = footprint.steps_bytes / simulated * cut->steps + footprint.other_bytes,
        .part_bytes = footprint.steps_bytes + footprint.other_bytes};
    return true;
}

/* What was left out of counts that go with an amount of the programs. */
struct tma_left_out {
    uint64_t more, simulated; /* so much for each so much that was simulated */
};

static uint64_t part_of(uint64_t count, struct tma_left_out left) {
    return left.simulated == 0 ? 0
                               : (uint64_t)((unsigned __int128)count * left.more / left.simulated);
}

static struct tma_left_out left_of(uint64_t whole, uint64_t part) {
    return (struct tma_left_out){whole > part ? whole - part : 0, part};
}

static struct tma_counters counters_of(const struct tma_counters *simulated,
                                       struct tma_left_out loads, struct tma_left_out stores,
                                       struct tma_left_out moves, struct tma_left_out operations) {
    return (struct tma_counters){
        .operations = part_of(simulated->operations, operations),
        .rows = part_of(simulated->rows, moves),
        .rows_out_of_bounds = part_of(simulated->rows_out_of_bounds, loads),
        .bytes = part_of(simulated->bytes, loads),
        .tensor_bytes = part_of(simulated->tensor_bytes, loads),
        .copied_bytes = part_of(simulated->copied_bytes, loads),
        .prefetched_bytes = part_of(simulated->prefetched_bytes, loads),
        .stored_bytes = part_of(simulated->stored_bytes, stores),
        .reduced_bytes = part_of(simulated->reduced_bytes, stores),
    };
}

/* Misses are those of loads. A request of a store has a whole line. */
static struct tma_memory_counters memory_of(const struct tma_memory_counters *simulated,
                                            struct tma_left_out loads, struct tma_left_out stores,
                                            struct tma_left_out moves) {
    uint64_t writes = simulated->write_sectors, write_requests = writes / TMA_SECTORS;
    if (write_requests > simulated->requests)
        write_requests = simulated->requests;
    struct tma_memory_counters left = {
        .requests =
            part_of(simulated->requests - write_requests, loads) + part_of(write_requests, stores),
        .sectors = part_of(simulated->sectors - writes, loads) + part_of(writes, stores),
        .miss_sectors = part_of(simulated->miss_sectors, loads),
        .lookup_miss_sectors = part_of(simulated->lookup_miss_sectors, loads),
        .response_sectors = part_of(simulated->response_sectors, loads),
        .write_sectors = part_of(writes, stores),
        .fills = part_of(simulated->fills, loads),
        .fill_sectors = part_of(simulated->fill_sectors, loads),
        .unused_sectors = part_of(simulated->unused_sectors, loads),
        .evictions = part_of(simulated->evictions, loads),
        .partition_sectors = part_of(simulated->partition_sectors, moves),
        .dram_read_sectors = part_of(simulated->dram_read_sectors, loads),
        .dram_write_sectors = part_of(simulated->dram_write_sectors, stores),
        .shared_write_wavefronts = part_of(simulated->shared_write_wavefronts, loads),
        .tma_busy = part_of(simulated->tma_busy, moves),
        .sm_port_busy = part_of(simulated->sm_port_busy, loads),
        .gpc_port_busy = part_of(simulated->gpc_port_busy, loads),
        .slice_busy = part_of(simulated->slice_busy, moves),
        .shared_busy = part_of(simulated->shared_busy, loads),
    };
    left.hit_sectors = left.sectors - left.miss_sectors;
    left.bus_busy = part_of(
        simulated->bus_busy,
        (struct tma_left_out){left.dram_read_sectors + left.dram_write_sectors,
                              simulated->dram_read_sectors + simulated->dram_write_sectors});
    return left;
}

struct tma_tally tma_step_cut_tally(const struct tma_tally *simulated,
                                    const struct tma_program_amounts *whole,
                                    const struct tma_program_amounts *part) {
    struct tma_left_out loads = left_of(whole->load_bytes, part->load_bytes);
    struct tma_left_out stores = left_of(whole->store_bytes, part->store_bytes);
    struct tma_left_out moves =
        left_of(whole->load_bytes + whole->store_bytes, part->load_bytes + part->store_bytes);
    struct tma_left_out operations = left_of(whole->operations, part->operations);
    struct tma_tally left = {
        .counters = counters_of(&simulated->counters, loads, stores, moves, operations),
        .memory = memory_of(&simulated->memory, loads, stores, moves),
        .statements = part_of(simulated->statements, left_of(whole->statements, part->statements)),
        .latencies = part_of(simulated->latencies, operations),
    };
    for (int c = 0; c < TMA_MAX_CONSUMERS; c++)
        for (int i = 0; i < 3; i++)
            left.consumers[c][i] = part_of(simulated->consumers[c][i], loads);
    for (int u = 0; u < TMA_TALLY_UNIT_COUNT; u++)
        left.units[u] = part_of(simulated->units[u], left_of(whole->units[u], part->units[u]));
    return left;
}
