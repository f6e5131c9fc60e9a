#include "engine/roles/kernel_read_maps.h"

#include <inttypes.h>

#include "base/allocation.h"
#include "engine/roles/kernel_first_tiles.h"

/* Returns the number of access statements. */
static uint32_t find_readers(const struct tma_kernel *kernel, struct tma_read_maps *maps) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind != TMA_STATEMENT_COMPUTE || statement->work != TMA_WORK_CONSUMER)
            continue;
        const struct tma_statement *load = &kernel->statements[statement->consumer.operation];
        maps->read[load->map] = true;
        if (load->ring != TMA_NO_RING && kernel->rings[load->ring].depth > maps->stages)
            maps->stages = kernel->rings[load->ring].depth;
        count++;
    }
    return count;
}

enum tma_error_code tma_kernel_read_maps(const struct tma_kernel *kernel,
                                         struct tma_read_maps *maps, struct tma_error *error) {
    *maps = (struct tma_read_maps){.stages = 1};
    uint32_t readers = find_readers(kernel, maps);
    if (readers == 0)
        return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                        "no role reads a tile with an access statement, so that no mode has bank "
                        "conflicts; wavefronts that a program gives as a number, and operands of "
                        "mma, are the same in every mode");
    if (readers > TMA_MAX_CONSUMERS)
        return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                        "it has %" PRIu32 " access statements; at most %d can be compared", readers,
                        TMA_MAX_CONSUMERS);
    struct tma_workload *tiles = tma_allocate(1, sizeof *tiles);
    if (tiles == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code = tma_kernel_first_tiles(kernel, tiles, error);
    if (code == TMA_OK && tiles->consumer_count < readers)
        code = tma_fail(error, TMA_ERROR_UNSUPPORTED,
                        "the first CTA does not load the tiles of all access statements");
    tma_release(tiles);
    return code;
}
