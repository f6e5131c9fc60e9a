#include "ptx/matrix.h"

#include <math.h>
#include <string.h>

#include "banks/wgmma_descriptor.h"
#include "ptx/softfloat.h"

/* ---- elements */

static double decode_double(uint32_t low, uint32_t high) {
    return tma_double_of(TMA_FORMAT_F64, (uint64_t)high << 32 | low);
}

/* Element of a type, of at most 32 bits, as a number. */
static double element(enum tma_ptx_type type, uint32_t bits) {
    switch (type) {
    case TMA_PTX_F16:
        return tma_double_of(TMA_FORMAT_F16, bits);
    case TMA_PTX_BF16:
        return tma_double_of(TMA_FORMAT_BF16, bits);
    case TMA_PTX_TF32:
        return tma_double_of(TMA_FORMAT_TF32, bits);
    case TMA_PTX_F32:
        return tma_double_of(TMA_FORMAT_F32, bits);
    case TMA_PTX_E4M3:
        return tma_double_of(TMA_FORMAT_E4M3, bits);
    case TMA_PTX_E5M2:
        return tma_double_of(TMA_FORMAT_E5M2, bits);
    case TMA_PTX_S8:
        return (int8_t)bits;
    case TMA_PTX_U8:
        return (uint8_t)bits;
    case TMA_PTX_S4:
        return (int32_t)((bits & 15u) ^ 8u) - 8;
    case TMA_PTX_U4:
        return bits & 15u;
    case TMA_PTX_B1:
        return bits & 1u;
    default:
        return (int32_t)bits; /* s32 */
    }
}

/* Rounds to nearest even. NaNs become 0x7fffffff. */
static uint32_t to_float(double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return isnan(value) ? 0x7fffffffu : bits;
}

static bool is_integer(const struct tma_ptx_product *product) {
    return product->d == TMA_PTX_S32;
}

/* A sum of integers, which a double holds exactly: wraps, or stays at the limits. */
static uint32_t to_integer(double value, bool saturate) {
    if (saturate)
        return (uint32_t)(int32_t)fmax(-2147483648.0, fmin(2147483647.0, value));
    return (uint32_t)(uint64_t)(int64_t)value;
}

/* ---- shapes */

static uint32_t element_bits(enum tma_ptx_type type) {
    return tma_ptx_types[type].bits;
}

/* Elements of a 32-bit register, along K; of a float64, one in two registers. */
static uint32_t per_register(enum tma_ptx_type type) {
    return element_bits(type) >= 32 ? 1 : 32 / element_bits(type);
}

static uint32_t words_of(enum tma_ptx_type type) {
    return element_bits(type) == 64 ? 2 : 1;
}

static uint32_t accumulator_registers(enum tma_ptx_type type, uint32_t m, uint32_t n,
                                      uint32_t threads) {
    return m * n / threads * element_bits(type) / 32;
}

static uint32_t vector_count(const struct tma_ptx_operand *operand) {
    return operand->kind == TMA_PTX_VECTOR ? operand->list.count : 0;
}

/* Is an immediate one of two values? *second: the second one. */
static bool choose(const struct tma_ptx_operand *operand, uint64_t first, uint64_t second,
                   bool *is_second) {
    *is_second = operand->bits == second;
    return operand->kind == TMA_PTX_IMMEDIATE &&
           (operand->bits == first || operand->bits == second);
}

/* Elements that stand for one number of the metadata: halves of 32 bits, pairs of 4 bits. */
static uint32_t metadata_group(enum tma_ptx_type type) {
    return element_bits(type) == 4 ? 8 : element_bits(type) == 32 ? 2 : 4;
}

/* Lanes of four that have metadata: 32 bits for 4 groups of two rows. */
static uint32_t metadata_lanes(const struct tma_ptx_product *product) {
    return product->shape.k / metadata_group(product->a) / 4;
}

/* The constant that says which lanes have it. */
static bool select_metadata(const struct tma_ptx_operand *operand,
                            struct tma_ptx_product *product) {
    product->selector = (uint32_t)operand->bits;
    return operand->kind == TMA_PTX_IMMEDIATE && operand->bits < 4 / metadata_lanes(product);
}

