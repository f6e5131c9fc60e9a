/* The examples of PTX ISA 5.5.4 and 5.5.5 (figures 13 to 24), pixel by pixel. The document lists
 * coordinates as N, H, W, C; here C is first. */
#include "placement/rows.h"
#include "suite.h"

/* `count` pixels of one image row, at w, w + stride, ..., in each of `images` images from n on. */
struct pixels {
    int count;
    int64_t w, stride, h, n;
    int images;
};

enum { MAX_PIXELS = 24 };

struct example {
    const char *name;
    uint64_t sizes[4]; /* C, W, H, N */
    int32_t coordinates[4];
    int32_t lower[2], upper[2];
    uint32_t stride;
    uint32_t pixels_per_column, channels_per_pixel;
    uint16_t offsets[2]; /* W, H */
    enum tma_access_mode access;
    uint16_t halo;
    int16_t w_offset;
    uint32_t rows;
    struct pixels pixels[MAX_PIXELS];
};

/* clang-format off */
static const struct example examples[] = {
    /* The box reaches from -1 to 9 - 1 - 1 = 7 in W and from -1 to 14 - 1 - 1 = 12 in H. From W = 4,
     * H = 7: 4 pixels to the end of the row, 5 rows of 9 (H 8 to 12), and 15 in the next image:
     * a row of 9 at H = -1 (outside the tensor) and 6 more. 4 + 45 + 15 = 64. */
    {.name = "figure 13", .access = TMA_ACCESS_IM2COL, .sizes = {64, 9, 14, 64},
     .coordinates = {0, 4, 7, 7}, .lower = {-1, -1}, .upper = {-1, -1}, .stride = 1,
     .pixels_per_column = 64, .channels_per_pixel = 8, .rows = 64,
     .pixels = {{4, 4, 1, 7, 7, 1}, {9, -1, 1, 8, 7, 1}, {9, -1, 1, 9, 7, 1},
                {9, -1, 1, 10, 7, 1}, {9, -1, 1, 11, 7, 1}, {9, -1, 1, 12, 7, 1},
                {9, -1, 1, -1, 8, 1}, {6, -1, 1, 0, 8, 1}}},

    /* Base pixels are in [0, 6] x [0, 11]; the offsets add 2: W 2 to 8, H 2 to 13. From base W = 4,
     * H = 7: 3 pixels, 4 rows of 7 (base H 8 to 11), then 33 in the next image: 4 rows of 7, and 5
     * pixels. */
    {.name = "figure 14", .access = TMA_ACCESS_IM2COL, .sizes = {64, 9, 14, 64},
     .coordinates = {0, 4, 7, 7}, .upper = {-2, -2}, .stride = 1, .offsets = {2, 2},
     .pixels_per_column = 64, .channels_per_pixel = 8, .rows = 64,
     .pixels = {{3, 6, 1, 9, 7, 1}, {7, 2, 1, 10, 7, 1}, {7, 2, 1, 11, 7, 1},
                {7, 2, 1, 12, 7, 1}, {7, 2, 1, 13, 7, 1}, {7, 2, 1, 2, 8, 1},
                {7, 2, 1, 3, 8, 1}, {7, 2, 1, 4, 8, 1}, {7, 2, 1, 5, 8, 1}, {5, 2, 1, 6, 8, 1}}},

    /* Base pixels are in [-1, 6] x [-1, 12] in steps of 2; the offsets add 1. Row H = 7 has one base
     * pixel left (5, as 7 is past 6). Then come rows of 4 (-1, 1, 3, 5) at H = 9 and 11. 13 is past
     * 12, so the next image starts at H = -1: 5 rows of 4 (H -1 to 7), and 3 pixels at H = 9. In
     * all 1 + 8 + 20 + 3 = 32. */
    {.name = "figure 15", .access = TMA_ACCESS_IM2COL, .sizes = {64, 8, 14, 64},
     .coordinates = {0, 5, 7, 7}, .lower = {-1, -1}, .upper = {-1, -1}, .stride = 2,
     .offsets = {1, 1}, .pixels_per_column = 32, .channels_per_pixel = 16, .rows = 32,
     .pixels = {{1, 6, 2, 8, 7, 1}, {4, 0, 2, 10, 7, 1}, {4, 0, 2, 12, 7, 1}, {4, 0, 2, 0, 8, 1},
                {4, 0, 2, 2, 8, 1}, {4, 0, 2, 4, 8, 1}, {4, 0, 2, 6, 8, 1}, {4, 0, 2, 8, 8, 1},
                {3, 0, 2, 10, 8, 1}}},

    /* 12 pixels along W, with H = 2: W 3 to 8, then in the next image. Figure 16 shows the mode
     * without numbers; these are of figure 18's tensor. */
    {.name = "figure 16", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 9, 7, 64},
     .coordinates = {0, 3, 2, 7}, .stride = 1, .pixels_per_column = 12, .channels_per_pixel = 64,
     .rows = 12, .pixels = {{6, 3, 1, 2, 7, 1}, {6, 0, 1, 2, 8, 1}}},

    /* The first pixel may lie left of the box, which is [2, 8] here: W 0 to 8, then 2 to 4. */
    {.name = "figure 17", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 9, 7, 64},
     .coordinates = {0, 0, 2, 7}, .lower = {2}, .stride = 1, .pixels_per_column = 12,
     .channels_per_pixel = 64, .rows = 12, .pixels = {{9, 0, 1, 2, 7, 1}, {3, 2, 1, 2, 8, 1}}},

    /* 128 pixels: 6 to the end of the row, 9 in each of 13 images, and 5 in the last one. The two halo
     * pixels follow. */
    {.name = "figure 18", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 9, 7, 64},
     .coordinates = {0, 3, 2, 7}, .stride = 1, .halo = 2, .pixels_per_column = 128,
     .channels_per_pixel = 64, .rows = 130,
     .pixels = {{6, 3, 1, 2, 7, 1}, {9, 0, 1, 2, 8, 13}, {5, 0, 1, 2, 21, 1}, {2, 5, 1, 2, 21, 1}}},

    /* The same pixels, with two halo pixels after every 32. Pixel i is at W = (i + 3) mod 9 of image
     * 7 + (i + 3) / 9: groups end at W = 34, 66, 98, 130 mod 9 = 7, 3, 8, 4, and their halos are W 8
     * and 9; 4 and 5; 9 and 10; 5 and 6 (9 and 10 are past the image's end). Pixels-per-Column,
     * here 17, is ignored. */
    {.name = "figure 19", .access = TMA_ACCESS_IM2COL_W128, .sizes = {128, 9, 7, 64},
     .coordinates = {0, 3, 2, 7}, .stride = 1, .halo = 2, .pixels_per_column = 17,
     .channels_per_pixel = 64, .rows = 136,
     .pixels = {{6, 3, 1, 2, 7, 1}, {9, 0, 1, 2, 8, 2}, {8, 0, 1, 2, 10, 1}, {2, 8, 1, 2, 10, 1},
                {1, 8, 1, 2, 10, 1}, {9, 0, 1, 2, 11, 3}, {4, 0, 1, 2, 14, 1}, {2, 4, 1, 2, 14, 1},
                {5, 4, 1, 2, 14, 1}, {9, 0, 1, 2, 15, 3}, {2, 9, 1, 2, 17, 1},
                {9, 0, 1, 2, 18, 3}, {5, 0, 1, 2, 21, 1}, {2, 5, 1, 2, 21, 1}}},

    /* The box [-1, 8] in steps of 2 has 5 pixels in each image: -1, 1, 3, 5, 7. 128 pixels are 25
     * images and 3 pixels of the next. The halo pixel is one stride further, at 5. */
    {.name = "figure 20", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 9, 67, 64},
     .coordinates = {0, -1, 2, 7}, .lower = {-1}, .stride = 2, .halo = 1,
     .pixels_per_column = 128, .channels_per_pixel = 64, .rows = 129,
     .pixels = {{5, -1, 2, 2, 7, 25}, {3, -1, 2, 2, 32, 1}, {1, 5, 2, 2, 32, 1}}},

    /* wOffset 1 moves the box to [0, 9], and its pixels to 0, 2, 4, 6, 8. */
    {.name = "figure 21", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 9, 67, 64},
     .coordinates = {0, -1, 2, 7}, .lower = {-1}, .stride = 2, .w_offset = 1,
     .pixels_per_column = 128, .channels_per_pixel = 64, .rows = 128,
     .pixels = {{5, 0, 2, 2, 7, 25}, {3, 0, 2, 2, 32, 1}}},

    /* The box [-1, 7 - 1 - 1 = 5] in steps of 3 has 3 pixels in each image: -1, 2, 5. 128 pixels are
     * 42 images and 2 pixels of the next. With wOffset 1 the pixels are 0, 3, 6; with wOffset 2 they
     * are 1, 4, 7, where 7 is outside the tensor. */
    {.name = "figure 22", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 7, 7, 64},
     .coordinates = {0, -1, 2, 7}, .lower = {-1}, .upper = {-1}, .stride = 3,
     .pixels_per_column = 128, .channels_per_pixel = 64, .rows = 128,
     .pixels = {{3, -1, 3, 2, 7, 42}, {2, -1, 3, 2, 49, 1}}},
    {.name = "figure 23", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 7, 7, 64},
     .coordinates = {0, -1, 2, 7}, .lower = {-1}, .upper = {-1}, .stride = 3, .w_offset = 1,
     .pixels_per_column = 128, .channels_per_pixel = 64, .rows = 128,
     .pixels = {{3, 0, 3, 2, 7, 42}, {2, 0, 3, 2, 49, 1}}},
    {.name = "figure 24", .access = TMA_ACCESS_IM2COL_W, .sizes = {128, 7, 7, 64},
     .coordinates = {0, -1, 2, 7}, .lower = {-1}, .upper = {-1}, .stride = 3, .w_offset = 2,
     .pixels_per_column = 128, .channels_per_pixel = 64, .rows = 128,
     .pixels = {{3, 1, 3, 2, 7, 42}, {2, 1, 3, 2, 49, 1}}},
};
/* clang-format on */

