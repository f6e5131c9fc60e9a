/* Fragments: each element has one place, and mma.sync and ldmatrix as they execute agree. */
#include <string.h>

#include "banks/fragment.h"
#include "ptx/matrix.h"
#include "suite.h"

static const struct {
    enum tma_fragment_kind kind;
    uint32_t bits, size;
} fragments[] = {
    {TMA_FRAGMENT_WGMMA_D, 32, 8},        {TMA_FRAGMENT_WGMMA_D, 16, 256},
    {TMA_FRAGMENT_WGMMA_A, 16, 0},        {TMA_FRAGMENT_WGMMA_A, 8, 0},
    {TMA_FRAGMENT_WGMMA_A, 32, 0},        {TMA_FRAGMENT_MMA_A, 8, 0},
    {TMA_FRAGMENT_MMA_B, 8, 0},           {TMA_FRAGMENT_MMA_B, 16, 0},
    {TMA_FRAGMENT_MMA_B, 32, 0},          {TMA_FRAGMENT_MMA_D, 32, 0},
    {TMA_FRAGMENT_LDMATRIX, 16, 1},       {TMA_FRAGMENT_LDMATRIX, 16, 4},
    {TMA_FRAGMENT_LDMATRIX_TRANS, 16, 2},
};

TEST_ROWS(each_element_has_one_place, TABLE_ROWS(fragments)) {
    struct tma_fragment fragment;
    static bool seen[256 * 256];
    ck_assert_int_eq(tma_fragment_of(fragments[_i].kind, fragments[_i].bits, fragments[_i].size,
                                     &fragment, NULL),
                     TMA_OK);
    memset(seen, 0, sizeof seen);
    for (uint32_t thread = 0; thread < fragment.threads; thread++)
        for (uint32_t element = 0; element < fragment.elements; element++) {
            struct tma_fragment_place place = {thread, element}, found;
            uint32_t row, column;
            tma_fragment_element(&fragment, place, &row, &column);
            ck_assert(row < fragment.rows && column < fragment.columns);
            ck_assert(!seen[row * fragment.columns + column]);
            seen[row * fragment.columns + column] = true;
            if (element % 7 == 0 && thread % 5 == 0) {
                found = tma_fragment_find(&fragment, row, column);
                ck_assert(found.thread == thread && found.element == element);
            }
        }
    ck_assert_uint_eq(fragment.threads * fragment.elements, fragment.rows * fragment.columns);
}

static void put(uint32_t (*words)[32], const struct tma_fragment *fragment, uint32_t row,
                uint32_t column, uint32_t value) {
    struct tma_fragment_place place = tma_fragment_find(fragment, row, column);
    words[tma_fragment_register(fragment, place.element)][place.thread] |=
        value << tma_fragment_bit(fragment, place.element);
}

/* A has a one at (row, k) and B at (k, column): D has one at (row, column). */
TEST_ROWS(products_find_their_elements, 5) {
    static const uint32_t places[][3] = {{0, 0, 0}, {3, 5, 6}, {9, 12, 1}, {15, 15, 7}, {8, 7, 4}};
    static struct tma_ptx_matrices room;
    const struct tma_ptx_product product = {.shape = {.m = 16, .n = 8, .k = 16},
                                            .d = TMA_PTX_F32,
                                            .a = TMA_PTX_F16,
                                            .b = TMA_PTX_F16,
                                            .c = TMA_PTX_F32,
                                            .d_registers = 4,
                                            .a_registers = 4,
                                            .b_registers = 2,
                                            .c_registers = 4};
    uint32_t a[TMA_PTX_MAX_FRAGMENT][32] = {{0}}, b[TMA_PTX_MAX_FRAGMENT][32] = {{0}},
             c[TMA_PTX_MAX_FRAGMENT][32] = {{0}}, d[TMA_PTX_MAX_FRAGMENT][32] = {{0}};
    struct tma_fragment fa, fb, fd;
    const uint32_t *at = places[_i];
    tma_fragment_of(TMA_FRAGMENT_MMA_A, 16, 0, &fa, NULL);
    tma_fragment_of(TMA_FRAGMENT_MMA_B, 16, 0, &fb, NULL);
    tma_fragment_of(TMA_FRAGMENT_MMA_D, 32, 0, &fd, NULL);
    put(a, &fa, at[0], at[1], 0x3c00); /* 1.0 */
    put(b, &fb, at[1], at[2], 0x3c00);
    tma_ptx_mma(&product, (const uint32_t(*)[32])a, (const uint32_t(*)[32])b,
                (const uint32_t(*)[32])c, NULL, d, &room);
    for (uint32_t thread = 0; thread < 32; thread++)
        for (uint32_t element = 0; element < fd.elements; element++) {
            uint32_t row, column;
            tma_fragment_element(&fd, (struct tma_fragment_place){thread, element}, &row, &column);
            bool one = row == at[0] && column == at[2];
            ck_assert_uint_eq(d[element][thread], one ? 0x3f800000 : 0);
        }
}

TEST_ROWS(ldmatrix_spreads_rows_alike, 2) {
    struct tma_fragment fragment;
    uint8_t rows[8][16];
    uint32_t lanes[32];
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t column = 0; column < 8; column++) {
            rows[row][2 * column] = (uint8_t)column;
            rows[row][2 * column + 1] = (uint8_t)row;
        }
    tma_fragment_of(_i == 0 ? TMA_FRAGMENT_LDMATRIX : TMA_FRAGMENT_LDMATRIX_TRANS, 16, 1, &fragment,
                    NULL);
    tma_ptx_matrix_spread((const uint8_t(*)[16])rows, _i == 1, lanes);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t element = 0; element < 2; element++) {
            uint32_t row, column, half = lanes[lane] >> 16 * element & 0xffff;
            tma_fragment_element(&fragment, (struct tma_fragment_place){lane, element}, &row,
                                 &column);
            ck_assert_uint_eq(half, row << 8 | column);
        }
}

TEST(sizes_that_no_instruction_has) {
    static const struct {
        enum tma_fragment_kind kind;
        uint32_t bits, size;
        const char *text;
    } wrong[] = {{TMA_FRAGMENT_WGMMA_D, 32, 12, "multiples of 8 up to 256"},
                 {TMA_FRAGMENT_WGMMA_D, 32, 264, "multiples of 8 up to 256"},
                 {TMA_FRAGMENT_MMA_D, 8, 0, "16 or 32"},
                 {TMA_FRAGMENT_LDMATRIX, 16, 3, "1, 2 or 4"},
                 {TMA_FRAGMENT_MMA_B, 16, 8, "one size"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct tma_fragment fragment;
        struct tma_error error;
        ck_assert_int_eq(
            tma_fragment_of(wrong[i].kind, wrong[i].bits, wrong[i].size, &fragment, &error),
            TMA_ERROR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, wrong[i].text));
    }
}

TEST_SUITE("fragment");
