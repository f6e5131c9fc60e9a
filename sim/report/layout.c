#include "report/layout.h"

#include <inttypes.h>
#include <string.h>

#include "report/json_writer.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16, CHUNKS = LINE_BYTES / CHUNK_BYTES, BANK_BYTES = 4 };
enum { CELL_BYTES = TMA_MAX_RANK * 22 };

static const struct tma_name format_items[] = {
    {"text", TMA_LAYOUT_TEXT}, {"csv", TMA_LAYOUT_CSV}, {"json", TMA_LAYOUT_JSON}};
const struct tma_names tma_layout_format_names = {"format", format_items, 3};

/* Marks the cells in text and CSV. */
static const char *const signs[] = {[TMA_BYTE_ELEMENT] = "",
                                    [TMA_BYTE_OUT_OF_BOUNDS] = "~",
                                    [TMA_BYTE_UNDEFINED] = "?",
                                    [TMA_BYTE_GAP] = "-",
                                    [TMA_BYTE_OUTSIDE] = "."};

static bool has_coordinates(enum tma_byte_kind kind) {
    return kind == TMA_BYTE_ELEMENT || kind == TMA_BYTE_OUT_OF_BOUNDS;
}

/* The operation, ready to be asked, and the lines that its box touches. */
struct tile {
    struct tma_layout layout;
    struct tma_operation_size size;
    const struct tma_layout_view *view;
    uint32_t first_line, lines;
};

static enum tma_error_code open_tile(const struct tma_layout_view *view, struct tile *tile,
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
    tile->view = view;
    tile->first_line = begin / LINE_BYTES;
    tile->lines = (begin + tile->size.shared_footprint_bytes + LINE_BYTES - 1) / LINE_BYTES -
                  tile->first_line;
    return TMA_OK;
}

/* "(8,1)", coordinates up to the rank. */
static void format_coordinates(const int64_t *coordinates, uint32_t rank, char *text) {
    int at = snprintf(text, CELL_BYTES, "(");
    for (uint32_t d = 0; d < rank; d++)
        at += snprintf(text + at, CELL_BYTES - (size_t)at, "%s%" PRId64, d == 0 ? "" : ",",
                       coordinates[d]);
    snprintf(text + at, CELL_BYTES - (size_t)at, ")");
}

static void format_cell(const struct tile *tile, uint32_t address, char *text) {
    struct tma_byte_place place = tma_layout_byte(&tile->layout, address);
    const char *sign = signs[place.kind];
    size_t length = strlen(sign);
    memcpy(text, sign, length + 1);
    if (has_coordinates(place.kind))
        format_coordinates(place.coordinates, tile->view->map->rank, text + length);
}

static uint32_t address_of(const struct tile *tile, uint32_t line, uint32_t chunk) {
    return (tile->first_line + line) * LINE_BYTES + chunk * CHUNK_BYTES;
}

static int widest_cell(const struct tile *tile) {
    size_t widest = 4; /* "+112" */
    char cell[CELL_BYTES];
    for (uint32_t i = 0; i < tile->lines * CHUNKS; i++) {
        format_cell(tile, address_of(tile, i / CHUNKS, i % CHUNKS), cell);
        widest = strlen(cell) > widest ? strlen(cell) : widest;
    }
    return (int)widest;
}

static void write_text(const struct tile *tile, FILE *out) {
    const struct tma_tensor_map *map = tile->view->map;
    static const char *const directions[] = {
        [TMA_LOAD] = "load", [TMA_STORE] = "store", [TMA_REDUCE] = "reduction"};
    int width = widest_cell(tile);
    char cell[CELL_BYTES];
    fprintf(out,
            "%s of %s at 0x%" PRIx32 ": %u rows of %u bytes, %u apart, swizzle %s\n"
            "chunks by the coordinates of their first byte's element; ~ out of bounds, ? "
            "uninitialised, - gap, . outside\n%-10s",
            directions[tile->view->operation->direction], tile->view->map_name,
            tile->view->operation->shared_address, tile->size.rows, tile->size.row_bytes,
            tile->size.row_pitch_bytes, tma_name_of(&tma_swizzle_names, (int)map->swizzle),
            "address");
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        fprintf(out, " +%-*d", chunk == CHUNKS - 1 ? 0 : width - 1, chunk * CHUNK_BYTES);
    for (uint32_t line = 0; line < tile->lines; line++) {
        fprintf(out, "\n0x%-8" PRIx32, address_of(tile, line, 0));
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
            format_cell(tile, address_of(tile, line, chunk), cell);
            fprintf(out, " %-*s", chunk == CHUNKS - 1 ? 0 : width, cell);
        }
    }
    fputc('\n', out);
}

static void write_csv(const struct tile *tile, FILE *out) {
    char cell[CELL_BYTES];
    fputs("address", out);
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        fprintf(out, ",chunk%d", chunk);
    for (uint32_t line = 0; line < tile->lines; line++) {
        fprintf(out, "\n%" PRIu32, address_of(tile, line, 0));
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
            format_cell(tile, address_of(tile, line, chunk), cell);
            fprintf(out, ",\"%s\"", cell);
        }
    }
    fputc('\n', out);
}

static void write_json_coordinates(struct tma_json *json, const int64_t *coordinates,
                                   uint32_t rank) {
    tma_json_begin_list(json, NULL);
    for (uint32_t d = 0; d < rank; d++)
        tma_json_decimal(json, NULL, (double)coordinates[d], 0);
    tma_json_end_array(json);
}

static void write_json_line(const struct tile *tile, uint32_t line, struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_unsigned(json, "address", address_of(tile, line, 0));
    tma_json_begin_list(json, "kinds");
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        struct tma_byte_place place = tma_layout_byte(&tile->layout, address_of(tile, line, chunk));
        tma_json_string(json, NULL, tma_name_of(&tma_byte_kind_names, (int)place.kind));
    }
    tma_json_end_array(json);
    tma_json_begin_list(json, "coordinates");
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        struct tma_byte_place place = tma_layout_byte(&tile->layout, address_of(tile, line, chunk));
        if (has_coordinates(place.kind))
            write_json_coordinates(json, place.coordinates, tile->view->map->rank);
        else
            tma_json_null(json, NULL);
    }
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_json(const struct tile *tile, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "tensor_map", tile->view->map_name);
    tma_json_string(&json, "swizzle",
                    tma_name_of(&tma_swizzle_names, (int)tile->view->map->swizzle));
    tma_json_unsigned(&json, "shared_address", tile->view->operation->shared_address);
    tma_json_unsigned(&json, "rows", tile->size.rows);
    tma_json_unsigned(&json, "row_bytes", tile->size.row_bytes);
    tma_json_unsigned(&json, "row_pitch_bytes", tile->size.row_pitch_bytes);
    tma_json_unsigned(&json, "transaction_bytes", tile->size.transaction_bytes);
    tma_json_begin_array(&json, "lines");
    for (uint32_t line = 0; line < tile->lines; line++)
        write_json_line(tile, line, &json);
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

enum tma_error_code tma_layout_write(const struct tma_layout_view *view,
                                     enum tma_layout_format format, FILE *out,
                                     struct tma_error *error) {
    static void (*const writers[])(const struct tile *tile,
                                   FILE *out) = {[TMA_LAYOUT_TEXT] = write_text,
                                                 [TMA_LAYOUT_CSV] = write_csv,
                                                 [TMA_LAYOUT_JSON] = write_json};
    struct tile tile;
    enum tma_error_code code = open_tile(view, &tile, error);
    if (code == TMA_OK)
        writers[format](&tile, out);
    return code;
}
