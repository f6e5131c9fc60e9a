/* DRAM channels. A channel has a queue of reads and one of writes, ranks of bank groups of banks,
 * and one data bus. A scheduler chooses which request the bus serves next. A request that needs
 * another row than its bank has open makes the bank open that row, while the bus serves others. The
 * channel reads until as many writes wait as the high watermark says, then writes down to the low
 * one.
 *
 * A channel does nothing from cycle to cycle: it wakes up when the bus can move data, and decides
 * about all transfers that begin while L2 looks lines up (l2.lookup): all reads that can take part
 * are known by then. */
#pragma once

#include "base/error.h"
#include "memory/dram/state.h"

/* The memory that the channels of a machine take, in bytes. */
uint64_t tma_dram_bytes(const struct tma_machine *machine);

/* Fails with TMA_ERROR_MEMORY. tma_dram_free may be called after a failure. */
enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error);
void tma_dram_free(struct tma_dram *dram);

/* A request for `sectors` sectors of a line reaches its channel at `cycle`. `packet`: TMA_NONE for
 * a write that no one waits for. Returns false when out of memory. */
bool tma_dram_enqueue(struct tma_dram *dram, const struct tma_dram_place *place, uint32_t packet,
                      bool write, uint32_t sectors, uint64_t cycle);

/* From here on, what the buses did before `cycle` is noted apart: late_ticks and late_sectors. */
void tma_dram_observe(struct tma_dram *dram, uint64_t cycle);

/* The first cycle at which the bus may move data for a request of a channel, or an earlier one;
 * UINT64_MAX: it has no request. */
uint64_t tma_dram_next_cycle(const struct tma_dram *dram, const struct tma_dram_channel *channel);

/* What a channel has served: a request, or both lines of a block in one access. */
struct tma_dram_served {
    uint32_t packet;     /* TMA_NONE: a write that no one waits for */
    uint32_t other_line; /* packet of the other line of its block; TMA_NONE: not in this access */
    uint64_t cycle;      /* L2 has the data, or knows that they have been written */
    bool write;          /* `packet` is */
};

/* Serves the next request of a channel, if the bus moves its data from a cycle before `until` on.
 * Otherwise returns false, with that cycle in served->cycle (UINT64_MAX: no request). */
bool tma_dram_serve(struct tma_dram *dram, struct tma_dram_channel *channel, uint64_t until,
                    struct tma_dram_served *served);
