/* Reductions of single elements, and floating-point rounding, as bit patterns. */
#include <math.h>
#include <string.h>

#include "placement/float.h"
#include "placement/reduction.h"
#include "suite.h"

static const struct {
    const char *name;
    enum tma_reduction reduction;
    enum tma_data_type type;
    uint64_t old, operand, result;
} cases[] = {
    {"add wraps", TMA_REDUCE_ADD, TMA_UINT32, 0xffffffff, 2, 1},
    {"add 64 bits", TMA_REDUCE_ADD, TMA_UINT64, 0xffffffff, 1, 0x100000000},
    {"unsigned min", TMA_REDUCE_MIN, TMA_UINT32, 1, 0xffffffff, 1},
    {"signed min", TMA_REDUCE_MIN, TMA_INT32, 1, 0xffffffff, 0xffffffff},
    {"signed max", TMA_REDUCE_MAX, TMA_INT32, 1, 0xffffffff, 1},
    {"unsigned max, 64 bits", TMA_REDUCE_MAX, TMA_UINT64, 1, UINT64_MAX, UINT64_MAX},
    {"signed max, 64 bits", TMA_REDUCE_MAX, TMA_INT64, 1, UINT64_MAX, 1},
    {"inc", TMA_REDUCE_INC, TMA_UINT32, 4, 7, 5},
    {"inc wraps at the operand", TMA_REDUCE_INC, TMA_UINT32, 7, 7, 0},
    {"inc above the operand", TMA_REDUCE_INC, TMA_UINT32, 9, 7, 0},
    {"dec", TMA_REDUCE_DEC, TMA_UINT32, 4, 7, 3},
    {"dec wraps at 0", TMA_REDUCE_DEC, TMA_UINT32, 0, 7, 7},
    {"dec above the operand", TMA_REDUCE_DEC, TMA_UINT32, 9, 7, 7},
    {"and", TMA_REDUCE_AND, TMA_INT32, 0xcc, 0xaa, 0x88},
    {"or", TMA_REDUCE_OR, TMA_UINT64, 0xcc, 0xaa, 0xee},
    {"xor", TMA_REDUCE_XOR, TMA_UINT32, 0xcc, 0xaa, 0x66},
    {"1 + 1", TMA_REDUCE_ADD, TMA_FLOAT32, 0x3f800000, 0x3f800000, 0x40000000},
    {"float32 NaN", TMA_REDUCE_ADD, TMA_FLOAT32, 0x3f800000, 0xffc12345, 0x7fffffff},
    {"infinity - infinity", TMA_REDUCE_ADD, TMA_FLOAT32, 0x7f800000, 0xff800000, 0x7fffffff},
    {"float32 denormals", TMA_REDUCE_ADD, TMA_FLOAT32, 1, 2, 3},
    /* float16 has 11 significant bits. 2048 + 1 is a tie and rounds to the even 2048; 2050 + 1 is a
     * tie and rounds to 2052; 65504 + 16 is a tie and rounds to infinity. */
    {"2048 + 1", TMA_REDUCE_ADD, TMA_FLOAT16, 0x6800, 0x3c00, 0x6800},
    {"2050 + 1", TMA_REDUCE_ADD, TMA_FLOAT16, 0x6801, 0x3c00, 0x6802},
    {"65504 + 16", TMA_REDUCE_ADD, TMA_FLOAT16, 0x7bff, 0x4c00, 0x7c00},
    {"65504 + 8", TMA_REDUCE_ADD, TMA_FLOAT16, 0x7bff, 0x4800, 0x7bff},
    {"float16 denormals", TMA_REDUCE_ADD, TMA_FLOAT16, 0x03ff, 0x0001, 0x0400},
    {"float16 1 - 1", TMA_REDUCE_ADD, TMA_FLOAT16, 0x3c00, 0xbc00, 0x0000},
    {"float16 NaN", TMA_REDUCE_ADD, TMA_FLOAT16, 0x3c00, 0xfe01, 0x7fff},
    /* bfloat16 has 8 significant bits: 256 + 1 rounds to 256, 258 + 1 to 260. */
    {"256 + 1", TMA_REDUCE_ADD, TMA_BFLOAT16, 0x4380, 0x3f80, 0x4380},
    {"258 + 1", TMA_REDUCE_ADD, TMA_BFLOAT16, 0x4381, 0x3f80, 0x4382},
    {"bfloat16 denormals", TMA_REDUCE_ADD, TMA_BFLOAT16, 0x0001, 0x8003, 0x8002},
    {"min of a NaN", TMA_REDUCE_MIN, TMA_FLOAT16, 0x7e00, 0x3c00, 0x3c00},
    {"max of two NaNs", TMA_REDUCE_MAX, TMA_BFLOAT16, 0x7fc0, 0xffc1, 0x7fff},
    {"min of zeros", TMA_REDUCE_MIN, TMA_FLOAT16, 0x0000, 0x8000, 0x8000},
    {"max of zeros", TMA_REDUCE_MAX, TMA_FLOAT16, 0x8000, 0x0000, 0x0000},
    {"min of negatives", TMA_REDUCE_MIN, TMA_BFLOAT16, 0xbf80, 0xc000, 0xc000},
};

