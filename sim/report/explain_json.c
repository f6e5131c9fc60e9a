#include "report/explain_formats.h"
#include "report/json_writer.h"
#include "report/labels.h"

static void write_lane(struct tma_json *json, const struct tma_explained_lane *lane) {
    tma_json_begin_object(json, NULL);
    tma_json_unsigned(json, "lane", lane->lane);
    tma_json_unsigned(json, "wavefront", lane->wavefront);
    tma_json_unsigned(json, "phase", lane->phase);
    tma_json_unsigned(json, "row", lane->row);
    tma_json_unsigned(json, "byte", lane->byte);
    tma_json_unsigned(json, "address", lane->address);
    tma_json_unsigned(json, "first_bank", lane->first_bank);
    tma_json_unsigned(json, "last_bank", lane->last_bank);
    tma_json_bits(json, "collides_with", lane->conflicts);
    tma_json_bits(json, "same_words_as", lane->shares);
    tma_json_end_object(json);
}

void tma_explanation_write_json(const struct tma_explanation *explanation, FILE *out) {
    const struct tma_bank_report *report = &explanation->report;
    const struct tma_tile *tile = &explanation->tile;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "consumer", tma_consumer_label(explanation->consumer).text);
    tma_json_string(&json, "swizzle", tma_name_of(&tma_swizzle_names, (int)tile->swizzle));
    tma_json_unsigned(&json, "rows", tile->rows);
    tma_json_unsigned(&json, "row_bytes", tile->row_bytes);
    tma_json_unsigned(&json, "pitch_bytes", tile->pitch_bytes);
    tma_json_unsigned(&json, "shared_address", tile->shared_address);
    tma_json_unsigned(&json, "instructions", explanation->instructions);
    tma_json_unsigned(&json, "instruction", explanation->index);
    tma_json_unsigned(&json, "wavefronts", report->wavefronts);
    tma_json_unsigned(&json, "ideal_wavefronts", report->ideal_wavefronts);
    tma_json_unsigned(&json, "excess_wavefronts", report->wavefronts - report->ideal_wavefronts);
    tma_json_unsigned(&json, "worst_ways", report->ways);
    tma_json_unsigned(&json, "worst_bank", report->worst_bank);
    tma_json_bits(&json, "worst_lanes", report->worst_lanes);
    tma_json_begin_array(&json, "lanes");
    for (uint32_t i = 0; i < explanation->lane_count; i++)
        write_lane(&json, &explanation->lanes[i]);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}
