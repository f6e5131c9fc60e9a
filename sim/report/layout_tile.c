#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "report/layout_formats.h"

enum { BANK_BYTES = 4 };

enum tma_error_code tma_layout_tile_begin(struct tma_layout_tile *tile,
                                          const struct tma_layout_view *view,
                                          struct tma_error *error) {
    struct tma_row_stream rows;
    enum tma_error_code code =
        tma_rows_begin(&rows, view->map, view->operation, &tile->size, error);
    if (code == TMA_OK && view->operation->direction == TMA_PREFETCH)
        code = tma_fail(error, TMA_ERROR_ARGUMENT,
                        "the operation is a prefetch: it moves no bytes to shared memory");
    if (code == TMA_OK)
        code = tma_layout_begin(&tile->layout, view->map, view->operation, error);
    if (code != TMA_OK)
        return code;
    uint32_t begin = view->operation->shared_address;
    uint32_t end = begin + tile->size.shared_footprint_bytes;
    tile->view = view;
    tile->first_bank_row = begin / TMA_BANK_ROW_BYTES;
    tile->bank_rows = (end + TMA_BANK_ROW_BYTES - 1) / TMA_BANK_ROW_BYTES - tile->first_bank_row;
    return TMA_OK;
}

uint32_t tma_layout_chunk_address(const struct tma_layout_tile *tile, uint32_t bank_row,
                                  uint32_t chunk) {
    return (tile->first_bank_row + bank_row) * TMA_BANK_ROW_BYTES + chunk * TMA_CHUNK_BYTES;
}

struct tma_byte_place tma_layout_chunk(const struct tma_layout_tile *tile, uint32_t bank_row,
                                       uint32_t chunk) {
    return tma_layout_byte(&tile->layout, tma_layout_chunk_address(tile, bank_row, chunk));
}

uint32_t tma_layout_bank(uint32_t address) {
    return address % TMA_BANK_ROW_BYTES / BANK_BYTES;
}

bool tma_layout_has_element(enum tma_byte_kind kind) {
    return kind == TMA_BYTE_ELEMENT || kind == TMA_BYTE_OUT_OF_BOUNDS;
}

static struct tma_coordinates_text coordinates_text(const int64_t *coordinates, uint32_t rank) {
    struct tma_coordinates_text text;
    size_t at = (size_t)snprintf(text.text, sizeof text.text, "(");
    for (uint32_t d = 0; d < rank; d++)
        at += (size_t)snprintf(text.text + at, sizeof text.text - at, "%s%" PRId64,
                               d == 0 ? "" : ",", coordinates[d]);
    snprintf(text.text + at, sizeof text.text - at, ")");
    return text;
}

struct tma_coordinates_text tma_layout_cell(const struct tma_layout_tile *tile, uint32_t bank_row,
                                            uint32_t chunk) {
    static const char *const marks[] = {[TMA_BYTE_ELEMENT] = "",
                                        [TMA_BYTE_OUT_OF_BOUNDS] = "~",
                                        [TMA_BYTE_UNDEFINED] = "?",
                                        [TMA_BYTE_GAP] = "-",
                                        [TMA_BYTE_OUTSIDE] = "."};
    struct tma_byte_place place = tma_layout_chunk(tile, bank_row, chunk);
    struct tma_coordinates_text cell, coordinates = {""};
    if (tma_layout_has_element(place.kind))
        coordinates = coordinates_text(place.coordinates, tile->view->map->rank);
    snprintf(cell.text, sizeof cell.text, "%s%s", marks[place.kind], coordinates.text);
    return cell;
}

static int widest_cell(const struct tma_layout_tile *tile) {
    size_t widest = strlen("+112"); /* the longest heading of a column */
    for (uint32_t bank_row = 0; bank_row < tile->bank_rows; bank_row++)
        for (uint32_t chunk = 0; chunk < TMA_BANK_ROW_CHUNKS; chunk++) {
            size_t length = strlen(tma_layout_cell(tile, bank_row, chunk).text);
            widest = length > widest ? length : widest;
        }
    return (int)widest;
}

