/* Properties of every operation, checked on random operations of every mode. */
#include <string.h>

#include "placement/bytes.h"
#include "placement/locate.h"
#include "placement/swizzle.h"
#include "random_operation.h"
#include "suite.h"

enum { ALL_MODES = 5, STORE_MODES = 3 };

enum { OPERATIONS = 400, WINDOW_BYTES = 1 << 18, TENSOR_BYTES = 1 << 22 };

/* Stores exist in the first three modes only. */
static const enum tma_access_mode modes[] = {TMA_ACCESS_TILE, TMA_ACCESS_GATHER4, TMA_ACCESS_IM2COL,
                                             TMA_ACCESS_IM2COL_W, TMA_ACCESS_IM2COL_W128};

static uint8_t tensor[TENSOR_BYTES], other_tensor[TENSOR_BYTES];
static uint8_t window[WINDOW_BYTES], other_window[WINDOW_BYTES];
static int32_t row_of_byte[WINDOW_BYTES];

static struct tma_global_memory global_of(uint8_t *bytes) {
    return (struct tma_global_memory){.bytes = bytes, .size = TENSOR_BYTES};
}

static struct tma_shared_memory shared_of(uint8_t *bytes) {
    return (struct tma_shared_memory){.bytes = bytes, .size = WINDOW_BYTES};
}

static void fill_randomly(uint64_t *state, uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        uint64_t bits = random_bits(state);
        memcpy(bytes + i, &bits, 8);
    }
}

/* One random operation. */
struct sample {
    uint64_t *random; /* state of the random numbers */
    struct tma_tensor_map map;
    struct tma_operation operation;
};

/* Checks a property on OPERATIONS random operations. */
static void check_samples(uint64_t seed, enum tma_access_mode mode, enum tma_direction direction,
                          void (*check)(struct sample *sample)) {
    uint64_t state = seed;
    for (int n = 0; n < OPERATIONS; n++) {
        struct sample sample = {.random = &state};
        random_operation(&state, mode, direction, &sample.map, &sample.operation);
        check(&sample);
    }
}

static struct tma_row_stream rows_of(const struct sample *sample, struct tma_operation_size *size) {
    struct tma_row_stream rows;
    ck_assert(tma_rows_begin(&rows, &sample->map, &sample->operation, size, NULL) == TMA_OK);
    return rows;
}

static struct tma_layout layout_of(const struct sample *sample) {
    struct tma_layout layout;
    ck_assert(tma_layout_begin(&layout, &sample->map, &sample->operation, NULL) == TMA_OK);
    return layout;
}

static uint32_t row_bytes(const struct tma_row *row) {
    return row->before_bytes + row->data_bytes + row->after_bytes;
}

/* The runs of the stream contain the rows that the stream gives one by one. */
static void check_runs(struct sample *sample) {
    struct tma_operation_size size;
    struct tma_row_stream rows = rows_of(sample, &size), runs = rows;
    const struct tma_row_run *next;
    struct tma_row row;
    uint32_t count = 0;
    while ((next = tma_rows_next_run(&runs)) != NULL) {
        struct tma_row_run run = *next;
        for (uint32_t i = 0; i < run.rows; i++, count++) {
            ck_assert(tma_rows_next(&rows, &row));
            ck_assert_mem_eq(&row, &run.first, sizeof row);
            run.first.global_address += run.global_step_bytes;
            run.first.shared_address += run.shared_step_bytes;
            run.first.coordinates[run.dimension] += run.coordinate_step;
        }
    }
    ck_assert(!tma_rows_next(&rows, &row));
    ck_assert_uint_eq(count, size.rows);
}

TEST_ROWS(runs_contain_the_rows, ALL_MODES) {
    check_samples(1 + (uint64_t)_i, modes[_i], TMA_LOAD, check_runs);
}

