/* The memory system: TMA units, crossbar, L2 and DRAM of one GPU, as FIFO servers that are advanced
 * cycle by cycle, exactly in order of time, without any knowledge of who issues operations and who
 * waits for them. */
#ifndef TMA_MEMORY_SYSTEM_H
#define TMA_MEMORY_SYSTEM_H

#include "memory/core/completion.h"
#include "memory/core/counters.h"
#include "memory/core/issue.h"
#include "memory/machine.h"

struct tma_memory;

enum tma_error_code tma_memory_create(struct tma_memory **memory, const struct tma_machine *machine,
                                      struct tma_error *error);
void tma_memory_free(struct tma_memory *memory);

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

#endif
