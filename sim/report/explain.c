#include "report/explain.h"

#include <inttypes.h>

#include "report/compare_formats.h"
#include "report/json_writer.h"

struct search {
    uint64_t index;
    struct tma_warp_access access;
};

static bool keep_access(void *context, uint64_t index, const struct tma_warp_access *access) {
    struct search *search = context;
    search->access = *access;
    return index != search->index;
}

static uint32_t lane_bytes(const struct tma_explanation *explanation) {
    return tma_shared_instruction_info(explanation->access.instruction)->lane_bytes;
}

/* Fills in the lanes of the phase that it shares its words, or only its banks, with. */
static void find_company(const struct tma_explanation *explanation, uint32_t phase_lanes,
                         struct tma_explained_lane *lane) {
    uint32_t unit = lane_bytes(explanation) > TMA_BANK_BYTES ? lane_bytes(explanation)
                                                             : (uint32_t)TMA_BANK_BYTES;
    uint32_t line = TMA_BANKS * TMA_BANK_BYTES;
    for (uint32_t other = 0; other < TMA_WARP_LANES; other++) {
        uint32_t address = explanation->access.address[other];
        if ((phase_lanes >> other & 1) == 0 || other == lane->lane ||
            address % line / unit != lane->address % line / unit)
            continue;
        bool together = address / unit == lane->address / unit &&
                        !tma_shared_instruction_info(explanation->access.instruction)->reduction;
        *(together ? &lane->shares : &lane->collides) |= 1U << other;
    }
}

static void explain_lane(struct tma_explanation *explanation, uint32_t number, uint32_t phase,
                         uint32_t wavefront) {
    const struct tma_tile *tile = &explanation->tile;
    uint32_t address = explanation->access.address[number];
    uint32_t offset = tma_swizzle_address(tile->swizzle, address) - tile->shared_address;
    uint32_t bytes = lane_bytes(explanation);
    uint32_t banks = bytes < TMA_BANK_BYTES ? 1 : bytes / TMA_BANK_BYTES;
    uint32_t bank = address / TMA_BANK_BYTES % TMA_BANKS;
    struct tma_explained_lane *lane = &explanation->lanes[explanation->lane_count++];
    *lane = (struct tma_explained_lane){.lane = number,
                                        .wavefront = wavefront,
                                        .phase = phase,
                                        .row = offset / tile->pitch_bytes,
                                        .byte = offset % tile->pitch_bytes / bytes * bytes,
                                        .address = address,
                                        .first_bank = bank,
                                        .last_bank = bank + banks - 1};
    find_company(explanation, tma_bank_phase_lanes(&explanation->access, phase), lane);
}

static void explain_lanes(struct tma_explanation *explanation) {
    const struct tma_warp_access *access = &explanation->access;
    uint8_t wavefronts[TMA_WARP_LANES];
    uint32_t count = tma_bank_schedule(access, wavefronts), phase = 0;
    uint32_t left = tma_bank_phase_lanes(access, phase);
    for (uint32_t wavefront = 0; wavefront < count; wavefront++) {
        while (left == 0)
            left = tma_bank_phase_lanes(access, ++phase);
        for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
            if ((left >> lane & 1) != 0 && wavefronts[lane] == wavefront) {
                left &= ~(1U << lane);
                explain_lane(explanation, lane, phase, wavefront);
            }
    }
}

enum tma_error_code tma_explain(const struct tma_consumer *consumer, const struct tma_tile *tile,
                                uint64_t index, struct tma_explanation *explanation,
                                struct tma_error *error) {
    enum tma_error_code code = tma_consumer_check(consumer, tile, error);
    if (code != TMA_OK)
        return code;
    struct tma_consumer_report pass = tma_consumer_measure(consumer, tile);
    if (index == TMA_EXPLAIN_WORST)
        index = pass.worst_index;
    if (index >= pass.instructions)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "there is no instruction %llu; a pass over the tile has 0 to %llu",
                        (unsigned long long)index, (unsigned long long)pass.instructions - 1);
    struct search search = {.index = index};
    tma_consumer_visit(consumer, tile, keep_access, &search);
    *explanation = (struct tma_explanation){.consumer = consumer,
                                            .tile = *tile,
                                            .instructions = pass.instructions,
                                            .index = index,
                                            .access = search.access,
                                            .report = tma_bank_conflicts(&search.access)};
    explain_lanes(explanation);
    return TMA_OK;
}

