#include "engine/kernel_warm_start.h"

#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/fuzzing.h"
#include "engine/kernel_operation.h"
#include "engine/kernel_sampling.h"
#include "engine/operation_set.h"
#include "engine/statement_operation.h"
#include "memory/core/address_map.h"
#include "placement/rows.h"

/* The same kernel, run just before, leaves the lines of its operations in L2. Its programs are
 * walked through without time: in each round every role goes on to its next operation, unless it
 * waits for a stage that is yet to be filled. Only the last operations matter: those that move so
 * many times the capacity of L2. */
enum {
    CAPACITIES = 20,
    LAUNCHES = 3,
    FIRST_OPERATIONS = TMA_UNLESS_FUZZING(4096, 16),
    MOST_OPERATIONS = 1 << 20
};

/* Waves, or iterations of loops, in a walk through the end of a long kernel. */
enum { LEAST_ROUNDS = 4 };

struct past_operation {
    struct tma_operation operation;
    uint32_t map, map_index, sm;
};

struct history {
    struct tma_kernel_engine *engine;
    struct past_operation *items;    /* owned: a ring */
    size_t capacity, count;          /* count: of all operations so far */
    uint64_t first;                  /* the first one that matters */
    uint64_t bytes;                  /* of those that matter */
    struct tma_role_state *roles;    /* the engine's, before the run */
    struct tma_operation_set visits; /* by L2 partition: bit p for partition p */
};

static uint32_t bytes_of(const struct tma_kernel_engine *engine,
                         const struct tma_statement *statement) {
    uint32_t bytes = engine->facts[statement - engine->kernel->statements].bytes;
    return bytes > 0 ? bytes : 1024;
}

/* Adds an operation, and forgets those that no longer matter. False when out of memory. */
static bool remember(struct history *history, struct tma_role_state *role,
                     const struct tma_statement *statement) {
    struct tma_kernel_engine *engine = history->engine;
    struct past_operation past = {.map = statement->map, .sm = role->cta->sm->number};
    struct tma_error error;
    if (!tma_statement_operation(engine->kernel, statement,
                                 tma_cursor_place(&role->cursor)->variables, &past.operation,
                                 &past.map_index, &error))
        return true; /* the run says so */
    if (history->count - history->first == history->capacity) {
        if (history->capacity == MOST_OPERATIONS) {
            history->first++;
        } else {
            size_t capacity = history->capacity == 0 ? FIRST_OPERATIONS : 2 * history->capacity;
            struct past_operation *items = tma_allocate(capacity, sizeof *items);
            if (items == NULL)
                return false;
            for (uint64_t i = history->first; i < history->count; i++)
                items[i % capacity] = history->items[i % history->capacity];
            tma_release(history->items);
            history->items = items;
            history->capacity = capacity;
        }
    }
    history->items[history->count++ % history->capacity] = past;
    return true;
}

/* Walks a role to its next operation. True if it did something. */
static bool walk_role(struct history *history, struct tma_role_state *role, bool *good) {
    struct tma_kernel_engine *engine = history->engine;
    struct tma_kernel_cluster *cluster = role->cta->cluster;
    bool moved = false;
    for (;;) {
        enum tma_cursor_state state = TMA_CURSOR_STATEMENT;
        if (role->waiting == NULL)
            state = tma_cursor_next(&role->cursor);
        const struct tma_statement *statement =
            role->waiting != NULL ? role->waiting : role->cursor.statement;
        role->waiting = NULL;
        if (state == TMA_CURSOR_TILE) {
            uint64_t index = role->cursor.tile_index;
            while (cluster->tile_count <= index) {
                struct tma_taken_tile *tiles = tma_array_grow(
                    cluster->tiles, cluster->tile_count, &cluster->tile_capacity, sizeof *tiles);
                if (tiles == NULL) {
                    *good = false;
                    return false;
                }
                cluster->tiles = tiles;
                tiles[cluster->tile_count].cycle = 0;
                tiles[cluster->tile_count].tile =
                    cluster->tile_count == 0 ? cluster->ctas[0].number : engine->next_tile;
                if (cluster->tile_count++ > 0)
                    engine->next_tile += engine->cluster_ctas;
            }
            tma_cursor_give_tile(&role->cursor, cluster->tiles[index].tile + role->cta->rank);
            continue;
        }
        if (state != TMA_CURSOR_STATEMENT) {
            role->phase = TMA_ROLE_IDLE;
            return true;
        }
        struct tma_ring_use *use =
            statement->ring < TMA_MAX_RINGS ? &role->rings[statement->ring] : NULL;
        if (statement->kind == TMA_STATEMENT_ACQUIRE) {
            use->acquired++;
        } else if (statement->kind == TMA_STATEMENT_WAIT) {
            bool filled = false;
            for (uint32_t r = 0; r < engine->kernel->role_count; r++)
                filled |= role->cta->roles[r].rings[statement->ring].acquired > use->waited;
            if (!filled) {
                role->waiting = statement;
                return moved;
            }
            use->waited++;
            moved = true;
        } else if (statement->kind == TMA_STATEMENT_OPERATION) {
            *good = remember(history, role, statement);
            history->bytes += bytes_of(engine, statement);
            return true;
        }
    }
}

