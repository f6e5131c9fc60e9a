/* Workloads for tests of the engine: CTAs that load boxes of a matrix whose rows are 128-byte
 * lines. */
#pragma once

#include "engine/slots/run.h"
#include "traffic.h"

/* A kernel in which every CTA makes `iterations` loads through a pipeline of `depth` slots. */
struct kernel {
    const char *name;
    uint32_t ctas, sms, iterations, depth;
    uint32_t rows; /* rows of a box */
    bool cold;     /* the caches are empty at first */
    enum tma_walk_order order;
};

/* Returns the workload of a kernel. Its tiles lie one below another in the matrix of line_map().
 * After the last tile the walk starts again at the first. */
static inline struct tma_workload make_workload(const struct kernel *kernel) {
    struct tma_workload workload = {
        .maps = {line_map(kernel->rows)},
        .map_count = 1,
        .cta_count = kernel->ctas,
        .sm_count = kernel->sms,
        .iterations = kernel->iterations,
        .depth = kernel->depth,
        .stage_bytes = kernel->rows * TMA_LINE_BYTES,
        .expect_bytes = (uint64_t)kernel->rows * TMA_LINE_BYTES,
        .operations = {{.operation = {.direction = TMA_LOAD},
                        .walk = {.order = kernel->order,
                                 .tiles = {1, MATRIX_ROWS / kernel->rows, 1, 1, 1},
                                 .step = {0, (int32_t)kernel->rows}}}},
        .operation_count = 1,
        .cold = kernel->cold,
    };
    return workload;
}
