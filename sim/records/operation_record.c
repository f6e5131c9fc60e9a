#include "records/operation_record.h"

#include <stdlib.h>
#include <string.h>

#include "placement/reduction.h"

enum { LIST = 5 };

/* The scrambler of the records' README: what 32-bit word number i holds. */
static uint32_t mix(uint32_t word) {
    word *= 2654435761u;
    word ^= word >> 15;
    word *= 2246822519u;
    word ^= word >> 13;
    word *= 3266489917u;
    word ^= word >> 16;
    return word;
}

static uint32_t global_word(uint64_t index) {
    return mix((uint32_t)index);
}

static uint32_t shared_word(uint64_t index) {
    return mix((uint32_t)index + 0x51000000) | 0x01010101;
}

static void fill_bytes(uint32_t (*word_at)(uint64_t index), uint64_t address, uint8_t *bytes,
                       uint64_t count) {
    uint64_t done = 0;
    for (; done < count && (address + done) % 4 != 0; done++)
        bytes[done] = (uint8_t)(word_at((address + done) / 4) >> (address + done) % 4 * 8);
    for (; count - done >= 4; done += 4) {
        uint32_t word = word_at((address + done) / 4);
        for (int i = 0; i < 4; i++)
            bytes[done + (uint64_t)i] = (uint8_t)(word >> 8 * i);
    }
    for (; done < count; done++)
        bytes[done] = (uint8_t)(word_at((address + done) / 4) >> (address + done) % 4 * 8);
}

void tma_record_global_bytes(uint64_t address, uint8_t *bytes, uint64_t count) {
    fill_bytes(global_word, address, bytes, count);
}

void tma_record_shared_bytes(uint32_t address, uint8_t *bytes, uint32_t count) {
    fill_bytes(shared_word, address, bytes, count);
}

/* Reads cells of one row, and remembers the first that is wrong. */
struct reader {
    const struct tma_tsv *records;
    size_t row;
    const char *wrong; /* the column's name; NULL as long as all is well */
};

static void read_list(struct reader *reader, const char *column, size_t count, int64_t *values) {
    const char *cell = tma_tsv_cell(reader->records, reader->row, column);
    if (tma_parse_list(cell, values, count) != count && reader->wrong == NULL)
        reader->wrong = column;
}

static int64_t read_number(struct reader *reader, const char *column) {
    int64_t value = 0;
    read_list(reader, column, 1, &value);
    return value;
}

static void read_counts(struct reader *reader, const char *column, uint32_t *values) {
    int64_t list[LIST] = {0};
    read_list(reader, column, LIST, list);
    for (int i = 0; i < LIST; i++)
        values[i] = (uint32_t)list[i];
}

static int read_word(struct reader *reader, const char *column, const struct tma_name *words,
                     size_t count) {
    const char *cell = tma_tsv_cell(reader->records, reader->row, column);
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].name, cell) == 0)
            return words[i].value;
    if (reader->wrong == NULL)
        reader->wrong = column;
    return 0;
}