static bool wgmma_of(const struct tma_ptx_instruction *instruction,
                     const struct tma_ptx_operand *operands, struct tma_ptx_product *product) {
    uint32_t count = instruction->operand_count;
    if (product->sparse) { /* two more behind B */
        if (!select_metadata(&operands[4], product))
            return false;
        count -= 2;
    }
    /* From the scale of D on. */
    const struct tma_ptx_operand *scales = operands + (product->sparse ? 5 : 3);
    product->c = product->d;
    product->d_registers = product->c_registers =
        accumulator_registers(product->d, 16, product->shape.n, 32);
    product->a_in_registers = operands[1].kind == TMA_PTX_VECTOR;
    product->a_registers = product->a_in_registers ? 4 : 0;
    if (vector_count(&operands[0]) != product->d_registers ||
        vector_count(&operands[1]) != product->a_registers)
        return false;
    if (count >= 6 && (!choose(&scales[1], 1, UINT64_MAX, &product->negate_a) ||
                       !choose(&scales[2], 1, UINT64_MAX, &product->negate_b)))
        return false;
    if (count < 7)
        return true;
    /* With A in registers only B may be transposed. */
    if (count == 7)
        return product->a_in_registers && choose(&scales[3], 0, 1, &product->transpose_b);
    return !product->a_in_registers && choose(&scales[3], 0, 1, &product->transpose_a) &&
           choose(&scales[4], 0, 1, &product->transpose_b);
}

bool tma_ptx_product_of(const struct tma_ptx_module *module,
                        const struct tma_ptx_instruction *instruction,
                        struct tma_ptx_product *product) {
    const struct tma_ptx_operand *operands = module->operands + instruction->operands;
    *product = (struct tma_ptx_product){
        .shape = tma_ptx_shape_of(instruction),
        .d = (enum tma_ptx_type)instruction->types[0],
        .a = (enum tma_ptx_type)instruction->types[1],
        .b = (enum tma_ptx_type)instruction->types[2],
        .saturate = tma_ptx_has(instruction, TMA_PTX_DOT_SATFINITE),
        .exclusive = tma_ptx_has(instruction, TMA_PTX_DOT_XOR),
        .sparse = tma_ptx_has(instruction, TMA_PTX_DOT_SP) ||
                  tma_ptx_has(instruction, TMA_PTX_DOT_SP_ORDERED),
        .wide = instruction->types[0] == TMA_PTX_F64,
    };
    if (instruction->opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC)
        return wgmma_of(instruction, operands, product);
    struct tma_ptx_shape shape = product->shape;
    uint32_t group = 4 * per_register(product->a); /* elements along K of one register's lanes */
    product->c = (enum tma_ptx_type)instruction->types[3];
    product->a_registers =
        tma_ptx_kept_columns(product) / group * (shape.m / 8) * words_of(product->a);
    product->b_registers = shape.k / group * words_of(product->b);
    product->c_registers = accumulator_registers(product->c, shape.m, shape.n, 32);
    product->d_registers = accumulator_registers(product->d, shape.m, shape.n, 32);
    uint32_t width = product->wide ? 2 : 1;
    return instruction->operand_count == (product->sparse ? 6 : 4) &&
           (!product->sparse || select_metadata(&operands[5], product)) &&
           vector_count(&operands[0]) * width == product->d_registers &&
           vector_count(&operands[1]) * width == product->a_registers &&
           vector_count(&operands[2]) * width == product->b_registers &&
           vector_count(&operands[3]) * width == product->c_registers;
}

/* ---- the product */

static void negate(double *elements, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        elements[i] = -elements[i];
}

/* One row of D, and 8 columns: compilers work on the columns at once. */
static void multiply_float64(const double *a, const double *b, uint32_t n, uint32_t k, double *d) {
    for (uint32_t i = 0; i < k; ++i)
        for (uint32_t j = 0; j < 8; ++j)
            d[j] = fma(a[i], b[i * n + j], d[j]);
}

static void multiply_bits(const double *a, const double *b, uint32_t n, uint32_t k, double *d) {
    for (uint32_t i = 0; i < k; ++i)
        for (uint32_t j = 0; j < 8; ++j)
            d[j] += a[i] != b[i * n + j];
}

