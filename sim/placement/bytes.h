/* Rows as bytes: what a load makes of them on their way to shared memory, and a store on the way
 * back. */
#ifndef TMA_PLACEMENT_BYTES_H
#define TMA_PLACEMENT_BYTES_H

#include "placement/execute.h"
#include "placement/lines.h"

/* Rows are at most 256 pixels of 32 bytes. */
enum { TMA_MAX_ROW_BYTES = 8192 };

/* What stays the same from row to row. */
struct tma_transfer {
    const struct tma_tensor_map *map;
    const struct tma_operation *operation;
    const struct tma_global_memory *global;
    const struct tma_swizzle_info *swizzle;
    uint32_t group_bytes; /* padded sub-byte types: packed bytes of 16 elements; 0 for all others */
    bool verbatim;        /* bytes pass between two buffers as they are */
};

/* Executes one run of a load into one CTA, of a store or of a reduction. */
void tma_load_run(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                  const struct tma_row_run *run);
void tma_store_run(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                   const struct tma_row_run *run);

/* The hot paths: whole rows, copied verbatim. False, and nothing is done, where a run is not of
 * that kind. */
bool tma_copy_in(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                 const struct tma_row_run *run);
bool tma_copy_out(const struct tma_transfer *transfer, const struct tma_shared_memory *shared,
                  const struct tma_row_run *run);

#endif
