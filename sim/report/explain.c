#include "report/explain.h"

#include <inttypes.h>

#include "base/numbers.h"
#include "report/format_table.h"
#include "report/json_writer.h"
#include "report/labels.h"
#include "report/svg.h"

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

static void explanation_text(const struct tma_explanation *explanation, FILE *out) {
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

static void write_lane(struct tma_json *json, const struct tma_explained_lane *lane) {
    tma_json_begin_object(json, NULL);
    TMA_JSON_COUNTS(json, lane, lane, wavefront, phase, row);
    TMA_JSON_COUNTS(json, lane, byte, address, first_bank, last_bank);
    tma_json_bits(json, "collides_with", lane->conflicts);
    tma_json_bits(json, "same_words_as", lane->shares);
    tma_json_end_object(json);
}

static void explanation_json(const struct tma_explanation *explanation, FILE *out) {
    const struct tma_bank_report *report = &explanation->report;
    const struct tma_tile *tile = &explanation->tile;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "consumer", tma_consumer_label(explanation->consumer).text);
    tma_json_string(&json, "swizzle", tma_name_of(&tma_swizzle_names, (int)tile->swizzle));
    TMA_JSON_COUNTS(&json, tile, rows, row_bytes, pitch_bytes, shared_address);
    tma_json_unsigned(&json, "instructions", explanation->instructions);
    tma_json_unsigned(&json, "instruction", explanation->index);
    TMA_JSON_COUNTS(&json, report, wavefronts, ideal_wavefronts);
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

/* CSV: one line for each lane. The sets of lanes are hexadecimal masks. */
static void explanation_csv(const struct tma_explanation *explanation, FILE *out) {
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

/* An SVG drawing of one instruction. Above, a row for each wavefront and a column for each bank:
 * the cells name the lanes that the wavefront serves there. Below, the lanes in the rows of the
 * tile, in the colours of their banks; a thick outline marks the lanes that conflict most. */

enum {
    BANK_WIDTH = 30,
    ROW_LABEL_WIDTH = 76,
    HEAD_HEIGHT = 116,
    PHASE_GAP = 8,
    TABLE_GAP = 44,
    CHUNK_BYTES = 16,
    CHUNK_WIDTH = 72,
    MAX_CHUNKS = 12,
    MAX_ROWS = 64,
    PHASE_WIDTH = 56,
    PAGE_WIDTH = 2 * TMA_SVG_MARGIN + ROW_LABEL_WIDTH + TMA_BANKS * BANK_WIDTH + PHASE_WIDTH,
};

/* The part of the tile that is drawn. It starts where the first lane is. */
struct drawn_part {
    uint32_t row, rows, chunk, chunks;
    uint32_t lanes_outside;
};

static bool is_inside(const struct drawn_part *window, const struct tma_explained_lane *lane) {
    return lane->row - window->row < window->rows &&
           lane->byte / CHUNK_BYTES - window->chunk < window->chunks;
}

static struct drawn_part window_of(const struct tma_explanation *explanation) {
    const struct tma_tile *tile = &explanation->tile;
    uint32_t chunks = (tile->row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    struct drawn_part window = {.row = tile->rows - 1, .chunk = chunks - 1};
    uint32_t last = 0;
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        window.row = tma_least(window.row, lane->row);
        window.chunk = tma_least(window.chunk, lane->byte / CHUNK_BYTES);
        last = lane->row > last ? lane->row : last;
    }
    window.row -= window.row % 8;
    if (chunks <= MAX_CHUNKS)
        window.chunk = 0;
    uint32_t rows = (last - window.row) / 8 * 8 + 8;
    window.rows = tma_least(tma_least(rows, tile->rows - window.row), MAX_ROWS);
    window.chunks = tma_least(chunks - window.chunk, MAX_CHUNKS);
    for (uint32_t i = 0; i < explanation->lane_count; i++)
        window.lanes_outside += !is_inside(&window, &explanation->lanes[i]);
    return window;
}

/* What a browser shows over a lane. */
struct hint {
    char text[320];
};

static struct hint hint_of(const struct tma_explained_lane *lane) {
    struct hint hint;
    int used = snprintf(hint.text, sizeof hint.text,
                        "lane %" PRIu32 ": row %" PRIu32 ", byte %" PRIu32 ", address %" PRIu32
                        ", wavefront %" PRIu32,
                        lane->lane, lane->row, lane->byte, lane->address, lane->wavefront);
    if (lane->conflicts != 0)
        used += snprintf(hint.text + used, sizeof hint.text - (size_t)used,
                         "; conflicts with lanes %s", tma_bit_list(lane->conflicts).text);
    if (lane->shares != 0)
        snprintf(hint.text + used, sizeof hint.text - (size_t)used, "; same words as %s",
                 tma_bit_list(lane->shares).text);
    return hint;
}

static void write_banks(int y, FILE *out) {
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, y - 6, "row", "bank");
    for (int bank = 0; bank < TMA_BANKS; bank++)
        tma_svg_text(out, ROW_LABEL_WIDTH + bank * BANK_WIDTH + BANK_WIDTH / 2, y - 6, "head", "%d",
                     bank);
}

/* Draws the lanes of a wavefront that start at lane number `first` of the explanation, in one cell
 * for all that access the same words. */
static void write_wavefront(const struct tma_explanation *explanation, uint32_t first, int y,
                            FILE *out) {
    uint32_t wavefront = explanation->lanes[first].wavefront;
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, y + 13, "row", "wavefront %" PRIu32, wavefront);
    tma_svg_box(
        (struct tma_svg_box){ROW_LABEL_WIDTH, y, TMA_BANKS * BANK_WIDTH, TMA_SVG_CELL_HEIGHT},
        "empty", out);
    for (uint32_t bank = 0; bank < TMA_BANKS; bank++) {
        const struct tma_explained_lane *lane = NULL;
        uint32_t lanes = 0;
        for (uint32_t i = first; i < explanation->lane_count; i++)
            if (explanation->lanes[i].wavefront == wavefront &&
                explanation->lanes[i].first_bank == bank) {
                lane = &explanation->lanes[i];
                lanes |= 1U << lane->lane;
            }
        if (lane == NULL)
            continue;
        uint32_t banks = lane->last_bank - bank + 1;
        char text[24];
        struct tma_bit_list list = tma_bit_list(lanes);
        struct tma_svg_box box = {ROW_LABEL_WIDTH + (int)bank * BANK_WIDTH, y,
                                  (int)banks * BANK_WIDTH - 1, TMA_SVG_CELL_HEIGHT - 1};
        int most = box.width / TMA_SVG_DIGIT_WIDTH;
        if (snprintf(text, sizeof text, "%.20s", list.text) > most)
            snprintf(text, sizeof text, "%" PRIu32 "x", tma_count_bits(lanes));
        tma_svg_cell(box, tma_svg_bank_class(bank), text, hint_of(lane).text, out);
    }
}

