/* Launch files and records of launches: what is read, what is refused and where, and the elements
 * of buffers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "launch/launch.h"
#include "suite.h"

static const struct {
    enum tma_element type;
    double value;
    uint64_t bits;
} elements[] = {
    {TMA_ELEMENT_FLOAT16, 1, 0x3c00},
    {TMA_ELEMENT_FLOAT16, -2.5, 0xc100},
    {TMA_ELEMENT_FLOAT16, 65504, 0x7bff},
    {TMA_ELEMENT_FLOAT16, 65520, 0x7c00},
    {TMA_ELEMENT_FLOAT16, 5.9604645e-8, 1},
    {TMA_ELEMENT_FLOAT16, 2.98e-8, 0},
    {TMA_ELEMENT_FLOAT16, 6.1035156e-5, 0x400},
    {TMA_ELEMENT_FLOAT16, 2049, 0x6800},
    {TMA_ELEMENT_FLOAT16, 2051, 0x6802},
    {TMA_ELEMENT_BFLOAT16, 3, 0x4040},
    {TMA_ELEMENT_FLOAT32, 0.1, 0x3dcccccd},
    {TMA_ELEMENT_FLOAT32, -INFINITY, 0xff800000},
    {TMA_ELEMENT_FLOAT64, 0.1, 0x3fb999999999999a},
    {TMA_ELEMENT_FLOAT64, 5e-324, 1},
    {TMA_ELEMENT_E4M3, 448, 0x7e},
    {TMA_ELEMENT_E4M3, 1.75, 0x3e},
    {TMA_ELEMENT_E4M3, 0.001953125, 1},
    {TMA_ELEMENT_E4M3, 1000, 0x7f},
    {TMA_ELEMENT_E5M2, 57344, 0x7b},
    {TMA_ELEMENT_E5M2, -1, 0xbc},
    {TMA_ELEMENT_INT8, -3, 0xfd},
    {TMA_ELEMENT_UINT16, 65535, 0xffff},
    {TMA_ELEMENT_INT64, -1, 0xffffffffffffffff},
};

TEST_ROWS(test_elements, TABLE_ROWS(elements)) {
    uint8_t bytes[8] = {0};
    uint64_t bits = 0;
    tma_element_from_number(elements[_i].type, elements[_i].value, bytes);
    memcpy(&bits, bytes, sizeof bits);
    ck_assert_uint_eq(bits, elements[_i].bits);
}

/* Every number of 8 and 16 bits is its own nearest one. */
TEST_ROWS(test_round_trip, 4) {
    static const enum tma_element types[] = {TMA_ELEMENT_FLOAT16, TMA_ELEMENT_BFLOAT16,
                                             TMA_ELEMENT_E4M3, TMA_ELEMENT_E5M2};
    uint32_t size = tma_element_bytes(types[_i]);
    for (uint32_t bits = 0; bits < 1u << 8 * size; bits++) {
        uint8_t bytes[8] = {(uint8_t)bits, (uint8_t)(bits >> 8)}, again[8] = {0};
        double value = tma_element_number(types[_i], bytes);
        if (isnan(value))
            continue;
        tma_element_from_number(types[_i], value, again);
        ck_assert_mem_eq(bytes, again, size);
    }
}

static const struct {
    enum tma_element type;
    uint64_t a, b;
    double distance;
} distances[] = {
    {TMA_ELEMENT_FLOAT16, 0x3c00, 0x3c02, 2},
    {TMA_ELEMENT_FLOAT16, 0x0001, 0x8001, 2},
    {TMA_ELEMENT_FLOAT16, 0x0000, 0x8000, 0},
    {TMA_ELEMENT_FLOAT16, 0x7e00, 0x7d01, 0},
    {TMA_ELEMENT_FLOAT16, 0x7e00, 0x3c00, INFINITY},
    {TMA_ELEMENT_FLOAT32, 0x3f800000, 0x3f7fffff, 1},
    {TMA_ELEMENT_INT32, 0xffffffff, 1, 2},
};

TEST_ROWS(test_distance, TABLE_ROWS(distances)) {
    uint8_t a[8], b[8];
    memcpy(a, &distances[_i].a, 8);
    memcpy(b, &distances[_i].b, 8);
    ck_assert_double_eq(tma_element_distance(distances[_i].type, a, b), distances[_i].distance);
}

