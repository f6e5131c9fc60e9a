/* layout and explain: the tile in shared memory, and one instruction that accesses it. */
#include "banks/shared_instruction.h"
#include "placement/locate.h"
#include "placement/operation_architecture.h"
#include "serve/answers.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16, MOST_LINES = 128 };

static bool is_element(const struct tma_byte_place *place) {
    return place->kind == TMA_BYTE_ELEMENT || place->kind == TMA_BYTE_OUT_OF_BOUNDS;
}

/* Two lists with an item, or one for each dimension, for each chunk: what its first byte holds. */
static void write_chunks(struct tma_reply_line *reply, const struct tma_layout *layout,
                         uint32_t first, uint32_t end, uint32_t rank) {
    static const char marks[] = {[TMA_BYTE_ELEMENT] = 'e',
                                 [TMA_BYTE_OUT_OF_BOUNDS] = '~',
                                 [TMA_BYTE_UNDEFINED] = '?',
                                 [TMA_BYTE_GAP] = '-',
                                 [TMA_BYTE_OUTSIDE] = '.'};
    char kinds[MOST_LINES * LINE_BYTES / CHUNK_BYTES + 1];
    size_t count = 0;
    for (uint32_t at = first; at < end; at += CHUNK_BYTES)
        kinds[count++] = marks[tma_layout_byte(layout, at).kind];
    kinds[count] = '\0';
    tma_reply_text(reply, "kinds", kinds);
    tma_reply_open(reply, "coordinates", '[');
    for (uint32_t at = first; at < end; at += CHUNK_BYTES) {
        struct tma_byte_place place = tma_layout_byte(layout, at);
        for (uint32_t d = 0; d < rank; d++)
            tma_reply_signed(reply, NULL, is_element(&place) ? place.coordinates[d] : 0);
    }
    tma_reply_close(reply, ']');
}

bool tma_answer_layout(const struct tma_request *request, struct tma_reply_line *reply,
                       struct tma_request_error *error) {
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_operation_size size;
    struct tma_layout layout;
    struct tma_error why = {0};
    if (!tma_answer_placement(request, &map, &operation, &size, error))
        return false;
    if (tma_layout_begin(&layout, &map, &operation, &why) != TMA_OK)
        return tma_request_fail_whole(error, why.code, why.text);
    uint64_t tile_end = (uint64_t)operation.shared_address +
                        (uint64_t)(size.rows - 1) * size.row_pitch_bytes + size.row_bytes;
    uint32_t first_line = operation.shared_address / LINE_BYTES;
    uint64_t lines = (tile_end + LINE_BYTES - 1) / LINE_BYTES - first_line;
    int64_t skipped =
        tma_request_has(request, TMA_REQUEST_LINE) ? request->numbers[TMA_REQUEST_LINE][0] : 0;
    if (skipped < 0 || (uint64_t)skipped >= lines)
        return tma_request_fail(error, request, TMA_REQUEST_LINE,
                                "line is %lld; allowed: 0 to %lld", (long long)skipped,
                                (long long)lines - 1);
    uint64_t left = lines - (uint64_t)skipped;
    uint32_t first = (first_line + (uint32_t)skipped) * LINE_BYTES;
    uint32_t count = left < MOST_LINES ? (uint32_t)left : MOST_LINES;
    tma_reply_unsigned(reply, "rows", size.rows);
    tma_reply_unsigned(reply, "row_bytes", size.row_bytes);
    tma_reply_unsigned(reply, "lines", lines);
    tma_reply_unsigned(reply, "shared_address", first);
    write_chunks(reply, &layout, first, first + count * LINE_BYTES, map.rank);
    return true;
}

/* The instruction that is asked for. */
struct wanted_access {
    uint64_t index;
    bool by_byte;
    uint32_t byte, lane_bytes;
    bool found;
    struct tma_warp_access access;
};

static bool holds(const struct wanted_access *search, const struct tma_warp_access *access) {
    for (unsigned lane = 0; lane < TMA_WARP_LANES; lane++)
        if ((access->lane_mask >> lane & 1) != 0 && search->byte >= access->address[lane] &&
            search->byte - access->address[lane] < search->lane_bytes)
            return true;
    return false;
}

static bool look(void *context, uint64_t index, const struct tma_warp_access *access) {
    struct wanted_access *search = context;
    search->found = search->by_byte ? holds(search, access) : index == search->index;
    if (search->found) {
        search->index = index;
        search->access = *access;
    }
    return !search->found;
}

static void write_lanes(struct tma_reply_line *reply, const struct tma_warp_access *access) {
    uint8_t wavefront[TMA_WARP_LANES] = {0};
    tma_bank_schedule(access, wavefront);
    tma_reply_open(reply, "lanes", '[');
    for (unsigned lane = 0; lane < TMA_WARP_LANES; lane++) {
        if ((access->lane_mask >> lane & 1) == 0)
            continue;
        tma_reply_open(reply, NULL, '{');
        tma_reply_unsigned(reply, "lane", lane);
        tma_reply_unsigned(reply, "address", access->address[lane]);
        tma_reply_unsigned(reply, "bank", access->address[lane] / TMA_BANK_BYTES % TMA_BANKS);
        tma_reply_unsigned(reply, "wavefront", wavefront[lane]);
        tma_reply_close(reply, '}');
    }
    tma_reply_close(reply, ']');
}

bool tma_answer_explain(const struct tma_request *request, struct tma_reply_line *reply,
                        struct tma_request_error *error) {
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_consumer consumer;
    struct tma_tile tile;
    struct tma_error why = {0};
    if (!tma_request_legal_map(request, &map, error) ||
        !tma_answer_operation(request, &map, &operation, error) ||
        !tma_answer_consumer(request, &consumer, error))
        return false;
    if (tma_answer_consumed_tile(&map, &operation, &consumer, &tile, &why) != TMA_OK)
        return tma_request_fail_whole(error, why.code, why.text);
    struct tma_consumer_report pass = tma_consumer_measure(&consumer, &tile);
    uint32_t lane_bytes = tma_shared_instruction_info(consumer.instruction)->lane_bytes;
    struct wanted_access search = {.index = pass.worst_index, .lane_bytes = lane_bytes};
    if (tma_request_has(request, TMA_REQUEST_BYTE)) {
        search.by_byte = true;
        search.byte = (uint32_t)request->numbers[TMA_REQUEST_BYTE][0];
    } else if (tma_request_has(request, TMA_REQUEST_INDEX)) {
        search.index = (uint64_t)request->numbers[TMA_REQUEST_INDEX][0];
    }
    tma_consumer_visit(&consumer, &tile, look, &search);
    if (!search.found)
        return tma_request_fail(
            error, request, search.by_byte ? TMA_REQUEST_BYTE : TMA_REQUEST_INDEX,
            search.by_byte ? "no instruction accesses this byte" : "the pass has %llu instructions",
            (unsigned long long)pass.instructions);
    struct tma_bank_report report = tma_bank_conflicts(&search.access);
    tma_reply_unsigned(reply, "instructions", pass.instructions);
    tma_reply_unsigned(reply, "index", search.index);
    tma_reply_unsigned(reply, "lane_bytes", lane_bytes);
    tma_reply_unsigned(reply, "wavefronts", report.wavefronts);
    tma_reply_unsigned(reply, "ideal_wavefronts", report.ideal_wavefronts);
    tma_reply_unsigned(reply, "ways", report.ways);
    write_lanes(reply, &search.access);
    return true;
}
