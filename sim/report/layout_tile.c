#include <inttypes.h>

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

struct tma_coordinates_text tma_coordinates_text(const int64_t *coordinates, uint32_t rank) {
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
        coordinates = tma_coordinates_text(place.coordinates, tile->view->map->rank);
    snprintf(cell.text, sizeof cell.text, "%s%s", marks[place.kind], coordinates.text);
    return cell;
}
