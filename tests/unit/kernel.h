/* Workloads for tests of the engine: CTAs that load boxes of whole 128-byte rows of a matrix. */
#ifndef TMA_TESTS_KERNEL_H
#define TMA_TESTS_KERNEL_H

#include "engine/run.h"
#include "traffic.h"

struct kernel {
    const char *name;
    uint32_t ctas, sms, iterations, depth;
    uint32_t rows; /* of a box */
    bool cold;
    enum tma_walk_order order;
};

/* Tiles follow each other down the matrix, which is walked again from its top at its end. */
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

#endif
