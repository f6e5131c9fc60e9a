/* Matrix instructions: where each element of a fragment lies, descriptors of all canonical layouts,
 * sums of each type, rounding of float16, opaque bytes and descriptors that reach too far. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "banks/wgmma_descriptor.h"
#include "float_value.h"
#include "ptx/matrix.h"
#include "ptx/read.h"
#include "suite.h"

static struct tma_ptx_matrices room;
static uint32_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % limit;
}

/* The product of the one instruction of a kernel; false: the reader or the shape refuses it. */
static bool product_of(const char *instruction, struct tma_ptx_product *product) {
    char text[3000];
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    int length =
        snprintf(text, sizeof text,
                 ".version 8.7\n.target sm_90a\n.entry k() { .reg .pred p; .reg .b32 r<140>; "
                 ".reg .b64 d<9>; .reg .f64 f<9>;\n%s\n}",
                 instruction);
    struct tma_ptx_module *module = tma_ptx_read(text, (size_t)length, "x", &diagnostics);
    ck_assert_msg(module != NULL, "%s", diagnostics.items[0].text);
    ck_assert_msg(module->instructions[0].unknown == 0, "%s: %s", instruction,
                  module->messages[module->instructions[0].unknown]);
    bool fits = tma_ptx_product_of(module, &module->instructions[0], product);
    tma_ptx_module_free(module);
    return fits;
}

/* Writes {r0, r1, ...}. */
static char *registers(char *text, uint32_t count, char letter) {
    *text++ = '{';
    for (uint32_t i = 0; i < count; ++i)
        text += sprintf(text, "%s%c%u", i == 0 ? "" : ",", letter, letter == 'f' ? i % 8 : i);
    *text++ = '}';
    *text = '\0';
    return text;
}

/* ---- elements: small integers, whose sums are exact in each type */

static int draw(enum tma_ptx_type type) {
    switch (type) {
    case TMA_PTX_B1:
        return (int)random_below(2);
    case TMA_PTX_U4:
    case TMA_PTX_U8:
        return (int)random_below(8);
    default:
        return (int)random_below(7) - 3;
    }
}

/* The bits of a small integer. */
static uint64_t encode(enum tma_ptx_type type, int value) {
    static const struct {
        enum tma_ptx_type type;
        uint16_t positive[4]; /* of 0 to 3 */
    } halves[] = {{TMA_PTX_F16, {0, 0x3c00, 0x4000, 0x4200}},
                  {TMA_PTX_BF16, {0, 0x3f80, 0x4000, 0x4040}},
                  {TMA_PTX_E4M3, {0, 0x38, 0x40, 0x44}},
                  {TMA_PTX_E5M2, {0, 0x3c, 0x40, 0x42}}};
    uint32_t bits = tma_ptx_types[type].bits;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; ++i)
        if (halves[i].type == type)
            return halves[i].positive[value < 0 ? -value : value] |
                   (value < 0 ? 1u << (bits - 1) : 0);
    if (type == TMA_PTX_F32 || type == TMA_PTX_TF32) {
        float number = (float)value;
        uint32_t word;
        memcpy(&word, &number, sizeof word);
        /* The low bits of a tf32 are not looked at. */
        return word | (type == TMA_PTX_TF32 ? random_below(1 << 13) : 0);
    }
    if (type == TMA_PTX_F64) {
        double number = value;
        uint64_t word;
        memcpy(&word, &number, sizeof word);
        return word;
    }
    return (uint64_t)value & (bits == 32 ? 0xffffffffu : (1u << bits) - 1);
}

/* Puts an element's bits at element `index` of a lane's registers, [register][lane]. */
static void put(uint32_t (*words)[32], uint32_t lane, enum tma_ptx_type type, uint32_t index,
                uint64_t bits) {
    uint32_t width = tma_ptx_types[type].bits, at = index * width;
    for (uint32_t i = 0; i < (width + 31) / 32; ++i)
        words[at / 32 + i][lane] |= (uint32_t)(bits >> (32 * i)) << at % 32;
}

