/* Dumps of a tensor map's 128 bytes: every format that can be read, and the errors for other input.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "tensormap/dump.h"

static const struct tma_tensor_map map = {.kind = TMA_MAP_TILED,
                                          .data_type = TMA_BFLOAT16,
                                          .rank = 2,
                                          .global_address = 0x7f0000100000,
                                          .global_dim = {256, 64},
                                          .global_strides = {512},
                                          .box_dim = {64, 8},
                                          .element_strides = {1, 1},
                                          .swizzle = TMA_SWIZZLE_128B};

static struct tma_descriptor expected;

static void encode_expected(void) {
    tma_descriptor_encode(&map, &expected);
}

static void assert_reads(const char *data, size_t size, enum tma_dump_format expected_format) {
    struct tma_descriptor descriptor;
    enum tma_dump_format format;
    struct tma_error error = {0};
    ck_assert_msg(tma_dump_read(data, size, &descriptor, &format, &error) == TMA_OK, "%s",
                  error.text);
    ck_assert_mem_eq(&descriptor, &expected, sizeof expected);
    ck_assert_int_eq(format, expected_format);
    ck_assert_int_eq(tma_descriptor_recognise(&descriptor, NULL), TMA_OK);
}

static const enum tma_dump_format written[] = {TMA_DUMP_HEX, TMA_DUMP_BYTES, TMA_DUMP_WORDS_32,
                                               TMA_DUMP_WORDS_64};

TEST_ROWS(written_dump_reads_back, TABLE_ROWS(written)) {
    char text[TMA_DUMP_TEXT_BYTES];
    tma_dump_write(&expected, written[_i], text, sizeof text);
    assert_reads(text, strlen(text), written[_i]);
}

TEST(binary_dump_reads_back) {
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    tma_descriptor_to_bytes(&expected, bytes);
    assert_reads((const char *)bytes, sizeof bytes, TMA_DUMP_BINARY);
}

/* The same map as debuggers and people write it. */
static const struct {
    const char *text;
    enum tma_dump_format format;
} forms[] = {
    /* x/16xg, with addresses and symbols */
    {"0x7fffffffe000 <map>:\t0x00007f0000100000\t0x0000002000006510\n"
     "0x7fffffffe010 <map+16>:\t0x0000000000000000\t0x0000000000000000\n"
     "0x7fffffffe020 <map+32>:\t0x0000003f000000ff\t0x0000000000000000\n"
     "0x7fffffffe030 <map+48>:\t0x3f00000000000000\t0x0000000000000007\n"
     "0x7fffffffe040 <map+64>:\t0x0000000000000400\t0x0000000000000400\n"
     "0x7fffffffe050 <map+80>:\t0x0\t0x0\n0x7fffffffe060:\t0x0\t0x0\n0x7fffffffe070:\t0x0\t0x0\n",
     TMA_DUMP_WORDS_64},
    /* print/x of a CUtensorMap */
    {"$1 = {opaque = {0x7f0000100000, 0x2000006510, 0x0, 0x0, 0x3f000000ff, 0x0, "
     "0x3f00000000000000, 0x7, 0x400, 0x400, 0x0 <repeats 6 times>}}",
     TMA_DUMP_WORDS_64},
    /* x/32xw, shortened by a repeat count */
    {"0x00100000 0x00007f00 0x00006510 0x00000020 0x0 0x0 0x0 0x0\n"
     "0x000000ff 0x0000003f 0x0 0x0 0x0 0x3f000000 0x00000007 0x0\n"
     "0x00000400 0x0 0x00000400 0x0 <repeats 13 times>",
     TMA_DUMP_WORDS_32},
    /* hex in upper case, with 0x in front, on several lines */
    {"0X00001000007F00001065000020000000 00000000000000000000000000000000\n"
     "ff0000003f000000000000000000000000000000000000 3f0700000000000000\n"
     "0004000000000000000400000000000000000000000000000000000000000000\n"
     "0000000000000000000000000000000000000000000000000000000000000000",
     TMA_DUMP_HEX},
};

TEST_ROWS(dump_of_a_debugger_is_read, TABLE_ROWS(forms)) {
    assert_reads(forms[_i].text, strlen(forms[_i].text), forms[_i].format);
}

#define ZEROS_16 "0000000000000000"

static const struct {
    const char *text, *error;
} refusals[] = {
    {"", "hex of 0 digits (0 bytes): expected 256 (128 bytes)"},
    {"00ff", "hex of 4 digits (2 bytes): expected 256 (128 bytes)"},
    {"00ff0", "hex of 5 digits, an odd number: expected 256 (128 bytes)"},
    {ZEROS_16 ZEROS_16 "0", "hex of 33 digits, an odd number: expected 256 (128 bytes)"},
    {"hello",
     "'h' in \"hello\" is not a hex digit: expected 256 digits, or a dump of words with 0x"},
    {"0x1 0x2 0x3", "a dump of 3 numbers: expected 16 of 64 bits, 32 of 32 bits or 128 of 8"},
    {"0x1 0x2 33", "2 numbers with 0x and 2 digits without: expected one or the other"},
    {"0x1 <repeats 31 times> 0x100000000",
     "0x100000000 is more than the 32 bits of each of 32 numbers"},
    {"<repeats 3 times>", "a dump has \"<repeats N times>\" behind a number, N up to 128"},
    {"0x1 <repeats 300 times>", "a dump has \"<repeats N times>\" behind a number, N up to 128"},
    {"\x01\x02\x03", "binary of 3 bytes: expected 128"},
};

TEST_ROWS(bad_dump_is_rejected, TABLE_ROWS(refusals)) {
    struct tma_descriptor descriptor = expected;
    struct tma_error error = {0};
    ck_assert_int_eq(
        tma_dump_read(refusals[_i].text, strlen(refusals[_i].text), &descriptor, NULL, &error),
        TMA_ERROR_SYNTAX);
    ck_assert_str_eq(error.text, refusals[_i].error);
    ck_assert_mem_eq(&descriptor, &expected, sizeof expected);
}

static void assert_not_recognised(const struct tma_descriptor *descriptor, const char *text) {
    struct tma_error error = {0};
    ck_assert_int_eq(tma_descriptor_recognise(descriptor, &error), TMA_ERROR_SYNTAX);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
}

TEST(data_that_is_no_map_is_not_recognised) {
    struct tma_descriptor zeros = {0}, noise, swapped;
    uint8_t bytes[TMA_DESCRIPTOR_BYTES], reversed[TMA_DESCRIPTOR_BYTES];
    assert_not_recognised(&zeros, "all 128 bytes are zero");
    for (uint32_t i = 0; i < TMA_DESCRIPTOR_WORDS; i++)
        noise.words[i] = 2654435761u * (i + 1);
    assert_not_recognised(&noise, "random bytes or other data");
    tma_descriptor_to_bytes(&expected, bytes);
    for (size_t width = 4; width <= 8; width += 4) {
        for (size_t i = 0; i < sizeof bytes; i++)
            reversed[i] = bytes[i ^ (width - 1)];
        tma_descriptor_from_bytes(&swapped, reversed);
        assert_not_recognised(&swapped, "the bytes of each word reversed");
    }
}

/* One unexpected bit does not stop a map from being recognised. */
TEST(map_with_an_odd_bit_is_recognised) {
    struct tma_descriptor odd = expected;
    odd.words[25] = 1;
    ck_assert_int_eq(tma_descriptor_recognise(&odd, NULL), TMA_OK);
}

TEST_SUITE("dump", .set_up = encode_expected);
