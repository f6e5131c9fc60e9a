/* Layouts in CuTe's notation: read, written, and compared with the tiles of boxes. */
#include <string.h>

#include "banks/cute.h"
#include "suite.h"

static const struct {
    const char *text, *written;
    enum tma_swizzle swizzle;
    uint32_t box[2], address; /* of the element with the last index of each mode */
} layouts[] = {
    {"Swizzle<3,4,3> o smem_ptr[16b](0x400) o (8,64):(64,1)",
     "Swizzle<3,4,3> o smem_ptr[16b](0x400) o (8,64):(64,1)",
     TMA_SWIZZLE_128B,
     {64, 8},
     0x78e},
    {"Sw<3,3,3> o (64,(8,2)):(1,(64,512))",
     "Swizzle<3,4,3> o smem_ptr[16b](0x0) o (64,(8,2)):(1,(64,512))",
     TMA_SWIZZLE_128B,
     {64, 16},
     0x78e},
    {"Sw<1,4,3> o smem_ptr[32b] o (16,8):(8,1)",
     "Swizzle<1,4,3> o smem_ptr[32b](0x0) o (16,8):(8,1)",
     TMA_SWIZZLE_32B,
     {8, 16},
     0x1ec},
    {"Sw<2,4,3> o smem_ptr[8b](unset) o (_4,_64):(_64,_1)",
     "Swizzle<2,4,3> o smem_ptr[8b](0x0) o (4,64):(64,1)",
     TMA_SWIZZLE_64B,
     {64, 4},
     0xef},
    {"(8,64):(64,1)",
     "Swizzle<0,4,3> o smem_ptr[16b](0x0) o (8,64):(64,1)",
     TMA_SWIZZLE_NONE,
     {64, 8},
     0x3fe},
};

TEST_ROWS(texts_are_tiles, TABLE_ROWS(layouts)) {
    struct tma_cute_layout layout, again;
    struct tma_error error = {.text = ""};
    char text[TMA_CUTE_TEXT_BYTES];
    uint32_t box[TMA_MAX_RANK], modes[TMA_MAX_RANK], rank, last[TMA_CUTE_MODES];
    ck_assert_msg(tma_cute_read(layouts[_i].text, &layout, &error) == TMA_OK, "%s", error.text);
    ck_assert_int_eq((int)layout.swizzle, (int)layouts[_i].swizzle);
    tma_cute_write(&layout, text);
    ck_assert_str_eq(text, layouts[_i].written);
    ck_assert_int_eq(tma_cute_read(text, &again, &error), TMA_OK);
    ck_assert_int_eq(memcmp(&layout, &again, sizeof layout), 0);
    ck_assert_msg(tma_cute_box(&layout, box, modes, &rank, &error) == TMA_OK, "%s", error.text);
    ck_assert_uint_eq(rank, 2);
    ck_assert_uint_eq(box[0], layouts[_i].box[0]);
    ck_assert_uint_eq(box[1], layouts[_i].box[1]);
    for (uint32_t mode = 0; mode < layout.mode_count; mode++)
        last[mode] = tma_cute_extent(&layout, mode) - 1;
    ck_assert_uint_eq(tma_cute_address(&layout, last), layouts[_i].address);
}

/* Each element of a tile lies where TMA puts it. */
TEST(tiles_are_texts) {
    const struct tma_tile tile = {TMA_SWIZZLE_64B, 512, 40, 64, 64, 4};
    struct tma_cute_layout layout = tma_cute_of_tile(&tile);
    for (uint32_t row = 0; row < tile.rows; row++)
        for (uint32_t column = 0; column < 16; column++) {
            const uint32_t indices[TMA_CUTE_MODES] = {row, column};
            ck_assert_uint_eq(tma_cute_address(&layout, indices),
                              tma_tile_address(&tile, row, 4 * column));
        }
}

static const struct {
    const char *text, *wrong;
} refused[] = {
    {"Swizzle<3,4,3> o (8,64):(64,1)", "<3,3,3>"},
    {"Swizzle<4,4,3> o smem_ptr o (8,64):(64,1)", "TMA has no Swizzle<4,4,3>"},
    {"(8,64)", ": and strides"},
    {"((4,2),64):(64,1)", "parentheses of the shape"},
    {"(8,64):(64,1) x", "column 15: expected the end"},
    {"(((8))):(((1)))", "two levels"},
    {"(8,64):(64,1", "closing parenthesis"},
    {"smem_ptr[12b] o (8,8):(8,1)", "12 bits"},
    {"(1048576,1048576):(1048576,1)", "beyond 1 MB"},
    {"(1048576,2):(0,0)", "more than 2^20 elements"},
    {"((1048576,4096),1):((0,0),1)", "more than 2^20 elements"},
    {"(0,8):(8,1)", "extent of 0"},
    {"(1,2,3,4,5,6,7,8,9):(1,1,1,1,1,1,1,1,1)", "at most 8"},
    {"", "a number"},
};

TEST_ROWS(wrong_texts_say_where, TABLE_ROWS(refused)) {
    struct tma_cute_layout layout;
    struct tma_error error;
    ck_assert_int_eq(tma_cute_read(refused[_i].text, &layout, &error), TMA_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.text, refused[_i].wrong) != NULL, "%s", error.text);
}

TEST(layouts_that_no_box_has) {
    static const char *const texts[][2] = {
        {"Sw<3,4,3> o smem_ptr[16b] o (64,128):(128,1)", "(64,2):(1,4096)"},
        {"(8,8):(1,9)", "no extent has the stride 8"},
        {"(2,2,2,2,2,2):(1,2,4,8,16,32)", "at most 5 dimensions"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct tma_cute_layout layout;
        struct tma_error error;
        uint32_t box[TMA_MAX_RANK], modes[TMA_MAX_RANK], rank;
        ck_assert_int_eq(tma_cute_read(texts[i][0], &layout, &error), TMA_OK);
        ck_assert_int_eq(tma_cute_box(&layout, box, modes, &rank, &error), TMA_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.text, texts[i][1]) != NULL, "%s", error.text);
    }
}

TEST_SUITE("cute");