static uint64_t get(uint32_t (*words)[32], uint32_t lane, enum tma_ptx_type type, uint32_t index) {
    uint32_t width = tma_ptx_types[type].bits, at = index * width;
    uint64_t bits = words[at / 32][lane] >> at % 32;
    if (width == 64)
        bits |= (uint64_t)words[at / 32 + 1][lane] << 32;
    return width == 16 ? bits & 0xffff : bits;
}

/* Lane and index of element (row, k) of A, as the tables of the ISA have it: 4 lanes share a row,
 * each with as many neighbours as 32 bits (one float64) hold; then come the rows below 16, then the
 * next columns. */
static void place_a(enum tma_ptx_type type, uint32_t m, uint32_t row, uint32_t k, uint32_t *lane,
                    uint32_t *index) {
    uint32_t each = tma_ptx_types[type].bits >= 32 ? 1u : 32u / tma_ptx_types[type].bits;
    *lane = row % 8 * 4 + k / each % 4;
    *index = (k / (4 * each) * (m / 8) + row / 8 % 2) * each + k % each;
}

/* Of element (row, column) of C or D. */
static void place_c(uint32_t m, uint32_t row, uint32_t column, uint32_t *lane, uint32_t *index) {
    *lane = row % 8 * 4 + column % 8 / 2;
    *index = (column / 8 * (m / 8) + row / 8 % 2) * 2 + column % 2;
}

/* ---- mma.sync */

static const struct {
    uint32_t m, k;
    const char *d, *a, *b, *more;
} products[] = {
    {16, 8, "f16", "f16", "f16", ""},
    {16, 16, "f16", "f16", "f16", ""},
    {16, 8, "f32", "f16", "f16", ""},
    {16, 16, "f32", "f16", "f16", ""},
    {16, 8, "f32", "bf16", "bf16", ""},
    {16, 16, "f32", "bf16", "bf16", ""},
    {16, 4, "f32", "tf32", "tf32", ""},
    {16, 8, "f32", "tf32", "tf32", ""},
    {8, 4, "f64", "f64", "f64", ""},
    {16, 4, "f64", "f64", "f64", ""},
    {16, 8, "f64", "f64", "f64", ""},
    {16, 16, "f64", "f64", "f64", ""},
    {16, 32, "f32", "e4m3", "e5m2", ""},
    {16, 16, "f16", "e5m2", "e4m3", ""},
    {8, 16, "s32", "s8", "u8", ""},
    {16, 16, "s32", "u8", "s8", ""},
    {16, 32, "s32", "s8", "s8", ""},
    {8, 32, "s32", "u4", "s4", ""},
    {16, 32, "s32", "s4", "s4", ""},
    {16, 64, "s32", "u4", "u4", ""},
    {8, 128, "s32", "b1", "b1", ".and.popc"},
    {16, 128, "s32", "b1", "b1", ".xor.popc"},
    {16, 256, "s32", "b1", "b1", ".and.popc"},
};

static uint32_t registers_of(enum tma_ptx_type type, uint32_t elements) {
    uint32_t bits = tma_ptx_types[type].bits;
    return bits == 64 ? elements / 32 : elements * bits / 32 / 32;
}

static enum tma_ptx_type type_named(const char *name) {
    int type = 0;
    while (strcmp(tma_ptx_types[type].name, name) != 0)
        ++type;
    return (enum tma_ptx_type)type;
}