static const char sample[] =
    "name: sample\n"
    "ptx: sample.ptx\n"
    "kernel: copy\n"
    "grid: [4, 2]\n"
    "block: 128\n"
    "cluster: 2\n"
    "dynamic_shared: 16 KiB\n"
    "buffers:\n"
    "  a: {bytes: 8 KiB, data_type: float16, contents: {seed: 1}}\n"
    "  b: {bytes: 8192, contents: zero, expect: {file: b.bin, tolerance_ulp: 2}}\n"
    "  c: {bytes: 16, data_type: int32, contents: {values: [1, -2]}}\n"
    "  d: {bytes: 1 MiB}\n"
    "parameters:\n"
    "  - {map: {data_type: float16, global_dim: [64, 64], box_dim: [64, 8]}, buffer: a, offset: "
    "128}\n"
    "  - {u32: 4294967295}\n"
    "  - {s64: -1, name: last}\n"
    "  - {f32: 0.5}\n"
    "  - {pointer: b, offset: 16}\n"
    "  - {pointer: null}\n"
    "  - {bytes: 24, patches: [{at: 8, pointer: c}, {at: 16, u16: 7}]}\n";

TEST(test_launch_file) {
    struct tma_launch launch;
    struct tma_diagnostics list = tma_diagnostics_empty();
    static const char *const settings[] = {"grid=[3]", "buffers.d.contents=zero"};
    ck_assert(tma_launch_recognize(sample, strlen(sample)));
    ck_assert(
        tma_launch_read(sample, strlen(sample), "dir/sample.yaml", settings, 2, &launch, &list));
    ck_assert_str_eq(launch.kernel, "copy");
    char *path = tma_launch_find(&launch, launch.ptx, "ptx");
    ck_assert_str_eq(path, "dir/sample.ptx");
    tma_release(path);
    ck_assert_uint_eq(launch.grid[0], 3);
    ck_assert_uint_eq(launch.grid[1], 1);
    ck_assert_uint_eq(launch.block[0], 128);
    ck_assert_uint_eq(launch.cluster[0], 2);
    ck_assert_uint_eq(launch.dynamic_shared, 16384);
    ck_assert_uint_eq(launch.buffer_count, 4);
    ck_assert_int_eq(launch.buffers[0].contents, TMA_CONTENTS_FILL);
    ck_assert_int_eq(launch.buffers[0].fill.low, -3);
    ck_assert_uint_eq(launch.buffers[0].fill.count, 7);
    ck_assert_double_eq(launch.buffers[1].tolerance_ulp, 2);
    ck_assert_int_eq(launch.buffers[2].contents, TMA_CONTENTS_VALUES);
    ck_assert_int_eq(launch.buffers[3].contents, TMA_CONTENTS_ZERO);
    ck_assert_uint_eq(launch.parameter_count, 7);
    static const uint64_t sizes[] = {128, 4, 8, 4, 8, 8, 24};
    for (size_t i = 0; i < launch.parameter_count; i++)
        ck_assert_uint_eq(launch.parameters[i].bytes, sizes[i]);
    const struct tma_launch_part *parts = launch.parts;
    ck_assert_uint_eq(parts[0].map.box_dim[1], 8);
    ck_assert_uint_eq(parts[0].offset, 128);
    ck_assert_uint_eq(parts[1].bits, 0xffffffff);
    ck_assert_uint_eq(parts[2].bits, UINT64_MAX);
    ck_assert_uint_eq(parts[3].bits, 0x3f000000);
    ck_assert_int_eq(parts[4].buffer, 1);
    ck_assert_int_eq(parts[5].buffer, -1);
    ck_assert_uint_eq(parts[6].at, 8);
    ck_assert_int_eq(parts[6].buffer, 2);
    ck_assert_uint_eq(parts[7].bytes, 2);
    tma_diagnostics_free(&list);
    tma_launch_free(&launch);
}

/* Lines behind "ptx: p\ngrid: 1\n", and the first error, with its line and column. */
static const struct {
    const char *text;
    unsigned line, column;
    const char *error;
} broken[] = {
    {"blok: 128\n", 3, 1, "unknown key \"blok\"; did you mean \"block\"?"},
    {"block: 0\n", 3, 8, "block is \"0\"; expected a whole number from 1 to 2147483647, or a list"},
    {"block: [1, 1, 1, 1]\n", 3, 8, "block has length 4"},
    {"cluster: two\n", 3, 10, "cluster is \"two\"; expected a whole number"},
    {"buffers: {a: {}}\n", 3, 14, "buffers.a"},
    {"buffers: {a: {bytes: 8, contents: full}}\n", 3, 35, "buffers.a.contents is \"full\""},
    {"buffers: {a: {bytes: 8, contents: {seed: 1, file: f}}}\n", 3, 35, "has not one of file"},
    {"parameters: [{u32: -1}]\n", 3, 20, "\"-1\" is no unsigned number of 32 bits"},
    {"parameters: [{u8: 256}]\n", 3, 19, "\"256\" is no unsigned number of 8 bits"},
    {"parameters: [{pointer: a}]\n", 3, 24, "\"a\" is no buffer of the launch"},
    {"parameters: [{x: 1}]\n", 3, 14, "parameters.0 says no kind"},
    {"parameters: [{u32: 1, at2: 1}]\n", 3, 23, "unknown key \"at2\" in parameters.0"},
    {"parameters: [{u32: 1, at: 1000000}]\n", 3, 23, "unknown key \"at\" in parameters.0"},
    {"parameters: [{u32: 1, offset: 4}]\n", 3, 23, "unknown key \"offset\" in parameters.0"},
    {"parameters: [{bytes: 8, patches: [{at: 4, u64: 1}]}]\n", 3, 35, "ends at byte 12"},
    {"parameters: [{map: {data_type: float16, global_dim: [8]}}]\n", 3, 14, "buffer is missing"},
    {"parameters: [{map_bytes: 00ff}]\n", 3, 26, "is not 256 hexadecimal digits"},
};

