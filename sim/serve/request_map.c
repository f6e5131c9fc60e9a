/* The tensor map of a request. */
#include <stdio.h>

#include "serve/request.h"
#include "tensormap/architectures.h"
#include "tensormap/defaults.h"
#include "tensormap/rules.h"

bool tma_request_choice(const struct tma_request *request, unsigned key,
                        const struct tma_names *names, int *value,
                        struct tma_request_error *error) {
    char allowed[TMA_ERROR_TEXT_BYTES / 2];
    size_t used = 0;
    if (!tma_request_has(request, key) || tma_value_of(names, request->words[key].text, value))
        return true;
    allowed[0] = '\0';
    for (size_t i = 0; i < names->count && used < sizeof allowed; i++) {
        int length = snprintf(allowed + used, sizeof allowed - used, "%s%s", i == 0 ? "" : ", ",
                              names->items[i].name);
        used += length < 0 ? 0 : (size_t)length;
    }
    return tma_request_fail(error, request, key, "%s is \"%.80s\"; allowed: %s",
                            tma_request_key_name(key), request->words[key].text, allowed);
}

/* How many values a list has, for the map's kind and rank. */
static bool check_count(const struct tma_request *request, const struct tma_tensor_map *map,
                        enum tma_field field, struct tma_request_error *error) {
    size_t expected = tma_field_count(map, field), count = request->values[field].count;
    if (expected == count || !tma_field_info(field)->is_list)
        return true;
    return tma_request_fail(error, request, field, "%s has length %zu; expected %zu",
                            tma_request_key_name(field), count, expected);
}

/* The largest value of a field's type. */
static uint64_t most_of(enum tma_field field) {
    switch (field) {
    case TMA_FIELD_GLOBAL_ADDRESS:
    case TMA_FIELD_GLOBAL_DIM:
    case TMA_FIELD_GLOBAL_STRIDES:
        return UINT64_MAX;
    case TMA_FIELD_LOWER_CORNER:
    case TMA_FIELD_UPPER_CORNER:
        return INT32_MAX;
    default:
        return UINT32_MAX;
    }
}

static bool set_field(const struct tma_request *request, enum tma_field field,
                      struct tma_tensor_map *map, struct tma_request_error *error) {
    const struct tma_field_info *info = tma_field_info(field);
    if (info->names != NULL) {
        int value = 0;
        const struct tma_names *names =
            field == TMA_FIELD_SWIZZLE ? &tma_swizzle_or_fit_names : info->names;
        if (!tma_request_choice(request, field, names, &value, error))
            return false;
        tma_field_set(map, field, 0, value);
        return true;
    }
    uint64_t most = most_of(field);
    for (uint32_t i = 0; i < request->values[field].count; i++) {
        int64_t value = request->numbers[field][i];
        bool fits = info->is_signed ? value >= INT32_MIN && value <= (int64_t)most
                                    : (uint64_t)value <= most;
        if (!fits)
            return tma_request_fail(error, request, field, "%s does not fit its 32 bits",
                                    tma_request_key_name(field));
        tma_field_set(map, field, i, value);
    }
    return true;
}

/* Fields that a map must have, and those that it must not have, by its kind. */
static bool check_family(const struct tma_request *request, const struct tma_tensor_map *map,
                         struct tma_request_error *error) {
    static const struct {
        enum tma_field field;
        bool tiled;
    } family[] = {{TMA_FIELD_BOX_DIM, true},
                  {TMA_FIELD_LOWER_CORNER, false},
                  {TMA_FIELD_UPPER_CORNER, false},
                  {TMA_FIELD_CHANNELS_PER_PIXEL, false},
                  {TMA_FIELD_PIXELS_PER_COLUMN, false}};
    bool tiled = map->kind == TMA_MAP_TILED;
    for (size_t i = 0; i < sizeof family / sizeof family[0]; i++) {
        enum tma_field field = family[i].field;
        bool given = tma_request_has(request, field);
        if (given == (family[i].tiled == tiled) ||
            (map->kind == TMA_MAP_IM2COL_W128 && field == TMA_FIELD_PIXELS_PER_COLUMN))
            continue;
        return tma_request_fail(error, request, field,
                                given ? "%s is not for %s maps" : "%s is missing; %s maps need it",
                                tma_request_key_name(field),
                                tma_name_of(&tma_map_kind_names, (int)map->kind));
    }
    return true;
}

static void fill_defaults(const struct tma_request *request, struct tma_tensor_map *map) {
    if (!tma_request_has(request, TMA_FIELD_ELEMENT_STRIDES))
        for (uint32_t d = 0; d < map->rank; d++)
            map->element_strides[d] = 1;
    if (map->kind == TMA_MAP_IM2COL_W128 && !tma_request_has(request, TMA_FIELD_PIXELS_PER_COLUMN))
        map->pixels_per_column = 128; /* the mode has no other number, and ignores this one */
    if (!tma_request_has(request, TMA_FIELD_GLOBAL_STRIDES))
        tma_tensor_map_set_dense(map);
    if ((int)map->swizzle == TMA_SWIZZLE_FIT)
        map->swizzle = tma_fitting_swizzle(map);
}

bool tma_request_map(const struct tma_request *request, struct tma_tensor_map *map,
                     struct tma_request_error *error) {
    static const enum tma_field needed[] = {TMA_FIELD_DATA_TYPE, TMA_FIELD_GLOBAL_DIM};
    *map = (struct tma_tensor_map){0};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!tma_request_has(request, needed[i]))
            return tma_request_fail(error, request, needed[i], "%s is missing",
                                    tma_request_key_name(needed[i]));
    for (int field = 0; field < TMA_FIELD_COUNT; field++)
        if (tma_request_has(request, (unsigned)field) &&
            !set_field(request, (enum tma_field)field, map, error))
            return false;
    uint32_t rank = request->values[TMA_FIELD_GLOBAL_DIM].count;
    if (rank == 0)
        return tma_request_fail(error, request, TMA_FIELD_GLOBAL_DIM, "global_dim is empty");
    if (tma_request_has(request, TMA_FIELD_RANK) && map->rank != rank)
        return tma_request_fail(error, request, TMA_FIELD_RANK,
                                "rank is %u, and global_dim has length %u", map->rank, rank);
    map->rank = rank;
    if (!check_family(request, map, error))
        return false;
    for (int field = 0; field < TMA_FIELD_COUNT; field++)
        if (tma_request_has(request, (unsigned)field) &&
            !check_count(request, map, (enum tma_field)field, error))
            return false;
    fill_defaults(request, map);
    return true;
}

bool tma_request_architecture(const struct tma_request *request, int *architecture,
                              struct tma_request_error *error) {
    *architecture = TMA_SM_90;
    return tma_request_choice(request, TMA_REQUEST_ARCH, &tma_architecture_names, architecture,
                              error);
}

bool tma_request_legal_map(const struct tma_request *request, struct tma_tensor_map *map,
                           struct tma_request_error *error) {
    struct tma_violation violation;
    char text[TMA_ERROR_TEXT_BYTES];
    int architecture;
    if (!tma_request_architecture(request, &architecture, error) ||
        !tma_request_map(request, map, error))
        return false;
    if (tma_tensor_map_check(map, (enum tma_architecture)architecture, &violation, 1) == 0)
        return true;
    tma_violation_text(&violation, text, sizeof text);
    tma_request_fail(error, request, violation.field, "%.400s", text);
    error->code = TMA_ERROR_TENSOR_MAP;
    return false;
}
