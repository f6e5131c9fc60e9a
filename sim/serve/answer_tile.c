/* place and compare: where the bytes of an operation lie, and how instructions read them. */
#include <string.h>

#include "banks/consumer.h"
#include "banks/shared_instruction.h"
#include "placement/locate.h"
#include "placement/operation_architecture.h"
#include "placement/reduction.h"
#include "serve/answers.h"
#include "tensormap/rules.h"

static const struct tma_name direction_items[] = {
    {"load", TMA_LOAD}, {"store", TMA_STORE}, {"reduce", TMA_REDUCE}, {"prefetch", TMA_PREFETCH}};
static const struct tma_names direction_names = {"direction", direction_items, 4};

static const struct tma_name access_items[] = {{"tile", TMA_ACCESS_TILE},
                                               {"gather4", TMA_ACCESS_GATHER4},
                                               {"im2col", TMA_ACCESS_IM2COL},
                                               {"im2col_w", TMA_ACCESS_IM2COL_W},
                                               {"im2col_w128", TMA_ACCESS_IM2COL_W128}};
static const struct tma_names access_names = {"access", access_items, 5};

/* The mode of a map's own kind. */
static enum tma_access_mode access_of(enum tma_map_kind kind) {
    switch (kind) {
    case TMA_MAP_IM2COL:
        return TMA_ACCESS_IM2COL;
    case TMA_MAP_IM2COL_W:
        return TMA_ACCESS_IM2COL_W;
    case TMA_MAP_IM2COL_W128:
        return TMA_ACCESS_IM2COL_W128;
    case TMA_MAP_TILED:
        break;
    }
    return TMA_ACCESS_TILE;
}

/* Checks that the numbers of a key lie in a range. */
static bool check_range(const struct tma_request *request, unsigned key, int64_t least,
                        int64_t most, struct tma_request_error *error) {
    for (uint32_t i = 0; i < request->values[key].count; i++)
        if (request->numbers[key][i] < least || request->numbers[key][i] > most)
            return tma_request_fail(error, request, key, "%s is %lld; allowed: %lld to %lld",
                                    tma_request_key_name(key), (long long)request->numbers[key][i],
                                    (long long)least, (long long)most);
    return true;
}

static int64_t number_of(const struct tma_request *request, unsigned key) {
    return tma_request_has(request, key) ? request->numbers[key][0] : 0;
}

static bool read_ranges(const struct tma_request *request, struct tma_request_error *error) {
    return check_range(request, TMA_REQUEST_COORDINATES, INT32_MIN, INT32_MAX, error) &&
           check_range(request, TMA_REQUEST_OFFSETS, 0, UINT16_MAX, error) &&
           check_range(request, TMA_REQUEST_HALO, 0, UINT16_MAX, error) &&
           check_range(request, TMA_REQUEST_OFFSET, INT16_MIN, INT16_MAX, error) &&
           check_range(request, TMA_REQUEST_SHARED, 0, UINT32_MAX, error) &&
           check_range(request, TMA_REQUEST_BYTE, 0, UINT32_MAX, error) &&
           check_range(request, TMA_REQUEST_STRIDE, 0, UINT32_MAX, error);
}

static bool read_operation(const struct tma_request *request, const struct tma_tensor_map *map,
                           struct tma_operation *operation, struct tma_request_error *error) {
    int direction = TMA_LOAD, access = (int)access_of(map->kind), reduction = TMA_REDUCE_ADD;
    if (!tma_request_choice(request, TMA_REQUEST_DIRECTION, &direction_names, &direction, error) ||
        !tma_request_choice(request, TMA_REQUEST_ACCESS, &access_names, &access, error) ||
        !tma_request_choice(request, TMA_REQUEST_REDUCTION, &tma_reduction_names, &reduction,
                            error) ||
        !read_ranges(request, error))
        return false;
    *operation = (struct tma_operation){
        .direction = (enum tma_direction)direction,
        .access = (enum tma_access_mode)access,
        .reduction = (enum tma_reduction)reduction,
        .w_halo = (uint16_t)number_of(request, TMA_REQUEST_HALO),
        .w_offset = (int16_t)number_of(request, TMA_REQUEST_OFFSET),
        .shared_address = (uint32_t)number_of(request, TMA_REQUEST_SHARED),
    };
    uint32_t given = request->values[TMA_REQUEST_COORDINATES].count;
    uint32_t wanted = access == TMA_ACCESS_GATHER4 ? 5 : map->rank;
    if (given != 0 && given != wanted)
        return tma_request_fail(error, request, TMA_REQUEST_COORDINATES,
                                "coordinates has length %u; expected %u", given, wanted);
    for (uint32_t i = 0; i < given; i++)
        operation->coordinates[i] = (int32_t)request->numbers[TMA_REQUEST_COORDINATES][i];
    for (uint32_t i = 0; i < request->values[TMA_REQUEST_OFFSETS].count; i++)
        operation->im2col_offsets[i] = (uint16_t)request->numbers[TMA_REQUEST_OFFSETS][i];
    return true;
}