static void start_cluster(struct tma_kernel_engine *engine, struct tma_kernel_cluster *cluster) {
    cluster->tile_count = 0;
    for (uint32_t i = 0; i < engine->cluster_ctas; i++) {
        struct tma_kernel_cta *cta = &cluster->ctas[i];
        cta->number = engine->next_cta++;
        for (uint32_t r = 0; r < engine->kernel->role_count; r++) {
            struct tma_role_state *role = &cta->roles[r];
            tma_cursor_begin(&role->cursor, engine->kernel, role->index, cta->number);
            role->cursor.cut = tma_kernel_cut(engine);
            role->cursor.gap = &cluster->gap;
            memset(role->rings, 0, sizeof role->rings);
            role->waiting = NULL;
            role->phase = TMA_ROLE_RUNNING;
        }
    }
}

/* One round of all roles of a cluster. True if one of them did something. */
static bool walk_cluster(struct history *history, struct tma_kernel_cluster *cluster, bool *good) {
    struct tma_kernel_engine *engine = history->engine;
    uint32_t running = 0;
    bool moved = false;
    for (uint32_t i = 0; i < engine->cluster_ctas; i++)
        for (uint32_t r = 0; r < engine->kernel->role_count && *good; r++) {
            struct tma_role_state *role = &cluster->ctas[i].roles[r];
            if (role->phase == TMA_ROLE_RUNNING)
                moved |= walk_role(history, role, good);
            running += role->phase == TMA_ROLE_RUNNING;
        }
    if (running == 0 && engine->next_cta < engine->kernel->cta_count) {
        start_cluster(engine, cluster);
        moved = true;
    }
    return moved;
}

/* Walks through all CTAs. False when out of memory. */
static bool walk(struct history *history) {
    struct tma_kernel_engine *engine = history->engine;
    bool good = true, moved = true;
    for (uint32_t c = 0; c < engine->cluster_count; c++)
        start_cluster(engine, &engine->clusters[c]);
    while (moved && good) {
        moved = false;
        for (uint32_t c = 0; c < engine->cluster_count && good; c++)
            moved |= walk_cluster(history, &engine->clusters[c], &good);
    }
    for (uint32_t i = 0; i < engine->cta_places * engine->kernel->role_count; i++) {
        struct tma_role_state *role = &engine->roles[i];
        *role =
            (struct tma_role_state){.cta = role->cta, .index = role->index, .number = role->number};
    }
    for (uint32_t c = 0; c < engine->cluster_count; c++)
        engine->clusters[c].tile_count = 0;
    return good;
}

/* The kernel before a sampled one is as long: its end is walked through alone, as much of it as
 * moves `limit` bytes. */
static bool walk_end(struct history *history, uint64_t limit) {
    struct tma_kernel_engine *engine = history->engine;
    bool good = true;
    for (uint64_t rounds = LEAST_ROUNDS;; rounds *= 2) {
        bool whole = !tma_kernel_sampling_leave(engine, rounds);
        history->count = history->first = history->bytes = 0;
        good = walk(history);
        tma_kernel_sampling_leave(engine, UINT64_MAX);
        if (!good || whole || history->bytes >= limit)
            return good;
    }
}

