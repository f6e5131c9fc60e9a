/* One shared-memory instruction of a warp, wavefront by wavefront: the address and the banks of
 * each lane, and the lanes that it conflicts with. */
#pragma once

#include <stdio.h>

#include "banks/consumer.h"

/* As an index: the instruction with the worst conflict, the first one of several. */
#define TMA_EXPLAIN_WORST UINT64_MAX

struct tma_explained_lane {
    uint32_t lane;
    uint32_t wavefront; /* that serves the lane, from 0 */
    uint32_t phase;     /* of the instruction, from 0 */
    uint32_t row, byte; /* of the tile */
    uint32_t address;   /* in shared memory */
    uint32_t first_bank, last_bank;
    uint32_t conflicts; /* bit l: lane l of the phase accesses other words of the same banks */
    uint32_t shares;    /* bit l: lane l of the phase accesses the same words, at no extra cost */
};

struct tma_explanation {
    const struct tma_consumer *consumer; /* borrowed */
    struct tma_tile tile;
    uint64_t instructions; /* of one pass over the tile */
    uint64_t index;        /* of the explained instruction */
    struct tma_warp_access access;
    struct tma_bank_report report;
    struct tma_explained_lane lanes[TMA_WARP_LANES]; /* by wavefront, then by lane */
    uint32_t lane_count;
};

/* Explains instruction `index` of one pass of the consumer over the tile. Fails as
 * tma_consumer_check does, and with TMA_ERROR_ARGUMENT where the pass has no such instruction. */
enum tma_error_code tma_explain(const struct tma_consumer *consumer, const struct tma_tile *tile,
                                uint64_t index, struct tma_explanation *explanation,
                                struct tma_error *error);

/* Formats of tma_explanation_write; the first is the default. */
extern const struct tma_names tma_explanation_format_names;

/* Writes the explanation in a format: a value of tma_explanation_format_names. Write errors stay
 * with the stream. */
void tma_explanation_write(const struct tma_explanation *explanation, int format, FILE *out);
