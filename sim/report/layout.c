#include "report/layout.h"

#include "report/format_table.h"
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
