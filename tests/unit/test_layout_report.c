/* `tmasim layout`: whole outputs of small tiles. */
#include <stdlib.h>

#include "report/layout.h"
#include "suite.h"

/* 8 x 3 float32 at 32B swizzle in line 3 of shared memory, its last row and its last four columns
 * out of bounds. Rows are 32 bytes, and in an odd line their two chunks change places. */
static const struct tma_tensor_map tile_map = {.kind = TMA_MAP_TILED,
                                               .data_type = TMA_FLOAT32,
                                               .rank = 2,
                                               .global_address = 4096,
                                               .global_dim = {8, 8},
                                               .global_strides = {32},
                                               .box_dim = {8, 3},
                                               .element_strides = {1, 1},
                                               .swizzle = TMA_SWIZZLE_32B};
static const struct tma_operation tile_load = {.coordinates = {4, 6}, .shared_address = 384};

/* Rows of 16 bytes, 32 apart: every other chunk is a gap; the swap puts it first. */
static const struct tma_tensor_map narrow_map = {.kind = TMA_MAP_TILED,
                                                 .data_type = TMA_FLOAT32,
                                                 .rank = 2,
                                                 .global_dim = {8, 8},
                                                 .global_strides = {32},
                                                 .box_dim = {4, 2},
                                                 .element_strides = {1, 1},
                                                 .swizzle = TMA_SWIZZLE_32B};

/* One padded row of 6-bit elements. */
static const struct tma_tensor_map padded_map = {.kind = TMA_MAP_TILED,
                                                 .data_type = TMA_16U6_ALIGN16B,
                                                 .rank = 1,
                                                 .global_dim = {128},
                                                 .box_dim = {128},
                                                 .element_strides = {1}};

enum question { WHOLE, BYTE, ELEMENT };

/* clang-format off */
static const struct {
    const struct tma_tensor_map *map;
    enum question question;
    const char *format;
    uint32_t address;
    int64_t element[TMA_MAX_RANK];
    const char *output;
} cases[] = {
    {&tile_map, WHOLE, "text", 0, {0},
     "load of A at 0x180: 3 rows of 32 bytes, pitch 32, swizzle 32b\n"
     "each chunk: coordinates of the element at its first byte; ~ out of bounds, ? uninitialised, - "
     "gap, . outside\n"
     "address    +0     +16    +32    +48    +64    +80    +96    +112\n"
     "0x180      ~(8,6) (4,6)  ~(8,7) (4,7)  ~(8,8) ~(4,8) .      .\n"},
    {&tile_map, WHOLE, "csv", 0, {0},
     "address,chunk0,chunk1,chunk2,chunk3,chunk4,chunk5,chunk6,chunk7\n"
     "384,\"~(8,6)\",\"(4,6)\",\"~(8,7)\",\"(4,7)\",\"~(8,8)\",\"~(4,8)\",\".\",\".\"\n"},
    {&narrow_map, WHOLE, "json", 0, {0},
     "{\n"
     "  \"tensor_map\": \"A\",\n"
     "  \"swizzle\": \"32b\",\n"
     "  \"shared_address\": 384,\n"
     "  \"rows\": 2,\n"
     "  \"row_bytes\": 16,\n"
     "  \"row_pitch_bytes\": 32,\n"
     "  \"transaction_bytes\": 32,\n"
     "  \"lines\": [\n"
     "    {\n"
     "      \"address\": 384,\n"
     "      \"kinds\": [\"gap\", \"element\", \"gap\", \"element\", \"outside\", \"outside\", "
     "\"outside\", \"outside\"],\n"
     "      \"coordinates\": [null, [4, 6], null, [4, 7], null, null, null, null]\n"
     "    }\n"
     "  ]\n"
     "}\n"},
    /* Element (6,7): 8 bytes into row 1, that is chunk 2 of line 3, which lies at chunk 3. */
    {&tile_map, ELEMENT, "text", 0, {6, 7},
     "element (6,7) of A: byte 0x1b8 bit 0 (bank 14), row 1 of the box\n"},
    {&tile_map, ELEMENT, "csv", 0, {6, 7},
     "shared_address,bit,bank,row,c0,c1,c2,c3,c4,kind\n440,0,14,1,6,7,,,,element\n"},
    {&tile_map, ELEMENT, "text", 0, {3, 7},
     "element (3,7) of A: not in the operation's box\n"},
    {&tile_map, ELEMENT, "json", 0, {3, 7},
     "{\n  \"coordinates\": [3, 7],\n  \"places\": []\n}\n"},
    /* The same byte plus one, and its address: 4096 + 7 * 32 + 6 * 4 + 1. */
    {&tile_map, BYTE, "text", 441, {0},
     "byte 0x1b9 (bank 14): bit 8 of element (6,7) of A, row 1 of the box, global address 0x10f9\n"},
    {&tile_map, BYTE, "csv", 441, {0},
     "shared_address,bank,kind,c0,c1,c2,c3,c4,element_bit,row\n441,14,element,6,7,,,,8,1\n"},
    {&tile_map, BYTE, "text", 480, {0},
     "byte 0x1e0 (bank 24): outside the operation's box\n"},
    {&narrow_map, BYTE, "text", 384, {0},
     "byte 0x180 (bank 0): gap between two rows, not touched\n"},
    {&padded_map, BYTE, "text", 396, {0},
     "byte 0x18c (bank 3): padding of a sub-byte type, left uninitialised\n"},
};
/* clang-format on */

TEST_ROWS(whole_outputs, TABLE_ROWS(cases)) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    struct tma_operation load = tile_load;
    if (cases[_i].map->rank == 1)
        load.coordinates[0] = 0;
    struct tma_layout_view view = {cases[_i].map, &load, "A"};
    struct tma_error error = {0};
    int format;
    ck_assert(tma_value_of(&tma_layout_format_names, cases[_i].format, &format));
    enum tma_error_code code =
        cases[_i].question == BYTE
            ? tma_layout_write_byte(&view, cases[_i].address, format, out, &error)
        : cases[_i].question == ELEMENT
            ? tma_layout_write_element(&view, cases[_i].element, format, out, &error)
            : tma_layout_write(&view, format, out, &error);
    fclose(out);
    ck_assert_msg(code == TMA_OK, "%s", error.text);
    ck_assert_str_eq(text, cases[_i].output);
    free(text);
}

TEST(faults_and_prefetches_have_no_layout) {
    struct tma_operation operation = tile_load;
    struct tma_layout_view view = {&tile_map, &operation, "A"};
    operation.coordinates[0] = 1;
    ck_assert(tma_layout_write(&view, 0, NULL, NULL) == TMA_ERROR_FAULT);
    ck_assert(tma_layout_write_byte(&view, 0, 0, NULL, NULL) == TMA_ERROR_FAULT);
    operation = tile_load;
    operation.direction = TMA_PREFETCH;
    ck_assert(tma_layout_write(&view, 0, NULL, NULL) == TMA_ERROR_ARGUMENT);
}

TEST_SUITE("layout report");
