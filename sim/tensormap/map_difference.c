#include "tensormap/map_difference.h"

/* Sets the value of one of the two maps. */
static void side_of(struct tma_map_difference *difference, size_t side,
                    const struct tma_tensor_map *map, size_t index) {
    difference->has[side] = index < tma_field_count(map, difference->field);
    difference->values[side] =
        difference->has[side] ? tma_field_value(map, difference->field, index) : 0;
}

size_t tma_tensor_map_compare(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                              struct tma_map_difference *differences, size_t capacity) {
    size_t count = 0;
    for (unsigned field = 0; field < TMA_FIELD_COUNT; field++) {
        size_t length = tma_field_count(a, field), other = tma_field_count(b, field);
        for (size_t i = 0; i < (length > other ? length : other); i++) {
            struct tma_map_difference difference = {
                .field = field, .index = tma_field_info(field)->is_list ? (int)i : -1};
            side_of(&difference, 0, a, i);
            side_of(&difference, 1, b, i);
            if (difference.has[0] == difference.has[1] &&
                difference.values[0] == difference.values[1])
                continue;
            if (count < capacity)
                differences[count] = difference;
            count++;
        }
    }
    return count;
}
