#include "records/map_record.h"

#include <inttypes.h>
#include <string.h>

#include "tensormap/dump.h"

/* Address of the capture program's buffer on the GPU. */
#define BUFFER_ADDRESS INT64_C(0x7f0000000000)

/* The columns of a map, the fields that they fill, and the number of values in a cell. */
static const struct {
    const char *name;
    enum tma_field field;
    size_t count;
} columns[] = {
    {"dtype", TMA_FIELD_DATA_TYPE, 1},
    {"rank", TMA_FIELD_RANK, 1},
    {"interleave", TMA_FIELD_INTERLEAVE, 1},
    {"swizzle", TMA_FIELD_SWIZZLE, 1},
    {"l2promo", TMA_FIELD_L2_PROMOTION, 1},
    {"oobfill", TMA_FIELD_OOB_FILL, 1},
    {"global_dim", TMA_FIELD_GLOBAL_DIM, TMA_MAX_RANK},
    {"global_stride", TMA_FIELD_GLOBAL_STRIDES, TMA_MAX_RANK - 1},
    {"box_dim", TMA_FIELD_BOX_DIM, TMA_MAX_RANK},
    {"element_stride", TMA_FIELD_ELEMENT_STRIDES, TMA_MAX_RANK},
    {"lower_corner", TMA_FIELD_LOWER_CORNER, 3},
    {"upper_corner", TMA_FIELD_UPPER_CORNER, 3},
    {"channels_per_pixel", TMA_FIELD_CHANNELS_PER_PIXEL, 1},
    {"pixels_per_column", TMA_FIELD_PIXELS_PER_COLUMN, 1},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

bool tma_records_have_maps(const struct tma_tsv *records) {
    for (size_t i = 0; i < COLUMNS; i++)
        if (tma_tsv_column(records, columns[i].name) < 0)
            return false;
    return tma_tsv_column(records, "mode") >= 0 && tma_tsv_column(records, "descriptor") >= 0 &&
           tma_tsv_column(records, "tensor_offset") >= 0;
}

static bool read_kind(const char *mode, struct tma_tensor_map *map) {
    static const char *const modes[] = {"tile", "im2col", "im2col_w", "im2col_w128"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(mode, modes[i]) == 0) {
            map->kind = (enum tma_map_kind)i;
            return true;
        }
    return false;
}

/* Returns false if the field is too narrow for the value. */
static bool set_field(struct tma_tensor_map *map, enum tma_field field, size_t index,
                      int64_t value) {
    bool wide = field == TMA_FIELD_GLOBAL_DIM || field == TMA_FIELD_GLOBAL_STRIDES;
    if (!wide && (value < INT32_MIN || value > UINT32_MAX))
        return false;
    tma_field_set(map, field, index, value);
    return true;
}

enum tma_error_code tma_map_record_read(const struct tma_tsv *records, size_t row,
                                        struct tma_tensor_map *map, struct tma_error *error) {
    *map = (struct tma_tensor_map){0};
    if (!read_kind(tma_tsv_cell(records, row, "mode"), map))
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "mode \"%s\" is unknown; expected tile, im2col, im2col_w or im2col_w128",
                        tma_tsv_cell(records, row, "mode"));
    for (size_t i = 0; i < COLUMNS; i++) {
        int64_t values[TMA_MAX_RANK];
        const char *cell = tma_tsv_cell(records, row, columns[i].name);
        if (tma_parse_list(cell, values, columns[i].count) != columns[i].count)
            return tma_fail(error, TMA_ERROR_SYNTAX, "%s is \"%s\"; expected %zu integers",
                            columns[i].name, cell, columns[i].count);
        for (size_t k = 0; k < columns[i].count; k++)
            if (!set_field(map, columns[i].field, k, values[k]))
                return tma_fail(error, TMA_ERROR_SYNTAX,
                                "%s has %" PRId64 "; expected values of 32 bits", columns[i].name,
                                values[k]);
    }
    int64_t offset;
    const char *cell = tma_tsv_cell(records, row, "tensor_offset");
    if (tma_parse_list(cell, &offset, 1) != 1 || offset < 0 || offset > INT64_MAX - BUFFER_ADDRESS)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "tensor_offset is \"%s\"; expected an integer from 0 to %" PRId64, cell,
                        INT64_MAX - BUFFER_ADDRESS);
    map->global_address = (uint64_t)(BUFFER_ADDRESS + offset);
    return TMA_OK;
}

enum tma_error_code tma_descriptor_record_read(const struct tma_tsv *records, size_t row,
                                               struct tma_descriptor *descriptor,
                                               struct tma_error *error) {
    const char *cell = tma_tsv_cell(records, row, "descriptor");
    return tma_dump_read(cell, strlen(cell), descriptor, NULL, error);
}

bool tma_record_is_accepted(const struct tma_tsv *records, size_t row) {
    return strcmp(tma_tsv_cell(records, row, "encode_rc"), "0") == 0;
}