TEST_ROWS(test_mma, TABLE_ROWS(products)) {
    uint32_t m = products[_i].m, k = products[_i].k, lane, index;
    enum tma_ptx_type d_type = type_named(products[_i].d), a_type = type_named(products[_i].a),
                      b_type = type_named(products[_i].b);
    char text[1000], letter = d_type == TMA_PTX_F64 ? 'f' : 'r', *end = text;
    end += sprintf(end, "mma.sync.aligned.m%un8k%u.row.col.%s.%s.%s.%s%s ", m, k, products[_i].d,
                   products[_i].a, products[_i].b, products[_i].d, products[_i].more);
    end = registers(end, registers_of(d_type, m * 8), letter);
    *end++ = ',';
    end = registers(end, registers_of(a_type, m * k), letter);
    *end++ = ',';
    end = registers(end, registers_of(b_type, 8 * k), letter);
    *end++ = ',';
    end = registers(end, registers_of(d_type, m * 8), letter);
    *end++ = ';';
    *end = '\0';
    struct tma_ptx_product product;
    ck_assert_msg(product_of(text, &product), "%s", text);
    ck_assert_uint_le(product.a_registers, TMA_PTX_MAX_FRAGMENT);

    static uint32_t a[16][32], b[16][32], c[16][32];
    static int a_values[16][256], b_values[8][256], sums[16][8];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    random_state = (uint32_t)_i;
    for (uint32_t row = 0; row < m; ++row)
        for (uint32_t i = 0; i < k; ++i) {
            place_a(a_type, m, row, i, &lane, &index);
            a_values[row][i] = draw(a_type);
            put(a, lane, a_type, index, encode(a_type, a_values[row][i]));
        }
    for (uint32_t column = 0; column < 8; ++column)
        for (uint32_t i = 0; i < k; ++i) {
            place_a(b_type, 8, column, i, &lane, &index);
            b_values[column][i] = draw(b_type);
            put(b, lane, b_type, index, encode(b_type, b_values[column][i]));
        }
    for (uint32_t row = 0; row < m; ++row)
        for (uint32_t column = 0; column < 8; ++column) {
            place_c(m, row, column, &lane, &index);
            sums[row][column] = (int)random_below(7) - 3;
            put(c, lane, d_type, index, encode(d_type, sums[row][column]));
            for (uint32_t i = 0; i < k; ++i) {
                int x = a_values[row][i], y = b_values[column][i];
                sums[row][column] += strstr(products[_i].more, "xor") != NULL ? x ^ y : x * y;
            }
        }
    tma_ptx_mma(&product, (const uint32_t(*)[32])a, (const uint32_t(*)[32])b,
                (const uint32_t(*)[32])c, NULL, c, &room);
    for (uint32_t row = 0; row < m; ++row)
        for (uint32_t column = 0; column < 8; ++column) {
            place_c(m, row, column, &lane, &index);
            uint64_t bits = get(c, lane, d_type, index);
            double value;
            if (d_type == TMA_PTX_F64) {
                memcpy(&value, &bits, sizeof value);
            } else if (d_type == TMA_PTX_F32) {
                uint32_t word = (uint32_t)bits;
                float number;
                memcpy(&number, &word, sizeof number);
                value = (double)number;
            } else if (d_type == TMA_PTX_F16) {
                /* Sums are whole and below 2048. */
                uint32_t fraction = (uint32_t)(bits & 0x3ff) | 0x400;
                value =
                    (bits & 0x7fff) == 0 ? 0 : ldexp((double)fraction, (int)(bits >> 10 & 31) - 25);
                value = bits & 0x8000 ? -value : value;
            } else {
                value = (int32_t)(uint32_t)bits;
            }
            ck_assert_msg(value == sums[row][column], "%s: (%u, %u) is %g, not %d", text, row,
                          column, value, sums[row][column]);
        }
}

/* ---- wgmma */

enum { WINDOW_BASE = 1024, WINDOW_BYTES = 65536, B_START = 32768 };

static uint8_t shared[WINDOW_BYTES], opaque[WINDOW_BYTES / 8];
/* Of each warp. */
static uint32_t d[4][128][32], a_registers[4][4][32];
static int a_values[64][256], b_values[256][256];

/* Where a tile of canonical layout has 16 bytes: as TMA writes boxes of `width` bytes (16: no
 * swizzle), one box behind the other. `line` is along the strided dimension. */
static uint32_t tile_address(uint32_t start, uint32_t width, uint32_t lines, uint32_t line,
                             uint32_t chunk) {
    uint32_t chunks = width / 16, box = chunk / chunks, within = chunk % chunks;
    uint32_t address = start + (box * lines + line) * width + within * 16;
    return width == 16 ? address : address ^ ((address >> 7) % chunks) << 4;
}

