/* Places of lines: what is remembered of a page gives the places that the address map gives. */
#include "base/allocation.h"
#include "memory/core/line_places.h"
#include "small_memory.h"
#include "suite.h"

/* L2 of a chip. A group has as many lines as a partition has slices: less than a page of 32 lines,
 * as many, and more, up to the most that a machine file may say. */
static const struct chip {
    uint32_t partitions, slices, slice_sets;
    enum tma_slice_hash hash;
} chips[] = {
    {2, 94, 40, TMA_SLICE_HASH_h200}, {2, 94, 40, TMA_SLICE_HASH_even},
    {1, 47, 40, TMA_SLICE_HASH_h200}, {2, 64, 1, TMA_SLICE_HASH_even},
    {2, 62, 16, TMA_SLICE_HASH_even}, {2, 2, 64, TMA_SLICE_HASH_even},
    {1, 1, 64, TMA_SLICE_HASH_even},  {1, 1024, 3, TMA_SLICE_HASH_even},
};
enum { CHIPS = sizeof chips / sizeof *chips };

static struct tma_address_map chip_map;
static struct tma_page_places *pages;

static void set_up_chip(const struct chip *chip) {
    machine.l2.partitions = chip->partitions;
    machine.l2.slices = chip->slices;
    machine.l2.hash = chip->hash;
    machine.l2.capacity_bytes =
        (uint64_t)chip->slices * chip->slice_sets * machine.l2.ways * TMA_LINE_BYTES;
    chip_map = tma_address_map_of(&machine);
    ck_assert_uint_eq(chip_map.slice_sets, chip->slice_sets);
    pages = tma_page_places_new();
    ck_assert_ptr_nonnull(pages);
}

static void check_line(uint64_t line) {
    const struct tma_line_location location = tma_locate(&chip_map, line);
    for (uint32_t partition = 0; partition < chip_map.partitions; partition++) {
        struct tma_set_index index = tma_set_index(&chip_map, partition, &location);
        struct tma_page_places *page = tma_page_of(pages, &chip_map, line);
        struct tma_line_place place = tma_place_on(page, &chip_map, line, partition);
        ck_assert_uint_eq(page->home, location.server.home);
        ck_assert_uint_eq(place.server.home, location.server.home);
        ck_assert_uint_eq(place.server.slice, location.server.slice);
        ck_assert_uint_eq(place.index.set, index.set);
        ck_assert_uint_eq(place.index.tag, index.tag);
    }
}

/* Every line of some pages, first one after the other, then again from the last to the first. */
TEST_ROWS(test_neighbours, CHIPS) {
    enum { LINES = 64 * TMA_PAGE_LINES };
    set_up_chip(&chips[_i]);
    const uint64_t end = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES;
    const uint64_t first[] = {0, UINT64_C(0x7f0000000000) / TMA_LINE_BYTES, end - LINES};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        for (uint64_t line = first[k]; line < first[k] + LINES; line++)
            check_line(line);
        for (uint64_t line = first[k] + LINES; line-- > first[k];)
            check_line(line);
    }
    tma_release(pages);
}

/* Lines at random, so many that pages take each other's place in the table. */
TEST_ROWS(test_pages_take_turns, CHIPS) {
    enum { LINES = 4 * TMA_REMEMBERED_PAGES };
    set_up_chip(&chips[_i]);
    for (uint64_t i = 0; i < LINES; i++)
        check_line(tma_mix64(i) % (TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES));
    tma_release(pages);
}

/* Around the line whose tag would be that of an empty way. */
TEST_ROWS(test_last_tags, CHIPS) {
    set_up_chip(&chips[_i]);
    uint64_t group_lines = (uint64_t)chip_map.slices * chip_map.partitions;
    uint64_t turns = TMA_L2_EMPTY / chip_map.partitions;
    uint64_t line = group_lines * chip_map.slice_sets * turns;
    for (uint64_t at = line - 4096; at < line + 4096; at++)
        if (at < TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES)
            check_line(at);
    tma_release(pages);
}

TEST_SUITE("places of lines", .set_up = set_up, .tear_down = tear_down);
