/* The fields of a tensor map by number, named as in struct tma_tensor_map, in YAML and in the
 * driver API: what rules name, and what reports, comparisons and repairs iterate over. */
#ifndef TMA_TENSORMAP_FIELDS_H
#define TMA_TENSORMAP_FIELDS_H

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
    const char *unit;              /* "bytes", "elements", "pixels"; "" where it has none */
    const struct tma_names *names; /* of an enumeration's values; NULL elsewhere */
    bool is_list;
    bool is_signed;
};

/* Never NULL for a field below TMA_FIELD_COUNT. */
const struct tma_field_info *tma_field_info(enum tma_field field);

/* How many values of the field count in this map: its rank's worth of a list, 1 for a single value,
 * 0 where this kind of map does not have the field. Ranks above TMA_MAX_RANK count as that. */
size_t tma_field_count(const struct tma_tensor_map *map, enum tma_field field);

/* Reads or writes one value of a map. index is that of a list's element, 0 for a single value.
 * Values are the field's own in 64 bits: of an unsigned field, cast the value back to uint64_t. */
int64_t tma_field_value(const struct tma_tensor_map *map, enum tma_field field, size_t index);
void tma_field_set(struct tma_tensor_map *map, enum tma_field field, size_t index, int64_t value);

/* Writes a value as text: an enumeration's name (its number where it has none), an address in hex,
 * else decimal. */
void tma_field_text(enum tma_field field, int64_t value, char *text, size_t size);

/* The dimension of the tensor that spatial dimension i (W, H, D) of an im2col map is: W is
 * dimension 1 behind the channels, or 0 with an interleaved layout (the channels of a slice are
 * inside a pixel there). */
static inline size_t tma_spatial_dimension(const struct tma_tensor_map *map, size_t i) {
    return map->interleave == TMA_INTERLEAVE_NONE ? i + 1 : i;
}

TMA_API_END

#endif
