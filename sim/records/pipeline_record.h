/* A record of a kernel with roles, as the kernel that it measured. */
#pragma once

#include "engine/roles/kernel.h"
#include "records/tsv.h"

enum { TMA_PIPELINE_STATEMENTS = 40, TMA_PIPELINE_EXPRESSIONS = 12 };

struct tma_pipeline_record {
    struct tma_kernel kernel; /* its statements are those below */
    struct tma_statement statements[TMA_PIPELINE_STATEMENTS];
    struct tma_expression *expressions[TMA_PIPELINE_EXPRESSIONS]; /* owned */
    uint32_t expression_count;
};

/* Makes the kernel of a row; its warps spin in steps of the machine's warp.spin_step. Fails with
 * TMA_ERROR_SYNTAX if the scenario column has a value out of range, with TMA_ERROR_TENSOR_MAP, or
 * with TMA_ERROR_MEMORY. The caller frees *record, also after a failure. */
enum tma_error_code tma_pipeline_record_read(const struct tma_tsv *records, size_t row,
                                             const struct tma_machine *machine,
                                             struct tma_pipeline_record *record,
                                             struct tma_error *error);
void tma_pipeline_record_free(struct tma_pipeline_record *record);
