/* Operations for tests of the memory system: loads and stores of boxes of a float16 matrix, which
 * run without an engine. */
#pragma once

#include "memory/core/address_map.h"
#include "memory/system.h"
#include "suite.h"

enum { MATRIX_COLUMNS = 64, MATRIX_ROWS = 4096, LINE_ELEMENTS = 64 };

/* The tensor map of a matrix whose rows are one 128-byte line each. A box has `rows` whole rows. */
static inline struct tma_tensor_map line_map(uint32_t rows) {
    return (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                   .data_type = TMA_FLOAT16,
                                   .rank = 2,
                                   .global_address = 0x30000000,
                                   .global_dim = {MATRIX_COLUMNS, MATRIX_ROWS},
                                   .global_strides = {MATRIX_COLUMNS * 2},
                                   .box_dim = {LINE_ELEMENTS, rows},
                                   .element_strides = {1, 1}};
}

/* The number of the 128-byte line that holds row `row` of such a matrix. */
static inline uint64_t line_of_row(const struct tma_tensor_map *map, uint32_t row) {
    return map->global_address / TMA_LINE_BYTES + row;
}

/* The first row from `row` on whose line has its home in `partition`. */
static inline int32_t row_at_home(const struct tma_machine *machine,
                                  const struct tma_tensor_map *map, uint32_t partition,
                                  uint32_t row) {
    struct tma_address_map address_map = tma_address_map_of(machine);
    while (tma_locate(&address_map, line_of_row(map, row)).server.home != partition)
        row++;
    return (int32_t)row;
}

struct load {
    const struct tma_tensor_map *map;
    uint32_t sm;
    uint64_t cycle; /* of the issue */
    int32_t x, y;
    uint64_t tag;
    enum tma_direction direction;
    uint32_t warp;
    uint32_t descriptor;    /* number of the tensor map; 0: it needs no fetch */
    const uint32_t *copies; /* multicast: further SMs */
    uint32_t copy_count;
};

static inline struct tma_row_stream rows_of(const struct load *load,
                                            struct tma_operation_size *size) {
    struct tma_operation operation = {.direction = load->direction,
                                      .coordinates = {load->x, load->y}};
    struct tma_row_stream rows;
    ck_assert_int_eq(tma_rows_begin(&rows, load->map, &operation, size, NULL), TMA_OK);
    return rows;
}

static inline void issue_load(struct tma_memory *memory, const struct load *load) {
    struct tma_operation_size size;
    struct tma_row_stream rows = rows_of(load, &size);
    ck_assert(tma_memory_issue(memory, &(struct tma_issue){.cycle = load->cycle,
                                                           .tag = load->tag,
                                                           .sm = load->sm,
                                                           .direction = load->direction,
                                                           .warp = load->warp,
                                                           .map = load->map,
                                                           .descriptor = load->descriptor,
                                                           .rows = &rows,
                                                           .copies = load->copies,
                                                           .copy_count = load->copy_count,
                                                           .size = &size}));
}

static inline void warm_load(struct tma_memory *memory, const struct load *load) {
    struct tma_row_stream rows = rows_of(load, NULL);
    tma_memory_warm(memory, load->sm, load->direction, load->map->l2_promotion, &rows, false);
}

/* Issues `count` loads, advances until all have completed, and puts the completion of the load with
 * tag t into completions[t]. */
static inline void run_loads(struct tma_memory *memory, const struct load *loads, uint32_t count,
                             struct tma_completion *completions) {
    struct tma_completion completion;
    for (uint32_t i = 0; i < count; i++)
        issue_load(memory, &loads[i]);
    while (tma_memory_in_flight(memory) > 0)
        ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + 1));
    for (uint32_t taken = 0; taken < count; taken++) {
        ck_assert(tma_memory_take(memory, &completion));
        ck_assert_uint_lt(completion.tag, count);
        completions[completion.tag] = completion;
    }
    ck_assert(!tma_memory_take(memory, &completion));
}

static inline struct tma_completion run_load(struct tma_memory *memory, const struct load *load) {
    struct tma_completion completion;
    run_loads(memory, load, 1, &completion);
    return completion;
}