/* An error of the library is about the operation: its text names the argument. */
static bool fail_operation(struct tma_request_error *error, const struct tma_error *why) {
    return tma_request_fail_whole(error, why->code, why->text);
}

static void write_coordinates(struct tma_reply_line *reply, const int64_t *coordinates,
                              uint32_t rank) {
    tma_reply_open(reply, "coordinates", '[');
    for (uint32_t d = 0; d < rank; d++)
        tma_reply_signed(reply, NULL, coordinates[d]);
    tma_reply_close(reply, ']');
}

static bool write_element(const struct tma_request *request, const struct tma_tensor_map *map,
                          const struct tma_layout *layout, struct tma_reply_line *reply,
                          struct tma_request_error *error) {
    struct tma_element_place places[TMA_MAX_PLACES];
    int64_t coordinates[TMA_MAX_RANK] = {0};
    if (request->values[TMA_REQUEST_ELEMENT].count != map->rank)
        return tma_request_fail(error, request, TMA_REQUEST_ELEMENT,
                                "element has length %u; expected %u, one for each dimension",
                                request->values[TMA_REQUEST_ELEMENT].count, map->rank);
    memcpy(coordinates, request->numbers[TMA_REQUEST_ELEMENT], map->rank * sizeof *coordinates);
    unsigned count = tma_layout_element(layout, coordinates, places);
    tma_reply_open(reply, "places", '[');
    for (unsigned i = 0; i < count; i++) {
        tma_reply_open(reply, NULL, '{');
        tma_reply_unsigned(reply, "shared_address", places[i].shared_address);
        tma_reply_unsigned(reply, "bit", places[i].bit);
        tma_reply_unsigned(reply, "row", places[i].row);
        tma_reply_close(reply, '}');
    }
    tma_reply_close(reply, ']');
    return true;
}

static void write_byte(const struct tma_request *request, const struct tma_tensor_map *map,
                       const struct tma_layout *layout, struct tma_reply_line *reply) {
    struct tma_byte_place place =
        tma_layout_byte(layout, (uint32_t)request->numbers[TMA_REQUEST_BYTE][0]);
    bool known = place.kind == TMA_BYTE_ELEMENT || place.kind == TMA_BYTE_OUT_OF_BOUNDS;
    tma_reply_text(reply, "content", tma_name_of(&tma_byte_kind_names, (int)place.kind));
    if (!known)
        return;
    write_coordinates(reply, place.coordinates, map->rank);
    tma_reply_unsigned(reply, "element_bit", place.element_bit);
    tma_reply_unsigned(reply, "row", place.row);
    tma_reply_unsigned(reply, "global_address", place.global_address);
}

bool tma_answer_place(const struct tma_request *request, struct tma_reply_line *reply,
                      struct tma_request_error *error) {
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_layout layout;
    struct tma_error why = {0};
    int architecture;
    if (!tma_request_architecture(request, &architecture, error) ||
        !tma_answer_legal_map(request, &map, error) ||
        !read_operation(request, &map, &operation, error))
        return false;
    if (tma_rows_begin(&rows, &map, &operation, &size, &why) != TMA_OK ||
        tma_operation_architecture_check(&map, &operation, (enum tma_architecture)architecture,
                                         &why) != TMA_OK)
        return fail_operation(error, &why);
    tma_reply_unsigned(reply, "rows", size.rows);
    tma_reply_unsigned(reply, "row_bytes", size.row_bytes);
    tma_reply_unsigned(reply, "row_pitch_bytes", size.row_pitch_bytes);
    tma_reply_unsigned(reply, "moved_bytes", size.moved_bytes);
    tma_reply_unsigned(reply, "transaction_bytes", size.transaction_bytes);
    bool asks =
        tma_request_has(request, TMA_REQUEST_ELEMENT) || tma_request_has(request, TMA_REQUEST_BYTE);
    if (asks && tma_layout_begin(&layout, &map, &operation, &why) != TMA_OK)
        return fail_operation(error, &why);
    if (tma_request_has(request, TMA_REQUEST_ELEMENT) &&
        !write_element(request, &map, &layout, reply, error))
        return false;
    if (tma_request_has(request, TMA_REQUEST_BYTE))
        write_byte(request, &map, &layout, reply);
    return true;
}