static void multiply_others(const double *a, const double *b, uint32_t n, uint32_t k, double *d) {
    double sums[8] = {0};
    for (uint32_t i = 0; i < k; ++i)
        for (uint32_t j = 0; j < 8; ++j)
            sums[j] += a[i] * b[i * n + j];
    for (uint32_t j = 0; j < 8; ++j)
        d[j] += sums[j];
}

/* Where a lane of four has the number of a group of a sparse A's row: for elements of 16 bits and
 * more a lane has four groups of a row of the first eight, and four of the row eight further down;
 * for smaller ones it has eight groups of one row, and the next lane those of the other. (Measured
 * on an H100.) */
static uint32_t metadata_number(const struct tma_ptx_product *product, const uint32_t metadata[32],
                                uint32_t row, uint32_t group) {
    bool wide = element_bits(product->a) >= 16;
    uint32_t lane = wide ? group / 4 : group / 8 * 2 + row / 8;
    uint32_t number = wide ? row / 8 * 4 + group % 4 : group % 8;
    return metadata[row % 8 * 4 + metadata_lanes(product) * product->selector + lane] >>
           (4 * number);
}

/* Puts the columns of a sparse A where the metadata says, and zeros between them. Of four elements
 * two are kept, of four pairs of 4 bits two, of two of 32 bits one. The number of a group has the
 * place of the first one in its lower 2 bits, that of the second above; an element of 32 bits is
 * two of 16. (PTX ISA, sparse matrix storage.) */
static void expand(const struct tma_ptx_product *product, const uint32_t metadata[32], double *a) {
    uint32_t k = product->shape.k, group = metadata_group(product->a);
    uint32_t each = group / 4, kept = group / 2;
    for (uint32_t row = 16; row-- > 0;) { /* the last one first: rows grow */
        double packed[128], *to = a + row * k;
        memcpy(packed, a + row * k / 2, k / 2 * sizeof *packed);
        memset(to, 0, k * sizeof *to);
        for (uint32_t i = 0; i < k / group; ++i) {
            uint32_t places = metadata_number(product, metadata, row, i);
            for (uint32_t j = 0; j < kept; ++j) {
                uint32_t place =
                    each == 0 ? (places & 3) / 2 : (places >> (j / each * 2) & 3) * each + j % each;
                to[group * i + place] = packed[kept * i + j];
            }
        }
    }
}

/* D += A * B, of matrices with `rows` rows. */
static void multiply(const struct tma_ptx_product *product, uint32_t rows,
                     struct tma_ptx_matrices *matrices) {
    uint32_t n = product->shape.n, k = product->shape.k;
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t column = 0; column < n; column += 8) {
            const double *a = matrices->a + row * k, *b = matrices->b + column;
            double *d = matrices->d + row * n + column;
            if (product->wide)
                multiply_float64(a, b, n, k, d);
            else if (product->exclusive)
                multiply_bits(a, b, n, k, d);
            else
                multiply_others(a, b, n, k, d);
        }
}

/* Bits of element `index` of a register. */
static uint32_t part(uint32_t word, enum tma_ptx_type type, uint32_t index) {
    uint32_t bits = element_bits(type);
    return bits >= 32 ? word : word >> (bits * index) & ((1u << bits) - 1);
}

/* Takes a warp's fragment of A or B apart: registers alternate over `halves` groups of 8 rows, then
 * along K. */
static void read_fragment(enum tma_ptx_type type, const uint32_t (*words)[32], uint32_t halves,
                          uint32_t k, uint32_t row_step, uint32_t k_step, double *elements) {
    uint32_t each = per_register(type), width = words_of(type);
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t group = 0; group < k / (4 * each); ++group)
            for (uint32_t half = 0; half < halves; ++half) {
                const uint32_t(*word)[32] = words + (group * halves + half) * width;
                double *to = elements + (lane / 4 + 8 * half) * row_step +
                             (4 * each * group + lane % 4 * each) * k_step;
                for (uint32_t i = 0; i < each; ++i)
                    to[i * k_step] = width == 2 ? decode_double(word[0][lane], word[1][lane])
                                                : element(type, part(word[0][lane], type, i));
            }
}

/* The first of two columns, and the row, that a lane has of an accumulator; `pair` counts pairs
 * of elements: 8 rows further, then 8 columns. */
static uint32_t accumulator_at(uint32_t lane, uint32_t pair, uint32_t halves, uint32_t n) {
    return (lane / 4 + pair % halves * 8) * n + pair / halves * 8 + lane % 4 * 2;
}

