/* Short texts that several reports share. Internal to sim/report. */
#ifndef TMA_REPORT_LABELS_H
#define TMA_REPORT_LABELS_H

#include "banks/consumer.h"

/* The set bits as ranges: "0-7, 9" for the bits 0 to 7 and 9; "none" for 0. */
struct tma_bit_list {
    char text[96];
};
struct tma_bit_list tma_bit_list(uint32_t bits);

uint32_t tma_count_bits(uint32_t bits);

/* "ldmatrix.x4.trans, lanes fragment_b, tile of operation 1" */
struct tma_consumer_label {
    char text[120];
};
struct tma_consumer_label tma_consumer_label(const struct tma_consumer *consumer);

/* Follows the name of a machine; "" where its timing is validated. `edited`: it was validated with
 * other values. */
const char *tma_timing_note(bool validated, bool edited, bool public_data);

#endif
