/* DRAM channels. A channel has banks and one data bus. A bank has a row buffer; to open another row
 * takes time, and a channel opens rows only so often. */
#ifndef TMA_MEMORY_DRAM_CHANNEL_H
#define TMA_MEMORY_DRAM_CHANNEL_H

#include "base/error.h"
#include "memory/core/address_map.h"
#include "memory/dram/state.h"

/* Fails with TMA_ERROR_MEMORY. tma_dram_free may be called after a failure. */
enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error);
void tma_dram_free(struct tma_dram *dram);

/* Reads `sectors` sectors of a line for a request that arrives at `cycle`. Returns the cycle at
 * which L2 has them. */
uint64_t tma_dram_read(struct tma_dram *dram, const struct tma_line_location *location,
                       uint32_t sectors, uint64_t cycle);

/* Writes `sectors` sectors of a line, which leave L2 at `cycle`. */
void tma_dram_write(struct tma_dram *dram, const struct tma_line_location *location,
                    uint32_t sectors, uint64_t cycle);

/* Back-pressure: the first cycle at which the queue of a line's channel has room for writes. */
uint64_t tma_dram_accepts(const struct tma_dram *dram, const struct tma_line_location *location);

#endif