static uint64_t descriptor(uint32_t start, uint32_t leading, uint32_t stride, uint32_t swizzle) {
    return (uint64_t)(start >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)swizzle << 62;
}

/* Fills an operand's tile, and says which descriptor it has. */
static uint64_t fill_operand(enum tma_ptx_type type, bool mn_major, uint32_t swizzle,
                             uint32_t start, uint32_t mn, uint32_t k, int (*values)[256]) {
    static const uint32_t widths[] = {16, 128, 64, 32};
    uint32_t width = widths[swizzle], bits = tma_ptx_types[type].bits, each = 128 / bits;
    uint32_t lines = mn_major ? k : mn;
    for (uint32_t row = 0; row < mn; ++row)
        for (uint32_t i = 0; i < k; ++i) {
            uint32_t line = mn_major ? i : row, along = mn_major ? row : i;
            uint32_t address = tile_address(start, width, lines, line, along / each) - WINDOW_BASE;
            values[row][i] = draw(type);
            uint64_t word = encode(type, values[row][i]);
            uint32_t bit = along % each * bits;
            for (uint32_t j = 0; j < bits; ++j, ++bit)
                shared[address + bit / 8] |= (uint8_t)((word >> j & 1) << bit % 8);
        }
    /* Without a swizzle, core matrices follow each other along the strided dimension; the other
     * dimension is a box further. */
    if (width == 16)
        return mn_major ? descriptor(start, 128, lines * 16, swizzle)
                        : descriptor(start, lines * 16, 128, swizzle);
    return descriptor(start, lines * width, 8 * width, swizzle);
}

static const struct {
    const char *d, *a, *b, *more;
    uint32_t k;
    bool may_transpose;
} group_products[] = {
    {"f32", "f16", "f16", "", 16, true},    {"f16", "f16", "f16", "", 16, true},
    {"f32", "bf16", "bf16", "", 16, true},  {"f32", "tf32", "tf32", "", 8, false},
    {"f32", "e4m3", "e5m2", "", 32, false}, {"f16", "e5m2", "e4m3", "", 32, false},
    {"s32", "s8", "u8", "", 32, false},     {"s32", "b1", "b1", ".and.popc", 256, false},
};

static double value_of(enum tma_ptx_type type, uint64_t bits) {
    if (type == TMA_PTX_S32)
        return (int32_t)(uint32_t)bits;
    return type == TMA_PTX_F16 ? value_of_f16(bits) : value_of_f32(bits);
}