static void read_accumulator(enum tma_ptx_type type, const uint32_t (*words)[32], uint32_t halves,
                             uint32_t n, double *elements) {
    uint32_t pairs = halves * n / 8;
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t pair = 0; pair < pairs; ++pair) {
            double *to = elements + accumulator_at(lane, pair, halves, n);
            if (type == TMA_PTX_F64) {
                const uint32_t(*word)[32] = words + 4 * pair;
                to[0] = decode_double(word[0][lane], word[1][lane]);
                to[1] = decode_double(word[2][lane], word[3][lane]);
            } else if (type == TMA_PTX_F16) {
                to[0] = element(type, words[pair][lane] & 0xffff);
                to[1] = element(type, words[pair][lane] >> 16);
            } else {
                to[0] = element(type, words[2 * pair][lane]);
                to[1] = element(type, words[2 * pair + 1][lane]);
            }
        }
}

static uint32_t accumulated(const struct tma_ptx_product *product, double value) {
    return is_integer(product) ? to_integer(value, product->saturate) : to_float(value);
}

static void write_accumulator(const struct tma_ptx_product *product, const double *elements,
                              uint32_t (*words)[32], uint32_t halves) {
    uint32_t n = product->shape.n, pairs = halves * n / 8;
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t pair = 0; pair < pairs; ++pair) {
            const double *from = elements + accumulator_at(lane, pair, halves, n);
            if (product->d == TMA_PTX_F64) {
                uint64_t bits[2];
                memcpy(bits, from, sizeof bits);
                for (uint32_t i = 0; i < 4; ++i)
                    words[4 * pair + i][lane] = (uint32_t)(bits[i / 2] >> (i % 2 * 32));
            } else if (product->d == TMA_PTX_F16) {
                words[pair][lane] = (uint32_t)(tma_double_rounded(TMA_FORMAT_F16, from[0]) |
                                               tma_double_rounded(TMA_FORMAT_F16, from[1]) << 16);
            } else {
                words[2 * pair][lane] = accumulated(product, from[0]);
                words[2 * pair + 1][lane] = accumulated(product, from[1]);
            }
        }
}

void tma_ptx_mma(const struct tma_ptx_product *product, const uint32_t (*a)[32],
                 const uint32_t (*b)[32], const uint32_t (*c)[32], const uint32_t metadata[32],
                 uint32_t (*d)[32], struct tma_ptx_matrices *room) {
    uint32_t halves = product->shape.m / 8, k = product->shape.k, n = product->shape.n;
    uint32_t kept = tma_ptx_kept_columns(product);
    read_fragment(product->a, a, halves, kept, kept, 1, room->a);
    if (product->sparse)
        expand(product, metadata, room->a);
    read_fragment(product->b, b, 1, k, 1, n, room->b);
    read_accumulator(product->c, c, halves, n, room->d);
    multiply(product, product->shape.m, room);
    write_accumulator(product, room->d, d, halves);
}

/* ---- wgmma */

/* Finds 16 bytes of an operand. */
static enum tma_ptx_matrix_result find_chunk(const struct tma_ptx_window *window, uint32_t address,
                                             const uint8_t **bytes) {
    uint32_t at = address - window->base;
    if (address < window->base || at > window->size || window->size - at < 16)
        return TMA_PTX_MATRIX_OUTSIDE;
    *bytes = window->bytes + at;
    if (window->opaque != NULL && (window->opaque[at / 8] | window->opaque[at / 8 + 1]) != 0)
        for (uint32_t i = at; i < at + 16; ++i)
            if (window->opaque[i / 8] >> (i % 8) & 1)
                return TMA_PTX_MATRIX_OPAQUE;
    return TMA_PTX_MATRIX_DONE;
}

