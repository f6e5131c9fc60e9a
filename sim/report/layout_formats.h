/* The output formats of sim/report/layout.h, and what they print: a tile by 16-byte chunk, one
 * byte, one element. Internal to sim/report. */
#pragma once

#include "report/layout.h"

enum { TMA_BANK_ROW_BYTES = 128, TMA_CHUNK_BYTES = 16, TMA_BANK_ROW_CHUNKS = 8 };

/* The tile of an operation, and the bank rows that it touches. */
struct tma_layout_tile {
    const struct tma_layout_view *view;
    struct tma_layout layout;
    struct tma_operation_size size;
    uint32_t first_bank_row; /* its address divided by TMA_BANK_ROW_BYTES */
    uint32_t bank_rows;
};

/* Fails as tma_layout_write does. */
enum tma_error_code tma_layout_tile_begin(struct tma_layout_tile *tile,
                                          const struct tma_layout_view *view,
                                          struct tma_error *error);

/* The shared-memory address of a chunk; bank rows count from the first one of the tile. */
uint32_t tma_layout_chunk_address(const struct tma_layout_tile *tile, uint32_t bank_row,
                                  uint32_t chunk);

/* What the first byte of the chunk holds. */
struct tma_byte_place tma_layout_chunk(const struct tma_layout_tile *tile, uint32_t bank_row,
                                       uint32_t chunk);

/* The bank of a shared-memory address. */
uint32_t tma_layout_bank(uint32_t address);

/* True for the kinds of bytes that belong to an element, inside the tensor or out of bounds. */
bool tma_layout_has_element(enum tma_byte_kind kind);

/* "(8,1)" */
struct tma_coordinates_text {
    char text[TMA_MAX_RANK * 22 + 3];
};

/* The chunk as a cell of a table: a mark for its kind, and its coordinates where it has an element.
 * The marks are: none for an element, ~ out of bounds, ? uninitialised, - gap, . outside. */
struct tma_coordinates_text tma_layout_cell(const struct tma_layout_tile *tile, uint32_t bank_row,
                                            uint32_t chunk);

/* The places of one element. */
struct tma_layout_element_places {
    const int64_t *coordinates;
    struct tma_element_place items[TMA_MAX_PLACES];
    unsigned count;
    /* The element is out of bounds: a load fills its places, a store skips them. */
    bool out_of_bounds;
};

/* What --at and --element answer, in a sentence. `between` stands between two places. */
struct tma_layout_sentence {
    char text[1024];
};
struct tma_layout_sentence tma_layout_byte_sentence(const struct tma_layout_view *view,
                                                    uint32_t address,
                                                    const struct tma_byte_place *place);
struct tma_layout_sentence
tma_layout_element_sentence(const struct tma_layout_view *view,
                            const struct tma_layout_element_places *places, const char *between);

/* One line for each format; see format_table.h. Each has three writers, in layout.c and
 * layout_svg.c. */
#define TMA_LAYOUT_FORMATS(X)                                                                      \
    X(text)                                                                                        \
    X(csv)                                                                                         \
    X(json)                                                                                        \
    X(svg)

#define TMA_LAYOUT_WRITERS(name)                                                                   \
    void tma_layout_write_##name(const struct tma_layout_tile *tile, FILE *out);                   \
    void tma_layout_write_byte_##name(const struct tma_layout_view *view, uint32_t address,        \
                                      const struct tma_byte_place *place, FILE *out);              \
    void tma_layout_write_element_##name(const struct tma_layout_view *view,                       \
                                         const struct tma_layout_element_places *places,           \
                                         FILE *out);
TMA_LAYOUT_FORMATS(TMA_LAYOUT_WRITERS)
#undef TMA_LAYOUT_WRITERS
