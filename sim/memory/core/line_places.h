/* Places of lines: what the address map says of a line, in less than half its instructions. Lines
 * of a page of 4 KiB have their home, and most often their group, in common, and SMs read a page
 * many times. So a direct-mapped table remembers pages. */
#pragma once

#include "base/array.h"
#include "memory/core/address_map.h"

/* Where a line lives in one partition. */
struct tma_line_place {
    struct tma_set_index index;
    struct tma_line_server server;
};

enum {
    TMA_PAGE_LINES = 1 << TMA_HOME_BITS,
    TMA_PAGE_BLOCKS = TMA_PAGE_LINES / TMA_BLOCK_LINES,
    TMA_REMEMBERED_PAGES = 1 << 13,
    TMA_UNKNOWN_SERVER = TMA_INTERLEAVED - 1,
};
#define TMA_NO_PAGE UINT64_MAX

/* A page. Its lines follow each other in one group, or in two. */
struct tma_page_places {
    _Alignas(TMA_HOST_LINE_BYTES) uint64_t number; /* line / TMA_PAGE_LINES; or TMA_NO_PAGE */
    /* Of its first group and of the next one: the set in a slice, the tag at home (a copy has the
     * one behind it), and what leads from a line's place in the first group to its slice. */
    uint32_t sets[2], tags[2];
    int16_t rotations[2];
    int16_t place; /* of its first line in the first group */
    uint16_t home;
    uint16_t servers[TMA_PAGE_BLOCKS]; /* of its blocks: slices, as in struct tma_line_server, or
                                          TMA_UNKNOWN_SERVER */
};
_Static_assert(sizeof(struct tma_page_places) == TMA_HOST_LINE_BYTES,
               "a page takes one cache line of the host");

/* NULL when out of memory. tma_release frees it. */
struct tma_page_places *tma_page_places_new(void);

/* Remembers the page of a line. Where groups have fewer lines than a page, what `page` says then
 * holds for this line alone, and is not found again. */
void tma_page_remember(struct tma_page_places *page, const struct tma_address_map *map,
                       uint64_t line);

/* Finds out the slice that serves the block of a line. */
uint32_t tma_page_learn_server(struct tma_page_places *page, const struct tma_address_map *map,
                               uint64_t line);

/* The entry of the table that may have the page of a line. */
static inline struct tma_page_places *tma_page_slot(struct tma_page_places *pages, uint64_t line) {
    uint32_t hash = (uint32_t)(line / TMA_PAGE_LINES) * UINT32_C(0x9e3779b9);
    return &pages[hash / (UINT32_MAX / TMA_REMEMBERED_PAGES + 1)];
}

/* The page of a line. */
static inline struct tma_page_places *
tma_page_of(struct tma_page_places *pages, const struct tma_address_map *map, uint64_t line) {
    struct tma_page_places *page = tma_page_slot(pages, line);
    if (page->number != line / TMA_PAGE_LINES)
        tma_page_remember(page, map, line);
    return page;
}

/* Which of a page's groups a line is in, and the slice whose sets hold it. */
struct tma_line_on_page {
    uint32_t group, slice;
};

static inline struct tma_line_on_page
tma_line_on(const struct tma_page_places *page, const struct tma_address_map *map, uint64_t line) {
    int place = page->place + (int)(line % TMA_PAGE_LINES);
    uint32_t group = place >= (int)map->slices;
    uint32_t slice = (uint32_t)(place + page->rotations[group]);
    return (struct tma_line_on_page){group, slice < map->slices ? slice : slice - map->slices};
}

/* Its set and tag in a partition: its home, or the other one. */
static inline struct tma_set_index tma_index_on(const struct tma_page_places *page,
                                                const struct tma_address_map *map,
                                                struct tma_line_on_page line, uint32_t partition) {
    return (struct tma_set_index){
        .set = (partition * map->slices + line.slice) * map->slice_sets + page->sets[line.group],
        .tag = tma_tag_of(page->tags[line.group] + (page->home != partition)),
    };
}

/* The same, and what serves it. */
static inline struct tma_line_place tma_place_on(struct tma_page_places *page,
                                                 const struct tma_address_map *map, uint64_t line,
                                                 uint32_t partition) {
    const struct tma_line_on_page at = tma_line_on(page, map, line);
    uint32_t server = page->servers[line % TMA_PAGE_LINES / TMA_BLOCK_LINES];
    if (server == TMA_UNKNOWN_SERVER)
        server = tma_page_learn_server(page, map, line);
    if (server == TMA_INTERLEAVED)
        server = at.slice;
    return (struct tma_line_place){
        .index = tma_index_on(page, map, at, partition),
        .server = {.home = page->home, .slice = (uint16_t)server},
    };
}
