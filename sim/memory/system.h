/* The memory system: TMA units, crossbar, L2 and DRAM of one GPU, as FIFO servers that are advanced
 * cycle by cycle, exactly in order of time, without any knowledge of who issues operations and who
 * waits for them. */
#ifndef TMA_MEMORY_SYSTEM_H
#define TMA_MEMORY_SYSTEM_H

#include "memory/machine.h"
#include "placement/rows.h"

struct tma_memory;

/* What became of an operation. Times are in cycles. */
struct tma_completion {
    uint64_t cycle;                  /* its bytes are on the mbarrier */
    uint64_t tag;                    /* the issuer's */
    uint32_t sm;                     /* whose shared memory has the bytes */
    uint32_t copied : 1;             /* multicast: it is not the SM that issued the operation */
    uint32_t descriptor_cycles : 31; /* that it waited for its tensor map, before its start */
    uint32_t bytes;                  /* complete_tx */
    uint32_t tensor_bytes;           /* of them, from the tensor: the rest is out-of-bounds fill */
    uint32_t rows, rows_out_of_bounds;
    uint32_t requests;            /* rows and 128-byte lines */
    uint32_t miss_sectors;        /* sectors that L2 did not have */
    uint32_t fills, fill_sectors; /* from DRAM, on this operation's behalf */
    uint64_t issue_cycle;         /* the instruction */
    uint64_t start_cycle;         /* the TMA unit begins on it */
    uint64_t rows_cycle;          /* its last request leaves the TMA unit */
    uint64_t fill_cycle;          /* its last fill is at L2; 0 without fills */
    uint64_t arrival_cycle;       /* its last data is in shared memory */
    /* The way of the request that arrived last: what it spent where. */
    uint64_t sent_cycle;
    uint32_t crossbar_cycles, crossbar_wait_cycles, l2_cycles, dram_cycles;
};

struct tma_memory_counters {
    uint64_t requests; /* of TMA units to L2, promotion's included */
    uint64_t sectors, hit_sectors, miss_sectors;
    uint64_t lookup_miss_sectors; /* as the profiler counts: all that the SM's partition fetched */
    uint64_t response_sectors;    /* to SMs, out-of-bounds fill included */
    uint64_t write_sectors;       /* from SMs */
    uint64_t fills, fill_sectors, unused_sectors, evictions;
    uint64_t partition_sectors; /* from one L2 partition to the other */
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t shared_write_wavefronts; /* of 128 bytes, into shared memory */
    /* Tensor maps that units lacked; that their GPCs asked L2 for; that L2 did not have; and the
     * cycles that units waited. */
    uint64_t descriptor_fetches, descriptor_l2_fetches, descriptor_dram_fetches, descriptor_cycles;
    /* Cycles for which servers were busy, summed over all of a kind. */
    uint64_t tma_busy, sm_port_busy, gpc_port_busy, slice_busy, bus_busy;
};

enum tma_error_code tma_memory_create(struct tma_memory **memory, const struct tma_machine *machine,
                                      struct tma_error *error);
void tma_memory_free(struct tma_memory *memory);

struct tma_issue {
    uint64_t cycle; /* of the instruction; no earlier than the last advance less issue_cycles */
    uint64_t tag;   /* the issuer's: comes back with the completion */
    uint32_t sm;
    enum tma_direction direction;
    uint32_t warp;   /* stores and reductions: the one of the SM's that issues it, */
    bool wait_group; /* and whether it waits with wait_group (true) or wait_group.read */
    const struct tma_tensor_map *map;
    uint32_t descriptor; /* the map's number among those of the kernel, up to TMA_MAX_DESCRIPTORS;
                            0: it is at hand, and takes no time */
    const struct tma_row_stream *rows; /* before the first row; copied */
    const struct tma_operation_size *size;
    /* Multicast: SMs of the same GPC that get the data too, each with a completion of its own. */
    const uint32_t *copies;
    uint32_t copy_count;
};

/* An SM issues an operation. False when out of memory. */
bool tma_memory_issue(struct tma_memory *memory, const struct tma_issue *issue);

/* Works through all that happens before cycle `until`. False when out of memory. Every completion
 * before until + the machine's complete_cycles is known then. */
bool tma_memory_advance(struct tma_memory *memory, uint64_t until);

/* Consumers keep an SM's shared memory busy from `from` to `until`, in which arriving data take
 * turns with them. As an issue, it takes effect issue_cycles later. Calls for an SM come in order.
 */
void tma_memory_consume(struct tma_memory *memory, uint32_t sm, uint64_t from, uint64_t until);

/* Works through all that is still on its way: writes, prefetches. False when out of memory. */
bool tma_memory_drain(struct tma_memory *memory);

/* The cycle up to which it has been advanced. */
uint64_t tma_memory_now(const struct tma_memory *memory);

/* Takes the next completion that is known, in the order in which they were found; false where there
 * is none. */
bool tma_memory_take(struct tma_memory *memory, struct tma_completion *completion);

/* Operations that have been issued and have not completed. */
uint32_t tma_memory_in_flight(const struct tma_memory *memory);

/* Brings the lines of an SM's operation into L2 without taking any time: what a kernel before would
 * have left there. `again`: an SM of the other partition had the same lines brought in before.
 * Before the first issue. */
void tma_memory_warm(struct tma_memory *memory, uint32_t sm, enum tma_direction direction,
                     const struct tma_row_stream *rows, bool again);

/* Tensor maps lie from this address on, 128 bytes each; without this, beyond all tensors. Before
 * they are left anywhere, or used. */
void tma_memory_place_descriptors(struct tma_memory *memory, uint64_t address);

/* A kernel before, or the launch, left a tensor map in the caches of all GPCs, or in L2. Before the
 * first issue. */
void tma_memory_leave_descriptor_in_gpcs(struct tma_memory *memory, uint32_t descriptor);
void tma_memory_leave_descriptor_in_l2(struct tma_memory *memory, uint32_t descriptor);

/* Until L2 is full, it changes nothing to bring the lines of an operation in a second time for SMs
 * of a partition. */
bool tma_memory_is_full(const struct tma_memory *memory);

/* The L2 partition that an SM is next to. */
uint32_t tma_memory_partition(const struct tma_memory *memory, uint32_t sm);

struct tma_memory_counters tma_memory_count(const struct tma_memory *memory);

/* The SM on which the CTAs of a grid of `count` run: CTA i on sms[i]. */
void tma_machine_place(const struct tma_machine *machine, uint32_t count, uint32_t *sms);

/* The same for clusters of `ctas` (2 or more) CTAs each: cluster i on sms[i * ctas] and those after
 * it, which are of one GPC. Gives how many clusters there is room for, at most `count`. */
uint32_t tma_machine_place_clusters(const struct tma_machine *machine, uint32_t ctas,
                                    uint32_t count, uint32_t *sms);

/* The GPC of each SM, by the SM's number. */
void tma_machine_gpcs(const struct tma_machine *machine, uint32_t *gpcs);

/* The cycles at which the first CTAs on `count` SMs start, of clusters of `ctas` (1 or more). */
void tma_machine_launch(const struct tma_machine *machine, const uint32_t *sms, uint32_t count,
                        uint32_t ctas, uint64_t *cycles);

#endif