/* Brings the lines of an operation into L2. As long as L2 holds all lines, a second visit from the
 * same partition changes nothing. */
static void warm(struct history *history, const struct past_operation *past) {
    struct tma_kernel_engine *engine = history->engine;
    struct tma_memory *memory = engine->simulation.memory;
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_tensor_map map = kernel->maps[past->map];
    struct tma_row_stream rows;
    bool again = false;
    if (!tma_memory_is_full(memory)) {
        struct tma_set_operation *visit =
            tma_operation_set_find(&history->visits, past->map, past->map_index, &past->operation);
        uint32_t partition = 1u << tma_memory_partition(memory, past->sm);
        if ((visit->mask & partition) != 0)
            return;
        again = visit->mask != 0;
        visit->mask = (uint8_t)(visit->mask | partition);
    }
    map.global_address += kernel->arrays[past->map].pitch_bytes * past->map_index;
    if (tma_rows_begin(&rows, &map, &past->operation, NULL, NULL) == TMA_OK)
        tma_memory_warm(memory, past->sm, past->operation.direction, map.l2_promotion, &rows,
                        again);
}

static void warm_up(struct tma_kernel_engine *engine) {
    struct history history = {.engine = engine};
    uint64_t limit = CAPACITIES * engine->machine.l2.capacity_bytes;
    if (!walk_end(&history, limit)) {
        tma_simulation_out_of_memory(&engine->simulation);
        tma_release(history.items);
        return;
    }
    if (history.count > 0 && history.bytes > limit) {
        uint64_t keep = limit / (history.bytes / history.count + 1);
        if (history.count - history.first > keep)
            history.first = history.count - keep;
    }
    if (tma_operation_set_create(&history.visits, history.count - history.first))
        for (int launch = 0;
             launch == 0 || (launch < LAUNCHES && tma_memory_is_full(engine->simulation.memory));
             launch++)
            for (uint64_t i = history.first; i < history.count; i++)
                warm(&history, &history.items[i % history.capacity]);
    else
        tma_simulation_out_of_memory(&engine->simulation);
    tma_operation_set_free(&history.visits);
    tma_release(history.items);
}

static uint64_t descriptor_address(const struct tma_kernel *kernel, uint32_t maps) {
    uint64_t bytes = (uint64_t)maps * TMA_LINE_BYTES, lowest = UINT64_MAX;
    for (uint32_t i = 0; i < kernel->map_count; i++)
        if (kernel->maps[i].global_address < lowest)
            lowest = kernel->maps[i].global_address;
    if (lowest < bytes + TMA_LINE_BYTES || lowest > TMA_L2_ADDRESS_LIMIT)
        return tma_default_descriptor_line() * TMA_LINE_BYTES;
    return (lowest - bytes) / TMA_LINE_BYTES * TMA_LINE_BYTES;
}

static void leave_descriptors(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_memory *memory = engine->simulation.memory;
    uint32_t all = tma_kernel_descriptor(kernel, kernel->map_count, 0) - 1;
    tma_memory_place_descriptors(memory, descriptor_address(kernel, all));
    bool stay = !kernel->profiled && all <= engine->machine.tma.gpc_descriptors;
    for (uint32_t map = 0; map < kernel->map_count; map++) {
        bool global = kernel->arrays[map].global;
        uint32_t first = tma_kernel_descriptor(kernel, map, 0);
        for (uint32_t i = 0; i < tma_array_maps(&kernel->arrays[map]); i++)
            if (!global && stay)
                tma_memory_leave_descriptor_in_gpcs(memory, first + i);
            else if (!global || !kernel->cold)
                tma_memory_leave_descriptor_in_l2(memory, first + i);
    }
}

void tma_kernel_warm_start(struct tma_kernel_engine *engine) {
    if (!engine->kernel->cold)
        warm_up(engine);
    else if (!engine->kernel->profiled)
        tma_memory_follow_load(engine->simulation.memory);
    leave_descriptors(engine);
}