/* One instruction: with A in shared memory or in registers, in each swizzle, in both directions. */
static void check_group(uint32_t row_of_table, uint32_t n, bool in_registers, uint32_t swizzle_a,
                        uint32_t swizzle_b, bool transpose_a, bool transpose_b, bool negate_a,
                        bool scale_d) {
    const char *names[] = {group_products[row_of_table].d, group_products[row_of_table].a,
                           group_products[row_of_table].b};
    enum tma_ptx_type d_type = type_named(names[0]), a_type = type_named(names[1]),
                      b_type = type_named(names[2]);
    uint32_t k = group_products[row_of_table].k, lane, index;
    char text[2500], *end = text;
    end += sprintf(end, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s ", n, k, names[0],
                   names[1], names[2], group_products[row_of_table].more);
    end = registers(end, d_type == TMA_PTX_F16 ? n / 4 : n / 2, 'r');
    end += sprintf(end, in_registers ? ",{r0,r1,r2,r3}" : ",d0");
    end += sprintf(end, ",d1,p");
    if (d_type != TMA_PTX_S32)
        end += sprintf(end, ",%d,1", negate_a ? -1 : 1);
    if (group_products[row_of_table].may_transpose) {
        if (!in_registers)
            end += sprintf(end, ",%d", transpose_a);
        end += sprintf(end, ",%d", transpose_b);
    }
    sprintf(end, ";");
    struct tma_ptx_product product;
    ck_assert_msg(product_of(text, &product), "%s", text);
    ck_assert(product.a_in_registers == in_registers && product.negate_a == negate_a &&
              !product.negate_b && product.transpose_a == transpose_a &&
              product.transpose_b == transpose_b);
    memset(shared, 0, sizeof shared);
    memset(a_registers, 0, sizeof a_registers);
    memset(d, 0, sizeof d);
    uint64_t b_descriptor = fill_operand(b_type, transpose_b, swizzle_b, B_START, n, k, b_values);
    uint64_t a_descriptor = 0;
    if (!in_registers)
        a_descriptor = fill_operand(a_type, transpose_a, swizzle_a, WINDOW_BASE, 64, k, a_values);
    for (uint32_t row = 0; row < 64 && in_registers; ++row)
        for (uint32_t i = 0; i < k; ++i) {
            place_a(a_type, 16, row, i, &lane, &index);
            a_values[row][i] = draw(a_type);
            put(a_registers[row / 16], lane, a_type, index, encode(a_type, a_values[row][i]));
        }
    for (uint32_t row = 0; row < 64; ++row)
        for (uint32_t column = 0; column < n; ++column) {
            place_c(16, row, column, &lane, &index);
            put(d[row / 16], lane, d_type, index, encode(d_type, 2));
        }
    struct tma_ptx_window window = {shared, opaque, WINDOW_BASE, WINDOW_BYTES};
    uint32_t address;
    for (uint32_t quarter = 0; quarter < 4; ++quarter) {
        ck_assert_uint_eq(tma_ptx_wgmma_read(&product, quarter,
                                             (const uint32_t(*)[32])a_registers[quarter], NULL,
                                             a_descriptor, b_descriptor, &window, &room, &address),
                          TMA_PTX_MATRIX_DONE);
        tma_ptx_wgmma(&product, scale_d, d[quarter], &room);
    }
    for (uint32_t row = 0; row < 64; ++row)
        for (uint32_t column = 0; column < n; ++column) {
            int sum = 0;
            for (uint32_t i = 0; i < k; ++i)
                sum += a_values[row][i] * b_values[column][i];
            sum = (negate_a ? -sum : sum) + (scale_d ? 2 : 0);
            place_c(16, row, column, &lane, &index);
            double value = value_of(d_type, get(d[row / 16], lane, d_type, index));
            ck_assert_msg(value == sum, "%s swizzles %u %u: (%u, %u) is %g, not %d", text,
                          swizzle_a, swizzle_b, row, column, value, sum);
        }
}

TEST_ROWS(test_wgmma, TABLE_ROWS(group_products)) {
    uint32_t row = (uint32_t)_i;
    bool transposes = group_products[row].may_transpose;
    random_state = row;
    for (uint32_t swizzle = 0; swizzle < 4; ++swizzle) {
        check_group(row, 16, false, swizzle, (swizzle + 1) % 4, false, false, false, true);
        check_group(row, 64, true, 0, swizzle, false, false, false, false);
        if (transposes) {
            check_group(row, 64, false, swizzle, swizzle, true, false, true, true);
            check_group(row, 128, false, swizzle, swizzle, false, true, false, false);
            check_group(row, 64, false, swizzle, swizzle, true, true, false, true);
            check_group(row, 128, true, 0, swizzle, false, true, false, true);
        }
    }
    check_group(row, 8, false, 0, 0, false, false, false, true);
    check_group(row, 24, true, 0, 0, false, false, false, true);
    check_group(row, row == 7 ? 128 : 256, false, 1, 1, false, false, false, true);
}

/* A tile that begins within its swizzle pattern: the base offset says so. */
TEST(test_base_offset) {
    uint64_t aligned = descriptor(4096, 16, 1024, 1);
    uint64_t moved = descriptor(4096 + 3 * 128, 16, 1024, 1) | UINT64_C(3) << 49;
    for (uint32_t line = 0; line < 64; ++line)
        for (uint32_t chunk = 0; chunk < 2; ++chunk)
            ck_assert_uint_eq(tma_wgmma_descriptor_address(moved, false, line, chunk),
                              tma_wgmma_descriptor_address(aligned, false, line, chunk) + 3 * 128);
}

