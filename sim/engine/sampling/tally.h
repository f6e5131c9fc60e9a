/* What a run has added up so far: all its counts, as one list of numbers. A sampled run takes the
 * tally of a window for the part that it skips. */
#pragma once

#include "engine/result.h"
#include "memory/core/counters.h"

/* Units of the SMs, busy ticks of all SMs together (kernels with roles only). */
enum tma_tally_unit {
    TMA_TALLY_TENSOR,
    TMA_TALLY_FMA, /* and the other pipes, in their order */
    TMA_TALLY_ALU,
    TMA_TALLY_SFU,
    TMA_TALLY_ISSUE,
    TMA_TALLY_OPERANDS,
    TMA_TALLY_FMA_OVERLAP, /* with the tensor cores */
    TMA_TALLY_ALU_OVERLAP,
    TMA_TALLY_SFU_OVERLAP,
    TMA_TALLY_UNIT_COUNT
};

/* Each member consists of uint64_t alone. */
struct tma_tally {
    struct tma_counters counters; /* those of operations; the memory system's are in `memory` */
    struct tma_memory_counters memory;
    uint64_t causes[TMA_CAUSE_COUNT];
    uint64_t consumers[TMA_MAX_CONSUMERS][3]; /* instructions, wavefronts, ideal wavefronts */
    uint64_t roles[TMA_MAX_ROLES][TMA_ROLE_CAUSE_COUNT];
    uint64_t statements;
    uint64_t units[TMA_TALLY_UNIT_COUNT];
    uint64_t ended_ctas;
    uint64_t cta_cycles; /* of the CTAs that have ended */
    uint64_t latencies;  /* operations and copies that have completed */
};

/* The part of a tally that is in the result of a run that is going on. */
struct tma_tally tma_tally_of(const struct tma_result *result,
                              const struct tma_memory_counters *memory);

/* Adds to a tally what came between two others, `units` for each `per` of theirs, rounded down.
 * Sums that a report gives with their parts stay the sums of their parts. */
void tma_tally_extend(struct tma_tally *tally, const struct tma_tally *from,
                      const struct tma_tally *to, uint64_t units, uint64_t per);

/* Adds a tally to the result, and to the counters of the memory system, before the report of the
 * run is made of them. */
void tma_tally_add(const struct tma_tally *tally, struct tma_result *result,
                   struct tma_memory_counters *memory);