static void describe(const struct example *example, struct tma_tensor_map *map,
                     struct tma_operation *operation) {
    static const enum tma_map_kind kinds[] = {[TMA_ACCESS_IM2COL] = TMA_MAP_IM2COL,
                                              [TMA_ACCESS_IM2COL_W] = TMA_MAP_IM2COL_W,
                                              [TMA_ACCESS_IM2COL_W128] = TMA_MAP_IM2COL_W128};
    *map = (struct tma_tensor_map){.kind = kinds[example->access],
                                   .data_type = TMA_FLOAT16,
                                   .rank = 4,
                                   .swizzle = TMA_SWIZZLE_128B,
                                   .pixels_per_column = example->pixels_per_column,
                                   .channels_per_pixel = example->channels_per_pixel,
                                   .global_address = 4096};
    *operation = (struct tma_operation){
        .access = example->access, .w_halo = example->halo, .w_offset = example->w_offset};
    uint64_t stride = 2;
    for (int d = 0; d < 4; d++) {
        map->global_dim[d] = example->sizes[d];
        map->element_strides[d] = d == 1 || d == 2 ? example->stride : 1;
        stride *= example->sizes[d];
        if (d < 3)
            map->global_strides[d] = stride;
        operation->coordinates[d] = example->coordinates[d];
    }
    for (int i = 0; i < 2; i++) {
        map->lower_corner[i] = example->lower[i];
        map->upper_corner[i] = example->upper[i];
        operation->im2col_offsets[i] = example->offsets[i];
    }
}

