/* What all sampled runs have in common, whatever units their progress is counted in. */
#pragma once

#include "engine/observe/accounting.h"
#include "engine/sampling/sampler.h"

/* Waves that a grid has at least where CTAs are skipped. */
enum { TMA_SAMPLED_WAVES = 6 };

/* Returns a plan without its units: with the guard, the shortest window in cycles, and how much may
 * be skipped at once. `walk_bytes` are what one walk over the tensors moves. */
struct tma_sample_plan tma_sample_plan_of(const struct tma_machine *machine,
                                          enum tma_sampling sampling, uint64_t walk_bytes);

/* The bytes of the tensors of all maps. */
uint64_t tma_tensor_bytes(const struct tma_tensor_map *maps, const struct tma_map_array *arrays,
                          uint32_t map_count);

/* The tally of a run so far, but for the units of SMs. */
struct tma_tally tma_sample_tally(const struct tma_accounting *accounting,
                                  const struct tma_memory_counters *counters);

/* Adds what was skipped to the figures of a run that has ended, before tma_account_run, and says in
 * the result how it was sampled. With `inside_ctas`, the CTAs of all places went on over the time
 * that was skipped; else whole CTAs were skipped. */
void tma_sample_account(const struct tma_sampler *sampler, uint64_t walk_bytes, bool inside_ctas,
                        struct tma_accounting *accounting, struct tma_memory_counters *counters);

/* Whether an estimate may be off by more than 20 % of its cycles, and is none. */
bool tma_estimate_is_rough(uint64_t error_cycles, uint64_t cycles);

/* Whether a run that has ended was sampled, and its estimate is rough: then it has to be simulated
 * whole, as *whole says, and *sampled is what the result is to say of it. The spans begin anew. */
bool tma_sample_is_rough(const struct tma_result *result, const struct tma_watch *watch,
                         struct tma_watch *whole, struct tma_sampled *sampled);
