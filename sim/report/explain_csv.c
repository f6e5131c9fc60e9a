/* CSV: one line for each lane. The sets of lanes are hexadecimal masks. */
#include <inttypes.h>

#include "report/explain_formats.h"

void tma_explanation_write_csv(const struct tma_explanation *explanation, FILE *out) {
    fputs("wavefront,phase,lane,row,byte,address,first_bank,last_bank,collides_with,"
          "same_words_as\n",
          out);
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        fprintf(out,
                "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
                ",%" PRIu32 ",%08" PRIx32 ",%08" PRIx32 "\n",
                lane->wavefront, lane->phase, lane->lane, lane->row, lane->byte, lane->address,
                lane->first_bank, lane->last_bank, lane->conflicts, lane->shares);
    }
}
