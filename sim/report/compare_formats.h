/* One writer for each comparison format, and what they share. Internal to sim/report. */
#ifndef TMA_REPORT_COMPARE_FORMATS_H
#define TMA_REPORT_COMPARE_FORMATS_H

#include "report/swizzle_comparison.h"

void tma_compare_write_text(const struct tma_comparison *comparison, FILE *out);
void tma_compare_write_json(const struct tma_comparison *comparison, FILE *out);
void tma_compare_write_csv(const struct tma_comparison *comparison, FILE *out);
void tma_compare_write_markdown(const struct tma_comparison *comparison, FILE *out);
void tma_compare_write_svg(const struct tma_comparison *comparison, FILE *out);

/* What comes after the machine's name: "" where its timing is validated. */
const char *tma_compared_caveat(const struct tma_comparison *comparison);

/* "0-7, 9" of the bits 0 to 7 and 9; "none" of 0. */
struct tma_bit_list {
    char text[96];
};
struct tma_bit_list tma_bit_list(uint32_t bits);

uint32_t tma_count_bits(uint32_t bits);

/* A layout that a consumer was measured over: a legal mode, or a padding. */
struct tma_compared_layout {
    char name[40];                        /* "128b", "none+16" */
    const struct tma_compared_mode *mode; /* NULL: padding */
    const struct tma_tile *tile;
    const struct tma_consumer_report *pass;
    uint32_t extra_bytes; /* of shared memory, each pipeline stage */
};

/* The layouts of a consumer, the modes first; gives their number. */
size_t tma_compared_layouts(const struct tma_comparison *comparison, uint32_t consumer,
                            struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1]);

/* "ldmatrix.x4.trans, lanes fragment_b, tile of operation 1" */
struct tma_consumer_label {
    char text[120];
};
struct tma_consumer_label tma_consumer_label(const struct tma_consumer *consumer);

#endif
