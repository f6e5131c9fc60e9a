#include "report/layout.h"

#include <inttypes.h>

#include "report/format_table.h"
#include "report/json_writer.h"
#include "report/layout_formats.h"

TMA_FORMAT_NAMES(tma_layout_format_names, TMA_LAYOUT_FORMATS);

static const struct {
    void (*tile)(const struct tma_layout_tile *tile, FILE *out);
    void (*byte)(const struct tma_layout_view *view, uint32_t address,
                 const struct tma_byte_place *place, FILE *out);
    void (*element)(const struct tma_layout_view *view,
                    const struct tma_layout_element_places *places, FILE *out);
} writers[] = {
#define WRITERS(name)                                                                              \
    {tma_layout_write_##name, tma_layout_write_byte_##name, tma_layout_write_element_##name},
    TMA_LAYOUT_FORMATS(WRITERS)
#undef WRITERS
};

enum tma_error_code tma_layout_write(const struct tma_layout_view *view, int format, FILE *out,
                                     struct tma_error *error) {
    struct tma_layout_tile tile;
    enum tma_error_code code = tma_layout_tile_begin(&tile, view, error);
    if (code == TMA_OK)
        writers[format].tile(&tile, out);
    return code;
}

enum tma_error_code tma_layout_write_byte(const struct tma_layout_view *view, uint32_t address,
                                          int format, FILE *out, struct tma_error *error) {
    struct tma_layout layout;
    enum tma_error_code code = tma_layout_begin(&layout, view->map, view->operation, error);
    if (code != TMA_OK)
        return code;
    struct tma_byte_place place = tma_layout_byte(&layout, address);
    writers[format].byte(view, address, &place, out);
    return TMA_OK;
}

enum tma_error_code tma_layout_write_element(const struct tma_layout_view *view,
                                             const int64_t coordinates[TMA_MAX_RANK], int format,
                                             FILE *out, struct tma_error *error) {
    struct tma_layout layout;
    struct tma_layout_element_places places = {.coordinates = coordinates};
    enum tma_error_code code = tma_layout_begin(&layout, view->map, view->operation, error);
    if (code != TMA_OK)
        return code;
    places.count = tma_layout_element(&layout, coordinates, places.items);
    if (places.count > 0)
        places.out_of_bounds =
            tma_layout_byte(&layout, places.items[0].shared_address).kind == TMA_BYTE_OUT_OF_BOUNDS;
    writers[format].element(view, &places, out);
    return TMA_OK;
}

/* CSV: one line for each bank row of a tile, for the byte, or for each place of the element. */

/* Columns c0 to c4; empty past the rank. */
static void csv_coordinates(const int64_t *coordinates, uint32_t rank, FILE *out) {
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++)
        if (d < rank)
            fprintf(out, ",%" PRId64, coordinates[d]);
        else
            fputc(',', out);
}

void tma_layout_write_csv(const struct tma_layout_tile *tile, FILE *out) {
    fputs("address", out);
    for (int chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++)
        fprintf(out, ",chunk%d", chunk);
    for (uint32_t bank_row = 0; bank_row < tile->bank_rows; bank_row++) {
        fprintf(out, "\n%" PRIu32, tma_layout_chunk_address(tile, bank_row, 0));
        for (uint32_t chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++)
            fprintf(out, ",\"%s\"", tma_layout_cell(tile, bank_row, chunk).text);
    }
    fputc('\n', out);
}

void tma_layout_write_byte_csv(const struct tma_layout_view *view, uint32_t address,
                               const struct tma_byte_place *place, FILE *out) {
    bool has_element = tma_layout_has_element(place->kind);
    fprintf(out, "shared_address,bank,kind,c0,c1,c2,c3,c4,element_bit,row\n%" PRIu32 ",%u,%s",
            address, tma_layout_bank(address), tma_name_of(&tma_byte_kind_names, (int)place->kind));
    csv_coordinates(place->coordinates, has_element ? view->map->rank : 0, out);
    if (has_element)
        fprintf(out, ",%u,%u\n", place->element_bit, place->row);
    else
        fputs(",,\n", out);
}

void tma_layout_write_element_csv(const struct tma_layout_view *view,
                                  const struct tma_layout_element_places *places, FILE *out) {
    enum tma_byte_kind kind = places->out_of_bounds ? TMA_BYTE_OUT_OF_BOUNDS : TMA_BYTE_ELEMENT;
    fputs("shared_address,bit,bank,row,c0,c1,c2,c3,c4,kind\n", out);
    for (unsigned i = 0; i < places->count; i++) {
        const struct tma_element_place *place = &places->items[i];
        fprintf(out, "%" PRIu32 ",%u,%u,%u", place->shared_address, place->bit,
                tma_layout_bank(place->shared_address), place->row);
        csv_coordinates(places->coordinates, view->map->rank, out);
        fprintf(out, ",%s\n", tma_name_of(&tma_byte_kind_names, (int)kind));
    }
}

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
    TMA_JSON_COUNTS(&json, &tile->size, rows, row_bytes, row_pitch_bytes, transaction_bytes);
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
        TMA_JSON_COUNTS(&json, place, element_bit, row);
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
        TMA_JSON_COUNTS(&json, place, shared_address, bit);
        tma_json_unsigned(&json, "bank", tma_layout_bank(place->shared_address));
        tma_json_unsigned(&json, "row", place->row);
        tma_json_end_object(&json);
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}
