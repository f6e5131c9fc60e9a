#include "tensormap/fields.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"

/* The position of a field in struct tma_tensor_map. */
struct field_place {
    size_t offset;
    size_t bytes; /* of one value: 4 or 8 */
    size_t length;
};

#define SINGLE(member)                                                                             \
    { offsetof(struct tma_tensor_map, member), sizeof((struct tma_tensor_map *)0)->member, 1 }
#define LIST(member)                                                                               \
    {                                                                                              \
        offsetof(struct tma_tensor_map, member), sizeof((struct tma_tensor_map *)0)->member[0],    \
            sizeof((struct tma_tensor_map *)0)->member /                                           \
                sizeof((struct tma_tensor_map *)0)->member[0]                                      \
    }

static const struct field_place places[TMA_FIELD_COUNT] = {
    [TMA_FIELD_KIND] = SINGLE(kind),
    [TMA_FIELD_DATA_TYPE] = SINGLE(data_type),
    [TMA_FIELD_RANK] = SINGLE(rank),
    [TMA_FIELD_GLOBAL_ADDRESS] = SINGLE(global_address),
    [TMA_FIELD_GLOBAL_DIM] = LIST(global_dim),
    [TMA_FIELD_GLOBAL_STRIDES] = LIST(global_strides),
    [TMA_FIELD_BOX_DIM] = LIST(box_dim),
    [TMA_FIELD_ELEMENT_STRIDES] = LIST(element_strides),
    [TMA_FIELD_LOWER_CORNER] = LIST(lower_corner),
    [TMA_FIELD_UPPER_CORNER] = LIST(upper_corner),
    [TMA_FIELD_CHANNELS_PER_PIXEL] = SINGLE(channels_per_pixel),
    [TMA_FIELD_PIXELS_PER_COLUMN] = SINGLE(pixels_per_column),
    [TMA_FIELD_INTERLEAVE] = SINGLE(interleave),
    [TMA_FIELD_SWIZZLE] = SINGLE(swizzle),
    [TMA_FIELD_L2_PROMOTION] = SINGLE(l2_promotion),
    [TMA_FIELD_OOB_FILL] = SINGLE(oob_fill),
};

static const struct tma_field_info infos[TMA_FIELD_COUNT] = {
    [TMA_FIELD_KIND] = {"kind", "", &tma_map_kind_names, false, false},
    [TMA_FIELD_DATA_TYPE] = {"data_type", "", &tma_data_type_names, false, false},
    [TMA_FIELD_RANK] = {"rank", "", NULL, false, false},
    [TMA_FIELD_GLOBAL_ADDRESS] = {"global_address", "", NULL, false, false},
    [TMA_FIELD_GLOBAL_DIM] = {"global_dim", "elements", NULL, true, false},
    [TMA_FIELD_GLOBAL_STRIDES] = {"global_strides", "bytes", NULL, true, false},
    [TMA_FIELD_BOX_DIM] = {"box_dim", "elements", NULL, true, false},
    [TMA_FIELD_ELEMENT_STRIDES] = {"element_strides", "elements", NULL, true, false},
    [TMA_FIELD_LOWER_CORNER] = {"lower_corner", "pixels", NULL, true, true},
    [TMA_FIELD_UPPER_CORNER] = {"upper_corner", "pixels", NULL, true, true},
    [TMA_FIELD_CHANNELS_PER_PIXEL] = {"channels_per_pixel", "elements", NULL, false, false},
    [TMA_FIELD_PIXELS_PER_COLUMN] = {"pixels_per_column", "pixels", NULL, false, false},
    [TMA_FIELD_INTERLEAVE] = {"interleave", "", &tma_interleave_names, false, false},
    [TMA_FIELD_SWIZZLE] = {"swizzle", "", &tma_swizzle_names, false, false},
    [TMA_FIELD_L2_PROMOTION] = {"l2_promotion", "", &tma_l2_promotion_names, false, false},
    [TMA_FIELD_OOB_FILL] = {"oob_fill", "", &tma_oob_fill_names, false, false},
};

const struct tma_field_info *tma_field_info(enum tma_field field) {
    assert((unsigned)field < TMA_FIELD_COUNT);
    return &infos[field];
}

static size_t corner_count(enum tma_map_kind kind, size_t rank) {
    switch (kind) {
    case TMA_MAP_IM2COL:
        return rank < 3 ? 0 : rank - 2;
    case TMA_MAP_IM2COL_W:
    case TMA_MAP_IM2COL_W128:
        return 1;
    default:
        return 0;
    }
}

size_t tma_field_count(const struct tma_tensor_map *map, enum tma_field field) {
    size_t rank = map->rank > TMA_MAX_RANK ? TMA_MAX_RANK : map->rank;
    bool tiled = map->kind == TMA_MAP_TILED;
    switch (field) {
    case TMA_FIELD_GLOBAL_DIM:
    case TMA_FIELD_ELEMENT_STRIDES:
        return rank;
    case TMA_FIELD_GLOBAL_STRIDES:
        return rank < 1 ? 0 : rank - 1;
    case TMA_FIELD_BOX_DIM:
        return tiled ? rank : 0;
    case TMA_FIELD_LOWER_CORNER:
    case TMA_FIELD_UPPER_CORNER:
        return corner_count(map->kind, rank);
    case TMA_FIELD_CHANNELS_PER_PIXEL:
    case TMA_FIELD_PIXELS_PER_COLUMN:
        return tiled ? 0 : 1;
    default:
        return 1;
    }
}

static size_t value_offset(enum tma_field field, size_t index) {
    assert((unsigned)field < TMA_FIELD_COUNT && index < places[field].length);
    return places[field].offset + index * places[field].bytes;
}

int64_t tma_field_value(const struct tma_tensor_map *map, enum tma_field field, size_t index) {
    const char *from = (const char *)map + value_offset(field, index);
    if (places[field].bytes == sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, from, sizeof value);
        return (int64_t)value;
    }
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return infos[field].is_signed ? (int64_t)(int32_t)value : (int64_t)value;
}

void tma_field_set(struct tma_tensor_map *map, enum tma_field field, size_t index, int64_t value) {
    char *to = (char *)map + value_offset(field, index);
    if (places[field].bytes == sizeof(uint64_t)) {
        memcpy(to, &value, sizeof value);
        return;
    }
    uint32_t narrow = (uint32_t)value;
    memcpy(to, &narrow, sizeof narrow);
}

void tma_field_text(enum tma_field field, int64_t value, char *text, size_t size) {
    tma_field_text_in(field, TMA_NAMES_SHORT, value, text, size);
}

void tma_field_text_in(enum tma_field field, enum tma_name_style style, int64_t value, char *text,
                       size_t size) {
    const struct tma_field_info *info = tma_field_info(field);
    const char *name = info->names == NULL ? "?" : tma_name_in(info->names, style, (int)value);
    char number[TMA_DIGITS_BYTES + 2];
    const char *written = number;
    if (strcmp(name, "?") != 0)
        written = name;
    else if (field == TMA_FIELD_GLOBAL_ADDRESS)
        snprintf(number, sizeof number, "0x%" PRIx64, (uint64_t)value);
    else
        written = info->is_signed ? tma_signed_digits(value, number)
                                  : tma_unsigned_digits((uint64_t)value, number);
    size_t length = strlen(written);
    length = length < size ? length : size - 1;
    memcpy(text, written, length);
    text[length] = '\0';
}