void tma_layout_write_text(const struct tma_layout_tile *tile, FILE *out) {
    static const char *const directions[] = {
        [TMA_LOAD] = "load", [TMA_STORE] = "store", [TMA_REDUCE] = "reduction"};
    const struct tma_layout_view *view = tile->view;
    const int last = TMA_BANK_ROW_CHUNKS - 1; /* has no trailing spaces */
    int width = widest_cell(tile);
    fprintf(out,
            "%s of %s at 0x%" PRIx32 ": %u rows of %u bytes, pitch %u, swizzle %s\n"
            "each chunk: coordinates of the element at its first byte; ~ out of bounds, "
            "? uninitialised, - gap, . outside\n%-10s",
            directions[view->operation->direction], view->map_name, view->operation->shared_address,
            tile->size.rows, tile->size.row_bytes, tile->size.row_pitch_bytes,
            tma_name_of(&tma_swizzle_names, (int)view->map->swizzle), "address");
    for (int chunk = 0; chunk <= last; chunk++)
        fprintf(out, " +%-*d", chunk == last ? 0 : width - 1, chunk * TMA_CHUNK_BYTES);
    for (uint32_t bank_row = 0; bank_row < tile->bank_rows; bank_row++) {
        fprintf(out, "\n0x%-8" PRIx32, tma_layout_chunk_address(tile, bank_row, 0));
        for (int chunk = 0; chunk <= last; chunk++)
            fprintf(out, " %-*s", chunk == last ? 0 : width,
                    tma_layout_cell(tile, bank_row, (uint32_t)chunk).text);
    }
    fputc('\n', out);
}

struct tma_layout_sentence tma_layout_byte_sentence(const struct tma_layout_view *view,
                                                    uint32_t address,
                                                    const struct tma_byte_place *place) {
    static const char *const without_element[] = {
        [TMA_BYTE_UNDEFINED] = "padding of a sub-byte type, left uninitialised",
        [TMA_BYTE_GAP] = "gap between two rows, not touched",
        [TMA_BYTE_OUTSIDE] = "outside the operation's box"};
    struct tma_layout_sentence sentence = {.text = ""};
    char *text = sentence.text;
    int at = snprintf(text, sizeof sentence.text, "byte 0x%" PRIx32 " (bank %u): ", address,
                      tma_layout_bank(address));
    size_t room = sizeof sentence.text - (size_t)at;
    if (!tma_layout_has_element(place->kind)) {
        snprintf(text + at, room, "%s", without_element[place->kind]);
        return sentence;
    }
    /* A store ends at a multiple of 16 bytes of the row, not at its last element. */
    bool past = tma_writes_tensor(view->operation->direction) &&
                place->coordinates[0] >= (int64_t)view->map->global_dim[0];
    char memory[96] = "out of bounds";
    if (place->kind == TMA_BYTE_ELEMENT)
        snprintf(memory, sizeof memory, "global address 0x%" PRIx64 "%s", place->global_address,
                 past ? ", behind the row, which the store overwrites" : "");
    snprintf(text + at, room, "bit %u of element %s of %s, row %u of the box, %s",
             place->element_bit, coordinates_text(place->coordinates, view->map->rank).text,
             view->map_name, place->row, memory);
    return sentence;
}

void tma_layout_write_byte_text(const struct tma_layout_view *view, uint32_t address,
                                const struct tma_byte_place *place, FILE *out) {
    fprintf(out, "%s\n", tma_layout_byte_sentence(view, address, place).text);
}

/* Appends to a text of `size` bytes, of which `at` are taken. */
__attribute__((format(printf, 4, 5))) static void append(char *text, size_t size, size_t *at,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + *at, size - *at, format, arguments);
    va_end(arguments);
    *at += length < 0 ? 0 : (size_t)length;
    *at = *at < size ? *at : size - 1;
}

struct tma_layout_sentence
tma_layout_element_sentence(const struct tma_layout_view *view,
                            const struct tma_layout_element_places *places, const char *between) {
    struct tma_layout_sentence sentence = {.text = ""};
    const size_t size = sizeof sentence.text;
    size_t at = 0;
    append(sentence.text, size, &at,
           "element %s of %s: ", coordinates_text(places->coordinates, view->map->rank).text,
           view->map_name);
    if (places->count == 0)
        append(sentence.text, size, &at, "not in the operation's box");
    if (places->out_of_bounds)
        append(sentence.text, size, &at, "%s",
               tma_writes_tensor(view->operation->direction)
                   ? "out of bounds, not written; "
                   : "out of bounds, filled by the load; ");
    for (unsigned i = 0; i < places->count; i++) {
        const struct tma_element_place *place = &places->items[i];
        append(sentence.text, size, &at, "%sbyte 0x%" PRIx32 " bit %u (bank %u), row %u of the box",
               i == 0 ? "" : between, place->shared_address, place->bit,
               tma_layout_bank(place->shared_address), place->row);
    }
    return sentence;
}

void tma_layout_write_element_text(const struct tma_layout_view *view,
                                   const struct tma_layout_element_places *places, FILE *out) {
    fprintf(out, "%s\n", tma_layout_element_sentence(view, places, "\n  and ").text);
}
