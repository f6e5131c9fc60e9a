/* wgmma operands: canonical layouts, and tiles whose layout is not that of their descriptor. */
#include <string.h>

#include "banks/consumer.h"
#include "banks/wgmma.h"
#include "suite.h"

/* A tile of 2-byte elements. */
struct layout {
    const char *name;
    struct tma_tile tile;
    struct tma_wgmma_operand operand;
    uint32_t leading;    /* expected offset in the descriptor, in bytes */
    uint32_t stride;     /* expected offset in the descriptor, in bytes */
    uint32_t steps;      /* wgmma instructions for the tile */
    const char *message; /* part of the error text; NULL if the layout is accepted */
};

#define TILE(swizzle_, rows_, row_bytes_, pitch_)                                                  \
    {                                                                                              \
        .swizzle = TMA_SWIZZLE_##swizzle_, .shared_address = 2048, .rows = rows_,                  \
        .row_bytes = row_bytes_, .pitch_bytes = pitch_, .element_bytes = 2                         \
    }
#define DESCRIPTOR(swizzle_, leading_, stride_)                                                    \
    {                                                                                              \
        .descriptor_given = true, .swizzle = TMA_SWIZZLE_##swizzle_, .leading_bytes = leading_,    \
        .stride_bytes = stride_                                                                    \
    }