static bool read_consumer(const struct tma_request *request, struct tma_consumer *consumer,
                          struct tma_request_error *error) {
    int instruction = TMA_LD_SHARED_B128, lanes = TMA_LANES_ROW;
    if (!tma_request_choice(request, TMA_REQUEST_INSTRUCTION, &tma_shared_instruction_names,
                            &instruction, error) ||
        !tma_request_choice(request, TMA_REQUEST_LANES, &tma_lane_map_names, &lanes, error))
        return false;
    if (lanes == TMA_LANES_DISTRIBUTION || lanes == TMA_LANES_DESCRIPTOR)
        return tma_request_fail(error, request, TMA_REQUEST_LANES,
                                "compare does not take these lanes; use a scenario");
    *consumer = (struct tma_consumer){
        .instruction = (enum tma_shared_instruction)instruction,
        .lanes = (enum tma_lane_map)lanes,
        .stride = (uint32_t)number_of(request, TMA_REQUEST_STRIDE),
        .transposed = number_of(request, TMA_REQUEST_TRANSPOSED) != 0,
        .repeat = 1,
    };
    return true;
}

/* Writes the figures of a legal mode, or why there are none. */
static void write_mode(const struct tma_tensor_map *map, const struct tma_operation *operation,
                       const struct tma_consumer *consumer, struct tma_reply_line *reply) {
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_error why = {0};
    enum tma_error_code code = tma_rows_begin(&rows, map, operation, &size, &why);
    struct tma_tile tile;
    if (code == TMA_OK) {
        tile = (struct tma_tile){.swizzle = map->swizzle,
                                 .shared_address = operation->shared_address,
                                 .rows = size.rows,
                                 .row_bytes = size.row_bytes,
                                 .pitch_bytes = size.row_pitch_bytes,
                                 .element_bytes = tma_type_info(map->data_type)->shared_bits / 8};
        code = tma_consumer_check(consumer, &tile, &why);
    }
    if (code != TMA_OK) {
        tma_reply_text(reply, "reason", why.text);
        return;
    }
    struct tma_consumer_report report = tma_consumer_measure(consumer, &tile);
    tma_reply_unsigned(reply, "instructions", report.instructions);
    tma_reply_unsigned(reply, "wavefronts", report.wavefronts);
    tma_reply_unsigned(reply, "ideal_wavefronts", report.ideal_wavefronts);
    tma_reply_unsigned(reply, "ways", report.worst.ways);
}

bool tma_answer_compare(const struct tma_request *request, struct tma_reply_line *reply,
                        struct tma_request_error *error) {
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_consumer consumer;
    struct tma_violation violation;
    char text[TMA_ERROR_TEXT_BYTES];
    int architecture;
    if (!tma_request_architecture(request, &architecture, error) ||
        !tma_request_map(request, &map, error) ||
        !read_operation(request, &map, &operation, error) ||
        !read_consumer(request, &consumer, error))
        return false;
    tma_reply_open(reply, "modes", '[');
    for (size_t i = 0; i < tma_swizzle_names.count; i++) {
        map.swizzle = (enum tma_swizzle)tma_swizzle_names.items[i].value;
        size_t broken =
            tma_tensor_map_check(&map, (enum tma_architecture)architecture, &violation, 1);
        tma_reply_open(reply, NULL, '{');
        tma_reply_text(reply, "swizzle", tma_swizzle_names.items[i].name);
        tma_reply_bool(reply, "legal", broken == 0);
        if (broken == 0) {
            write_mode(&map, &operation, &consumer, reply);
        } else {
            tma_violation_text(&violation, text, sizeof text);
            tma_reply_text(reply, "reason", text);
        }
        tma_reply_close(reply, '}');
    }
    tma_reply_close(reply, ']');
    return true;
}
