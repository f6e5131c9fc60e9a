/* The layouts over which a comparison measured a consumer: swizzle modes, then padding. Internal to
 * sim/report. */
#ifndef TMA_REPORT_COMPARE_LAYOUTS_H
#define TMA_REPORT_COMPARE_LAYOUTS_H

#include "report/swizzle_comparison.h"

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

#endif
