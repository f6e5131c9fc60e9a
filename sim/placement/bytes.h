/* Moves the bytes of row runs: loads into shared memory, stores and reductions into global memory.
 * Internal to this folder. */
#pragma once

#include "placement/execute.h"
#include "placement/lines.h"

/* Rows are at most 256 pixels of 32 bytes. */
enum { TMA_MAX_ROW_BYTES = 8192 };

/* What all rows of one executed operation share. */
struct tma_execution {
    const struct tma_tensor_map *map;
    const struct tma_operation *operation;
    const struct tma_global_memory *global;
    const struct tma_swizzle_info *swizzle;
    uint32_t group_bytes; /* padded sub-byte types: packed bytes of 16 elements; 0: other types */
    bool verbatim;        /* the bytes are copied between two buffers without conversion */
};

/* Execute one run: a load into one CTA's shared memory, or a store or reduction from it. */
void tma_load_run(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                  const struct tma_row_run *run);
void tma_store_run(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                   const struct tma_row_run *run);

/* Fast paths for runs of whole rows that are copied verbatim. Return false, having done nothing,
 * for any other run. */
bool tma_copy_in(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                 const struct tma_row_run *run);
bool tma_copy_out(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                  const struct tma_row_run *run);

/* For tests: true copies as on a processor without wide registers. */
extern bool tma_copy_narrow;
