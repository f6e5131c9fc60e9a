/* place and compare: where the bytes of an operation lie, and how instructions read them. */
#include <string.h>

#include "banks/consumer.h"
#include "placement/locate.h"
#include "placement/operation_architecture.h"
#include "serve/answers.h"
#include "tensormap/rules.h"

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
    struct tma_operation_size size;
    struct tma_layout layout;
    struct tma_error why = {0};
    if (!tma_answer_placement(request, &map, &operation, &size, error))
        return false;
    tma_reply_unsigned(reply, "rows", size.rows);
    tma_reply_unsigned(reply, "row_bytes", size.row_bytes);
    tma_reply_unsigned(reply, "row_pitch_bytes", size.row_pitch_bytes);
    tma_reply_unsigned(reply, "moved_bytes", size.moved_bytes);
    tma_reply_unsigned(reply, "transaction_bytes", size.transaction_bytes);
    bool asks =
        tma_request_has(request, TMA_REQUEST_ELEMENT) || tma_request_has(request, TMA_REQUEST_BYTE);
    if (asks && tma_layout_begin(&layout, &map, &operation, &why) != TMA_OK)
        return tma_request_fail_whole(error, why.code, why.text);
    if (tma_request_has(request, TMA_REQUEST_ELEMENT) &&
        !write_element(request, &map, &layout, reply, error))
        return false;
    if (tma_request_has(request, TMA_REQUEST_BYTE))
        write_byte(request, &map, &layout, reply);
    return true;
}

/* Writes the figures of a legal mode, or why there are none. */
static void write_mode(const struct tma_tensor_map *map, const struct tma_operation *operation,
                       const struct tma_consumer *consumer, struct tma_reply_line *reply) {
    struct tma_error why = {0};
    struct tma_tile tile;
    enum tma_error_code code = tma_answer_consumed_tile(map, operation, consumer, &tile, &why);
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
        !tma_answer_operation(request, &map, &operation, error) ||
        !tma_answer_consumer(request, &consumer, error))
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