/* Compares the queries for one byte of a row with what the row itself says of the byte. */
static void check_byte(const struct tma_layout *layout, const struct tma_row *row,
                       uint32_t row_index, uint32_t offset) {
    uint32_t address = tma_swizzle_address(layout->swizzle, row->shared_address + offset);
    struct tma_byte_place place = tma_layout_byte(layout, address);
    bool inside = offset >= row->before_bytes && offset < row->before_bytes + row->data_bytes;
    if (place.kind == TMA_BYTE_UNDEFINED)
        return;
    if (place.row != row_index ||
        place.kind != (inside ? TMA_BYTE_ELEMENT : TMA_BYTE_OUT_OF_BOUNDS))
        ck_abort_msg("row %u, byte %u: query says row %u, kind %d", row_index, offset, place.row,
                     (int)place.kind);
    if (inside && layout->group_bytes == 0 && layout->slot_bits == layout->global_bits &&
        place.global_address != row->global_address + offset - row->before_bytes)
        ck_abort_msg("row %u, byte %u: another global address", row_index, offset);
    for (uint32_t d = 1; d < layout->rank; d++)
        if (place.coordinates[d] != row->coordinates[d])
            ck_abort_msg("row %u, byte %u: another coordinate %u", row_index, offset, d);
    struct tma_element_place places[TMA_MAX_PLACES];
    unsigned count = tma_layout_element(layout, place.coordinates, places);
    bool found = false;
    for (unsigned i = 0; i < count; i++)
        found |= places[i].row == row_index &&
                 tma_swizzle_address(layout->swizzle, places[i].shared_address) * 8 +
                         places[i].bit + place.element_bit ==
                     (row->shared_address + offset) * 8;
    if (!found)
        ck_abort_msg("row %u, byte %u: the element's places do not have it", row_index, offset);
}

/* Byte to element and element to byte are inverse, and both agree with the rows. */
static void check_queries(struct sample *sample) {
    struct tma_row_stream rows = rows_of(sample, NULL);
    struct tma_layout layout = layout_of(sample);
    struct tma_row row;
    for (uint32_t index = 0; tma_rows_next(&rows, &row); index++)
        for (uint32_t i = 0; i < row_bytes(&row); i++)
            check_byte(&layout, &row, index, i);
}

TEST_ROWS(load_queries_are_inverse, ALL_MODES) {
    check_samples(100 + (uint64_t)_i, modes[_i], TMA_LOAD, check_queries);
}

TEST_ROWS(store_queries_are_inverse, STORE_MODES) {
    check_samples(150 + (uint64_t)_i, modes[_i], TMA_STORE, check_queries);
}

/* No two bytes of the rows share a byte of shared memory, and none is outside the footprint. */
static void check_footprint(struct sample *sample) {
    struct tma_operation_size size;
    struct tma_row_stream rows = rows_of(sample, &size);
    struct tma_row row;
    memset(row_of_byte, -1, size.shared_footprint_bytes * sizeof *row_of_byte);
    for (int32_t index = 0; tma_rows_next(&rows, &row); index++)
        for (uint32_t i = 0; i < row_bytes(&row); i++) {
            uint32_t at = tma_swizzle_address(sample->map.swizzle, row.shared_address + i) -
                          sample->operation.shared_address;
            if (at >= size.shared_footprint_bytes)
                ck_abort_msg("byte %u of row %d is outside the footprint", i, index);
            if (row_of_byte[at] >= 0)
                ck_abort_msg("byte %u of row %d is also in row %d", i, index, row_of_byte[at]);
            row_of_byte[at] = index;
        }
}

TEST_ROWS(every_byte_lands_once, ALL_MODES) {
    check_samples(200 + (uint64_t)_i, modes[_i], TMA_LOAD, check_footprint);
}

/* Types whose values a load changes, or whose padding a store drops. */
static bool converts(enum tma_data_type type) {
    return type == TMA_TFLOAT32 || type == TMA_TFLOAT32_FTZ || type == TMA_16U4_ALIGN16B ||
           type == TMA_16U6_ALIGN16B;
}

/* Storing a loaded tile to the same place changes no byte of the tensor, in the box or outside. */
static void check_load_and_store(struct sample *sample) {
    struct tma_shared_memory shared = shared_of(window);
    struct tma_global_memory from = global_of(tensor), to = global_of(other_tensor);
    struct tma_operation *operation = &sample->operation;
    memset(operation->im2col_offsets, 0, sizeof operation->im2col_offsets);
    if (converts(sample->map.data_type))
        return;
    fill_randomly(sample->random, tensor, 1 << 16);
    memcpy(other_tensor, tensor, sizeof tensor);
    operation->direction = TMA_LOAD;
    ck_assert(tma_execute(&sample->map, operation, &from, &shared, 1, NULL, NULL) == TMA_OK);
    operation->direction = TMA_STORE;
    ck_assert(tma_execute(&sample->map, operation, &to, &shared, 1, NULL, NULL) == TMA_OK);
    ck_assert(memcmp(tensor, other_tensor, sizeof tensor) == 0);
}

TEST_ROWS(storing_a_loaded_tile_changes_nothing, STORE_MODES) {
    check_samples(300, modes[_i], TMA_STORE, check_load_and_store);
}

