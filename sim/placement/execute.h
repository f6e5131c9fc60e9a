/* The functional core: executes an operation on memory, byte for byte as the hardware does. */
#ifndef TMA_PLACEMENT_EXECUTE_H
#define TMA_PLACEMENT_EXECUTE_H

#include "base/api.h"
#include "placement/rows.h"

TMA_API_BEGIN

/* Global memory: either a buffer that holds the addresses [address, address + size), or, where
 * `bytes` is NULL, two functions that are asked for as many bytes as a row has inside the tensor.
 * Loads need `read`, stores `write`, reductions both. */
struct tma_global_memory {
    uint8_t *bytes; /* borrowed; loads don't write to it */
    uint64_t address;
    uint64_t size;
    void (*read)(void *context, uint64_t address, uint8_t *bytes, uint32_t count);
    void (*write)(void *context, uint64_t address, const uint8_t *bytes, uint32_t count);
    void *context;
};

/* Shared memory of one CTA: a buffer that holds the addresses [address, address + size). */
struct tma_shared_memory {
    uint8_t *bytes; /* borrowed; stores and reductions don't write to it */
    uint32_t address;
    uint32_t size;
    uint8_t *undefined; /* NULL, or `size` flags: a load sets those of the bytes that it leaves as
                           uninitialised padding, and clears those of the bytes that it writes */
};

/* Executes the operation. `shared` has one entry for each of `cta_count` CTAs of the cluster: a
 * multicast load writes to the same offset in each CTA of its mask, any other operation uses
 * shared[0]. size may be NULL. A prefetch moves no bytes and needs no memory.
 *
 * Fails as tma_rows_begin does, or with TMA_ERROR_BUFFER where a buffer does not hold what the
 * operation touches or the mask names a CTA that is not there; then no byte is written. */
enum tma_error_code tma_execute(const struct tma_tensor_map *map,
                                const struct tma_operation *operation,
                                const struct tma_global_memory *global,
                                const struct tma_shared_memory *shared, uint32_t cta_count,
                                struct tma_operation_size *size, struct tma_error *error);

TMA_API_END

#endif