/* --- Formats. ----------------------------------------------------------------------------------
 */

static void write_head(const struct tma_explanation *explanation, FILE *out) {
    const struct tma_tile *tile = &explanation->tile;
    const struct tma_bank_report *report = &explanation->report;
    fprintf(out,
            "consumer    %s\n"
            "tile        %" PRIu32 " rows of %" PRIu32 " bytes, pitch %" PRIu32
            ", swizzle %s, from shared address %" PRIu32 " on\n"
            "access      instruction %" PRIu64 " of %" PRIu64 "\n"
            "wavefronts  %" PRIu32 ": %" PRIu32 " ideal, %" PRIu32 " excess\n",
            tma_consumer_label(explanation->consumer).text, tile->rows, tile->row_bytes,
            tile->pitch_bytes, tma_name_of(&tma_swizzle_names, (int)tile->swizzle),
            tile->shared_address, explanation->index, explanation->instructions, report->wavefronts,
            report->ideal_wavefronts, report->wavefronts - report->ideal_wavefronts);
    if (report->ways > 1)
        fprintf(out,
                "worst       %" PRIu32 "-way: lanes %s want bank %" PRIu32 " in phase %" PRIu32
                "\n",
                report->ways, tma_bit_list(report->worst_lanes).text, report->worst_bank,
                report->worst_phase);
    else
        fputs("worst       no conflict\n", out);
}

static void write_text(const struct tma_explanation *explanation, FILE *out) {
    write_head(explanation, out);
    fprintf(out, "\n%9s %5s %4s %5s %6s %8s %7s  %s\n", "wavefront", "phase", "lane", "row", "byte",
            "address", "banks", "collides with lanes");
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
                lane->collides == 0 ? "-" : tma_bit_list(lane->collides).text);
        if (lane->shares != 0)
            fprintf(out, "; same words as %s", tma_bit_list(lane->shares).text);
        fputc('\n', out);
    }
}

static void write_lanes(struct tma_json *json, const char *key, uint32_t lanes) {
    tma_json_begin_list(json, key);
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        if ((lanes >> lane & 1) != 0)
            tma_json_unsigned(json, NULL, lane);
    tma_json_end_array(json);
}

static void write_json_lane(struct tma_json *json, const struct tma_explained_lane *lane) {
    tma_json_begin_object(json, NULL);
    tma_json_unsigned(json, "lane", lane->lane);
    tma_json_unsigned(json, "wavefront", lane->wavefront);
    tma_json_unsigned(json, "phase", lane->phase);
    tma_json_unsigned(json, "row", lane->row);
    tma_json_unsigned(json, "byte", lane->byte);
    tma_json_unsigned(json, "address", lane->address);
    tma_json_unsigned(json, "first_bank", lane->first_bank);
    tma_json_unsigned(json, "last_bank", lane->last_bank);
    write_lanes(json, "collides_with", lane->collides);
    write_lanes(json, "same_words_as", lane->shares);
    tma_json_end_object(json);
}

static void write_json(const struct tma_explanation *explanation, FILE *out) {
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
    write_lanes(&json, "worst_lanes", report->worst_lanes);
    tma_json_begin_array(&json, "lanes");
    for (uint32_t i = 0; i < explanation->lane_count; i++)
        write_json_lane(&json, &explanation->lanes[i]);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static void write_csv(const struct tma_explanation *explanation, FILE *out) {
    fputs("wavefront,phase,lane,row,byte,address,first_bank,last_bank,collides_with,"
          "same_words_as\n",
          out);
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        fprintf(out,
                "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
                ",%" PRIu32 ",%08" PRIx32 ",%08" PRIx32 "\n",
                lane->wavefront, lane->phase, lane->lane, lane->row, lane->byte, lane->address,
                lane->first_bank, lane->last_bank, lane->collides, lane->shares);
    }
}

static void (*const writers[])(const struct tma_explanation *, FILE *) = {write_text, write_json,
                                                                          write_csv};

static const struct tma_name format_items[] = {{"text", 0}, {"json", 1}, {"csv", 2}};

const struct tma_names tma_explanation_format_names = {
    "format", format_items, sizeof format_items / sizeof format_items[0]};

void tma_explanation_write(const struct tma_explanation *explanation, int format, FILE *out) {
    writers[format](explanation, out);
}