/* Checks one pixel: its coordinates, its global address or fill, and its place in shared memory. */
static void check_row(const struct example *example, const struct tma_tensor_map *map,
                      const struct tma_row *row, uint32_t index, int64_t w, int64_t h, int64_t n) {
    uint64_t at[4] = {0, (uint64_t)w, (uint64_t)h, (uint64_t)n};
    uint64_t address = map->global_address;
    bool inside = true;
    for (int d = 1; d < 4; d++) {
        ck_assert_msg((uint64_t)row->coordinates[d] == at[d],
                      "%s, pixel %u: coordinate %d is %lld, not %lld", example->name, index, d,
                      (long long)row->coordinates[d], (long long)at[d]);
        address += at[d] * map->global_strides[d - 1];
        inside &= at[d] < map->global_dim[d];
    }
    ck_assert_uint_eq(row->global_address, address);
    ck_assert_uint_eq(row->data_bytes, inside ? 2 * example->channels_per_pixel : 0);
    ck_assert_uint_eq(row->shared_address, 128 * index);
}

TEST_ROWS(pixels_match_the_figure, TABLE_ROWS(examples)) {
    const struct example *example = &examples[_i];
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_row_stream rows;
    struct tma_row row;
    struct tma_operation_size size;
    struct tma_error error;
    uint32_t index = 0;
    describe(example, &map, &operation);
    ck_assert_msg(tma_rows_begin(&rows, &map, &operation, &size, &error) == TMA_OK, "%s: %s",
                  example->name, error.text);
    for (int p = 0; p < MAX_PIXELS && example->pixels[p].count > 0; p++)
        for (int i = 0; i < example->pixels[p].count * example->pixels[p].images; i++, index++) {
            const struct pixels *pixels = &example->pixels[p];
            int image = i / pixels->count, pixel = i % pixels->count;
            ck_assert_msg(tma_rows_next(&rows, &row), "%s: ends at pixel %u", example->name, index);
            check_row(example, &map, &row, index, pixels->w + pixel * pixels->stride, pixels->h,
                      pixels->n + image);
        }
    ck_assert(!tma_rows_next(&rows, &row));
    ck_assert_uint_eq(index, example->rows);
    ck_assert_uint_eq(size.rows, example->rows);
    ck_assert_uint_eq(size.transaction_bytes, example->rows * 2 * example->channels_per_pixel);
}

TEST_SUITE("figures 13 to 24");
