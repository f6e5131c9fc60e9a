#include "memory/core/line_places.h"

struct tma_page_places *tma_page_places_new(void) {
    struct tma_page_places *pages = tma_allocate_lines(TMA_REMEMBERED_PAGES, sizeof *pages);
    if (pages != NULL) /* the other pages of zeros are not where page 0 would be */
        pages->number = TMA_NO_PAGE;
    return pages;
}

/* Remembers a group. A line with the place p in it is in slice p + rotation, or as many slices
 * less as there are. */
static void remember_group(struct tma_page_places *page, const struct tma_address_map *map,
                           int number, uint64_t group) {
    struct tma_set_index index = tma_group_index(map, group);
    int rotation = (int)tma_group_rotation(map, group, page->home);
    page->sets[number] = index.set;
    page->tags[number] = index.tag;
    page->rotations[number] = (int16_t)(rotation - number * (int)map->slices);
}

void tma_page_remember(struct tma_page_places *page, const struct tma_address_map *map,
                       uint64_t line) {
    bool whole = map->slices >= TMA_PAGE_LINES;
    uint64_t first = whole ? line - line % TMA_PAGE_LINES : line; /* that the page is known from */
    uint64_t number = tma_number_at_home(map, first);
    uint64_t group = tma_divide_line(number, &map->by_slices);
    page->number = whole ? line / TMA_PAGE_LINES : TMA_NO_PAGE;
    page->place = (int16_t)((int)(number - group * map->slices) - (int)(first % TMA_PAGE_LINES));
    page->home = map->partitions == 1 ? 0 : map->server(line).home;
    remember_group(page, map, 0, group);
    remember_group(page, map, 1, group + 1);
    for (int block = 0; block < TMA_PAGE_BLOCKS; block++)
        page->servers[block] = TMA_UNKNOWN_SERVER;
}

uint32_t tma_page_learn_server(struct tma_page_places *page, const struct tma_address_map *map,
                               uint64_t line) {
    return page->servers[line % TMA_PAGE_LINES / TMA_BLOCK_LINES] = map->server(line).slice;
}