static void read_map(struct reader *reader, struct tma_tensor_map *map) {
    static const struct tma_name kinds[] = {{"tile", TMA_MAP_TILED},
                                            {"im2col", TMA_MAP_IM2COL},
                                            {"im2col_w", TMA_MAP_IM2COL_W},
                                            {"im2col_w128", TMA_MAP_IM2COL_W128}};
    int64_t dims[LIST] = {0}, strides[LIST - 1] = {0}, lower[3] = {0}, upper[3] = {0};
    map->kind = (enum tma_map_kind)read_word(reader, "mode", kinds, 4);
    map->data_type = (enum tma_data_type)read_number(reader, "dtype");
    map->rank = (uint32_t)read_number(reader, "rank");
    map->interleave = (enum tma_interleave)read_number(reader, "interleave");
    map->swizzle = (enum tma_swizzle)read_number(reader, "swizzle");
    map->l2_promotion = (enum tma_l2_promotion)read_number(reader, "l2promo");
    map->oob_fill = (enum tma_oob_fill)read_number(reader, "oobfill");
    map->global_address = (uint64_t)read_number(reader, "tensor_offset");
    read_list(reader, "global_dim", LIST, dims);
    read_list(reader, "global_stride", LIST - 1, strides);
    for (int i = 0; i < LIST; i++)
        map->global_dim[i] = (uint64_t)dims[i];
    for (int i = 0; i < LIST - 1; i++)
        map->global_strides[i] = (uint64_t)strides[i];
    read_counts(reader, "box_dim", map->box_dim);
    read_counts(reader, "element_stride", map->element_strides);
    read_list(reader, "lower_corner", 3, lower);
    read_list(reader, "upper_corner", 3, upper);
    for (int i = 0; i < 3; i++) {
        map->lower_corner[i] = (int32_t)lower[i];
        map->upper_corner[i] = (int32_t)upper[i];
    }
    map->channels_per_pixel = (uint32_t)read_number(reader, "channels_per_pixel");
    map->pixels_per_column = (uint32_t)read_number(reader, "pixels_per_column");
}

static void read_operation(struct reader *reader, enum tma_map_kind kind,
                           struct tma_operation *operation) {
    static const struct tma_name directions[] = {
        {"load", TMA_LOAD}, {"store", TMA_STORE}, {"reduce", TMA_REDUCE}};
    static const enum tma_access_mode modes[] = {[TMA_MAP_TILED] = TMA_ACCESS_TILE,
                                                 [TMA_MAP_IM2COL] = TMA_ACCESS_IM2COL,
                                                 [TMA_MAP_IM2COL_W] = TMA_ACCESS_IM2COL_W,
                                                 [TMA_MAP_IM2COL_W128] = TMA_ACCESS_IM2COL_W128};
    int64_t coordinates[LIST] = {0}, offsets[3] = {0};
    operation->access = modes[kind];
    operation->direction = (enum tma_direction)read_word(reader, "op", directions, 3);
    if (operation->direction == TMA_REDUCE)
        operation->reduction = (enum tma_reduction)read_word(
            reader, "redop", tma_reduction_names.items, tma_reduction_names.count);
    read_list(reader, "coord", LIST, coordinates);
    for (int i = 0; i < LIST; i++)
        operation->coordinates[i] = (int32_t)coordinates[i];
    read_list(reader, "im2col_offset", 3, offsets);
    for (int i = 0; i < 3; i++)
        operation->im2col_offsets[i] = (uint16_t)offsets[i];
    operation->shared_address = (uint32_t)read_number(reader, "smem_offset");
}

static void read_outcome(struct reader *reader, struct tma_operation_record *record) {
    static const struct tma_name outcomes[] = {{"ok", false}, {"fault", true}};
    record->window_bytes = (uint32_t)read_number(reader, "window");
    record->faulted = read_word(reader, "outcome", outcomes, 2);
    if (record->faulted)
        return;
    if (record->operation.direction == TMA_LOAD)
        record->transaction_bytes = (uint32_t)read_number(reader, "tx_bytes");
    else
        record->changed_words = (uint64_t)read_number(reader, "changed_words");
    record->crc = (uint32_t)strtoul(tma_tsv_cell(reader->records, reader->row, "crc"), NULL, 16);
}

enum tma_error_code tma_operation_record_read(const struct tma_tsv *records, size_t row,
                                              struct tma_operation_record *record,
                                              struct tma_error *error) {
    struct reader reader = {records, row, NULL};
    *record = (struct tma_operation_record){0};
    read_map(&reader, &record->map);
    read_operation(&reader, record->map.kind, &record->operation);
    read_outcome(&reader, record);
    if (reader.wrong != NULL)
        return tma_fail(error, TMA_ERROR_SYNTAX, "column %s: \"%s\" is not understood",
                        reader.wrong, tma_tsv_cell(records, row, reader.wrong));
    return TMA_OK;
}