/* Bytes that are opaque, or outside, are found. */
TEST(test_window) {
    struct tma_ptx_product product;
    ck_assert(product_of("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0,r1,r2,r3}, d0, d1, "
                         "p, 1, 1, 0, 0;",
                         &product));
    struct tma_ptx_window window = {shared, opaque, WINDOW_BASE, WINDOW_BYTES};
    uint32_t address;
    uint64_t a = descriptor(WINDOW_BASE, 128, 256, 0), b = descriptor(B_START, 128, 256, 0);
    uint32_t bad = B_START - WINDOW_BASE + 128 + 3 * 16 + 5;
    opaque[bad / 8] = (uint8_t)(1 << bad % 8);
    for (uint32_t quarter = 0; quarter < 4; ++quarter) {
        ck_assert_uint_eq(
            tma_ptx_wgmma_read(&product, quarter, NULL, NULL, a, b, &window, &room, &address),
            TMA_PTX_MATRIX_OPAQUE);
        ck_assert_uint_eq(address, B_START + 128 + 3 * 16);
    }
    opaque[bad / 8] = 0;
    /* A warp reads its own 16 rows of A: two groups of 8, 256 bytes apart. */
    bad = 5 * 256 + 2 * 16;
    opaque[bad / 8] = (uint8_t)(1 << bad % 8);
    for (uint32_t quarter = 0; quarter < 4; ++quarter)
        ck_assert_uint_eq(
            tma_ptx_wgmma_read(&product, quarter, NULL, NULL, a, b, &window, &room, &address),
            quarter == 2 ? TMA_PTX_MATRIX_OPAQUE : TMA_PTX_MATRIX_DONE);
    window.opaque = NULL;
    ck_assert_uint_eq(tma_ptx_wgmma_read(&product, 2, NULL, NULL, a, b, &window, &room, &address),
                      TMA_PTX_MATRIX_DONE);
    ck_assert_uint_eq(tma_ptx_wgmma_read(&product, 0, NULL, NULL, descriptor(512, 128, 256, 0), b,
                                         &window, &room, &address),
                      TMA_PTX_MATRIX_OUTSIDE);
    ck_assert_uint_eq(address, 512);
    window.size = B_START - WINDOW_BASE + 255;
    ck_assert_uint_eq(tma_ptx_wgmma_read(&product, 0, NULL, NULL, a, b, &window, &room, &address),
                      TMA_PTX_MATRIX_OUTSIDE);
    ck_assert_uint_eq(address, B_START + 240);
}

/* Vectors of other lengths than the shape needs, and constants that are not allowed. */
static const char *const refused[] = {
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r0,r1,r2}, {r0,r1,r2,r3}, {r0,r1}, "
    "{r0,r1,r2,r3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r0,r1,r2,r3}, {r0,r1}, {r0,r1}, "
    "{r0,r1,r2,r3};",
    "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {r0,r1,r2,r3}, d0, d1, p, 1, 1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0,r1,r2,r3}, d0, d1, p, 2, 1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0,r1,r2,r3}, d0, d1, p, 1, 1, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r0,r1,r2,r3}, {r0,r1,r2}, d1, p, 1, 1, "
    "0;",
    "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {r0,r1,r2,r3}, {r0,r1,r2,r3}, "
    "{r0,r1,r2,r3}, {r0,r1,r2,r3}, r0, 2;",
    "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {r0,r1,r2,r3}, {r0,r1,r2,r3}, "
    "{r0,r1}, {r0,r1,r2,r3}, r0, 0;",
    "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {r0,r1,r2,r3}, d0, d1, r0, 1, p;",
};
enum { REFUSED = sizeof refused / sizeof *refused };

TEST_ROWS(test_refused, REFUSED) {
    struct tma_ptx_product product;
    ck_assert(!product_of(refused[_i], &product));
}

