/* What holds for every operation, tried on random ones of every mode. */
#include <string.h>

#include "placement/locate.h"
#include "placement/swizzle.h"
#include "random_operation.h"
#include "suite.h"

enum { OPERATIONS = 400, WINDOW_BYTES = 1 << 18, TENSOR_BYTES = 1 << 22 };

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

/* The rows of runs are the rows that come one by one. */
START_TEST(runs_are_the_same_rows) {
    uint64_t state = 1 + (uint64_t)_i;
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        struct tma_row_stream rows, runs;
        const struct tma_row_run *next;
        struct tma_row row;
        struct tma_operation_size size;
        uint32_t count = 0;
        random_operation(&state, modes[_i], TMA_LOAD, &map, &operation);
        ck_assert(tma_rows_begin(&rows, &map, &operation, &size, NULL) == TMA_OK);
        runs = rows;
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
}
END_TEST

/* The first difference between what the rows say of a byte and what the query says. */
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

/* Byte to element and element to byte are inverse, and both are what the rows say. */
START_TEST(queries_invert_each_other) {
    uint64_t state = 100 + (uint64_t)_i;
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        struct tma_row_stream rows;
        struct tma_row row;
        struct tma_layout layout;
        random_operation(&state, modes[_i], _i < 3 && n % 4 == 3 ? TMA_STORE : TMA_LOAD, &map,
                         &operation);
        ck_assert(tma_rows_begin(&rows, &map, &operation, NULL, NULL) == TMA_OK);
        ck_assert(tma_layout_begin(&layout, &map, &operation, NULL) == TMA_OK);
        for (uint32_t index = 0; tma_rows_next(&rows, &row); index++)
            for (uint32_t i = 0; i < row.before_bytes + row.data_bytes + row.after_bytes; i++)
                check_byte(&layout, &row, index, i);
    }
}
END_TEST

/* No two bytes of the rows fall on one byte of shared memory, and none leaves the footprint. */
START_TEST(every_byte_lands_once) {
    uint64_t state = 200 + (uint64_t)_i;
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        struct tma_row_stream rows;
        struct tma_row row;
        struct tma_operation_size size;
        random_operation(&state, modes[_i], TMA_LOAD, &map, &operation);
        ck_assert(tma_rows_begin(&rows, &map, &operation, &size, NULL) == TMA_OK);
        memset(row_of_byte, -1, size.shared_footprint_bytes * sizeof *row_of_byte);
        for (int32_t index = 0; tma_rows_next(&rows, &row); index++)
            for (uint32_t i = 0; i < row.before_bytes + row.data_bytes + row.after_bytes; i++) {
                uint32_t at = tma_swizzle_address(map.swizzle, row.shared_address + i) -
                              operation.shared_address;
                if (at >= size.shared_footprint_bytes || row_of_byte[at] >= 0)
                    ck_abort_msg("byte %u of row %d: outside, or on row %d", i, index,
                                 row_of_byte[at]);
                row_of_byte[at] = index;
            }
    }
}
END_TEST

static bool converts(enum tma_data_type type) {
    return type == TMA_TFLOAT32 || type == TMA_TFLOAT32_FTZ || type == TMA_16U4_ALIGN16B ||
           type == TMA_16U6_ALIGN16B;
}

/* A tile that is loaded and stored at the same place gives the tensor back, and a store changes no
 * byte outside the box. */
START_TEST(store_after_load_gives_the_tensor_back) {
    uint64_t state = 300;
    struct tma_shared_memory shared = shared_of(window);
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        random_operation(&state, modes[_i], TMA_STORE, &map, &operation);
        operation.direction = TMA_LOAD;
        memset(operation.im2col_offsets, 0, sizeof operation.im2col_offsets);
        if (converts(map.data_type))
            continue;
        fill_randomly(&state, tensor, 1 << 16);
        memcpy(other_tensor, tensor, sizeof tensor);
        struct tma_global_memory from = global_of(tensor), to = global_of(other_tensor);
        ck_assert(tma_execute(&map, &operation, &from, &shared, 1, NULL, NULL) == TMA_OK);
        operation.direction = TMA_STORE;
        ck_assert(tma_execute(&map, &operation, &to, &shared, 1, NULL, NULL) == TMA_OK);
        ck_assert(memcmp(tensor, other_tensor, sizeof tensor) == 0);
    }
}
END_TEST

