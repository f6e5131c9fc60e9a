/* Short texts that several reports share. Internal to sim/report. */
#pragma once

#include "banks/consumer.h"
#include "memory/machine.h"
#include "report/json_writer.h"

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

/* Follows the name of a machine; "" where its timing is validated. */
const char *tma_timing_note(const struct tma_timing_trust *trust);
void tma_timing_write_json(const struct tma_timing_trust *trust, struct tma_json *json);