/* Reads `rows` rows along M or N of an operand, from row `first` on: a multiple of 16. */
static enum tma_ptx_matrix_result read_operand(const struct tma_ptx_window *window,
                                               uint64_t descriptor, enum tma_ptx_type type,
                                               bool mn_major, uint32_t first, uint32_t rows,
                                               uint32_t k, uint32_t row_step, uint32_t k_step,
                                               double *elements, uint32_t *address) {
    uint32_t line_step = mn_major ? k_step : row_step, step = mn_major ? row_step : k_step;
    uint32_t bits = element_bits(type), each = 128 / bits;
    uint32_t lines = mn_major ? k : rows, chunks = (mn_major ? rows : k) / each;
    uint32_t first_line = mn_major ? 0 : first, first_chunk = mn_major ? first / each : 0;
    for (uint32_t line = 0; line < lines; ++line)
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            const uint8_t *bytes;
            *address = tma_wgmma_descriptor_address(descriptor, mn_major, first_line + line,
                                                    first_chunk + chunk);
            enum tma_ptx_matrix_result result = find_chunk(window, *address, &bytes);
            if (result != TMA_PTX_MATRIX_DONE)
                return result;
            uint32_t words[4];
            memcpy(words, bytes, sizeof words);
            double *to = elements + line * line_step + chunk * each * step;
            for (uint32_t i = 0; i < each; ++i)
                to[i * step] = element(type, part(words[i * bits / 32], type, i % (32 / bits)));
        }
    return TMA_PTX_MATRIX_DONE;
}

enum tma_ptx_matrix_result tma_ptx_wgmma_read(const struct tma_ptx_product *product,
                                              uint32_t quarter, const uint32_t (*a)[32],
                                              const uint32_t metadata[32], uint64_t a_descriptor,
                                              uint64_t b_descriptor,
                                              const struct tma_ptx_window *window,
                                              struct tma_ptx_matrices *room, uint32_t *address) {
    uint32_t n = product->shape.n, k = product->shape.k, kept = tma_ptx_kept_columns(product);
    enum tma_ptx_matrix_result result = read_operand(
        window, b_descriptor, product->b, product->transpose_b, 0, n, k, 1, n, room->b, address);
    if (result == TMA_PTX_MATRIX_DONE && !product->a_in_registers)
        result = read_operand(window, a_descriptor, product->a, product->transpose_a, 16 * quarter,
                              16, kept, kept, 1, room->a, address);
    if (result != TMA_PTX_MATRIX_DONE)
        return result;
    if (product->a_in_registers)
        read_fragment(product->a, a, 2, kept, kept, 1, room->a);
    if (product->sparse)
        expand(product, metadata, room->a);
    if (product->negate_a)
        negate(room->a, 16 * k);
    if (product->negate_b)
        negate(room->b, n * k);
    return TMA_PTX_MATRIX_DONE;
}

void tma_ptx_wgmma(const struct tma_ptx_product *product, bool scale_d, uint32_t (*d)[32],
                   struct tma_ptx_matrices *room) {
    uint32_t n = product->shape.n;
    if (scale_d)
        read_accumulator(product->d, (const uint32_t(*)[32])d, 2, n, room->d);
    else
        memset(room->d, 0, 16 * n * sizeof *room->d);
    multiply(product, 16, room);
    write_accumulator(product, room->d, d, 2);
}

/* ---- ldmatrix, stmatrix, movmatrix */

/* Where element `half` of a lane's register lies in the matrix. */
static uint32_t matrix_byte(uint32_t lane, uint32_t half, bool transpose) {
    uint32_t row = lane / 4, column = lane % 4 * 2 + half;
    return transpose ? column * 16 + row * 2 : row * 16 + column * 2;
}

void tma_ptx_matrix_spread(const uint8_t rows[8][16], bool transpose, uint32_t lanes[32]) {
    const uint8_t *bytes = rows[0];
    for (uint32_t lane = 0; lane < 32; ++lane) {
        lanes[lane] = 0;
        for (uint32_t half = 0; half < 2; ++half) {
            const uint8_t *from = bytes + matrix_byte(lane, half, transpose);
            lanes[lane] |= ((uint32_t)from[0] | (uint32_t)from[1] << 8) << (16 * half);
        }
    }
}

void tma_ptx_matrix_collect(const uint32_t lanes[32], bool transpose, uint8_t rows[8][16]) {
    uint8_t *bytes = rows[0];
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t half = 0; half < 2; ++half) {
            uint8_t *to = bytes + matrix_byte(lane, half, transpose);
            to[0] = (uint8_t)(lanes[lane] >> (16 * half));
            to[1] = (uint8_t)(lanes[lane] >> (16 * half + 8));
        }
}