static const struct layout layouts[] = {
    /* K-major, swizzled: 8 rows of the span, then the next 8. A row of 128 bytes is 4 times the K
     * of one instruction. */
    {"K 128B", TILE(128B, 64, 128, 128), {0}, 16, 1024, 4, NULL},
    {"K 64B", TILE(64B, 64, 64, 64), {0}, 16, 512, 2, NULL},
    {"K 32B", TILE(32B, 64, 32, 32), {0}, 16, 256, 1, NULL},
    {"K 128B, M 128", TILE(128B, 128, 128, 128), {0}, 16, 1024, 8, NULL},
    {"K 128B, N 256", TILE(128B, 256, 128, 128), {.mn = 256}, 16, 1024, 4, NULL},
    /* 8 columns of B are two core matrices: half of the lanes of an access have nothing to do. */
    {"K 32B, N 8", TILE(32B, 8, 32, 32), {.mn = 8}, 16, 256, 1, NULL},
    /* K-major, no swizzle: a box of 16-byte rows, panel after panel along K. Core matrices are 128
     * bytes. The next 8 rows follow directly; the next 16 bytes of K follow one panel of 64 rows
     * later. */
    {"K none", TILE(NONE, 256, 16, 16), {.panel_rows = 64}, 1024, 128, 2, NULL},
    /* MN-major: each row is an index along K, and an instruction reads 16 rows. */
    {"MN 128B", TILE(128B, 64, 128, 128), {.mn_major = true}, 8192, 1024, 4, NULL},
    {"MN 128B, two panels",
     TILE(128B, 128, 128, 128),
     {.mn = 128, .panel_rows = 64, .mn_major = true},
     8192,
     1024,
     4,
     NULL},
    {"MN 64B", TILE(64B, 128, 64, 64), {.panel_rows = 64, .mn_major = true}, 4096, 512, 4, NULL},
    /* Without swizzle the offsets are exchanged: leading is from 8 rows to the next 8. */
    {"MN none", TILE(NONE, 128, 16, 16), {.panel_rows = 16, .mn_major = true}, 128, 256, 1, NULL},

    {"correct descriptor given", TILE(128B, 64, 128, 128), DESCRIPTOR(128B, 16, 1024), 16, 1024, 4,
     NULL},
    {"K-major ignores leading", TILE(128B, 64, 128, 128), DESCRIPTOR(128B, 0, 1024), 0, 1024, 4,
     NULL},

    /* Without swizzle, rows of 128 bytes do not form core matrices: row 1 is 128 bytes behind row
     * 0, not 16. Only the first of every 8 rows is in place: 8 times 8 chunks, 64 of 512. */
    {"K none, wide rows",
     TILE(NONE, 64, 128, 128),
     {0},
     0,
     0,
     0,
     "element (m/n 1, k 0) is at shared address 2176 (swizzle none, pitch 128), but the descriptor "
     "gives 2064; 448 of 512"},
    /* The descriptor has another swizzle than the tile. */
    {"64B described as 128B", TILE(64B, 64, 64, 64), DESCRIPTOR(128B, 16, 1024), 0, 0, 0,
     "swizzle 128b, leading 16, stride 1024 bytes): element (m/n 1, k 0) is at shared address "
     "2112"},
    {"128B described as none", TILE(128B, 64, 128, 128), DESCRIPTOR(NONE, 16, 1024), 0, 0, 0,
     "the tile does not have the layout of the wgmma descriptor"},
    {"stride of another tile", TILE(128B, 64, 128, 128), DESCRIPTOR(128B, 16, 512), 0, 0, 0,
     "element (m/n 8, k 0) is at shared address 3072 (swizzle 128b, pitch 128), but the "
     "descriptor gives 2624"},
    {"32-byte atoms",
     TILE(128B_ATOM_32B, 64, 128, 128),
     {0},
     0,
     0,
     0,
     "cannot have swizzle 128b_atom_32b; allowed: none, 32b, 64b, 128b"},
    {"8-byte flip read as 128B", TILE(128B_ATOM_32B_FLIP_8B, 64, 128, 128),
     DESCRIPTOR(128B, 16, 1024), 0, 0, 0, "element (m/n 1, k 0)"},
    {"stride that is not a multiple of 16", TILE(128B, 64, 128, 128), DESCRIPTOR(128B, 16, 1000), 0,
     0, 0, "the stride dimension byte offset of a wgmma descriptor is 1000"},
    {"M that does not divide the rows",
     TILE(128B, 96, 128, 128),
     {0},
     0,
     0,
     0,
     "K-major wgmma takes 64 rows by 32 bytes"},
    {"N that is not a multiple of 8",
     TILE(128B, 60, 128, 128),
     {.mn = 60},
     0,
     0,
     0,
     "wgmma takes 60 elements of M or N"},
    {"N of more than 256",
     TILE(128B, 264, 128, 128),
     {.mn = 264},
     0,
     0,
     0,
     "wgmma takes 264 elements of M or N"},
    {"leading offset of more than 14 bits", TILE(128B, 64, 128, 128), DESCRIPTOR(128B, 1 << 18, 16),
     0, 0, 0, "the leading dimension byte offset of a wgmma descriptor is 262144"},
    {"M that does not divide MN-major rows",
     TILE(128B, 60, 128, 128),
     {.mn_major = true},
     0,
     0,
     0,
     "MN-major wgmma takes 16 rows by 128 bytes, which do not divide the tile's 60 rows"},
    {"a row of one box of several",
     TILE(128B, 64, 128, 128),
     {.mn_major = true, .mn = 128},
     0,
     0,
     0,
     "the tile's 64 rows by 128 bytes; an operand of several boxes is a consumer of each, with "
     "mn: 64"},
    {"MN-major floats",
     {.swizzle = TMA_SWIZZLE_128B,
      .rows = 64,
      .row_bytes = 128,
      .pitch_bytes = 128,
      .element_bytes = 4},
     {.mn_major = true},
     0,
     0,
     0,
     "an MN-major wgmma operand has elements of 2 bytes; the tile's have 4"},
    {"address that is not a multiple of 16",
     {.swizzle = TMA_SWIZZLE_128B,
      .shared_address = 8,
      .rows = 64,
      .row_bytes = 128,
      .pitch_bytes = 128,
      .element_bytes = 2},
     {0},
     0,
     0,
     0,
     "address 8, pitch 128 and row of 128 bytes must be multiples of 16"},
    {"pitch that is not a multiple of 16",
     TILE(128B, 64, 128, 136),
     {0},
     0,
     0,
     0,
     "address 2048, pitch 136 and row of 128 bytes must be multiples of 16"},
    {"rows that are not a multiple of 16",
     TILE(128B, 64, 120, 128),
     {0},
     0,
     0,
     0,
     "pitch 128 and row of 120 bytes must be multiples of 16"},
    {"K that does not divide the rows",
     TILE(NONE, 64, 48, 48),
     {0},
     0,
     0,
     0,
     "K-major wgmma takes 64 rows by 32 bytes, which do not divide the tile's 64 rows by 48"},
    {"panels that do not divide the rows",
     TILE(128B, 64, 128, 128),
     {.panel_rows = 48},
     0,
     0,
     0,
     "panels of 48 rows do not divide the tile's 64 rows"},
};

