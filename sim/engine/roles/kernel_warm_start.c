#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/fuzzing.h"
#include "engine/lane_accesses.h"
#include "engine/roles/kernel_state.h"
#include "engine/roles/statement_operation.h"
#include "engine/warm_l2.h"
#include "memory/core/random.h"
#include "placement/operation.h"

/* The same kernel, run just before, leaves the lines of its operations in L2. Its programs are
 * walked through without time: in each round every role goes on to its next operation, unless it
 * waits for a stage that is yet to be filled. Only the last operations matter: those that move so
 * many times the capacity of L2. */
enum {
    CAPACITIES = 20,
    FIRST_OPERATIONS = TMA_UNLESS_FUZZING(4096, 16),
    MOST_OPERATIONS = 1 << 20
};

/* Waves, or iterations of loops, in a walk through the end of a long kernel. */
enum { LEAST_ROUNDS = 4 };

/* A set of TMA operations, told apart by tensor map, direction and coordinates, each with a bit
 * mask of who did it. */

struct set_operation {
    uint64_t key; /* 0: free */
    uint8_t mask; /* 0: new */
};

struct operation_set {
    struct set_operation *items; /* owned */
    size_t capacity;
};

/* Makes room for so many operations. False when out of memory. */
static bool operation_set_create(struct operation_set *set, size_t operations) {
    set->capacity = 1024;
    while (set->capacity < 2 * operations)
        set->capacity *= 2;
    set->items = tma_allocate(set->capacity, sizeof *set->items);
    return set->items != NULL;
}

static void operation_set_free(struct operation_set *set) {
    tma_release(set->items);
    set->items = NULL;
}

static uint64_t key_of(uint32_t map, uint32_t map_index, const struct tma_operation *operation) {
    uint64_t key =
        tma_mix64((uint64_t)map << 40 | (uint64_t)map_index << 8 | (uint64_t)operation->direction);
    for (int d = 0; d < TMA_MAX_RANK; d++)
        key = tma_mix64(key ^ (uint32_t)operation->coordinates[d]);
    for (int d = 0; d < 3; d++)
        key = tma_mix64(key ^ operation->im2col_offsets[d]);
    return key | 1;
}

/* The entry of an operation on map number `map_index` of array `map`. */
static struct set_operation *operation_set_find(struct operation_set *set, uint32_t map,
                                                uint32_t map_index,
                                                const struct tma_operation *operation) {
    uint64_t key = key_of(map, map_index, operation);
    size_t at = (size_t)(key >> 1) & (set->capacity - 1);
    while (set->items[at].key != 0 && set->items[at].key != key)
        at = (at + 1) & (set->capacity - 1);
    set->items[at].key = key;
    return &set->items[at];
}

struct past_operation {
    struct tma_operation operation;
    uint32_t map, map_index, sm;
    bool one_row; /* of the box: that which a table names */
};

struct history {
    struct tma_kernel_engine *engine;
    struct past_operation *items; /* owned: a ring */
    size_t capacity, count;       /* count: of all operations so far */
    uint64_t first;               /* the first one that matters */
    uint64_t bytes;               /* of those that matter */
    struct operation_set visits;  /* by L2 partition: bit p for partition p */
};

static uint32_t bytes_of(const struct tma_kernel_engine *engine,
                         const struct tma_statement *statement) {
    uint32_t bytes = engine->facts[statement - engine->kernel->statements].bytes;
    return bytes > 0 ? bytes : 1024;
}

/* Adds an operation, and forgets those that no longer matter. False when out of memory. */
static bool add(struct history *history, const struct past_operation *past) {
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
    history->items[history->count++ % history->capacity] = *past;
    return true;
}

/* Adds the operation of a statement; where a table names its rows, each of them. False when out of
 * memory. */
