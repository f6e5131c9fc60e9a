/* One scenario under every swizzle mode: the bank conflicts of each consumer in each mode, and the
 * mode to choose. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "engine/result.h"
#include "experiment/experiment.h"
#include "tensormap/types.h"

enum { TMA_MAX_COMPARED_MODES = 8, TMA_RECOMMENDATION_BYTES = 512 };

/* One swizzle mode. An illegal mode has a reason, and zero in every field below it. */
struct tma_compared_mode {
    enum tma_swizzle swizzle;
    bool legal;
    char reason[TMA_ERROR_TEXT_BYTES]; /* the rule that the mode breaks; "" for a legal mode */
    uint64_t cycles;
    struct tma_launches draws;     /* launches with several seeds; count 0: there were none */
    double bytes_per_cycle;        /* moved by all SMs together */
    double bytes_per_cycle_per_sm; /* the same divided by the comparison's SMs */
    uint64_t wavefronts;           /* of all consumers, over the run */
    uint64_t ideal_wavefronts;     /* the same without bank conflicts */
    uint32_t ways;                 /* the worst conflict; 1: none, 0: no consumer */
    uint32_t banks_used;           /* bit b: some consumer accesses bank b */
    struct tma_tile tiles[TMA_MAX_CONSUMERS]; /* by consumer, in the first pipeline slot */
    struct tma_consumer_report passes[TMA_MAX_CONSUMERS]; /* one pass over that tile */
};

/* Padding is the classic alternative to a swizzle: a gap after every row of a tile. The gap is the
 * one with which the consumers of the tile take the fewest wavefronts. */
struct tma_compared_padding {
    uint32_t operation; /* the operation that loads the tile */
    bool possible;
    char reason[TMA_ERROR_TEXT_BYTES]; /* why padding is not possible */
    struct tma_tile tile;              /* padded: the gap is pitch_bytes - row_bytes */
    uint32_t extra_bytes;              /* of shared memory for each pipeline stage */
    struct tma_consumer_report passes[TMA_MAX_CONSUMERS]; /* zero for consumers of other tiles */
};

struct tma_swizzle_comparison {
    const char *scenario, *machine;      /* names, borrowed */
    struct tma_timing_trust trust;       /* of the machine */
    const struct tma_workload *workload; /* borrowed: the scenario as the user wrote it */
    struct tma_compared_mode modes[TMA_MAX_COMPARED_MODES];
    size_t mode_count;
    struct tma_compared_padding padding[TMA_MAX_STAGE_OPERATIONS]; /* of tiles with consumers */
    size_t padding_count;
    bool show_padding;                    /* formats show it; the recommendation always uses it */
    const struct tma_compared_mode *best; /* NULL where no mode is legal */
    char recommendation[TMA_RECOMMENDATION_BYTES]; /* one sentence with its reason */
};

/* Adds a legal mode. `workload` is the scenario in this mode, `result` comes from its run. */
void tma_compare_add_legal(struct tma_swizzle_comparison *comparison, enum tma_swizzle swizzle,
                           const struct tma_workload *workload, const struct tma_result *result);

/* Adds a mode that is not legal, with the reason. */
void tma_compare_add_illegal(struct tma_swizzle_comparison *comparison, enum tma_swizzle swizzle,
                             const char *reason);

/* Call after all modes are added. Finds the best padding of every tile with consumers. Chooses the
 * best mode: fewest wavefronts, then fewest cycles, then the first. Writes the recommendation,
 * which says whether the launches show a difference in time. */
void tma_compare_finish(struct tma_swizzle_comparison *comparison);

/* Formats of tma_compare_write; the first is the default. */
extern const struct tma_names tma_compare_format_names;

/* Writes the comparison in a format: a value of tma_compare_format_names. Write errors stay with
 * the stream. The output does not depend on the locale. */
void tma_compare_write(const struct tma_swizzle_comparison *comparison, int format, FILE *out);

/* A layout over which a comparison measured a consumer: a swizzle mode, or padding. */
struct tma_compared_layout {
    char name[40];                          /* "128b", or "none+16" for a padding of 16 bytes */
    const struct tma_compared_mode *mode;   /* NULL for padding */
    const struct tma_tile *tile;            /* what the consumer reads */
    const struct tma_consumer_report *pass; /* one pass of the consumer over the tile */
    uint32_t extra_bytes;                   /* of shared memory for each pipeline stage */
};

/* Fills in the layouts of a consumer: the legal modes, then the padding where the comparison shows
 * it. Returns their number. */
size_t tma_compared_layouts(const struct tma_swizzle_comparison *comparison, uint32_t consumer,
                            struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1]);