/* Phases of an instruction do not conflict with each other: a gap lies between their wavefronts.
 * Returns the y below the table. Only measures where `out` is NULL. */
static int write_wavefronts(const struct tma_explanation *explanation, int y, FILE *out) {
    uint32_t last = UINT32_MAX, phase = UINT32_MAX;
    if (out != NULL)
        write_banks(y, out);
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        if (lane->wavefront == last)
            continue;
        last = lane->wavefront;
        if (phase != UINT32_MAX && lane->phase != phase)
            y += PHASE_GAP;
        if (out != NULL && lane->phase != phase)
            tma_svg_text(out, ROW_LABEL_WIDTH + TMA_BANKS * BANK_WIDTH + 8, y + 13, "note",
                         "phase %" PRIu32, lane->phase);
        phase = lane->phase;
        if (out != NULL)
            write_wavefront(explanation, i, y, out);
        y += TMA_SVG_CELL_HEIGHT;
    }
    return y;
}

/* Where a lane is in the drawing of the tile. */
static struct tma_svg_box box_of(const struct tma_explanation *explanation,
                                 const struct drawn_part *window,
                                 const struct tma_explained_lane *lane, int y) {
    int bytes = (int)tma_shared_instruction_info(explanation->access.instruction)->lane_bytes;
    int first = (int)(lane->byte - window->chunk * CHUNK_BYTES);
    return (struct tma_svg_box){ROW_LABEL_WIDTH + first * CHUNK_WIDTH / CHUNK_BYTES,
                                y + (int)(lane->row - window->row) * TMA_SVG_CELL_HEIGHT,
                                bytes * CHUNK_WIDTH / CHUNK_BYTES, TMA_SVG_CELL_HEIGHT};
}

static bool is_worst(const struct tma_explanation *explanation,
                     const struct tma_explained_lane *lane) {
    const struct tma_bank_report *report = &explanation->report;
    return report->ways > 1 && lane->phase == report->worst_phase &&
           (report->worst_lanes >> lane->lane & 1) != 0;
}

/* Draws the lanes, and then the outlines, which neighbours would cover. */
static void write_lanes(const struct tma_explanation *explanation, const struct drawn_part *window,
                        int y, FILE *out) {
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        struct tma_svg_box box = box_of(explanation, window, lane, y);
        char text[12];
        snprintf(text, sizeof text, "%" PRIu32, lane->lane);
        if (is_inside(window, lane))
            tma_svg_cell(box, tma_svg_bank_class(lane->first_bank),
                         box.width >= 2 * TMA_SVG_DIGIT_WIDTH ? text : NULL, hint_of(lane).text,
                         out);
    }
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        if (is_inside(window, lane) && is_worst(explanation, lane))
            tma_svg_box(box_of(explanation, window, lane, y), "worst", out);
    }
}

