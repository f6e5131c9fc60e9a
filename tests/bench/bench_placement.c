/* Speed of the functional core on one core: operations compared with memcpy of the same bytes, the
 * row stream, and the queries. Prints for each operation its rate, its ratio to memcpy, and the
 * smallest acceptable ratio. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "placement/execute.h"
#include "placement/locate.h"

enum { SHARED_BYTES = 1 << 18, TENSOR_BYTES = 1 << 20, ROUNDS = 15 };

/* The buffers are aligned like device memory and shared memory. */
static _Alignas(1024) uint8_t tensor[TENSOR_BYTES], window[SHARED_BYTES], copy[SHARED_BYTES];

/* Keeps the compiler from removing or merging writes to `memory`. */
static void touch(void *memory) {
    __asm__ volatile("" : : "r"(memory) : "memory");
}

struct scene {
    const char *name;
    struct tma_tensor_map map;
    struct tma_operation operation;
    double least_ratio; /* of memcpy's rate */
};

static const struct scene scenes[] = {
    {"load_64x128_f16_swizzle_128b",
     {.kind = TMA_MAP_TILED,
      .data_type = TMA_FLOAT16,
      .rank = 2,
      .global_dim = {64, 4096},
      .global_strides = {128},
      .box_dim = {64, 128},
      .element_strides = {1, 1},
      .swizzle = TMA_SWIZZLE_128B},
     {.coordinates = {0, 0}},
     0.5},
    {"load_64x128_f16_swizzle_128b_strided",
     {.kind = TMA_MAP_TILED,
      .data_type = TMA_FLOAT16,
      .rank = 2,
      .global_dim = {512, 512},
      .global_strides = {1024},
      .box_dim = {64, 128},
      .element_strides = {1, 1},
      .swizzle = TMA_SWIZZLE_128B},
     {.coordinates = {64, 3}},
     0.3},
    {"load_256_byte_rows",
     {.kind = TMA_MAP_TILED,
      .data_type = TMA_FLOAT32,
      .rank = 2,
      .global_dim = {128, 512},
      .global_strides = {512},
      .box_dim = {64, 256},
      .element_strides = {1, 1}},
     {.coordinates = {32, 3}},
     0.7},
    {"load_16_byte_rows",
     {.kind = TMA_MAP_TILED,
      .data_type = TMA_UINT8,
      .rank = 2,
      .global_dim = {256, 4096},
      .global_strides = {256},
      .box_dim = {16, 256},
      .element_strides = {1, 1}},
     {.coordinates = {16, 3}},
     0.1},
    {"load_im2col_64_channels_128_pixels",
     {.kind = TMA_MAP_IM2COL,
      .data_type = TMA_FLOAT16,
      .rank = 4,
      .global_dim = {64, 28, 28, 8},
      .global_strides = {128, 3584, 100352},
      .element_strides = {1, 1, 1, 1},
      .lower_corner = {-1, -1},
      .upper_corner = {-1, -1},
      .channels_per_pixel = 64,
      .pixels_per_column = 128,
      .swizzle = TMA_SWIZZLE_128B},
     {.access = TMA_ACCESS_IM2COL, .coordinates = {0, 3, 4, 1}, .im2col_offsets = {1, 1}},
     0.4},
    {"store_64x128_f16_swizzle_128b",
     {.kind = TMA_MAP_TILED,
      .data_type = TMA_FLOAT16,
      .rank = 2,
      .global_dim = {512, 512},
      .global_strides = {1024},
      .box_dim = {64, 128},
      .element_strides = {1, 1},
      .swizzle = TMA_SWIZZLE_128B},
     {.direction = TMA_STORE, .coordinates = {64, 3}},
     0.3},
};

/* Returns the nanoseconds of one memcpy of `bytes` bytes, as the mean of `repeats`. */
static double time_memcpy(size_t bytes, int repeats) {
    double start = cpu_seconds();
    for (int i = 0; i < repeats; i++) {
        memcpy(copy, tensor, bytes);
        touch(copy);
    }
    return (1e9 * (cpu_seconds() - start)) / repeats;
}

