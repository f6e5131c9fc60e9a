/* The sub-byte types of PTX ISA 5.5.1.1 (figures 5 to 7), which come in groups of 16 elements. */
#include <string.h>

#include "placement/execute.h"
#include "placement/locate.h"
#include "suite.h"

enum { GROUP = 16, ELEMENTS = 128 };

static struct tma_tensor_map map_of(enum tma_data_type type) {
    return (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                   .data_type = type,
                                   .rank = 1,
                                   .global_dim = {ELEMENTS},
                                   .box_dim = {ELEMENTS},
                                   .element_strides = {1}};
}

/* Loads 128 elements whose packed bytes are 1, 2, 3, ... over a window of 0xee. */
static void load(const struct tma_tensor_map *map, uint8_t window[2 * ELEMENTS],
                 uint8_t undefined[2 * ELEMENTS]) {
    uint8_t tensor[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        tensor[i] = (uint8_t)(i + 1);
    memset(window, 0xee, 2 * ELEMENTS);
    memset(undefined, 9, 2 * ELEMENTS);
    struct tma_operation operation = {.direction = TMA_LOAD};
    struct tma_global_memory global = {.bytes = tensor, .size = sizeof tensor};
    struct tma_shared_memory shared = {window, 0, 2 * ELEMENTS, undefined};
    struct tma_error error;
    ck_assert_msg(tma_execute(map, &operation, &global, &shared, 1, NULL, &error) == TMA_OK, "%s",
                  error.text);
}

/* Bytes of a group in global memory, and from one group to the next in shared memory. .b4x16 copies
 * 64 bits "as is"; .b4x16_p64 appends 64 bits of padding to them; .b6x16_p32 appends 32 bits to
 * 16 * 6 = 96. */
static const struct {
    enum tma_data_type type;
    int packed, slot;
} layouts[] = {{TMA_16U4_ALIGN8B, 8, 8}, {TMA_16U4_ALIGN16B, 8, 16}, {TMA_16U6_ALIGN16B, 12, 16}};

TEST_ROWS(load_marks_padding_and_keeps_its_bytes, TABLE_ROWS(layouts)) {
    uint8_t window[2 * ELEMENTS], undefined[2 * ELEMENTS];
    struct tma_tensor_map map = map_of(layouts[_i].type);
    load(&map, window, undefined);
    int packed = layouts[_i].packed, slot = layouts[_i].slot;
    for (int group = 0; group < ELEMENTS / GROUP; group++)
        for (int byte = 0; byte < slot; byte++) {
            int at = group * slot + byte;
            bool data = byte < packed;
            ck_assert_int_eq(window[at], data ? group * packed + byte + 1 : 0xee);
            ck_assert_int_eq(undefined[at], data ? 0 : 1);
        }
    int end = ELEMENTS / GROUP * slot; /* nothing is written or marked past the box */
    ck_assert_int_eq(window[end], 0xee);
    ck_assert_int_eq(undefined[end], 9);
}

/* The mbarrier counts packed bytes, without the padding that shared memory has. */
TEST_ROWS(transaction_bytes_are_packed, TABLE_ROWS(layouts)) {
    struct tma_tensor_map map = map_of(layouts[_i].type);
    struct tma_operation operation = {.direction = TMA_LOAD};
    struct tma_row_stream rows;
    struct tma_operation_size size;
    ck_assert(tma_rows_begin(&rows, &map, &operation, &size, NULL) == TMA_OK);
    uint32_t groups = ELEMENTS / GROUP;
    ck_assert_uint_eq(size.transaction_bytes, groups * (uint32_t)layouts[_i].packed);
    ck_assert_uint_eq(size.moved_bytes, groups * (uint32_t)layouts[_i].packed);
    ck_assert_uint_eq(size.shared_footprint_bytes, groups * (uint32_t)layouts[_i].slot);
    operation.coordinates[0] = ELEMENTS; /* fill is packed, too */
    ck_assert(tma_rows_begin(&rows, &map, &operation, &size, NULL) == TMA_OK);
    ck_assert_uint_eq(size.transaction_bytes, groups * (uint32_t)layouts[_i].packed);
}

/* .b6p2x16: each byte of shared memory has 6 bits of data; the store drops its two high bits, which
 * are set here. Element e has the value (5 e + 3) mod 64. Elements 0 to 3 are 3, 8, 13 and 18,
 * which pack into 3 + 8 * 2^6 + 13 * 2^12 + 18 * 2^18 = 0x48d203. */
TEST(stores_drop_the_high_bits) {
    struct tma_tensor_map map = map_of(TMA_16U6_ALIGN16B);
    struct tma_operation operation = {.direction = TMA_STORE};
    uint8_t tensor[ELEMENTS * 6 / 8 + 1] = {0}, window[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        window[i] = (uint8_t)((5 * i + 3) % 64 | 0xc0);
    tensor[ELEMENTS * 6 / 8] = 0x77;
    struct tma_global_memory global = {.bytes = tensor, .size = sizeof tensor};
    struct tma_shared_memory shared = {.bytes = window, .size = sizeof window};
    ck_assert(tma_execute(&map, &operation, &global, &shared, 1, NULL, NULL) == TMA_OK);
    ck_assert_int_eq(tensor[0], 0x03);
    ck_assert_int_eq(tensor[1], 0xd2);
    ck_assert_int_eq(tensor[2], 0x48);
    for (int i = 0; i < ELEMENTS; i++) {
        int value = 0;
        for (int bit = 0; bit < 6; bit++)
            value |= (tensor[(6 * i + bit) / 8] >> (6 * i + bit) % 8 & 1) << bit;
        ck_assert_int_eq(value, (5 * i + 3) % 64);
    }
    ck_assert_int_eq(tensor[ELEMENTS * 6 / 8], 0x77);
}

/* Which element a byte begins with. A byte has two 4-bit elements, the even one in the low bits.
 * Byte 4 of a group of 6-bit elements begins with bit 32 of the group: bit 2 of element 5. */
TEST(byte_query_finds_element_and_bit) {
    static const struct {
        enum tma_data_type type;
        enum tma_direction direction;
        uint32_t address;
        enum tma_byte_kind kind;
        int64_t element;
        uint32_t element_bit;
    } cases[] = {
        {TMA_16U4_ALIGN8B, TMA_LOAD, 9, TMA_BYTE_ELEMENT, 18, 0},
        {TMA_16U4_ALIGN16B, TMA_LOAD, 17, TMA_BYTE_ELEMENT, 18, 0},
        {TMA_16U4_ALIGN16B, TMA_LOAD, 24, TMA_BYTE_UNDEFINED, 0, 0},
        {TMA_16U6_ALIGN16B, TMA_LOAD, 4, TMA_BYTE_ELEMENT, 5, 2},
        {TMA_16U6_ALIGN16B, TMA_LOAD, 16, TMA_BYTE_ELEMENT, 16, 0},
        {TMA_16U6_ALIGN16B, TMA_LOAD, 28, TMA_BYTE_UNDEFINED, 0, 0},
        {TMA_16U6_ALIGN16B, TMA_STORE, 28, TMA_BYTE_ELEMENT, 28, 0},
        {TMA_16U6_ALIGN16B, TMA_STORE, 128, TMA_BYTE_OUTSIDE, 0, 0},
    };
    for (int i = 0; i < TABLE_ROWS(cases); i++) {
        struct tma_tensor_map map = map_of(cases[i].type);
        struct tma_operation operation = {.direction = cases[i].direction};
        struct tma_layout layout;
        ck_assert(tma_layout_begin(&layout, &map, &operation, NULL) == TMA_OK);
        struct tma_byte_place place = tma_layout_byte(&layout, cases[i].address);
        ck_assert_int_eq(place.kind, cases[i].kind);
        if (place.kind != TMA_BYTE_ELEMENT)
            continue;
        ck_assert_int_eq(place.coordinates[0], cases[i].element);
        ck_assert_uint_eq(place.element_bit, cases[i].element_bit);
    }
}

/* The document's table of valid directions. .b6x16_p32 (loads) and .b6p2x16 (stores) have one value
 * in the descriptor. Padded 4-bit elements have loads only, and no sub-byte type has reductions. */
TEST(types_have_their_directions) {
    static const struct {
        enum tma_data_type type;
        enum tma_direction direction;
        enum tma_error_code code;
    } cases[] = {
        {TMA_16U4_ALIGN8B, TMA_LOAD, TMA_OK},
        {TMA_16U4_ALIGN8B, TMA_STORE, TMA_OK},
        {TMA_16U4_ALIGN8B, TMA_REDUCE, TMA_ERROR_FAULT},
        {TMA_16U4_ALIGN16B, TMA_LOAD, TMA_OK},
        {TMA_16U4_ALIGN16B, TMA_STORE, TMA_ERROR_ARGUMENT},
        {TMA_16U6_ALIGN16B, TMA_LOAD, TMA_OK},
        {TMA_16U6_ALIGN16B, TMA_STORE, TMA_OK},
        {TMA_16U6_ALIGN16B, TMA_REDUCE, TMA_ERROR_FAULT},
    };
    for (int i = 0; i < TABLE_ROWS(cases); i++) {
        struct tma_tensor_map map = map_of(cases[i].type);
        struct tma_operation operation = {.direction = cases[i].direction};
        struct tma_row_stream rows;
        ck_assert_int_eq(tma_rows_begin(&rows, &map, &operation, NULL, NULL), cases[i].code);
    }
}

TEST_SUITE("sub-byte types");
