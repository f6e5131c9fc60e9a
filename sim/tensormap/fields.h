/* The fields of a tensor map as an enumeration, with their names in struct tma_tensor_map and in
 * YAML. Rules refer to fields, and reports, comparisons and repairs iterate over them. */
#pragma once

#include <stddef.h>

#include "base/api.h"
#include "tensormap/types.h"

TMA_API_BEGIN

enum tma_field {
    TMA_FIELD_KIND,
    TMA_FIELD_DATA_TYPE,
    TMA_FIELD_RANK,
    TMA_FIELD_GLOBAL_ADDRESS,
    TMA_FIELD_GLOBAL_DIM,
    TMA_FIELD_GLOBAL_STRIDES,
    TMA_FIELD_BOX_DIM,
    TMA_FIELD_ELEMENT_STRIDES,
    TMA_FIELD_LOWER_CORNER,
    TMA_FIELD_UPPER_CORNER,
    TMA_FIELD_CHANNELS_PER_PIXEL,
    TMA_FIELD_PIXELS_PER_COLUMN,
    TMA_FIELD_INTERLEAVE,
    TMA_FIELD_SWIZZLE,
    TMA_FIELD_L2_PROMOTION,
    TMA_FIELD_OOB_FILL,
    TMA_FIELD_COUNT
};

struct tma_field_info {
    const char *name;              /* "global_strides" */
    const char *unit;              /* "bytes", "elements", "pixels"; "": no unit */
    const struct tma_names *names; /* of an enumeration's values; NULL: a number */
    bool is_list;
    bool is_signed;
};

/* Never NULL for a field below TMA_FIELD_COUNT. */
const struct tma_field_info *tma_field_info(enum tma_field field);

/* How many values of the field this map uses: as many of a list as its rank requires, 1 of a single
 * value, 0 if this kind of map does not have the field. A rank above TMA_MAX_RANK counts as
 * TMA_MAX_RANK. */
size_t tma_field_count(const struct tma_tensor_map *map, enum tma_field field);

/* Reads or writes one value of a map. index selects a list's element; 0 for a single value. Cast
 * the value of an unsigned field back to uint64_t. */
int64_t tma_field_value(const struct tma_tensor_map *map, enum tma_field field, size_t index);
void tma_field_set(struct tma_tensor_map *map, enum tma_field field, size_t index, int64_t value);

/* Writes a value as text, cut to size - 1 characters: an enumeration's name, an address in hex, any
 * other number in decimal. */
void tma_field_text(enum tma_field field, int64_t value, char *text, size_t size);

/* The same, with an enumeration's name in a style. */
void tma_field_text_in(enum tma_field field, enum tma_name_style style, int64_t value, char *text,
                       size_t size);

/* The tensor's dimension for spatial dimension i (0: W, 1: H, 2: D) of an im2col map. W is
 * dimension 1, because dimension 0 holds the channels; with interleave it is dimension 0, because
 * each pixel holds the channels of a slice. */
static inline size_t tma_spatial_dimension(const struct tma_tensor_map *map, size_t i) {
    return map->interleave == TMA_INTERLEAVE_NONE ? i + 1 : i;
}

TMA_API_END
