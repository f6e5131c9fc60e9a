/* The policies that a machine file picks by name. A policy is a named set of functions in the file
 * of its kind (l2/replacement.c); to add one, write it there or in a file of its own, and add its
 * name to the list here.
 *
 * Each list makes an enumeration (TMA_REPLACEMENT_lru, ...) and a table of names for the reader of
 * machine files. The first name of a list is the default. */
#pragma once

#include "base/api.h"
#include "tensormap/types.h"

TMA_API_BEGIN

/* Which line of a full L2 set is the victim: l2/replacement.h. */
#define TMA_REPLACEMENT_POLICIES(X) X(lru) X(random)

/* Which accesses of a tensor map with 256-byte promotion fetch the block's second line too:
 * l2/promotion.h. */
#define TMA_PROMOTION_POLICIES(X) X(first_sector) X(none)

/* Which L2 slice serves a line: core/slice_hash.h. */
#define TMA_SLICE_HASHES(X) X(even) X(h200) X(h100)

/* In which order a DRAM channel serves its requests: dram/scheduler.h. */
#define TMA_DRAM_SCHEDULERS(X) X(fr_fcfs) X(fcfs)

/* Which banks a DRAM channel refreshes at once: dram/refresh.h. */
#define TMA_REFRESH_POLICIES(X) X(per_bank) X(all_banks) X(none)

/* What the TLBs hold when a run starts (gpc/translation.c): all translations, which then take no
 * time, or none. */
#define TMA_TRANSLATIONS(X) X(warm) X(cold)

#define TMA_POLICY_REPLACEMENT(name) TMA_REPLACEMENT_##name,
#define TMA_POLICY_PROMOTION(name)   TMA_PROMOTION_##name,
#define TMA_POLICY_SLICE_HASH(name)  TMA_SLICE_HASH_##name,
#define TMA_POLICY_SCHEDULER(name)   TMA_DRAM_SCHEDULER_##name,
#define TMA_POLICY_REFRESH(name)     TMA_REFRESH_##name,
#define TMA_POLICY_TRANSLATION(name) TMA_TRANSLATION_##name,

enum tma_replacement { TMA_REPLACEMENT_POLICIES(TMA_POLICY_REPLACEMENT) TMA_REPLACEMENT_COUNT };
enum tma_promotion { TMA_PROMOTION_POLICIES(TMA_POLICY_PROMOTION) TMA_PROMOTION_COUNT };
enum tma_slice_hash { TMA_SLICE_HASHES(TMA_POLICY_SLICE_HASH) TMA_SLICE_HASH_COUNT };
enum tma_dram_scheduler { TMA_DRAM_SCHEDULERS(TMA_POLICY_SCHEDULER) TMA_DRAM_SCHEDULER_COUNT };
enum tma_refresh_kind { TMA_REFRESH_POLICIES(TMA_POLICY_REFRESH) TMA_REFRESH_COUNT };
enum tma_translation { TMA_TRANSLATIONS(TMA_POLICY_TRANSLATION) TMA_TRANSLATION_COUNT };

extern const struct tma_names tma_replacement_names;
extern const struct tma_names tma_promotion_names;
extern const struct tma_names tma_slice_hash_names;
extern const struct tma_names tma_dram_scheduler_names;
extern const struct tma_names tma_refresh_names;
extern const struct tma_names tma_translation_names;

TMA_API_END
