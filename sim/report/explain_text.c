#include <inttypes.h>

#include "report/explain_formats.h"
#include "report/labels.h"

static void write_head(const struct tma_explanation *explanation, FILE *out) {
    const struct tma_tile *tile = &explanation->tile;
    const struct tma_bank_report *report = &explanation->report;
    fprintf(out,
            "consumer    %s\n"
            "tile        %" PRIu32 " rows of %" PRIu32 " bytes, pitch %" PRIu32
            ", swizzle %s, at shared address %" PRIu32 "\n"
            "access      instruction %" PRIu64 " of %" PRIu64 "\n"
            "wavefronts  %" PRIu32 ": %" PRIu32 " ideal, %" PRIu32 " excess\n",
            tma_consumer_label(explanation->consumer).text, tile->rows, tile->row_bytes,
            tile->pitch_bytes, tma_name_of(&tma_swizzle_names, (int)tile->swizzle),
            tile->shared_address, explanation->index, explanation->instructions, report->wavefronts,
            report->ideal_wavefronts, report->wavefronts - report->ideal_wavefronts);
    if (report->ways > 1)
        fprintf(out,
                "worst       %" PRIu32 "-way: lanes %s access bank %" PRIu32 " in phase %" PRIu32
                "\n",
                report->ways, tma_bit_list(report->worst_lanes).text, report->worst_bank,
                report->worst_phase);
    else
        fputs("worst       no conflict\n", out);
}

void tma_explanation_write_text(const struct tma_explanation *explanation, FILE *out) {
    write_head(explanation, out);
    fprintf(out, "\n%9s %5s %4s %5s %6s %8s %7s  %s\n", "wavefront", "phase", "lane", "row", "byte",
            "address", "banks", "conflicts with lanes");
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        char wavefront[12] = "", banks[16];
        if (lane->wavefront != last)
            snprintf(wavefront, sizeof wavefront, "%" PRIu32, lane->wavefront);
        last = lane->wavefront;
        snprintf(banks, sizeof banks, lane->first_bank == lane->last_bank ? "%u" : "%u-%u",
                 lane->first_bank, lane->last_bank);
        fprintf(out, "%9s %5" PRIu32 " %4" PRIu32 " %5" PRIu32 " %6" PRIu32 " %8" PRIu32 " %7s  %s",
                wavefront, lane->phase, lane->lane, lane->row, lane->byte, lane->address, banks,
                lane->conflicts == 0 ? "-" : tma_bit_list(lane->conflicts).text);
        if (lane->shares != 0)
            fprintf(out, "; same words as %s", tma_bit_list(lane->shares).text);
        fputc('\n', out);
    }
}
