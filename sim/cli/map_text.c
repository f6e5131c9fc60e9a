#include "cli/map_text.h"

#include <string.h>

#include "report/decimal.h"
#include "tensormap/map_difference.h"

enum { VALUE_BYTES = 128, NAME_COLUMN = 20, VALUE_COLUMN = 36 };

/* The values of a field, "64, 8, 2"; "-" where the map does not have the field. */
static void field_text(const struct tma_tensor_map *map, enum tma_name_style style,
                       enum tma_field field, char text[VALUE_BYTES]) {
    size_t used = 0;
    strcpy(text, "-");
    for (size_t i = 0; i < tma_field_count(map, field); i++) {
        char value[64];
        tma_field_text_in(field, style, tma_field_value(map, field, i), value, sizeof value);
        used +=
            (size_t)snprintf(text + used, VALUE_BYTES - used, "%s%s", i == 0 ? "" : ", ", value);
    }
}

void cli_map_text(const struct tma_tensor_map *map, enum tma_name_style style, FILE *out) {
    for (unsigned field = 0; field < TMA_FIELD_COUNT; field++) {
        char text[VALUE_BYTES];
        if (tma_field_count(map, field) == 0)
            continue;
        field_text(map, style, field, text);
        fprintf(out, "%-*s%s\n", NAME_COLUMN, tma_field_info(field)->name, text);
    }
}

size_t cli_maps_text(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                     enum tma_name_style style, FILE *out) {
    size_t different = 0;
    for (unsigned field = 0; field < TMA_FIELD_COUNT; field++) {
        char left[VALUE_BYTES], right[VALUE_BYTES];
        if (tma_field_count(a, field) == 0 && tma_field_count(b, field) == 0)
            continue;
        field_text(a, style, field, left);
        field_text(b, style, field, right);
        bool differs = strcmp(left, right) != 0;
        different += differs;
        fprintf(out, "%c %-*s%-*s %s\n", differs ? '*' : ' ', NAME_COLUMN,
                tma_field_info(field)->name, VALUE_COLUMN, left, right);
    }
    return different;
}

void cli_value_json(struct tma_json *json, const char *key, enum tma_name_style style,
                    enum tma_field field, int64_t value) {
    const struct tma_names *names = tma_field_info(field)->names;
    char text[64];
    if (names != NULL && strcmp(tma_name_of(names, (int)value), "?") != 0) {
        tma_field_text_in(field, style, value, text, sizeof text);
        tma_json_string(json, key, text);
    } else if (tma_field_info(field)->is_signed) {
        tma_json_decimal(json, key, (double)value, 0);
    } else {
        tma_json_unsigned(json, key, (uint64_t)value);
    }
}

void cli_map_json(const struct tma_tensor_map *map, enum tma_name_style style, const char *key,
                  struct tma_json *json) {
    tma_json_begin_object(json, key);
    for (unsigned field = 0; field < TMA_FIELD_COUNT; field++) {
        const struct tma_field_info *info = tma_field_info(field);
        size_t count = tma_field_count(map, field);
        if (count == 0 || field == TMA_FIELD_RANK) /* the length of global_dim is the rank */
            continue;
        if (!info->is_list) {
            cli_value_json(json, info->name, style, field, tma_field_value(map, field, 0));
            continue;
        }
        tma_json_begin_list(json, info->name);
        for (size_t i = 0; i < count; i++)
            cli_value_json(json, NULL, style, field, tma_field_value(map, field, i));
        tma_json_end_array(json);
    }
    tma_json_end_object(json);
}

void cli_differences_json(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                          enum tma_name_style style, const char *key, struct tma_json *json) {
    static const char *const sides[] = {"a", "b"};
    struct tma_map_difference differences[TMA_MAX_DIFFERENCES];
    size_t count = tma_tensor_map_compare(a, b, differences, TMA_MAX_DIFFERENCES);
    tma_json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) {
        const struct tma_map_difference *difference = &differences[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "field", tma_field_info(difference->field)->name);
        if (difference->index < 0)
            tma_json_null(json, "index");
        else
            tma_json_unsigned(json, "index", (uint64_t)difference->index);
        for (size_t side = 0; side < 2; side++)
            if (difference->has[side])
                cli_value_json(json, sides[side], style, difference->field,
                               difference->values[side]);
            else
                tma_json_null(json, sides[side]);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}
