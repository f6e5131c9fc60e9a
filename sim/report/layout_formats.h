/* The output formats of sim/report/layout.h. Internal to sim/report. */
#ifndef TMA_REPORT_LAYOUT_FORMATS_H
#define TMA_REPORT_LAYOUT_FORMATS_H

#include "report/layout_tile.h"

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

/* One line for each format; see format_table.h. The file layout_NAME.c has its three writers. */
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

#endif
