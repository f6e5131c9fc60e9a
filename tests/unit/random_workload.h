/* Random workloads of all directions, modes and data types, with consumers and multicast, for the
 * small machine. */
#pragma once

#include "engine/slots/workload_check.h"
#include "random_operation.h"

enum { TENSOR_PITCH = 1 << 20 };

/* What the operations of a workload move, all CTAs and iterations together. */
struct expected {
    uint64_t operations, loaded_bytes, written, prefetched; /* `written`: stores and reductions */
    bool multicast;
};

static inline bool chance(uint64_t *state, int64_t of) {
    return random_between(state, 1, of) == 1;
}

static const struct {
    enum tma_direction direction;
    enum tma_access_mode access;
} random_modes[] = {
    {TMA_LOAD, TMA_ACCESS_TILE},     {TMA_LOAD, TMA_ACCESS_TILE},
    {TMA_LOAD, TMA_ACCESS_GATHER4},  {TMA_LOAD, TMA_ACCESS_IM2COL},
    {TMA_LOAD, TMA_ACCESS_IM2COL_W}, {TMA_LOAD, TMA_ACCESS_IM2COL_W128},
    {TMA_PREFETCH, TMA_ACCESS_TILE}, {TMA_PREFETCH, TMA_ACCESS_IM2COL},
    {TMA_STORE, TMA_ACCESS_TILE},    {TMA_STORE, TMA_ACCESS_TILE},
    {TMA_STORE, TMA_ACCESS_GATHER4}, {TMA_STORE, TMA_ACCESS_IM2COL},
    {TMA_REDUCE, TMA_ACCESS_TILE},   {TMA_REDUCE, TMA_ACCESS_IM2COL},
};

/* One operation of a stage, at the same coordinates in every iteration. */
static inline void draw_operation(uint64_t *state, struct tma_workload *workload) {
    uint32_t index = workload->operation_count++;
    struct tma_stage_operation *stage = &workload->operations[index];
    int64_t mode = random_between(state, 0, sizeof random_modes / sizeof *random_modes - 1);
    struct tma_tensor_map *map = &workload->maps[index];
    random_operation(state, random_modes[mode].access, random_modes[mode].direction, map,
                     &stage->operation);
    map->global_address += 0x10000000 + index * (uint64_t)TENSOR_PITCH;
    map->l2_promotion = (enum tma_l2_promotion)random_between(state, 0, TMA_L2_256B);
    stage->map = index;
    stage->walk.order = TMA_WALK_FIXED;
    for (int d = 0; d < TMA_MAX_RANK; d++) {
        stage->walk.start[d] = stage->operation.coordinates[d];
        stage->walk.tiles[d] = 1;
    }
    workload->map_count++;
}

/* Bytes of an operation; 0 with *good false if it cannot be placed. */
static inline uint64_t bytes_of(const struct tma_workload *workload, uint32_t index, bool *good) {
    struct tma_operation_size size;
    struct tma_row_stream rows;
    const struct tma_stage_operation *stage = &workload->operations[index];
    *good = tma_rows_begin(&rows, &workload->maps[index], &stage->operation, &size, NULL) == TMA_OK;
    return *good ? size.transaction_bytes : 0;
}

static inline void draw_consumer(uint64_t *state, struct tma_workload *workload, uint32_t index) {
    static const enum tma_shared_instruction instructions[] = {
        TMA_LD_SHARED_B32, TMA_LD_SHARED_B128, TMA_ST_SHARED_B64, TMA_LDMATRIX_X4};
    struct tma_consumer consumer = {.instruction = instructions[random_between(state, 0, 3)],
                                    .operation = index,
                                    .repeat = (uint32_t)random_between(state, 1, 3)};
    consumer.lanes = consumer.instruction == TMA_LDMATRIX_X4 ? TMA_LANES_MATRIX
                     : chance(state, 2)                      ? TMA_LANES_COLUMN
                                                             : TMA_LANES_ROW;
    for (uint32_t slot = 0; slot < workload->depth; slot++) {
        struct tma_tile tile;
        if (tma_workload_tile(workload, slot, index, &tile, NULL) != TMA_OK ||
            tma_consumer_check(&consumer, &tile, NULL) != TMA_OK)
            return;
    }
    workload->consumers[workload->consumer_count++] = consumer;
}

/* False if an operation of the workload cannot be placed: the caller draws again. */
static inline bool draw_workload(uint64_t *state, struct tma_workload *workload,
                                 struct expected *expected) {
    uint32_t operations = (uint32_t)random_between(state, 1, 3);
    *workload = (struct tma_workload){.cta_count = 2 * (uint32_t)random_between(state, 1, 4),
                                      .sm_count = 2 * (uint32_t)random_between(state, 1, 2),
                                      .cluster_ctas = chance(state, 3) ? 2 : 1,
                                      .iterations = (uint32_t)random_between(state, 1, 8),
                                      .depth = (uint32_t)random_between(state, 1, 5),
                                      .stage_bytes = 1 << 16,
                                      .cold = chance(state, 2)};
    *expected = (struct expected){0};
    uint64_t stages = (uint64_t)workload->cta_count * workload->iterations;
    for (uint32_t i = 0; i < operations; i++) {
        bool good;
        draw_operation(state, workload);
        uint64_t bytes = bytes_of(workload, i, &good);
        if (!good)
            return false;
        struct tma_operation *operation = &workload->operations[i].operation;
        bool copies = workload->cluster_ctas == 2 && operation->direction == TMA_LOAD;
        if (copies && chance(state, 2))
            operation->cta_mask = 3;
        bool multicast = operation->cta_mask != 0;
        expected->multicast |= multicast;
        expected->operations += multicast ? stages / 2 : stages;
        if (operation->direction == TMA_LOAD) {
            workload->expect_bytes += bytes;
            expected->loaded_bytes += bytes * stages;
            if (chance(state, 2))
                draw_consumer(state, workload, i);
        }
        expected->written += tma_writes_tensor(operation->direction);
        expected->prefetched += operation->direction == TMA_PREFETCH;
    }
    return true;
}
