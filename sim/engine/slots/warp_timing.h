/* When the warps of slots continue after a wait. A slot is one warp; the warps of an SM belong to
 * its schedulers in turn: slot s to scheduler s mod TMA_SCHEDULERS. */
#pragma once

#include "engine/sm.h"
#include "engine/workload.h"

/* Cycles from the start of a CTA to the first operation of its slot `slot` on SM number `sm`. */
uint64_t tma_warp_first_pass_cycles(const struct tma_machine *machine,
                                    const struct tma_workload *workload, uint32_t sm,
                                    uint32_t slot);

/* Cycles from the visible cycle of a load, `cycle`, until the slot's warp goes on. Meanwhile the
 * warps of the same scheduler's other slots poll; how long that takes is random by the machine's
 * seed, but the same for all warps whose phases end in the same round of polling. (So slots whose
 * phases end together seldom change places.) */
uint64_t tma_warp_turnaround_cycles(const struct tma_machine *machine, uint32_t depth, uint32_t sm,
                                    uint32_t slot, uint64_t cycle);

/* Gives the cycle at which a warp of an SM continues if it could do so at `cycle`. Warps of an SM
 * continue one after the other, in the order of the calls. */
uint64_t tma_warp_take_turn(const struct tma_machine *machine, struct tma_sm *sm, uint64_t cycle);
