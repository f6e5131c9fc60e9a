#include "memory/policies.h"

#define REPLACEMENT_NAME(name) {#name, TMA_REPLACEMENT_##name},
#define PROMOTION_NAME(name)   {#name, TMA_PROMOTION_##name},
#define SLICE_HASH_NAME(name)  {#name, TMA_SLICE_HASH_##name},
#define SCHEDULER_NAME(name)   {#name, TMA_DRAM_SCHEDULER_##name},
#define REFRESH_NAME(name)     {#name, TMA_REFRESH_##name},
#define TRANSLATION_NAME(name) {#name, TMA_TRANSLATION_##name},

const struct tma_names tma_replacement_names =
    TMA_NAMES("replacement policy", TMA_REPLACEMENT_POLICIES(REPLACEMENT_NAME));
const struct tma_names tma_promotion_names =
    TMA_NAMES("promotion policy", TMA_PROMOTION_POLICIES(PROMOTION_NAME));
const struct tma_names tma_slice_hash_names =
    TMA_NAMES("hash of slices", TMA_SLICE_HASHES(SLICE_HASH_NAME));
const struct tma_names tma_dram_scheduler_names =
    TMA_NAMES("DRAM scheduler", TMA_DRAM_SCHEDULERS(SCHEDULER_NAME));
const struct tma_names tma_refresh_names =
    TMA_NAMES("refresh policy", TMA_REFRESH_POLICIES(REFRESH_NAME));
const struct tma_names tma_translation_names =
    TMA_NAMES("state of the TLBs", TMA_TRANSLATIONS(TRANSLATION_NAME));