static void write_tile(const struct tma_explanation *explanation, const struct drawn_part *window,
                       int y, FILE *out) {
    const struct tma_tile *tile = &explanation->tile;
    uint32_t chunks = (tile->row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    tma_svg_text(out, ROW_LABEL_WIDTH - 8, y - 6, "row", "row, byte");
    for (uint32_t chunk = 0; chunk < window->chunks; chunk++)
        tma_svg_text(out, ROW_LABEL_WIDTH + (int)chunk * CHUNK_WIDTH + CHUNK_WIDTH / 2, y - 6,
                     "head", "%" PRIu32, (window->chunk + chunk) * CHUNK_BYTES);
    for (uint32_t row = 0; row < window->rows; row++) {
        int top = y + (int)row * TMA_SVG_CELL_HEIGHT;
        tma_svg_text(out, ROW_LABEL_WIDTH - 8, top + 13, "row", "%" PRIu32, window->row + row);
        for (uint32_t chunk = 0; chunk < window->chunks; chunk++) {
            uint32_t bytes =
                tma_least(CHUNK_BYTES, tile->row_bytes - (window->chunk + chunk) * CHUNK_BYTES);
            tma_svg_box((struct tma_svg_box){ROW_LABEL_WIDTH + (int)chunk * CHUNK_WIDTH, top,
                                             (int)bytes * CHUNK_WIDTH / CHUNK_BYTES,
                                             TMA_SVG_CELL_HEIGHT},
                        "empty", out);
        }
    }
    write_lanes(explanation, window, y, out);
    y += (int)window->rows * TMA_SVG_CELL_HEIGHT + 14;
    tma_svg_left_out(ROW_LABEL_WIDTH, y, tile->rows - window->rows, "rows", out);
    tma_svg_left_out(ROW_LABEL_WIDTH + 160, y, chunks - window->chunks, "chunks of each row", out);
    tma_svg_left_out(ROW_LABEL_WIDTH + 360, y, window->lanes_outside, "lanes in them", out);
}

static void svg_write_head(const struct tma_explanation *explanation, FILE *out) {
    const struct tma_tile *tile = &explanation->tile;
    const struct tma_bank_report *report = &explanation->report;
    tma_svg_text(out, TMA_SVG_MARGIN, 24, "heading", "%s: instruction %" PRIu64 " of %" PRIu64,
                 tma_consumer_label(explanation->consumer).text, explanation->index,
                 explanation->instructions);
    tma_svg_text(out, TMA_SVG_MARGIN, 44, "",
                 "tile: %" PRIu32 " rows of %" PRIu32 " bytes, pitch %" PRIu32
                 ", swizzle %s, at shared address %" PRIu32,
                 tile->rows, tile->row_bytes, tile->pitch_bytes,
                 tma_name_of(&tma_swizzle_names, (int)tile->swizzle), tile->shared_address);
    char worst[200] = "no conflict";
    if (report->ways > 1)
        snprintf(worst, sizeof worst,
                 "%" PRIu32 "-way conflict: lanes %s access bank %" PRIu32 " in phase %" PRIu32,
                 report->ways, tma_bit_list(report->worst_lanes).text, report->worst_bank,
                 report->worst_phase);
    tma_svg_text(out, TMA_SVG_MARGIN, 61, "",
                 "%" PRIu32 " wavefronts: %" PRIu32 " ideal, %" PRIu32 " excess; %s",
                 report->wavefronts, report->ideal_wavefronts,
                 report->wavefronts - report->ideal_wavefronts, worst);
    tma_svg_bank_legend(TMA_SVG_MARGIN, 72, out);
    tma_svg_text(out, TMA_SVG_MARGIN + TMA_SVG_LEGEND_WIDTH + 12, 85, "",
                 "numbers: lanes; thick: lanes that conflict most");
}

static void explanation_svg(const struct tma_explanation *explanation, FILE *out) {
    struct drawn_part window = window_of(explanation);
    int tile_y = write_wavefronts(explanation, HEAD_HEIGHT, NULL) + TABLE_GAP;
    int height = tile_y + (int)window.rows * TMA_SVG_CELL_HEIGHT + TMA_SVG_MARGIN + 16;
    tma_svg_begin(PAGE_WIDTH, height, "lanes, banks and wavefronts of one instruction", out);
    svg_write_head(explanation, out);
    tma_svg_begin_group(TMA_SVG_MARGIN, 0, out);
    write_wavefronts(explanation, HEAD_HEIGHT, out);
    write_tile(explanation, &window, tile_y, out);
    tma_svg_end_group(out);
    tma_svg_end(out);
}

#define TMA_EXPLANATION_FORMATS(X)                                                                 \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(csv)                                                                                         \
    X(svg)
TMA_FORMAT_NAMES(tma_explanation_format_names, TMA_EXPLANATION_FORMATS);

void tma_explanation_write(const struct tma_explanation *explanation, int format, FILE *out) {
#define WRITER(name) explanation_##name,
    static void (*const writers[])(const struct tma_explanation *,
                                   FILE *) = {TMA_EXPLANATION_FORMATS(WRITER)};
#undef WRITER
    writers[format](explanation, out);
}
