/* Compares two tensor maps field by field. */
#pragma once

#include "base/api.h"
#include "tensormap/fields.h"

TMA_API_BEGIN

struct tma_map_difference {
    enum tma_field field;
    int index;         /* of the list's element; -1: the field is a single value */
    bool has[2];       /* does this map have the value? */
    int64_t values[2]; /* as tma_field_value returns them; 0 for a map without the value */
};

enum { TMA_MAX_DIFFERENCES = 40 };

/* Writes the first `capacity` differences in the order of the fields, and returns how many there
 * are. A value that only one of the maps has is a difference. */
size_t tma_tensor_map_compare(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                              struct tma_map_difference *differences, size_t capacity);

TMA_API_END
