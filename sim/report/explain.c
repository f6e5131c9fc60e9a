#include "report/explain.h"

#include "report/explain_formats.h"
#include "report/format_table.h"

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

/* Fills in which lanes of its phase access the same words as `lane`, and which access other words
 * of its banks. */
static void find_neighbours(const struct tma_explanation *explanation, uint32_t phase_lanes,
                            struct tma_explained_lane *lane) {
    uint32_t unit = lane_bytes(explanation) > TMA_BANK_BYTES ? lane_bytes(explanation)
                                                             : (uint32_t)TMA_BANK_BYTES;
    uint32_t line = TMA_BANKS * TMA_BANK_BYTES;
    for (uint32_t other = 0; other < TMA_WARP_LANES; other++) {
        uint32_t address = explanation->access.address[other];
        if ((phase_lanes >> other & 1) == 0 || other == lane->lane ||
            address % line / unit != lane->address % line / unit)
            continue;
        bool same_words = address / unit == lane->address / unit &&
                          !tma_shared_instruction_info(explanation->access.instruction)->reduction;
        *(same_words ? &lane->shares : &lane->conflicts) |= 1U << other;
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
    find_neighbours(explanation, tma_bank_phase_lanes(&explanation->access, phase), lane);
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

TMA_FORMAT_NAMES(tma_explanation_format_names, TMA_EXPLANATION_FORMATS);

void tma_explanation_write(const struct tma_explanation *explanation, int format, FILE *out) {
#define WRITER(name) tma_explanation_write_##name,
    static void (*const writers[])(const struct tma_explanation *,
                                   FILE *) = {TMA_EXPLANATION_FORMATS(WRITER)};
#undef WRITER
    writers[format](explanation, out);
}