static bool remember(struct history *history, struct tma_role_state *role,
                     const struct tma_statement *statement) {
    const struct tma_kernel *kernel = history->engine->kernel;
    const int64_t *variables = tma_cursor_place(&role->cursor)->variables;
    bool gathers = statement->lanes.rows != NULL;
    struct past_operation past = {
        .map = statement->map, .sm = role->cta->sm->number, .one_row = gathers};
    struct tma_error error;
    int64_t entry;
    if (!tma_statement_operation(kernel, statement, variables, &past.operation, &past.map_index,
                                 &error) ||
        !tma_value_at(&statement->entry, variables, &entry, &error))
        return true; /* the run says so */
    if (!gathers)
        return add(history, &past);
    for (uint32_t i = 0; i < kernel->maps[statement->map].box_dim[1]; i++)
        if (tma_lane_row_at(&statement->lanes, entry + i, &past.operation.coordinates[1], &error) ==
                TMA_OK &&
            !add(history, &past))
            return false;
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
                if (!TMA_GROW(cluster->tiles, cluster->tile_count, cluster->tile_capacity)) {
                    *good = false;
                    return false;
                }
                cluster->tiles[cluster->tile_count].cycle = 0;
                cluster->tiles[cluster->tile_count].tile =
                    cluster->tile_count == 0 ? cluster->ctas[0].base.number : engine->next_tile;
                if (cluster->tile_count++ > 0)
                    engine->next_tile += engine->simulation.cluster_ctas;
            }
            tma_cursor_give_tile(&role->cursor, cluster->tiles[index].tile + role->cta->base.rank);
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
    for (uint32_t i = 0; i < engine->simulation.cluster_ctas; i++) {
        struct tma_kernel_cta *cta = &cluster->ctas[i];
        cta->base.number = (uint32_t)engine->simulation.next_cta++;
        for (uint32_t r = 0; r < engine->kernel->role_count; r++) {
            struct tma_role_state *role = &cta->roles[r];
            tma_cursor_begin(&role->cursor, engine->kernel, role->index, cta->base.number);
            role->cursor.cut = tma_kernel_cut(engine);
            role->cursor.gap = &cta->base.cluster->gap;
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
    for (uint32_t i = 0; i < engine->simulation.cluster_ctas; i++)
        for (uint32_t r = 0; r < engine->kernel->role_count && *good; r++) {
            struct tma_role_state *role = &cluster->ctas[i].roles[r];
            if (role->phase == TMA_ROLE_RUNNING)
                moved |= walk_role(history, role, good);
            running += role->phase == TMA_ROLE_RUNNING;
        }
    if (running == 0 && engine->simulation.next_cta < engine->kernel->cta_count) {
        start_cluster(engine, cluster);
        moved = true;
    }
    return moved;
}

/* Walks through all CTAs. False when out of memory. */
static bool walk(struct history *history) {
    struct tma_kernel_engine *engine = history->engine;
    bool good = true, moved = true;
    for (uint32_t c = 0; c < engine->simulation.cluster_count; c++)
        start_cluster(engine, &engine->clusters[c]);
    while (moved && good) {
        moved = false;
        for (uint32_t c = 0; c < engine->simulation.cluster_count && good; c++)
            moved |= walk_cluster(history, &engine->clusters[c], &good);
    }
    for (uint32_t i = 0; i < engine->simulation.place_count * engine->kernel->role_count; i++) {
        struct tma_role_state *role = &engine->roles[i];
        *role =
            (struct tma_role_state){.cta = role->cta, .index = role->index, .number = role->number};
    }
    for (uint32_t c = 0; c < engine->simulation.cluster_count; c++)
        engine->clusters[c].tile_count = 0;
    return good;
}

static bool leave(struct tma_kernel_engine *engine, uint64_t rounds) {
    engine->next_tile = engine->kernel->cta_count;
    engine->cut.passes = 0;
    return tma_sampling_leave(&engine->simulation, rounds);
}

/* The kernel before a sampled one is as long: its end is walked through alone, as much of it as
 * moves `limit` bytes. */
static bool walk_end(struct history *history, uint64_t limit) {
    struct tma_kernel_engine *engine = history->engine;
    bool good = true;
    for (uint64_t rounds = LEAST_ROUNDS;; rounds *= 2) {
        bool whole = !leave(engine, rounds);
        history->count = history->first = history->bytes = 0;
        good = walk(history);
        leave(engine, UINT64_MAX);
        if (!good || whole || history->bytes >= limit)
            return good;
    }
}

static void replay(void *context) {
    struct history *history = context;
    struct tma_simulation *simulation = &history->engine->simulation;
    for (uint64_t i = history->first; i < history->count; i++) {
        const struct past_operation *past = &history->items[i % history->capacity];
        uint8_t *visitors = NULL;
        if (!tma_memory_is_full(simulation->memory))
            visitors =
                &operation_set_find(&history->visits, past->map, past->map_index, &past->operation)
                     ->mask;
        tma_warm_operation(simulation, past->sm, past->map, past->map_index, &past->operation,
                           past->one_row, visitors);
    }
}

void tma_kernel_warm_up(struct tma_simulation *simulation) {
    struct history history = {.engine = tma_kernel_engine_of(simulation)};
    uint64_t limit = CAPACITIES * simulation->machine->l2.capacity_bytes;
    if (!walk_end(&history, limit)) {
        tma_simulation_out_of_memory(simulation);
        tma_release(history.items);
        return;
    }
    if (history.count > 0 && history.bytes > limit) {
        uint64_t keep = limit / (history.bytes / history.count + 1);
        if (history.count - history.first > keep)
            history.first = history.count - keep;
    }
    if (operation_set_create(&history.visits, history.count - history.first))
        tma_warm_launches(simulation, replay, &history);
    else
        tma_simulation_out_of_memory(simulation);
    operation_set_free(&history.visits);
    tma_release(history.items);
}
