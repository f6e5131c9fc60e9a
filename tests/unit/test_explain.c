/* One access, lane by lane, and distributions as tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/pattern.h"
#include "suite.h"

struct explained {
    const char *name;
    enum tma_shared_instruction instruction;
    enum tma_lane_map lanes;
    enum tma_swizzle swizzle;
    uint64_t index;
    uint32_t position; /* in the order of the wavefronts */
    struct tma_explained_lane lane;
};

/* Tiles of 32 rows of 128 bytes at address 1024.
 * lane: number, wavefront, phase, row, byte, address, banks from and to, conflicts, shares */
static const struct explained explained[] = {
    /* Eight rows of a chunk column in one group of banks: each lane has its own wavefront. */
    {"third of a matrix",
     TMA_LDMATRIX_X4,
     TMA_LANES_MATRIX,
     TMA_SWIZZLE_NONE,
     0,
     2,
     {2, 2, 0, 2, 0, 1024 + 256, 0, 3, 0xFB, 0}},
    {"second matrix",
     TMA_LDMATRIX_X4,
     TMA_LANES_MATRIX,
     TMA_SWIZZLE_NONE,
     0,
     8,
     {8, 8, 1, 0, 16, 1024 + 16, 4, 7, 0xFE00, 0}},
    /* Swizzled, a phase is one wavefront; row 2 has its chunk 0 where chunk 2 was. */
    {"third of a matrix, 128B",
     TMA_LDMATRIX_X4,
     TMA_LANES_MATRIX,
     TMA_SWIZZLE_128B,
     0,
     2,
     {2, 0, 0, 2, 0, 1024 + 256 + 32, 8, 11, 0, 0}},
    {"second matrix, 128B",
     TMA_LDMATRIX_X4,
     TMA_LANES_MATRIX,
     TMA_SWIZZLE_128B,
     0,
     8,
     {8, 1, 1, 0, 16, 1024 + 16, 4, 7, 0, 0}},
    /* Lanes 0 and 1 take the halves of one word. */
    {"halves",
     TMA_LD_SHARED_B16,
     TMA_LANES_ROW,
     TMA_SWIZZLE_NONE,
     0,
     1,
     {1, 0, 0, 0, 2, 1026, 0, 0, 0, 1}},
    /* Lane 8 meets lanes 0, 16 and 24, four rows of eight apart, and waits for the first. */
    {"a column of words, 128B",
     TMA_LD_SHARED_B32,
     TMA_LANES_COLUMN,
     TMA_SWIZZLE_128B,
     1,
     8,
     {8, 1, 0, 8, 4, 1024 + 1024 + 4, 1, 1, 0x01010001, 0}},
};

static struct tma_tile tile_of(enum tma_swizzle swizzle) {
    return (struct tma_tile){.swizzle = swizzle,
                             .shared_address = 1024,
                             .rows = 32,
                             .row_bytes = 128,
                             .pitch_bytes = 128,
                             .element_bytes = 2};
}

TEST_ROWS(explains_a_lane, TABLE_ROWS(explained)) {
    const struct explained *expected = &explained[_i];
    const struct tma_consumer consumer = {.instruction = expected->instruction,
                                          .lanes = expected->lanes};
    const struct tma_tile tile = tile_of(expected->swizzle);
    struct tma_explanation explanation;
    ck_assert_int_eq((int)tma_explain(&consumer, &tile, expected->index, &explanation, NULL),
                     TMA_OK);
    ck_assert_uint_eq(explanation.lane_count, 32);
    const struct tma_explained_lane *got = &explanation.lanes[expected->position];
    ck_assert_msg(memcmp(got, &expected->lane, sizeof *got) == 0,
                  "%s: lane %u, wavefront %u, phase %u, row %u, byte %u, address %u, banks %u-%u, "
                  "conflicts %x, shares %x",
                  expected->name, got->lane, got->wavefront, got->phase, got->row, got->byte,
                  got->address, got->first_bank, got->last_bank, got->conflicts, got->shares);
}

TEST(takes_the_worst_unless_told) {
    const struct tma_consumer consumer = {.instruction = TMA_LD_SHARED_B32,
                                          .lanes = TMA_LANES_COLUMN};
    const struct tma_tile tile = tile_of(TMA_SWIZZLE_NONE);
    struct tma_explanation explanation;
    struct tma_error error;
    ck_assert_int_eq((int)tma_explain(&consumer, &tile, TMA_EXPLAIN_WORST, &explanation, &error),
                     TMA_OK);
    ck_assert_uint_eq(explanation.index, 0);
    ck_assert_uint_eq(explanation.report.ways, 32);
    ck_assert_int_eq((int)tma_explain(&consumer, &tile, 32, &explanation, &error),
                     TMA_ERROR_ARGUMENT);
    ck_assert_str_eq(error.text, "there is no instruction 32; a pass over the tile has 0 to 31");
}

/* What the formats hold. */
static char *explain_as(const char *format) {
    const struct tma_consumer consumer = {.instruction = TMA_LDMATRIX_X4,
                                          .lanes = TMA_LANES_MATRIX};
    const struct tma_tile tile = tile_of(TMA_SWIZZLE_NONE);
    struct tma_explanation explanation;
    int value;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert(tma_value_of(&tma_explanation_format_names, format, &value));
    ck_assert_int_eq((int)tma_explain(&consumer, &tile, 0, &explanation, NULL), TMA_OK);
    tma_explanation_write(&explanation, value, out);
    fclose(out);
    return text;
}

static char *pattern_as(const char *format) {
    const struct tma_tile_pattern pattern = {TMA_WARP_RAKED, 64, 16, 32, 8, 32, 1};
    struct tma_tile_distribution distribution;
    int value;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert(tma_value_of(&tma_pattern_format_names, format, &value));
    ck_assert_int_eq((int)tma_tile_distribute(&pattern, &distribution, NULL), TMA_OK);
    tma_pattern_write(&distribution, value, out);
    fclose(out);
    return text;
}

struct format_part {
    char *(*write)(const char *format);
    const char *format;
    const char *part;
};

static const struct format_part parts[] = {
    {explain_as, "text", "wavefronts  32: 4 ideal, 28 excess\n"},
    {explain_as, "text", "worst       8-way: lanes 0-7 access bank 0 in phase 0\n"},
    {explain_as, "text", "        2     0    2     2      0     1280     0-3  0-1, 3-7\n"},
    {explain_as, "json", "\"collides_with\": [0, 2, 3, 4, 5, 6, 7]"},
    {explain_as, "csv", "\n2,0,2,2,0,1280,0,3,000000fb,00000000\n"},
    /* 16 x 32 elements in vectors of 8: 4 threads a row, 8 rows a warp, 2 warps, 1 iteration. */
    {pattern_as, "text", "<X0, X1>      <8, 4>"},
    {pattern_as, "text", "<Y0, Y1, Y2>  <2, 1, 8>: warps, iterations, rows per warp"},
    {pattern_as, "text", "\n     9     0     1   36 37 38 39\n"},
    {pattern_as, "json", "\"y\": [2, 1, 8]"},
    {pattern_as, "json", "[60, 61, 62, 63]"},
    {pattern_as, "csv", "\n0,9,17,38,1\n"},
};

TEST_ROWS(format_has, TABLE_ROWS(parts)) {
    char *text = parts[_i].write(parts[_i].format);
    ck_assert_msg(strstr(text, parts[_i].part) != NULL, "%s has no \"%s\":\n%.2000s",
                  parts[_i].format, parts[_i].part, text);
    free(text);
}

TEST_SUITE("explain");