/* Loading a stored tile restores all of its elements that are in bounds. */
static void check_store_and_load(struct sample *sample) {
    struct tma_shared_memory from = shared_of(window), to = shared_of(other_window);
    struct tma_global_memory global = global_of(tensor);
    struct tma_operation *operation = &sample->operation;
    struct tma_operation_size size;
    memset(operation->im2col_offsets, 0, sizeof operation->im2col_offsets);
    if (converts(sample->map.data_type) || operation->access == TMA_ACCESS_GATHER4)
        return; /* scatter4 may write a row twice */
    fill_randomly(sample->random, window, 1 << 16);
    ck_assert(tma_execute(&sample->map, operation, &global, &from, 1, &size, NULL) == TMA_OK);
    operation->direction = TMA_LOAD;
    ck_assert(tma_execute(&sample->map, operation, &global, &to, 1, NULL, NULL) == TMA_OK);
    struct tma_layout layout = layout_of(sample);
    uint32_t end = operation->shared_address + size.shared_footprint_bytes;
    for (uint32_t at = operation->shared_address; at < end && at < 1 << 16; at++)
        if (tma_layout_byte(&layout, at).kind == TMA_BYTE_ELEMENT && window[at] != other_window[at])
            ck_abort_msg("byte %u differs", at);
}

TEST_ROWS(loading_a_stored_tile_restores_it, STORE_MODES) {
    check_samples(400, modes[_i], TMA_STORE, check_store_and_load);
}

/* Executes the sample twice, from equal memory; the second time with `global`, which has the bytes
 * of `other_tensor`. Asserts that both leave the same bytes everywhere. */
static void check_twice(struct sample *sample, const struct tma_global_memory *global) {
    struct tma_shared_memory shared = shared_of(window), other = shared_of(other_window);
    struct tma_global_memory first = global_of(tensor);
    fill_randomly(sample->random, tensor, 1 << 16);
    memcpy(other_tensor, tensor, 1 << 16);
    fill_randomly(sample->random, window, 1 << 16);
    memcpy(other_window, window, sizeof window);
    ck_assert(tma_execute(&sample->map, &sample->operation, &first, &shared, 1, NULL, NULL) ==
              TMA_OK);
    tma_copy_narrow = global->bytes != NULL;
    ck_assert(tma_execute(&sample->map, &sample->operation, global, &other, 1, NULL, NULL) ==
              TMA_OK);
    tma_copy_narrow = false;
    ck_assert(memcmp(tensor, other_tensor, sizeof tensor) == 0);
    ck_assert(memcmp(window, other_window, sizeof window) == 0);
}

static void read_tensor(void *context, uint64_t address, uint8_t *bytes, uint32_t count) {
    memcpy(bytes, (uint8_t *)context + address, count);
}

static void write_tensor(void *context, uint64_t address, const uint8_t *bytes, uint32_t count) {
    memcpy((uint8_t *)context + address, bytes, count);
}

static void check_callbacks(struct sample *sample) {
    const struct tma_global_memory global = {
        .read = read_tensor, .write = write_tensor, .context = other_tensor};
    check_twice(sample, &global);
}

static void check_narrow(struct sample *sample) {
    const struct tma_global_memory global = global_of(other_tensor);
    check_twice(sample, &global);
}

/* Loads exist in all modes, stores in the first three, reductions without gather4 only. */
static void check_directions(uint64_t seed, int mode, void (*check)(struct sample *sample)) {
    memcpy(other_tensor, tensor, sizeof tensor); /* equal before each operation */
    check_samples(seed, modes[mode], TMA_LOAD, check);
    if (mode < STORE_MODES)
        check_samples(seed + 1, modes[mode], TMA_STORE, check);
    if (mode < STORE_MODES && modes[mode] != TMA_ACCESS_GATHER4)
        check_samples(seed + 2, modes[mode], TMA_REDUCE, check);
}

/* A memory of callbacks gets the same bytes as a buffer. */
TEST_ROWS(callbacks_do_what_a_buffer_does, TABLE_ROWS(modes)) {
    check_directions(500 + 10 * (uint64_t)_i, _i, check_callbacks);
}

/* The code for processors without wide registers copies the same bytes. */
TEST_ROWS(narrow_copies_are_the_same, TABLE_ROWS(modes)) {
    check_directions(600 + 10 * (uint64_t)_i, _i, check_narrow);
}

