/* The memory system of one GPU: TMA units, crossbar, L2 and DRAM. It works through events in order
 * of time, cycle by cycle. It takes operations and gives completions; it knows nothing of the warps
 * that issue the operations or wait for them. */
#pragma once

#include "memory/core/counters.h"
#include "memory/core/issue.h"
#include "memory/core/servers.h"
#include "memory/core/warp_access.h"
#include "memory/machine.h"

struct tma_memory;

/* Fails with TMA_ERROR_MEMORY. The caller frees *memory. */
enum tma_error_code tma_memory_create(struct tma_memory **memory, const struct tma_machine *machine,
                                      struct tma_error *error);
void tma_memory_free(struct tma_memory *memory);

/* An SM issues an operation. False when out of memory. */
bool tma_memory_issue(struct tma_memory *memory, const struct tma_issue *issue);

/* A warp of an SM accesses global memory. False when out of memory. */
bool tma_memory_access(struct tma_memory *memory, const struct tma_access *access);

/* Takes the oldest access that is done and that the caller has not taken; false where there is
 * none. */
bool tma_memory_take_access(struct tma_memory *memory, struct tma_access_completion *completion);

/* Accesses of an SM that its load/store unit has not looked up yet. */
uint32_t tma_memory_waiting_accesses(const struct tma_memory *memory, uint32_t sm);

/* The CTAs of an SM take so many bytes of shared memory: L1 has what the carve-out for them leaves.
 * Without this call L1 has all of it. Only before the first access. */
void tma_memory_carve_out(struct tma_memory *memory, uint64_t shared_bytes);

/* Works through all events before cycle `until`. Every completion before `until` plus the machine's
 * complete_cycles is known afterwards, and of accesses every one before `until` plus the lesser of
 * l1.hit and l1.fill. False when out of memory. */
bool tma_memory_advance(struct tma_memory *memory, uint64_t until);

/* A warp of an SM accesses shared memory: `wavefronts` wavefronts, which begin no earlier than
 * `cycle`. Returns the cycle at which the last one ends. Warps of an SM are served in the order of
 * the calls. */
uint64_t tma_memory_access_shared(struct tma_memory *memory, uint32_t sm, uint64_t cycle,
                                  uint64_t wavefronts);

/* The operands of a matrix product of an SM: `wavefronts` wavefronts, which begin no earlier than
 * `cycle`. Returns `end`, or the later cycle at which shared memory has given them all. */
uint64_t tma_memory_read_operands(struct tma_memory *memory, uint32_t sm, uint64_t cycle,
                                  uint64_t wavefronts, uint64_t end);

/* In how many cycles a store that begins no earlier than `cycle` finds TMA writing to its half of
 * shared memory (sm/shared_port.h). Before tma_memory_access_shared. */
uint64_t tma_memory_shared_conflicts(const struct tma_memory *memory, uint32_t sm, uint32_t address,
                                     uint64_t cycle, uint64_t wavefronts);

/* For how long accesses of an SM's warps have waited in shared memory for operands of products. */
uint64_t tma_memory_waited_cycles(const struct tma_memory *memory, uint32_t sm);

/* For how long the operands of an SM's products have occupied its shared memory. */
uint64_t tma_memory_operand_ticks(const struct tma_memory *memory, uint32_t sm);

/* The latest such end of an SM; 0: no product. */
uint64_t tma_memory_operands_end(const struct tma_memory *memory, uint32_t sm);

/* Works through all events that are left, such as writes and prefetches in flight. False when out
 * of memory. */
bool tma_memory_drain(struct tma_memory *memory);

/* Whether no event is left. */
bool tma_memory_is_drained(const struct tma_memory *memory);

/* The cycle up to which the memory system has worked. */
uint64_t tma_memory_now(const struct tma_memory *memory);

/* Takes the oldest completion that the caller has not taken; false where there is none. */
bool tma_memory_take(struct tma_memory *memory, struct tma_completion *completion);

/* From now on there are reports of fills that end after their operation has completed. */
void tma_memory_report_fills(struct tma_memory *memory);

/* Takes such a report, in any order; false where there is none. */
bool tma_memory_take_fills(struct tma_memory *memory, struct tma_late_fills *fills);

/* Number of operations and accesses that have been issued and have not completed. */
uint32_t tma_memory_in_flight(const struct tma_memory *memory);

/* A fault of the model: operations are in flight, and no event is left that could end them. */
bool tma_memory_is_stuck(const struct tma_memory *memory);

/* Writes what is in flight: how many operations, and the first of them by SM, with the packets that
 * each waits for. Cut to `size` bytes. */
void tma_memory_describe(const struct tma_memory *memory, char *text, size_t size);

/* For tests of what the engine does about such a fault: loses all events. */
void tma_memory_lose_events(struct tma_memory *memory);

/* Warm start: brings the lines of an SM's operation into L2 without taking time, as an earlier
 * kernel would have left them. `again`: the same lines were brought in before for an SM of the
 * other partition. Only before the first issue. */
void tma_memory_warm(struct tma_memory *memory, uint32_t sm, enum tma_direction direction,
                     enum tma_l2_promotion promotion, const struct tma_row_stream *rows,
                     bool again);

/* Cold start: a kernel that kept DRAM busy, such as one that empties L2, has just ended. Only
 * before the first issue. */
void tma_memory_follow_load(struct tma_memory *memory);

/* Places the tensor maps at an address, 128 bytes each. Without this call they lie past all
 * tensors. Only before they are used. */
void tma_memory_place_descriptors(struct tma_memory *memory, uint64_t address);

/* Warm start: puts a tensor map into the caches of all GPCs, or into L2. Only before the first
 * issue.
 */
void tma_memory_leave_descriptor_in_gpcs(struct tma_memory *memory, uint32_t descriptor);
void tma_memory_leave_descriptor_in_l2(struct tma_memory *memory, uint32_t descriptor);

/* Whether the warm start has filled an L2 set. Before that, to bring the same lines in a second
 * time for SMs of the same partition has no effect. */
bool tma_memory_is_full(const struct tma_memory *memory);

/* The L2 partition next to an SM. */
uint32_t tma_memory_partition(const struct tma_memory *memory, uint32_t sm);

/* Whether all went out of the memory system that came in, and no server was busy for longer than
 * the run, of which the engine took `cycles`. Only after tma_memory_drain. */
bool tma_memory_is_conserved(const struct tma_memory *memory, uint64_t cycles);

/* The counters of the run so far. */
struct tma_memory_counters tma_memory_count(const struct tma_memory *memory);

/* Writes for how long each server was busy before `cycle`, the current one or a later one, in
 * 1/1024 cycles: all servers of the first kind (enum tma_server), then those of the next one. What
 * a server has accepted and will do from that cycle on does not count. UINT64_MAX: all counts. */
void tma_memory_busy_ticks(const struct tma_memory *memory, uint64_t cycle, uint64_t *ticks);

/* The work of a DRAM channel is known only some cycles after it was done. What was done before an
 * observation at `cycle`, but became known since then, is late. */
void tma_memory_observe(struct tma_memory *memory, uint64_t cycle);

/* Of the late work since the last observation: for how long the bus of a channel was busy, in
 * 1/1024 cycles. */
uint64_t tma_memory_late_ticks(const struct tma_memory *memory, uint32_t channel);

/* The same: sectors that all channels read, or wrote. */
uint64_t tma_memory_late_sectors(const struct tma_memory *memory, bool written);
