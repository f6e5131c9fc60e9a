#include "placement/execute.h"

#include <inttypes.h>

#include "placement/bytes.h"
#include "placement/map_geometry.h"
#include "tensormap/legal.h"

/* Is [address, address + count) inside [base, base + size)? */
static bool holds(uint64_t base, uint64_t size, uint64_t address, uint64_t count) {
    uint64_t offset = address - base; /* wraps to a huge offset if address is below base */
    return offset <= size && count <= size - offset;
}

static bool uses_cta(const struct tma_operation *operation, uint32_t cta) {
    return operation->cta_mask == 0 ? cta == 0 : (operation->cta_mask >> cta & 1) != 0;
}

static enum tma_error_code check_ctas(const struct tma_operation *operation, uint32_t cta_count,
                                      struct tma_error *error) {
    uint32_t mask = operation->cta_mask == 0 ? 1 : operation->cta_mask;
    if (cta_count < 32 && mask >> cta_count != 0)
        return tma_fail(error, TMA_ERROR_BUFFER,
                        "cta_mask is 0x%x, but shared memory is given for %u CTAs", mask,
                        cta_count);
    return TMA_OK;
}

static enum tma_error_code check_shared(const struct tma_operation *operation,
                                        const struct tma_operation_size *size,
                                        const struct tma_shared_memory *shared, uint32_t cta_count,
                                        struct tma_error *error) {
    for (uint32_t cta = 0; cta < cta_count; cta++)
        if (uses_cta(operation, cta) &&
            !holds(shared[cta].address, shared[cta].size, operation->shared_address,
                   size->shared_footprint_bytes))
            return tma_fail(error, TMA_ERROR_BUFFER,
                            "shared memory of CTA %u holds %u bytes from 0x%x on; the box needs %u "
                            "from 0x%x on",
                            cta, shared[cta].size, shared[cta].address,
                            size->shared_footprint_bytes, operation->shared_address);
    return TMA_OK;
}

/* Finds the first row of the run that the buffer does not hold; false if it holds all rows. */
static bool find_missing(const struct tma_global_memory *global, const struct tma_row_run *run,
                         uint64_t *address) {
    uint64_t count = run->first.data_global_bytes;
    *address = run->first.global_address;
    uint64_t offset = *address - global->address;
    if (run->global_step_bytes <= global->size / run->rows &&
        holds(0, global->size, offset, (run->rows - 1) * run->global_step_bytes + count))
        return false; /* checked all rows at once */
    for (uint32_t i = 0; i < run->rows; i++, *address += run->global_step_bytes)
        if (!holds(global->address, global->size, *address, count))
            return true;
    return false;
}

/* Does the buffer hold the whole tensor, and the bytes that a store may write behind a row? */
static bool holds_tensor(const struct tma_global_memory *global, const struct tma_tensor_map *map) {
    uint64_t left = global->size;
    uint64_t row = (uint64_t)(tma_store_end(map) * tma_row_unit(map).global_bits / 8);
    if (!holds(global->address, global->size, map->global_address, row))
        return false;
    left -= map->global_address - global->address + row;
    for (uint32_t d = 1; d < map->rank; d++) {
        uint64_t span;
        if (__builtin_mul_overflow(map->global_dim[d] - 1, map->global_strides[d - 1], &span) ||
            span > left)
            return false;
        left -= span;
    }
    return true;
}

static enum tma_error_code check_global(struct tma_row_stream rows,
                                        const struct tma_global_memory *global,
                                        struct tma_error *error) {
    const struct tma_row_run *run;
    uint64_t address;
    while ((run = tma_rows_next_run(&rows)) != NULL)
        if (run->first.data_bytes > 0 && find_missing(global, run, &address))
            return tma_fail(error, TMA_ERROR_BUFFER,
                            "global memory holds %" PRIu64 " bytes from 0x%" PRIx64
                            " on; the operation touches %u bytes at 0x%" PRIx64,
                            global->size, global->address, run->first.data_global_bytes, address);
    return TMA_OK;
}

static struct tma_execution describe(const struct tma_tensor_map *map,
                                     const struct tma_operation *operation,
                                     const struct tma_global_memory *global) {
    const struct tma_type_info *type = tma_type_info(map->data_type);
    bool padded = type->shared_bits != type->global_bits;
    bool rounds = operation->direction == TMA_LOAD &&
                  (map->data_type == TMA_TFLOAT32 || map->data_type == TMA_TFLOAT32_FTZ);
    return (struct tma_execution){
        .map = map,
        .operation = operation,
        .global = global,
        .swizzle = tma_swizzle_info(map->swizzle),
        .group_bytes = padded ? 16 * type->global_bits / 8 : 0,
        .verbatim =
            global->bytes != NULL && !padded && !rounds && operation->direction != TMA_REDUCE,
    };
}

static void execute_run(const struct tma_execution *execution,
                        const struct tma_shared_memory *shared, uint32_t cta_count,
                        const struct tma_row_run *run) {
    if (execution->operation->direction != TMA_LOAD) {
        tma_store_run(execution, shared, run);
        return;
    }
    for (uint32_t cta = 0; cta < cta_count; cta++)
        if (uses_cta(execution->operation, cta))
            tma_load_run(execution, &shared[cta], run);
}

enum tma_error_code tma_execute(const struct tma_tensor_map *map,
                                const struct tma_operation *operation,
                                const struct tma_global_memory *global,
                                const struct tma_shared_memory *shared, uint32_t cta_count,
                                struct tma_operation_size *size, struct tma_error *error) {
    struct tma_row_stream rows;
    struct tma_operation_size measured;
    enum tma_error_code code = tma_tensor_map_require_legal(map, error);
    if (code == TMA_OK)
        code = tma_rows_begin(&rows, map, operation, &measured, error);
    if (code == TMA_OK && operation->direction != TMA_PREFETCH) {
        code = check_ctas(operation, cta_count, error);
        if (code == TMA_OK)
            code = check_shared(operation, &measured, shared, cta_count, error);
        if (code == TMA_OK && global->bytes != NULL && !holds_tensor(global, map))
            code =
                check_global(rows, global, error); /* perhaps it holds the rows of this operation */
    }
    if (code != TMA_OK)
        return code;
    if (size != NULL)
        *size = measured;
    if (operation->direction == TMA_PREFETCH)
        return TMA_OK;
    const struct tma_execution execution = describe(map, operation, global);
    const struct tma_row_run *run;
    while ((run = tma_rows_next_run(&rows)) != NULL)
        execute_run(&execution, shared, cta_count, run);
    return TMA_OK;
}
