/* tma_execute on buffers and callbacks: fill, gather4, multicast, and errors, which write nothing.
 */
#include <string.h>

#include "placement/execute.h"
#include "suite.h"

enum { TENSOR_BYTES = 4096, WINDOW_BYTES = 2048 };

static uint8_t tensor[TENSOR_BYTES], window[WINDOW_BYTES], unchanged[WINDOW_BYTES];

/* Fills the buffers. The tensor has 16 rows of 32 words at address 4096; word w of row r is
 * 100 r + w. Boxes are 8 x 4 words. */
static struct tma_tensor_map map_of_words(void) {
    for (uint32_t i = 0; i < TENSOR_BYTES / 4; i++) {
        uint32_t word = 100 * (i / 32) + i % 32;
        memcpy(tensor + 4 * i, &word, 4);
    }
    memset(window, 0xee, sizeof window);
    memset(unchanged, 0xee, sizeof unchanged);
    return (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                   .data_type = TMA_INT32,
                                   .rank = 2,
                                   .global_address = 4096,
                                   .global_dim = {32, 16},
                                   .global_strides = {128},
                                   .box_dim = {8, 4},
                                   .element_strides = {1, 1}};
}

static struct tma_global_memory global_memory(void) {
    return (struct tma_global_memory){.bytes = tensor, .address = 4096, .size = TENSOR_BYTES};
}

static struct tma_shared_memory shared_memory(void) {
    return (struct tma_shared_memory){.bytes = window, .address = 1024, .size = WINDOW_BYTES};
}

static uint32_t word_at(const uint8_t *bytes, uint32_t index) {
    uint32_t word;
    memcpy(&word, bytes + 4 * index, 4);
    return word;
}

static void execute(const struct tma_tensor_map *map, const struct tma_operation *operation,
                    struct tma_operation_size *size) {
    struct tma_global_memory global = global_memory();
    struct tma_shared_memory shared = shared_memory();
    struct tma_error error;
    ck_assert_msg(tma_execute(map, operation, &global, &shared, 1, size, &error) == TMA_OK, "%s",
                  error.text);
}

/* Of the box at (28, 14), 4 words in 2 rows are in bounds. The load still completes 128 bytes. */
TEST(fill_counts_as_completed_bytes) {
    struct tma_tensor_map map = map_of_words();
    struct tma_operation load = {.coordinates = {28, 14}, .shared_address = 1152};
    struct tma_operation_size size;
    execute(&map, &load, &size);
    ck_assert_uint_eq(size.transaction_bytes, 128);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t x = i % 8, y = i / 8;
        ck_assert_uint_eq(word_at(window + 128, i), x < 4 && y < 2 ? 100 * (14 + y) + 28 + x : 0);
    }
    ck_assert_mem_eq(window, unchanged, 128);
    ck_assert_mem_eq(window + 256, unchanged, WINDOW_BYTES - 256);
}

/* NaN fill writes 0x7ff7 to every 16 bits of the words left of the tensor. */
TEST(nan_fill_writes_7ff7) {
    struct tma_tensor_map map = map_of_words();
    map.data_type = TMA_FLOAT32;
    map.oob_fill = TMA_OOB_NAN;
    struct tma_operation load = {.coordinates = {-4, 0}, .shared_address = 1024};
    execute(&map, &load, NULL);
    ck_assert_uint_eq(word_at(window, 3), 0x7ff77ff7);
    ck_assert_uint_eq(word_at(window, 4), 0);
    ck_assert_uint_eq(word_at(window, 5), 1);
}

/* Figure 10: column 1 (of 16-byte columns) of rows 2, 5, 0 and 9, in that order. */
TEST(gather4_and_scatter4_follow_figure_10) {
    static const uint32_t rows[4] = {2, 5, 0, 9};
    struct tma_tensor_map map = map_of_words();
    map.box_dim[1] = 1;
    struct tma_operation gather = {
        .access = TMA_ACCESS_GATHER4, .coordinates = {4, 2, 5, 0, 9}, .shared_address = 1024};
    execute(&map, &gather, NULL);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(word_at(window, i), 100 * rows[i / 8] + 4 + i % 8);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t word = 5000 + i;
        memcpy(window + 4 * i, &word, 4);
    }
    gather.direction = TMA_STORE;
    execute(&map, &gather, NULL);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(word_at(tensor, 32 * rows[i / 8] + 4 + i % 8), 5000 + i);
    ck_assert_uint_eq(word_at(tensor, 32 * 2 + 3), 203);
    ck_assert_uint_eq(word_at(tensor, 32 * 2 + 12), 212);
}

/* Multicast writes to the same offset in every CTA of the mask, and to no other CTA. */
TEST(multicast_writes_to_the_mask) {
    static uint8_t windows[4][WINDOW_BYTES];
    struct tma_tensor_map map = map_of_words();
    struct tma_operation load = {.shared_address = 1280, .cta_mask = 0xa};
    struct tma_shared_memory shared[4];
    struct tma_global_memory global = global_memory();
    memset(windows, 0xee, sizeof windows);
    for (int cta = 0; cta < 4; cta++)
        shared[cta] = (struct tma_shared_memory){windows[cta], 1024, WINDOW_BYTES, NULL};
    ck_assert(tma_execute(&map, &load, &global, shared, 4, NULL, NULL) == TMA_OK);
    for (int cta = 0; cta < 4; cta++)
        ck_assert_uint_eq(word_at(windows[cta] + 256, 9), cta % 2 == 1 ? 101 : 0xeeeeeeee);
}