/* Rounding of float16 sums, to nearest even: C plus a product of powers of two. */
static const struct {
    uint16_t c, a, b, d;
} roundings[] = {
    {0x3c00, 0x1000, 0x3c00, 0x3c00}, /* 1 + 2^-11: half a step, to even */
    {0x3c01, 0x1000, 0x3c00, 0x3c02},
    {0x3c00, 0x1200, 0x3c00, 0x3c01}, /* 1 + 1.5 * 2^-11 */
    {0x7bff, 0x4800, 0x3c00, 0x7bff}, /* 65504 + 8 */
    {0x7bff, 0x4c00, 0x3c00, 0x7c00}, /* 65504 + 16 */
    {0xfbff, 0xcc00, 0x3c00, 0xfc00},
    {0x0000, 0x0001, 0x3800, 0x0000}, /* half of the least denormal, to even */
    {0x0000, 0x0003, 0x3800, 0x0002},
    {0x0000, 0x0001, 0x3a00, 0x0001}, /* three quarters of it */
    {0x0001, 0x0001, 0x3800, 0x0002},
    {0x03ff, 0x0001, 0x3c00, 0x0400}, /* denormal to normal */
    {0x8000, 0x0000, 0x3c00, 0x0000},
    {0x7c00, 0xfc00, 0x3c00, 0x7fff}, /* infinity - infinity */
    {0x7e01, 0x3c00, 0x3c00, 0x7fff},
};

TEST_ROWS(test_rounding, TABLE_ROWS(roundings)) {
    struct tma_ptx_product product;
    ck_assert(product_of(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {r0,r1}, {r0,r1}, {r0}, {r0,r1};",
        &product));
    uint32_t a[2][32] = {{roundings[_i].a}}, b[1][32] = {{roundings[_i].b}},
             c[2][32] = {{roundings[_i].c}};
    tma_ptx_mma(&product, (const uint32_t(*)[32])a, (const uint32_t(*)[32])b,
                (const uint32_t(*)[32])c, NULL, c, &room);
    ck_assert_uint_eq(c[0][0] & 0xffff, roundings[_i].d);
}

TEST(test_saturation) {
    static const char *const texts[] = {"", ".satfinite"};
    static const int32_t sums[2][2] = {{INT32_MIN + 3, INT32_MAX - 3}, {INT32_MAX, INT32_MIN}};
    for (int i = 0; i < 2; ++i) {
        char text[200];
        struct tma_ptx_product product;
        snprintf(text, sizeof text,
                 "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {r0,r1},{r0},{r0},{r0,r1};",
                 texts[i]);
        ck_assert(product_of(text, &product));
        /* Row 0 of A is 2, columns 0 and 1 of B are 2 and -2. */
        uint32_t a[1][32] = {{2}}, b[1][32] = {{2, 0, 0, 0, 0xfe}},
                 c[2][32] = {{INT32_MAX}, {(uint32_t)INT32_MIN}};
        tma_ptx_mma(&product, (const uint32_t(*)[32])a, (const uint32_t(*)[32])b,
                    (const uint32_t(*)[32])c, NULL, c, &room);
        ck_assert_int_eq((int32_t)c[0][0], sums[i][0]);
        ck_assert_int_eq((int32_t)c[1][0], sums[i][1]);
    }
}

TEST(test_ldmatrix) {
    uint8_t rows[8][16], again[8][16];
    uint32_t lanes[32];
    for (uint32_t i = 0; i < 128; ++i)
        rows[i / 16][i % 16] = (uint8_t)(i * 2 + 1);
    for (int transpose = 0; transpose < 2; ++transpose) {
        tma_ptx_matrix_spread(rows, transpose, lanes);
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t half = 0; half < 2; ++half) {
                uint32_t row = lane / 4, column = lane % 4 * 2 + half;
                const uint8_t *element =
                    transpose ? &rows[column][2 * row] : &rows[row][2 * column];
                ck_assert_uint_eq(lanes[lane] >> (16 * half) & 0xffff,
                                  element[0] | (uint32_t)element[1] << 8);
            }
        memset(again, 0, sizeof again);
        tma_ptx_matrix_collect(lanes, transpose, again);
        ck_assert_mem_eq(rows, again, sizeof rows);
    }
}

TEST_SUITE("ptx_matrix", .timeout = 60);
