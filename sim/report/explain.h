/* One warp instruction on shared memory, wavefront by wavefront: which lanes, which addresses,
 * which banks, who collides with whom. */
#ifndef TMA_REPORT_EXPLAIN_H
#define TMA_REPORT_EXPLAIN_H

#include <stdio.h>

#include "banks/consumer.h"

#define TMA_EXPLAIN_WORST UINT64_MAX /* for an index: the first of the worst */

struct tma_explained_lane {
    uint32_t lane;
    uint32_t wavefront, phase;
    uint32_t row, byte; /* of the tile */
    uint32_t address;
    uint32_t first_bank, last_bank;
    uint32_t collides; /* lanes of its phase that want other words of its banks */
    uint32_t shares;   /* lanes of its phase that want the same words: served with it */
};

struct tma_explanation {
    const struct tma_consumer *consumer; /* borrowed */
    struct tma_tile tile;
    uint64_t instructions; /* of one pass over the tile */
    uint64_t index;
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

extern const struct tma_names tma_explanation_format_names; /* text (the default), json, csv */

/* Write errors stay with the stream. */
void tma_explanation_write(const struct tma_explanation *explanation, int format, FILE *out);

#endif
