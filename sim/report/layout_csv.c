/* CSV: one line for each bank row of a tile, for the byte, or for each place of the element. */
#include <inttypes.h>

#include "report/layout_formats.h"

/* Columns c0 to c4; empty past the rank. */
static void write_coordinates(const int64_t *coordinates, uint32_t rank, FILE *out) {
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
    write_coordinates(place->coordinates, has_element ? view->map->rank : 0, out);
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
        write_coordinates(places->coordinates, view->map->rank, out);
        fprintf(out, ",%s\n", tma_name_of(&tma_byte_kind_names, (int)kind));
    }
}
