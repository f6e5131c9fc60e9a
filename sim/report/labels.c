#include "report/labels.h"

#include <inttypes.h>
#include <stdio.h>

struct tma_bit_list tma_bit_list(uint32_t bits) {
    struct tma_bit_list list = {.text = "none"};
    size_t length = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t first = bit;
        while (bit < 32 && (bits >> bit & 1) != 0)
            bit++;
        if (bit == first)
            continue;
        length += (size_t)snprintf(list.text + length, sizeof list.text - length,
                                   bit - first > 1 ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32,
                                   length == 0 ? "" : ", ", first, bit - 1);
    }
    return list;
}

uint32_t tma_count_bits(uint32_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

struct tma_consumer_label tma_consumer_label(const struct tma_consumer *consumer) {
    struct tma_consumer_label label;
    snprintf(label.text, sizeof label.text, "%s%s, lanes %s, tile of operation %" PRIu32,
             tma_shared_instruction_info(consumer->instruction)->name,
             consumer->transposed ? ".trans" : "",
             tma_name_of(&tma_lane_map_names, (int)consumer->lanes), consumer->operation);
    return label;
}

const char *tma_timing_note(const struct tma_timing_trust *trust) {
    return trust->validated     ? ""
           : trust->edited      ? " (timing values differ from those validated against hardware)"
           : trust->public_data ? " (timing: public data, not validated against hardware)"
                                : " (timing not validated against hardware)";
}

void tma_timing_write_json(const struct tma_timing_trust *trust, struct tma_json *json) {
    tma_json_bool(json, "timing_validated", trust->validated);
    tma_json_bool(json, "timing_edited", trust->edited);
    if (trust->public_data)
        tma_json_bool(json, "timing_public", true);
}