/* Stores a random window, and loads it back: what was in bounds is there again. */
START_TEST(load_after_store_gives_the_window_back) {
    uint64_t state = 400;
    struct tma_shared_memory from = shared_of(window), to = shared_of(other_window);
    struct tma_global_memory global = global_of(tensor);
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        struct tma_layout layout;
        struct tma_operation_size size;
        random_operation(&state, modes[_i], TMA_STORE, &map, &operation);
        memset(operation.im2col_offsets, 0, sizeof operation.im2col_offsets);
        if (converts(map.data_type) || operation.access == TMA_ACCESS_GATHER4)
            continue; /* scatter4 may write a row twice */
        fill_randomly(&state, window, 1 << 16);
        ck_assert(tma_execute(&map, &operation, &global, &from, 1, &size, NULL) == TMA_OK);
        operation.direction = TMA_LOAD;
        ck_assert(tma_execute(&map, &operation, &global, &to, 1, NULL, NULL) == TMA_OK);
        ck_assert(tma_layout_begin(&layout, &map, &operation, NULL) == TMA_OK);
        uint32_t end = operation.shared_address + size.shared_footprint_bytes;
        for (uint32_t at = operation.shared_address; at < end && at < 1 << 16; at++)
            if (tma_layout_byte(&layout, at).kind == TMA_BYTE_ELEMENT &&
                window[at] != other_window[at])
                ck_abort_msg("byte %u differs", at);
    }
}
END_TEST

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

/* gather4 of four rows that follow each other is a tiled load of them. */
START_TEST(gather4_of_consecutive_rows_is_a_tile) {
    uint64_t state = 500;
    fill_randomly(&state, tensor, sizeof tensor);
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation gather;
        random_operation(&state, TMA_ACCESS_GATHER4, TMA_LOAD, &map, &gather);
        for (int i = 1; i < 4; i++)
            gather.coordinates[1 + i] = gather.coordinates[1] + i;
        struct tma_operation tile = gather;
        struct tma_tensor_map tiled = map;
        tile.access = TMA_ACCESS_TILE;
        tiled.box_dim[1] = 4;
        tiled.element_strides[1] = 1;
        load_both(&map, &gather, &tiled, &tile);
    }
}
END_TEST

/* im2col::w without halo and offset is im2col as long as it stays in one row of the image. */
START_TEST(im2col_w_on_one_row_is_im2col) {
    uint64_t state = 600;
    fill_randomly(&state, tensor, sizeof tensor);
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map wide;
        struct tma_operation operation;
        random_operation(&state, TMA_ACCESS_IM2COL_W, TMA_LOAD, &wide, &operation);
        int64_t last = (int64_t)wide.global_dim[1] - 1 + wide.upper_corner[0];
        int64_t room = (last - operation.coordinates[1]) / wide.element_strides[1] + 1;
        operation.w_halo = 0;
        operation.w_offset = 0;
        memset(operation.im2col_offsets, 0, sizeof operation.im2col_offsets);
        wide.pixels_per_column = (uint32_t)random_between(&state, 1, room);
        struct tma_tensor_map im2col = wide;
        struct tma_operation plain = operation;
        im2col.kind = TMA_MAP_IM2COL;
        plain.access = TMA_ACCESS_IM2COL;
        if (tma_operation_check(&im2col, &plain, NULL) == TMA_OK)
            load_both(&wide, &operation, &im2col, &plain);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("placement properties");
    TCase *all = tcase_create("every mode");
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, runs_are_the_same_rows, 0, 5);
    tcase_add_loop_test(all, queries_invert_each_other, 0, 5);
    tcase_add_loop_test(all, every_byte_lands_once, 0, 5);
    tcase_add_loop_test(all, store_after_load_gives_the_tensor_back, 0, 3);
    tcase_add_loop_test(all, load_after_store_gives_the_window_back, 0, 3);
    tcase_add_test(all, gather4_of_consecutive_rows_is_a_tile);
    tcase_add_test(all, im2col_w_on_one_row_is_im2col);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