TEST_ROWS(element_is_reduced, TABLE_ROWS(cases)) {
    uint8_t old[8], operand[8], result[8];
    for (int i = 0; i < 8; i++) {
        old[i] = (uint8_t)(cases[_i].old >> 8 * i);
        operand[i] = (uint8_t)(cases[_i].operand >> 8 * i);
        result[i] = (uint8_t)(cases[_i].result >> 8 * i);
    }
    ck_assert(tma_reduction_exists(cases[_i].reduction, cases[_i].type));
    tma_reduce(cases[_i].reduction, cases[_i].type, old, operand, 1);
    ck_assert_msg(memcmp(old, result, 8) == 0, "%s", cases[_i].name);
}

/* The value of a float16. */
static double value_of(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double mantissa = exponent == 0 ? bits & 1023 : (bits & 1023) + 1024;
    return (bits & 0x8000 ? -1 : 1) * ldexp(mantissa, exponent == 0 ? -24 : exponent - 25);
}

/* Compares sums of random float16 numbers with the exact sum in double, rounded to a multiple of
 * the last place. */
TEST(sums_of_float16_are_rounded_once) {
    uint32_t random = 12345;
    for (int i = 0; i < 200000; i++) {
        random = random * 1664525 + 1013904223;
        uint16_t a = (uint16_t)(random >> 16) & 0xbfff; /* below 2 */
        random = random * 1664525 + 1013904223;
        uint16_t b = (uint16_t)(random >> 16) & 0xbfff;
        double exact = value_of(a) + value_of(b), got = value_of(tma_half.add(a, b));
        int exponent;
        frexp(exact, &exponent);
        double place = ldexp(1, exponent - 11 > -24 ? exponent - 11 : -24);
        if (got != nearbyint(exact / place) * place)
            ck_abort_msg("%04x + %04x", a, b);
    }
}

/* Corner cases of the conversion to TF32. tests/hardware/h200/convert.tsv has more. */
TEST(tf32_rounds_to_nearest_even) {
    static const uint32_t words[][2] = {
        {0x3f800000, 0x3f800000}, {0x3f801000, 0x3f800000}, /* tie: to even */
        {0x3f803000, 0x3f804000},                           /* tie: to even */
        {0x3f801001, 0x3f802000}, {0x7f7fffff, 0x7f800000}, /* rounds to infinity */
        {0x7f800000, 0x7f800000}, {0xff800001, 0x7fffe000},
        {0x00001001, 0x00002000}, {0x80000fff, 0x80000000}};
    for (int i = 0; i < TABLE_ROWS(words); i++)
        ck_assert_uint_eq(tma_tf32_of_float(words[i][0]), words[i][1]);
}

TEST_SUITE("reduction");