static double time_execute(const struct scene *scene, int repeats) {
    const struct tma_global_memory global = {.bytes = tensor, .size = TENSOR_BYTES};
    const struct tma_shared_memory shared = {.bytes = window, .size = SHARED_BYTES};
    double start = cpu_seconds();
    for (int i = 0; i < repeats; i++) {
        if (tma_execute(&scene->map, &scene->operation, &global, &shared, 1, NULL, NULL) != TMA_OK)
            abort();
        touch(window);
    }
    return (1e9 * (cpu_seconds() - start)) / repeats;
}

/* Returns the nanoseconds that the row stream takes for a row. */
static double time_rows(const struct scene *scene, int repeats, uint64_t *sum) {
    double start = cpu_seconds();
    uint64_t rows = 0, total = 0; /* in registers, unlike *sum */
    for (int i = 0; i < repeats; i++) {
        struct tma_row_stream stream;
        struct tma_row row;
        if (tma_rows_begin(&stream, &scene->map, &scene->operation, NULL, NULL) != TMA_OK)
            abort();
        for (; tma_rows_next(&stream, &row); rows++)
            total += row.global_address;
    }
    *sum += total;
    return (1e9 * (cpu_seconds() - start)) / (double)rows;
}

/* Returns the nanoseconds of a query for a byte and one for its element. */
static double time_queries(const struct scene *scene, int repeats, uint64_t *sum) {
    struct tma_layout layout;
    struct tma_element_place places[TMA_MAX_PLACES];
    if (tma_layout_begin(&layout, &scene->map, &scene->operation, NULL) != TMA_OK)
        abort();
    double start = cpu_seconds();
    for (int i = 0; i < repeats; i++) {
        struct tma_byte_place place = tma_layout_byte(&layout, (uint32_t)(i % 1024 * 2));
        *sum += tma_layout_element(&layout, place.coordinates, places) + places[0].shared_address;
    }
    return (1e9 * (cpu_seconds() - start)) / repeats;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Alternates rounds of memcpy and tma_execute, so that other load on the host affects both, and
 * takes the best round of each. */
static void bench_execute(const struct scene *scene) {
    struct tma_row_stream rows;
    struct tma_operation_size size;
    if (tma_rows_begin(&rows, &scene->map, &scene->operation, &size, NULL) != TMA_OK)
        abort();
    double memcpy_ns = 1e18, execute_ns = 1e18;
    int repeats = (int)(20000000 / (size.moved_bytes + 10000));
    for (int round = 0; round < ROUNDS; round++) {
        memcpy_ns = smaller(memcpy_ns, time_memcpy(size.moved_bytes, repeats));
        execute_ns = smaller(execute_ns, time_execute(scene, repeats));
    }
    double ratio = memcpy_ns / execute_ns;
    printf("%-38s %8.2f GB/s  %5.2f of memcpy's %.2f (bound %.2f%s)\n", scene->name,
           size.moved_bytes / execute_ns, ratio, size.moved_bytes / memcpy_ns, scene->least_ratio,
           ratio < scene->least_ratio ? ", MISSED" : "");
}

int main(void) {
    uint64_t sum = 0;
    memset(tensor, 1, sizeof tensor);
    memset(window, 2, sizeof window);
    memset(copy, 3, sizeof copy);
    size_t count = sizeof scenes / sizeof scenes[0];
    for (size_t i = 0; i < count; i++)
        bench_execute(&scenes[i]);
    for (size_t i = 0; i < count; i++) {
        double rows_ns = 1e18, queries_ns = 1e18;
        for (int round = 0; round < ROUNDS; round++) {
            rows_ns = smaller(rows_ns, time_rows(&scenes[i], 1000, &sum));
            queries_ns = smaller(queries_ns, time_queries(&scenes[i], 100000, &sum));
        }
        printf("%-38s %8.2f ns/row  %8.2f ns/byte and element query\n", scenes[i].name, rows_ns,
               queries_ns);
    }
    touch(&sum);
    return EXIT_SUCCESS;
}