TEST_ROWS(check_accepts_matching_layouts_only, TABLE_ROWS(layouts)) {
    const struct layout *expected = &layouts[_i];
    struct tma_wgmma_walk walk;
    struct tma_error error = {0};
    enum tma_error_code code = tma_wgmma_check(&expected->operand, &expected->tile, &walk, &error);
    if (expected->message != NULL) {
        ck_assert_int_eq((int)code, TMA_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.text, expected->message) != NULL, "%s: %s", expected->name,
                      error.text);
        return;
    }
    ck_assert_msg(code == TMA_OK, "%s: %s", expected->name, error.text);
    ck_assert_msg(walk.operand.leading_bytes == expected->leading &&
                      walk.operand.stride_bytes == expected->stride,
                  "%s: leading %u, stride %u", expected->name, walk.operand.leading_bytes,
                  walk.operand.stride_bytes);
    ck_assert_uint_eq(walk.accesses, expected->steps * walk.step_accesses);
}

/* On an H200, reading 64 x 32 bytes takes 16 wavefronts in every canonical layout. */
TEST_ROWS(canonical_layouts_never_conflict, TABLE_ROWS(layouts)) {
    const struct layout *expected = &layouts[_i];
    if (expected->message != NULL)
        return;
    const struct tma_consumer consumer = {
        .instruction = TMA_WGMMA_SHARED, .lanes = TMA_LANES_DESCRIPTOR, .wgmma = expected->operand};
    struct tma_consumer_report report = tma_consumer_measure(&consumer, &expected->tile);
    uint32_t mn = expected->operand.mn == 0 ? 64 : expected->operand.mn;
    ck_assert_uint_eq(report.worst.ways, 1);
    ck_assert_uint_eq(report.wavefronts, expected->steps * (mn / 4));
    ck_assert_uint_eq(report.bytes, (uint64_t)expected->tile.rows * expected->tile.row_bytes);
}

/* All instructions together read each 16 bytes of the tile once, row after row of the operand. */
TEST_ROWS(every_byte_is_read_once, TABLE_ROWS(layouts)) {
    enum { MOST_ROWS = 256, MOST_UNITS = 128 / 16 };
    const struct layout *expected = &layouts[_i];
    static uint8_t reads[MOST_ROWS][MOST_UNITS];
    struct tma_wgmma_walk walk;
    if (tma_wgmma_check(&expected->operand, &expected->tile, &walk, NULL) != TMA_OK)
        return;
    memset(reads, 0, sizeof reads);
    ck_assert_uint_le(expected->tile.rows, MOST_ROWS);
    for (uint32_t index = 0; index < walk.accesses; index++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t row, byte;
            if (!tma_wgmma_place(&walk, &expected->tile, index, lane, &row, &byte))
                continue;
            ck_assert_uint_lt(row, expected->tile.rows);
            ck_assert_uint_lt(byte, expected->tile.row_bytes);
            ck_assert_uint_eq(byte % 16, 0);
            reads[row][byte / 16]++;
        }
    for (uint32_t row = 0; row < expected->tile.rows; row++)
        for (uint32_t unit = 0; unit < expected->tile.row_bytes / 16; unit++)
            ck_assert_msg(reads[row][unit] == 1, "%s: row %u, byte %u: read %u times",
                          expected->name, row, 16 * unit, reads[row][unit]);
}

TEST_SUITE("wgmma");