TEST_ROWS(test_broken, TABLE_ROWS(broken)) {
    char text[512];
    struct tma_launch launch;
    struct tma_diagnostics list = tma_diagnostics_empty();
    int length = snprintf(text, sizeof text, "ptx: p\ngrid: 1\n%s", broken[_i].text);
    ck_assert(!tma_launch_read(text, (size_t)length, "f.yaml", NULL, 0, &launch, &list));
    ck_assert_uint_ge(list.count, 1);
    ck_assert_msg(strstr(list.items[0].text, broken[_i].error) != NULL, "%s", list.items[0].text);
    ck_assert_uint_eq(list.items[0].at.line, broken[_i].line);
    ck_assert_uint_eq(list.items[0].at.column, broken[_i].column);
    tma_diagnostics_free(&list);
    tma_launch_free(&launch);
}

static const char record[] =
    "{\"label\": \"a small one\", \"family\": \"copy\", \"kernel\": \"k\", \"ptx\": \"k.ptx\", "
    "\"grid\": "
    "[4, 1, 1], \"block\": [128, 1, 1], \"dynamic_shared\": 1024, \"scratch_per_cta\": 64, "
    "\"params\": "
    "[{\"kind\": \"tensor_map\", \"name\": \"a\", \"buffer\": \"a\", \"offset\": 0, \"shape\": "
    "[32, 64], "
    "\"strides\": [64, 1], \"box\": [8, 64], \"swizzle\": 3, \"elem_size\": 2, \"elem_type\": 6}, "
    "{\"kind\": \"pointer\", \"name\": \"s\", \"buffer\": \"scratch\", \"offset\": 0}], "
    "\"buffers\": "
    "[{\"name\": \"a\", \"bytes\": 4096, \"dtype\": \"float16\", \"fill\": {\"seed\": 1, "
    "\"scale\": "
    "1.0, \"low\": -3, \"count\": 7}}]%s}";

/* Floating-point data is known only where outputs are compared. */
TEST_ROWS(test_record, 2) {
    char text[2048];
    struct tma_launch launch;
    struct tma_diagnostics list = tma_diagnostics_empty();
    int length =
        snprintf(text, sizeof text, record, _i == 0 ? "" : ", \"outputs\": {\"a\": \"a.bin\"}");
    ck_assert(tma_launch_read_record(text, (size_t)length, "r.jsonl", 7, &launch, &list));
    ck_assert_str_eq(launch.name, "a small one");
    ck_assert_uint_eq(launch.kernel_at.line, 7);
    ck_assert_uint_eq(launch.buffers[0].at.line, 7);
    ck_assert_uint_eq(launch.parts[0].place.line, 7);
    ck_assert_int_eq(launch.buffers[0].contents, _i == 0 ? TMA_CONTENTS_OPAQUE : TMA_CONTENTS_FILL);
    ck_assert_uint_eq(launch.parts[0].map.global_dim[0], 64);
    ck_assert_uint_eq(launch.parts[0].map.global_strides[0], 128);
    ck_assert_uint_eq(launch.parts[0].map.box_dim[1], 8);
    ck_assert_int_eq(launch.parts[0].map.swizzle, TMA_SWIZZLE_128B);
    ck_assert_uint_eq(launch.buffer_count, 2);
    ck_assert_uint_eq(launch.buffers[1].bytes, 256);
    tma_diagnostics_free(&list);
    tma_launch_free(&launch);
}

TEST(test_broken_record) {
    struct tma_launch launch;
    struct tma_diagnostics list = tma_diagnostics_empty();
    static const char text[] = "{\"label\": \"x\", \"grid\": [0, 1, 1], \"buffers\": []}";
    ck_assert(!tma_launch_read_record(text, strlen(text), "r.jsonl", 7, &launch, &list));
    ck_assert_uint_gt(list.count, 1);
    for (size_t i = 0; i < list.count; i++)
        ck_assert_uint_eq(list.items[i].at.line, 7);
    tma_diagnostics_free(&list);
    tma_launch_free(&launch);
}

TEST_SUITE("launch");
