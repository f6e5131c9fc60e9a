/* One answer: what a byte of shared memory belongs to, or where an element lies. */
#include <inttypes.h>

#include "report/json_writer.h"
#include "report/layout.h"

enum { LINE_BYTES = 128, BANK_BYTES = 4 };

static uint32_t bank_of(uint32_t address) {
    return address % LINE_BYTES / BANK_BYTES;
}

static void print_coordinates(const int64_t *coordinates, uint32_t rank, FILE *out) {
    fputc('(', out);
    for (uint32_t d = 0; d < rank; d++)
        fprintf(out, "%s%" PRId64, d == 0 ? "" : ",", coordinates[d]);
    fputc(')', out);
}

static void json_coordinates(struct tma_json *json, const int64_t *coordinates, uint32_t rank) {
    tma_json_begin_list(json, "coordinates");
    for (uint32_t d = 0; d < rank; d++)
        tma_json_decimal(json, NULL, (double)coordinates[d], 0);
    tma_json_end_array(json);
}

/* CSV columns c0 to c4; empty past the rank. */
static void csv_coordinates(const int64_t *coordinates, uint32_t rank, FILE *out) {
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++)
        if (d < rank)
            fprintf(out, ",%" PRId64, coordinates[d]);
        else
            fputc(',', out);
}

static void byte_text(const struct tma_layout_view *view, uint32_t address,
                      const struct tma_byte_place *place, FILE *out) {
    static const char *const others[] = {[TMA_BYTE_UNDEFINED] =
                                             "padding of a sub-byte type, left uninitialised",
                                         [TMA_BYTE_GAP] = "between two rows, not touched",
                                         [TMA_BYTE_OUTSIDE] = "outside the operation's box"};
    fprintf(out, "byte 0x%" PRIx32 " (bank %u): ", address, bank_of(address));
    if (place->kind != TMA_BYTE_ELEMENT && place->kind != TMA_BYTE_OUT_OF_BOUNDS) {
        fprintf(out, "%s\n", others[place->kind]);
        return;
    }
    fprintf(out, "bit %u of element ", place->element_bit);
    print_coordinates(place->coordinates, view->map->rank, out);
    fprintf(out, " of %s, row %u of the box, ", view->map_name, place->row);
    if (place->kind == TMA_BYTE_ELEMENT)
        fprintf(out, "global address 0x%" PRIx64 "\n", place->global_address);
    else
        fputs("out of bounds\n", out);
}

static void byte_json(const struct tma_layout_view *view, uint32_t address,
                      const struct tma_byte_place *place, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_unsigned(&json, "shared_address", address);
    tma_json_unsigned(&json, "bank", bank_of(address));
    tma_json_string(&json, "kind", tma_name_of(&tma_byte_kind_names, (int)place->kind));
    if (place->kind == TMA_BYTE_ELEMENT || place->kind == TMA_BYTE_OUT_OF_BOUNDS) {
        json_coordinates(&json, place->coordinates, view->map->rank);
        tma_json_unsigned(&json, "element_bit", place->element_bit);
        tma_json_unsigned(&json, "row", place->row);
    }
    if (place->kind == TMA_BYTE_ELEMENT)
        tma_json_unsigned(&json, "global_address", place->global_address);
    tma_json_end_object(&json);
}

static void byte_csv(const struct tma_layout_view *view, uint32_t address,
                     const struct tma_byte_place *place, FILE *out) {
    bool placed = place->kind == TMA_BYTE_ELEMENT || place->kind == TMA_BYTE_OUT_OF_BOUNDS;
    fprintf(out, "shared_address,bank,kind,c0,c1,c2,c3,c4,element_bit,row\n%" PRIu32 ",%u,%s",
            address, bank_of(address), tma_name_of(&tma_byte_kind_names, (int)place->kind));
    csv_coordinates(place->coordinates, placed ? view->map->rank : 0, out);
    if (placed)
        fprintf(out, ",%u,%u\n", place->element_bit, place->row);
    else
        fputs(",,\n", out);
}

enum tma_error_code tma_layout_write_byte(const struct tma_layout_view *view, uint32_t address,
                                          enum tma_layout_format format, FILE *out,
                                          struct tma_error *error) {
    static void (*const writers[])(const struct tma_layout_view *view, uint32_t address,
                                   const struct tma_byte_place *place, FILE *out) = {
        [TMA_LAYOUT_TEXT] = byte_text, [TMA_LAYOUT_CSV] = byte_csv, [TMA_LAYOUT_JSON] = byte_json};
    struct tma_layout layout;
    enum tma_error_code code = tma_layout_begin(&layout, view->map, view->operation, error);
    if (code != TMA_OK)
        return code;
    struct tma_byte_place place = tma_layout_byte(&layout, address);
    writers[format](view, address, &place, out);
    return TMA_OK;
}

/* The places of one element. */
struct places {
    const int64_t *coordinates;
    struct tma_element_place items[TMA_MAX_PLACES];
    unsigned count;
};

static void element_text(const struct tma_layout_view *view, const struct places *places,
                         FILE *out) {
    fputs("element ", out);
    print_coordinates(places->coordinates, view->map->rank, out);
    fprintf(out, " of %s: ", view->map_name);
    if (places->count == 0)
        fputs("not in the operation's box\n", out);
    for (unsigned i = 0; i < places->count; i++) {
        const struct tma_element_place *place = &places->items[i];
        fprintf(out, "%sbyte 0x%" PRIx32 " bit %u (bank %u), row %u of the box\n",
                i == 0 ? "" : "  and ", place->shared_address, place->bit,
                bank_of(place->shared_address), place->row);
    }
}

static void element_json(const struct tma_layout_view *view, const struct places *places,
                         FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    json_coordinates(&json, places->coordinates, view->map->rank);
    tma_json_begin_array(&json, "places");
    for (unsigned i = 0; i < places->count; i++) {
        tma_json_begin_object(&json, NULL);
        tma_json_unsigned(&json, "shared_address", places->items[i].shared_address);
        tma_json_unsigned(&json, "bit", places->items[i].bit);
        tma_json_unsigned(&json, "bank", bank_of(places->items[i].shared_address));
        tma_json_unsigned(&json, "row", places->items[i].row);
        tma_json_end_object(&json);
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static void element_csv(const struct tma_layout_view *view, const struct places *places,
                        FILE *out) {
    fputs("shared_address,bit,bank,row,c0,c1,c2,c3,c4\n", out);
    for (unsigned i = 0; i < places->count; i++) {
        const struct tma_element_place *place = &places->items[i];
        fprintf(out, "%" PRIu32 ",%u,%u,%u", place->shared_address, place->bit,
                bank_of(place->shared_address), place->row);
        csv_coordinates(places->coordinates, view->map->rank, out);
        fputc('\n', out);
    }
}

enum tma_error_code tma_layout_write_element(const struct tma_layout_view *view,
                                             const int64_t coordinates[TMA_MAX_RANK],
                                             enum tma_layout_format format, FILE *out,
                                             struct tma_error *error) {
    static void (*const writers[])(const struct tma_layout_view *view, const struct places *places,
                                   FILE *out) = {[TMA_LAYOUT_TEXT] = element_text,
                                                 [TMA_LAYOUT_CSV] = element_csv,
                                                 [TMA_LAYOUT_JSON] = element_json};
    struct tma_layout layout;
    struct places places = {.coordinates = coordinates};
    enum tma_error_code code = tma_layout_begin(&layout, view->map, view->operation, error);
    if (code != TMA_OK)
        return code;
    places.count = tma_layout_element(&layout, coordinates, places.items);
    writers[format](view, &places, out);
    return TMA_OK;
}