/* Asserts that the rows of two operations on a map lie at the same places of global memory. */
static void check_same_rows(const struct tma_tensor_map *map, const struct tma_operation *operation,
                            const struct tma_operation *other_operation) {
    struct tma_row_stream rows, others;
    struct tma_row row, other;
    ck_assert(tma_rows_begin(&rows, map, operation, NULL, NULL) == TMA_OK);
    ck_assert(tma_rows_begin(&others, map, other_operation, NULL, NULL) == TMA_OK);
    while (tma_rows_next(&rows, &row)) {
        ck_assert(tma_rows_next(&others, &other));
        ck_assert_uint_eq(row.global_address, other.global_address);
        ck_assert_uint_eq(row.data_global_bytes, other.data_global_bytes);
    }
    ck_assert(!tma_rows_next(&others, &other));
}

/* A prefetch reads the rows of the load. A store of an im2col map has no offsets in its
 * instruction: those of the operation do not count. */
static void check_prefetch(struct sample *sample) {
    struct tma_operation prefetch = sample->operation;
    prefetch.direction = TMA_PREFETCH;
    check_same_rows(&sample->map, &sample->operation, &prefetch);
}

static void check_offsets_of_store(struct sample *sample) {
    struct tma_operation plain = sample->operation;
    memset(plain.im2col_offsets, 0, sizeof plain.im2col_offsets);
    check_same_rows(&sample->map, &sample->operation, &plain);
}

TEST_ROWS(prefetches_read_the_rows_of_loads, TABLE_ROWS(modes)) {
    check_samples(700 + (uint64_t)_i, modes[_i], TMA_LOAD, check_prefetch);
}

TEST(stores_have_no_offsets) {
    check_samples(800, TMA_ACCESS_IM2COL, TMA_STORE, check_offsets_of_store);
}

/* Asserts that two loads leave the same bytes in shared memory. */
static void load_both(const struct tma_tensor_map *map, const struct tma_operation *operation,
                      const struct tma_tensor_map *other_map,
                      const struct tma_operation *other_operation) {
    struct tma_shared_memory shared = shared_of(window), other = shared_of(other_window);
    struct tma_global_memory global = global_of(tensor);
    memset(window, 0xaa, 1 << 16);
    memset(other_window, 0xaa, 1 << 16);
    ck_assert(tma_execute(map, operation, &global, &shared, 1, NULL, NULL) == TMA_OK);
    ck_assert(tma_execute(other_map, other_operation, &global, &other, 1, NULL, NULL) == TMA_OK);
    ck_assert(memcmp(window, other_window, 1 << 16) == 0);
}

/* gather4 of four consecutive rows loads what a tiled load of them does. */
static void check_gather(struct sample *sample) {
    struct tma_operation *gather = &sample->operation;
    for (int i = 1; i < 4; i++)
        gather->coordinates[1 + i] = gather->coordinates[1] + i;
    struct tma_operation tile = *gather;
    struct tma_tensor_map tiled = sample->map;
    tile.access = TMA_ACCESS_TILE;
    tiled.box_dim[1] = 4;
    tiled.element_strides[1] = 1;
    load_both(&sample->map, gather, &tiled, &tile);
}

/* im2col::w without halo and offset loads what im2col does, within one row of the image. */
static void check_im2col_w(struct sample *sample) {
    struct tma_tensor_map *wide = &sample->map;
    struct tma_operation *operation = &sample->operation;
    int64_t last = (int64_t)wide->global_dim[1] - 1 + wide->upper_corner[0];
    int64_t left = (last - operation->coordinates[1]) / wide->element_strides[1] + 1;
    operation->w_halo = 0;
    operation->w_offset = 0;
    memset(operation->im2col_offsets, 0, sizeof operation->im2col_offsets);
    wide->pixels_per_column = (uint32_t)random_between(sample->random, 1, left);
    struct tma_tensor_map im2col = *wide;
    struct tma_operation plain = *operation;
    im2col.kind = TMA_MAP_IM2COL;
    plain.access = TMA_ACCESS_IM2COL;
    if (tma_operation_check(&im2col, &plain, NULL) == TMA_OK)
        load_both(wide, operation, &im2col, &plain);
}

/* Modes that load the same as another one. */
static const struct {
    uint64_t seed;
    enum tma_access_mode mode;
    void (*check)(struct sample *sample);
} equivalences[] = {
    {500, TMA_ACCESS_GATHER4, check_gather},
    {600, TMA_ACCESS_IM2COL_W, check_im2col_w},
};

TEST_ROWS(modes_are_equivalent, TABLE_ROWS(equivalences)) {
    uint64_t state = equivalences[_i].seed;
    fill_randomly(&state, tensor, sizeof tensor);
    check_samples(state, equivalences[_i].mode, TMA_LOAD, equivalences[_i].check);
}

TEST_SUITE("placement properties", .timeout = 60);
