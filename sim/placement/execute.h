/* The functional core: executes an operation on memory, byte for byte as hardware does. */
#pragma once

#include "base/api.h"
#include "placement/rows.h"

TMA_API_BEGIN

/* Global memory: a buffer with the addresses [address, address + size); or, if `bytes` is NULL, two
 * callbacks that transfer the part of a row that lies inside the tensor. Loads need `read`, stores
 * need `write`, reductions need both. */
struct tma_global_memory {
    uint8_t *bytes;   /* borrowed; loads do not write to it */
    uint64_t address; /* of bytes[0] */
    uint64_t size;    /* bytes */
    void (*read)(void *context, uint64_t address, uint8_t *bytes, uint32_t count);
    void (*write)(void *context, uint64_t address, const uint8_t *bytes, uint32_t count);
    void *context; /* passed to the callbacks */
};

/* Shared memory of one CTA: a buffer with the addresses [address, address + size). */
struct tma_shared_memory {
    uint8_t *bytes;   /* borrowed; stores and reductions do not write to it */
    uint32_t address; /* of bytes[0] */
    uint32_t size;    /* bytes */
    /* NULL, or one flag for each byte. A load sets the flags of bytes that it leaves as
     * uninitialised padding, and clears the flags of bytes that it writes. */
    uint8_t *undefined;
};

/* Executes the operation (PTX ISA 5.5). `shared` has one entry for each of the cluster's cta_count
 * CTAs. A multicast load writes to the same address in each CTA of its mask; any other operation
 * uses shared[0]. size may be NULL. A prefetch moves no bytes and needs no memory.
 *
 * Fails as tma_rows_begin does; with TMA_ERROR_TENSOR_MAP also if the rules of no architecture
 * accept the map (tma_operation_architecture_check tells whether one architecture has the
 * operation); or with TMA_ERROR_BUFFER if a buffer does not hold every byte that the operation
 * touches, or if the mask names a CTA past cta_count. No byte is written then. */
enum tma_error_code tma_execute(const struct tma_tensor_map *map,
                                const struct tma_operation *operation,
                                const struct tma_global_memory *global,
                                const struct tma_shared_memory *shared, uint32_t cta_count,
                                struct tma_operation_size *size, struct tma_error *error);

TMA_API_END
