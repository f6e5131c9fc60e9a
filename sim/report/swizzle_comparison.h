/* One scenario under every swizzle mode: what each consumer's accesses cost the banks, and which
 * mode to take. */
#ifndef TMA_REPORT_SWIZZLE_COMPARISON_H
#define TMA_REPORT_SWIZZLE_COMPARISON_H

#include <stdio.h>

#include "base/error.h"
#include "engine/result.h"
#include "tensormap/types.h"

enum { TMA_MAX_COMPARED_MODES = 8, TMA_RECOMMENDATION_BYTES = 512 };

struct tma_compared_mode {
    enum tma_swizzle swizzle;
    bool legal;
    char reason[TMA_ERROR_TEXT_BYTES]; /* which rule it breaks; "" where it is legal */
    /* Where it is legal: */
    uint64_t cycles;
    double bytes_per_cycle;
    uint64_t wavefronts, ideal_wavefronts;    /* of all consumers, over the run */
    uint32_t ways;                            /* the worst conflict; 1: none, 0: no consumer */
    uint32_t banks_used;                      /* bit b: by any consumer */
    struct tma_tile tiles[TMA_MAX_CONSUMERS]; /* by consumer, in the first pipeline slot */
    struct tma_consumer_report passes[TMA_MAX_CONSUMERS]; /* one pass over that tile */
};

/* The classic alternative to a swizzle: a gap behind every row of the tile of one operation, as
 * wide as costs its consumers the fewest wavefronts. */
struct tma_compared_padding {
    uint32_t operation;
    bool possible;
    char reason[TMA_ERROR_TEXT_BYTES]; /* why not */
    struct tma_tile tile;              /* padded: pitch_bytes - row_bytes is the gap */
    uint32_t extra_bytes;              /* of shared memory, each pipeline stage */
    struct tma_consumer_report passes[TMA_MAX_CONSUMERS]; /* zero for other tiles' consumers */
};

struct tma_comparison {
    const char *scenario, *machine;      /* borrowed names */
    bool timing_validated;               /* the machine's; reports say so where it is not */
    const struct tma_workload *workload; /* borrowed: the scenario as it is */
    struct tma_compared_mode modes[TMA_MAX_COMPARED_MODES];
    size_t mode_count;
    struct tma_compared_padding
        padding[TMA_MAX_STAGE_OPERATIONS]; /* of operations with consumers */
    size_t padding_count;
    bool show_padding;                    /* in the output; the recommendation knows it anyway */
    const struct tma_compared_mode *best; /* NULL: none is legal */
    char recommendation[TMA_RECOMMENDATION_BYTES]; /* one sentence, with its reason */
};

/* Adds a mode: `workload` is the scenario with it, `result` its run. */
void tma_comparison_add(struct tma_comparison *comparison, enum tma_swizzle swizzle,
                        const struct tma_workload *workload, const struct tma_result *result);

/* Adds a mode that is not legal, and why. */
void tma_comparison_refuse(struct tma_comparison *comparison, enum tma_swizzle swizzle,
                           const char *reason);

/* Works out the padding of every tile that has consumers, picks the best mode (fewest wavefronts,
 * then fewest cycles, then the first) and says why. */
void tma_comparison_judge(struct tma_comparison *comparison);

/* text (the default), json, csv, markdown, svg. Values are indices for tma_comparison_write. */
extern const struct tma_names tma_comparison_format_names;

/* Writes the whole comparison. Write errors stay with the stream. Output does not depend on the
 * locale. */
void tma_comparison_write(const struct tma_comparison *comparison, int format, FILE *out);

#endif