struct calls {
    uint64_t addresses[8];
    uint32_t reads, writes;
};

static void read_sevens(void *context, uint64_t address, uint8_t *bytes, uint32_t count) {
    struct calls *calls = context;
    calls->addresses[calls->reads++ % 8] = address;
    memset(bytes, 7, count);
}

static void write_nowhere(void *context, uint64_t address, const uint8_t *bytes, uint32_t count) {
    struct calls *calls = context;
    ck_assert_uint_eq(count, 32);
    ck_assert_int_eq(bytes[0], 0xee);
    calls->addresses[calls->writes++ % 8] = address;
}

/* Of a tensor of 2^32 x 2^32 elements with rows 2^39 bytes apart, only the box is accessed. Row
 * 2^31 - 2 begins at (2^31 - 2) * 2^39 = 2^70 - 2^40, which is 2^64 - 2^40 modulo 2^64. */
TEST(callbacks_access_the_box_only) {
    struct tma_tensor_map map = map_of_words();
    map.global_dim[0] = map.global_dim[1] = UINT64_C(1) << 32;
    map.global_strides[0] = UINT64_C(1) << 39;
    map.global_address = 0;
    struct calls calls = {0};
    struct tma_global_memory global = {
        .read = read_sevens, .write = write_nowhere, .context = &calls};
    struct tma_shared_memory shared = shared_memory();
    struct tma_operation operation = {.coordinates = {16, INT32_MAX - 1}, .shared_address = 1024};
    ck_assert(tma_execute(&map, &operation, &global, &shared, 1, NULL, NULL) == TMA_OK);
    ck_assert_uint_eq(calls.reads, 4);
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(calls.addresses[i], 64 - (UINT64_C(1) << 40) + i * (UINT64_C(1) << 39));
    ck_assert_int_eq(window[127], 7);
    memset(window, 0xee, sizeof window);
    operation.direction = TMA_STORE;
    ck_assert(tma_execute(&map, &operation, &global, &shared, 1, NULL, NULL) == TMA_OK);
    ck_assert_uint_eq(calls.writes, 4);
}

TEST(prefetch_needs_no_memory) {
    struct tma_tensor_map map = map_of_words();
    struct tma_operation prefetch = {.direction = TMA_PREFETCH, .coordinates = {4, 4}};
    struct tma_operation_size size;
    ck_assert(tma_execute(&map, &prefetch, NULL, NULL, 0, &size, NULL) == TMA_OK);
    ck_assert_uint_eq(size.rows, 4);
    ck_assert_uint_eq(size.transaction_bytes, 0);
}

/* Rejected operations: the error text names the argument. */
static const struct {
    struct tma_operation operation;
    uint32_t cta_count;
    uint64_t global_bytes;
    enum tma_error_code code;
    const char *text;
} rejections[] = {
    {{.coordinates = {1, 0}, .shared_address = 1024},
     1,
     TENSOR_BYTES,
     TMA_ERROR_FAULT,
     "coordinate 0 is 1: times 32 bits of int32 it must be a multiple of 16 bytes"},
    {{.coordinates = {0, 0}, .shared_address = 3072 - 127},
     1,
     TENSOR_BYTES,
     TMA_ERROR_ARGUMENT,
     "shared address is 0xb81; must be a multiple of 128 bytes"},
    {{.coordinates = {0, 0}, .shared_address = 3072},
     1,
     TENSOR_BYTES,
     TMA_ERROR_BUFFER,
     "shared memory of CTA 0 holds 2048 bytes from 0x400 on; the box needs 128 from 0xc00 on"},
    {{.coordinates = {0, 0}, .shared_address = 896},
     1,
     TENSOR_BYTES,
     TMA_ERROR_BUFFER,
     "shared memory of CTA 0 holds 2048 bytes from 0x400 on; the box needs 128 from 0x380 on"},
    {{.coordinates = {0, 0}, .shared_address = 1024, .cta_mask = 3},
     1,
     TENSOR_BYTES,
     TMA_ERROR_BUFFER,
     "cta_mask is 0x3, but shared memory is given for 1 CTAs"},
    {{.coordinates = {0, 2}, .shared_address = 1024},
     1,
     5 * 128,
     TMA_ERROR_BUFFER,
     "global memory holds 640 bytes from 0x1000 on; the operation touches 32 bytes at 0x1280"},
};

TEST_ROWS(rejected_operation_writes_nothing, TABLE_ROWS(rejections)) {
    struct tma_tensor_map map = map_of_words();
    struct tma_global_memory global = global_memory();
    struct tma_shared_memory shared = shared_memory();
    struct tma_error error;
    global.size = rejections[_i].global_bytes;
    ck_assert_int_eq(tma_execute(&map, &rejections[_i].operation, &global, &shared,
                                 rejections[_i].cta_count, NULL, &error),
                     rejections[_i].code);
    ck_assert_str_eq(error.text, rejections[_i].text);
    ck_assert_mem_eq(window, unchanged, WINDOW_BYTES);
}

TEST_SUITE("execute");
