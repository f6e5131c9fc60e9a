#include "memory/policies.h"

#define REPLACEMENT_NAME(name) {#name, TMA_REPLACEMENT_##name},
#define PROMOTION_NAME(name)   {#name, TMA_PROMOTION_##name},
#define SLICE_HASH_NAME(name)  {#name, TMA_SLICE_HASH_##name},
#define SCHEDULER_NAME(name)   {#name, TMA_DRAM_SCHEDULER_##name},
#define REFRESH_NAME(name)     {#name, TMA_REFRESH_##name},
#define TRANSLATION_NAME(name) {#name, TMA_TRANSLATION_##name},

static const struct tma_name replacements[] = {TMA_REPLACEMENT_POLICIES(REPLACEMENT_NAME)};
static const struct tma_name promotions[] = {TMA_PROMOTION_POLICIES(PROMOTION_NAME)};
static const struct tma_name slice_hashes[] = {TMA_SLICE_HASHES(SLICE_HASH_NAME)};
static const struct tma_name schedulers[] = {TMA_DRAM_SCHEDULERS(SCHEDULER_NAME)};
static const struct tma_name refreshes[] = {TMA_REFRESH_POLICIES(REFRESH_NAME)};
static const struct tma_name translations[] = {TMA_TRANSLATIONS(TRANSLATION_NAME)};

const struct tma_names tma_replacement_names = {"replacement policy", replacements,
                                                TMA_REPLACEMENT_COUNT};
const struct tma_names tma_promotion_names = {"promotion policy", promotions, TMA_PROMOTION_COUNT};
const struct tma_names tma_slice_hash_names = {"hash of slices", slice_hashes,
                                               TMA_SLICE_HASH_COUNT};
const struct tma_names tma_dram_scheduler_names = {"DRAM scheduler", schedulers,
                                                   TMA_DRAM_SCHEDULER_COUNT};
const struct tma_names tma_refresh_names = {"refresh policy", refreshes, TMA_REFRESH_COUNT};
const struct tma_names tma_translation_names = {"state of the TLBs", translations,
                                                TMA_TRANSLATION_COUNT};
