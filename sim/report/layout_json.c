#include "report/json_writer.h"
#include "report/layout_formats.h"

static void write_coordinates(struct tma_json *json, const char *key, const int64_t *coordinates,
                              uint32_t rank) {
    tma_json_begin_list(json, key);
    for (uint32_t d = 0; d < rank; d++)
        tma_json_decimal(json, NULL, (double)coordinates[d], 0);
    tma_json_end_array(json);
}

static void write_bank_row(struct tma_json *json, const struct tma_layout_tile *tile,
                           uint32_t bank_row) {
    tma_json_begin_object(json, NULL);
    tma_json_unsigned(json, "address", tma_layout_chunk_address(tile, bank_row, 0));
    tma_json_begin_list(json, "kinds");
    for (uint32_t chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++) {
        struct tma_byte_place place = tma_layout_chunk(tile, bank_row, chunk);
        tma_json_string(json, NULL, tma_name_of(&tma_byte_kind_names, (int)place.kind));
    }
    tma_json_end_array(json);
    tma_json_begin_list(json, "coordinates");
    for (uint32_t chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++) {
        struct tma_byte_place place = tma_layout_chunk(tile, bank_row, chunk);
        if (tma_layout_has_element(place.kind))
            write_coordinates(json, NULL, place.coordinates, tile->view->map->rank);
        else
            tma_json_null(json, NULL);
    }
    tma_json_end_array(json);
    tma_json_end_object(json);
}

void tma_layout_write_json(const struct tma_layout_tile *tile, FILE *out) {
    const struct tma_layout_view *view = tile->view;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "tensor_map", view->map_name);
    tma_json_string(&json, "swizzle", tma_name_of(&tma_swizzle_names, (int)view->map->swizzle));
    tma_json_unsigned(&json, "shared_address", view->operation->shared_address);
    tma_json_unsigned(&json, "rows", tile->size.rows);
    tma_json_unsigned(&json, "row_bytes", tile->size.row_bytes);
    tma_json_unsigned(&json, "row_pitch_bytes", tile->size.row_pitch_bytes);
    tma_json_unsigned(&json, "transaction_bytes", tile->size.transaction_bytes);
    tma_json_begin_array(&json, "lines");
    for (uint32_t bank_row = 0; bank_row < tile->bank_rows; bank_row++)
        write_bank_row(&json, tile, bank_row);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

void tma_layout_write_byte_json(const struct tma_layout_view *view, uint32_t address,
                                const struct tma_byte_place *place, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_unsigned(&json, "shared_address", address);
    tma_json_unsigned(&json, "bank", tma_layout_bank(address));
    tma_json_string(&json, "kind", tma_name_of(&tma_byte_kind_names, (int)place->kind));
    if (tma_layout_has_element(place->kind)) {
        write_coordinates(&json, "coordinates", place->coordinates, view->map->rank);
        tma_json_unsigned(&json, "element_bit", place->element_bit);
        tma_json_unsigned(&json, "row", place->row);
    }
    if (place->kind == TMA_BYTE_ELEMENT)
        tma_json_unsigned(&json, "global_address", place->global_address);
    tma_json_end_object(&json);
}

void tma_layout_write_element_json(const struct tma_layout_view *view,
                                   const struct tma_layout_element_places *places, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    write_coordinates(&json, "coordinates", places->coordinates, view->map->rank);
    if (places->count > 0)
        tma_json_string(&json, "kind",
                        tma_name_of(&tma_byte_kind_names, places->out_of_bounds
                                                              ? TMA_BYTE_OUT_OF_BOUNDS
                                                              : TMA_BYTE_ELEMENT));
    tma_json_begin_array(&json, "places");
    for (unsigned i = 0; i < places->count; i++) {
        const struct tma_element_place *place = &places->items[i];
        tma_json_begin_object(&json, NULL);
        tma_json_unsigned(&json, "shared_address", place->shared_address);
        tma_json_unsigned(&json, "bit", place->bit);
        tma_json_unsigned(&json, "bank", tma_layout_bank(place->shared_address));
        tma_json_unsigned(&json, "row", place->row);
        tma_json_end_object(&json);
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}
