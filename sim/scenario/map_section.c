/* Reads the mapping `tensor_maps` into struct tma_tensor_map. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/core/address_map.h"
#include "scenario/map_file.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/schema_describe.h"
#include "tensormap/defaults.h"
#include "tensormap/rules.h"
#include "tensormap/types.h"

/* The struct that the schema fills. */
struct map_input {
    struct tma_tensor_map map;
    struct tma_map_array array;

    /* Lengths of the lists. */
    uint32_t global_dim_count, global_stride_count, box_dim_count, element_stride_count;
    uint32_t lower_corner_count, upper_corner_count;
};

#define IN(member)       offsetof(struct map_input, map.member)
#define COUNT_IN(member) offsetof(struct map_input, member)

static const struct tma_names place_names =
    TMA_NAMES("place of the descriptor", {"parameter", 0}, {"global", 1});

/* How many descriptors fit in the parameters of a kernel (CUDA 12.1 and later). */
enum { PARAMETER_BYTES = 32764, MAP_BYTES = 128, PARAMETER_MAPS = PARAMETER_BYTES / MAP_BYTES };

/* The largest whole number up to which a double is exact. The rules in sim/tensormap check the real
 * limits. */
#define LARGEST_SIZE 9007199254740992.0

static const struct tma_key keys[] = {
    TMA_WORD_KEY("kind", ENUM, tma_map_kind_names, "tiled", IN(kind),
                 "how the driver API encodes the map: cuTensorMapEncodeTiled, "
                 "cuTensorMapEncodeIm2col, or cuTensorMapEncodeIm2colWide with mode W or W128"),
    TMA_WORD_KEY("data_type", ENUM, tma_data_type_names, TMA_REQUIRED, IN(data_type),
                 "type of one element"),
    TMA_NUMBERS_KEY(
        "global_dim", U64, none, 0, LARGEST_SIZE, TMA_MAX_RANK, TMA_REQUIRED, IN(global_dim),
        COUNT_IN(global_dim_count),
        "size of the tensor in each dimension, in elements, innermost dimension first; the "
        "number of entries is the rank"),
    TMA_NUMBERS_KEY("global_strides", U64, driver_bytes, 0, LARGEST_SIZE, TMA_MAX_RANK - 1,
                    tma_optional_list, IN(global_strides), COUNT_IN(global_stride_count),
                    "distance between neighbouring indices of dimensions 1, 2, ..., in bytes; "
                    "dimension 0 is contiguous; default: dense"),
    TMA_NUMBER_KEY("global_address", U64, address, 0, 1152921504606846975.0, TMA_OPTIONAL,
                   IN(global_address),
                   "address of the tensor in global memory; default: behind the tensor of the "
                   "previous map, aligned to 2 MiB"),
    TMA_NUMBERS_KEY("box_dim", U32, none, 0, UINT32_MAX, TMA_MAX_RANK, TMA_OPTIONAL, IN(box_dim),
                    COUNT_IN(box_dim_count),
                    "tiled maps: size of the box in each dimension, in elements"),
    TMA_NUMBERS_KEY(
        "element_strides", U32, none, 0, UINT32_MAX, TMA_MAX_RANK, TMA_OPTIONAL,
        IN(element_strides), COUNT_IN(element_stride_count),
        "distance between the elements that are loaded, in each dimension: 2 loads every "
        "second one; default: 1"),
    TMA_WORD_KEY("interleave", ENUM, tma_interleave_names, "none", IN(interleave),
                 "layout of the channels in global memory: not interleaved, or in slices of 16 or "
                 "32 bytes"),
    TMA_WORD_KEY("swizzle", ENUM, tma_swizzle_or_fit_names, "none", IN(swizzle),
                 "permutation of the tile's bytes in shared memory, against bank conflicts; fit: "
                 "the narrowest mode whose span holds a row of the box, 128b at most, and none for "
                 "rows of 16 bytes"),
    TMA_WORD_KEY("l2_promotion", ENUM, tma_l2_promotion_names, "none", IN(l2_promotion),
                 "size of the blocks that L2 fetches from DRAM on a miss"),
    TMA_WORD_KEY("oob_fill", ENUM, tma_oob_fill_names, "zeros", IN(oob_fill),
                 "value of the elements outside the tensor; nan: the NaN pattern of the type"),
    TMA_NUMBERS_KEY(
        "lower_corner", I32, none, INT32_MIN, INT32_MAX, 3, TMA_OPTIONAL, IN(lower_corner),
        COUNT_IN(lower_corner_count),
        "im2col maps: offset of the bounding box from the image's first pixel, in pixels; "
        "W, H, D"),
    TMA_NUMBERS_KEY(
        "upper_corner", I32, none, INT32_MIN, INT32_MAX, 3, TMA_OPTIONAL, IN(upper_corner),
        COUNT_IN(upper_corner_count),
        "im2col maps: offset of the bounding box from the image's last pixel, in pixels; W, H, D"),
    TMA_NUMBER_KEY("channels_per_pixel", U32, none, 0, UINT32_MAX, TMA_OPTIONAL,
                   IN(channels_per_pixel),
                   "im2col maps: channels that one operation loads of each pixel, in elements"),
    TMA_NUMBER_KEY("pixels_per_column", U32, none, 0, UINT32_MAX, TMA_OPTIONAL,
                   IN(pixels_per_column), "im2col maps: pixels that one operation loads"),
    TMA_NUMBER_KEY(
        "count", U32, none, 1, 65536, "1", COUNT_IN(array.count),
        "number of such maps, one for each of as many tensors; the tensors lie one behind "
        "the other, each aligned to 128 bytes; a walk visits all tiles of one tensor, then "
        "of the next"),
    TMA_WORD_KEY("descriptor", BOOL, place_names, "parameter", COUNT_IN(array.global),
                 "where the map itself lies; parameter: in a `__grid_constant__` parameter of the "
                 "kernel; global: in global memory"),
};

const struct tma_schema tma_map_schema = TMA_SCHEMA(keys);

/* Keys that only tiled or only im2col maps have. */
static const struct family_key {
    const char *key;
    bool tiled; /* the key is for tiled maps, else for im2col maps */
} family_keys[] = {
    {"box_dim", true},
    {"lower_corner", false},
    {"upper_corner", false},
    {"channels_per_pixel", false},
    {"pixels_per_column", false},
};

/* Writes the path of a map, or of one of its keys, as --set takes it: "tensor_maps.A.box_dim"; for
 * a document with a single map "tensor_map.box_dim" or "box_dim". */
static void map_path(const struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                     const char *key, char path[TMA_PATH_BYTES]) {
    if (reader->single_map == NULL)
        snprintf(path, TMA_PATH_BYTES, "tensor_maps.%.*s", tma_text_cut(node->key, 60), node->key);
    else
        snprintf(path, TMA_PATH_BYTES, "%.60s", reader->single_map);
    size_t length = strlen(path);
    if (key[0] != '\0')
        snprintf(path + length, TMA_PATH_BYTES - length, "%s%s", length == 0 ? "" : ".", key);
}

static bool check_family(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                         const struct tma_tensor_map *map) {
    bool tiled = map->kind == TMA_MAP_TILED, good = true;
    const char *kind = tma_name_of(&tma_map_kind_names, (int)map->kind);
    for (size_t i = 0; i < sizeof family_keys / sizeof family_keys[0]; i++) {
        const struct family_key *rule = &family_keys[i];
        bool given = tma_yaml_find(node, rule->key) != NULL;
        if (given == (rule->tiled == tiled))
            continue;
        bool ignored =
            map->kind == TMA_MAP_IM2COL_W128 && strcmp(rule->key, "pixels_per_column") == 0;
        if (!given && ignored)
            continue;
        char path[TMA_PATH_BYTES];
        map_path(reader, node, rule->key, path);
        good = false;
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(node, rule->key),
                     given ? "%s is only for %s maps; kind is %s"
                           : "%s is missing; %s maps need it; kind is %s",
                     path, rule->tiled ? "tiled" : "im2col", kind);
    }
    return good;
}

static bool check_length(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                         const char *key, uint32_t length, uint32_t expected, const char *why) {
    if (tma_yaml_find(node, key) == NULL || length == expected)
        return true;
    char path[TMA_PATH_BYTES];
    map_path(reader, node, key, path);
    if (expected == 0)
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(node, key),
                     "%s has length %u; a tensor of rank 1 has none: leave it out, or write []",
                     path, length);
    else
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(node, key),
                     "%s has length %u; expected %u, %s", path, length, expected, why);
    return false;
}

/* Returns the number of entries of lower_corner and upper_corner: one for each spatial dimension in
 * im2col mode, one for W in the im2col_w modes. */
static uint32_t corner_count(enum tma_map_kind kind, uint32_t rank) {
    return kind != TMA_MAP_IM2COL || rank < 3 ? 1 : rank - 2;
}

static bool check_lengths(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                          const struct map_input *input) {
    static const char dims[] = "one for each entry of global_dim";
    static const char strides[] = "one for each entry of global_dim but the first";
    static const char spatial[] = "one for each spatial dimension";
    uint32_t rank = input->global_dim_count;
    uint32_t corners = corner_count(input->map.kind, rank);
    bool good =
        check_length(reader, node, "global_strides", input->global_stride_count, rank - 1, strides);
    good = check_length(reader, node, "box_dim", input->box_dim_count, rank, dims) && good;
    good = check_length(reader, node, "element_strides", input->element_stride_count, rank, dims) &&
           good;
    good =
        check_length(reader, node, "lower_corner", input->lower_corner_count, corners, spatial) &&
        good;
    good =
        check_length(reader, node, "upper_corner", input->upper_corner_count, corners, spatial) &&
        good;
    return good;
}

static void fill_defaults(const struct tma_yaml_node *node, struct tma_tensor_map *map) {
    if (tma_yaml_find(node, "element_strides") == NULL)
        for (uint32_t d = 0; d < map->rank; d++)
            map->element_strides[d] = 1;
    if (map->kind == TMA_MAP_IM2COL_W128 && tma_yaml_find(node, "pixels_per_column") == NULL)
        map->pixels_per_column = 128; /* the mode has no other number, and ignores this one */
    if (tma_yaml_find(node, "global_strides") == NULL)
        tma_tensor_map_set_dense(map);
}

static bool read_map(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                     struct tma_tensor_map *map, struct tma_map_array *array) {
    struct map_input input = {0};
    char context[TMA_PATH_BYTES];
    map_path(reader, node, "", context);
    input.map.global_address = TMA_AUTO_ADDRESS;
    if (!tma_schema_read(&tma_map_schema, node, context, &input, reader->list))
        return false;
    input.map.rank = input.global_dim_count;
    if ((int)input.map.swizzle == TMA_SWIZZLE_FIT)
        input.map.swizzle = tma_fitting_swizzle(&input.map);
    bool good = check_family(reader, node, &input.map);
    good = check_lengths(reader, node, &input) && good;
    if (good)
        fill_defaults(node, &input.map);
    *map = input.map;
    *array = input.array;
    return good;
}

bool tma_map_read_node(const struct tma_yaml_node *node, const char *context,
                       struct tma_tensor_map *map, struct tma_diagnostics *list) {
    struct tma_scenario_reader reader = {.list = list, .single_map = context};
    struct tma_map_array array;
    return read_map(&reader, node, map, &array);
}

/* Checks a map's name: a single word, because it is a step of a path in --set. */
static bool check_name(struct tma_scenario_reader *reader, const struct tma_yaml_node *node) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strlen(node->key);
    if (length > 0 && length < TMA_MAX_NAME && strspn(node->key, allowed) == length)
        return true;
    return tma_diagnose(
        reader->list, TMA_ERROR_SYNTAX, node->key_at,
        "\"%.*s\" is not a valid name of a tensor map; expected 1 to %d letters, digits or _",
        tma_text_cut(node->key, 64), node->key, TMA_MAX_NAME - 1);
}

/* Finds where each map stands among the names. */
static void find_places(struct tma_scenario *scenario) {
    struct tma_workload *workload = &scenario->workload;
    for (uint32_t i = 0; i < workload->map_count; i++) {
        workload->map_places[i] = 0;
        for (uint32_t other = 0; other < workload->map_count; other++)
            workload->map_places[i] =
                (uint8_t)(workload->map_places[i] +
                          (strcmp(scenario->map_names[other], scenario->map_names[i]) < 0));
    }
}

void tma_read_maps(struct tma_scenario_reader *reader, const struct tma_yaml_node *maps) {
    struct tma_workload *workload = &reader->scenario->workload;
    for (const struct tma_yaml_node *node = maps->first; node != NULL; node = node->next) {
        uint32_t index = workload->map_count;
        if (index == TMA_MAX_TENSOR_MAPS) {
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->key_at,
                         "tensor_maps has too many entries; allowed: %d", TMA_MAX_TENSOR_MAPS);
            break;
        }
        reader->scenario->map_names[index] = node->key;
        reader->map_valid[index] = check_name(reader, node);
        reader->map_valid[index] &=
            read_map(reader, node, &workload->maps[index], &workload->arrays[index]);
        workload->map_count++;
    }
    find_places(reader->scenario);
}

void tma_map_describe(const struct tma_tensor_map *map, const struct tma_map_array *array,
                      const struct tma_describer *describer) {
    bool tiled = map->kind == TMA_MAP_TILED;
    uint32_t corners = tiled ? 0 : corner_count(map->kind, map->rank);
    struct map_input input = {
        .map = *map,
        .array = *array,
        .global_dim_count = map->rank,
        .global_stride_count = map->rank - 1,
        .box_dim_count = tiled ? map->rank : 0,
        .element_stride_count = map->rank,
        .lower_corner_count = corners,
        .upper_corner_count = corners,
    };
    tma_schema_describe(&tma_map_schema, &input, describer);
}

static bool check_rules(struct tma_scenario_reader *reader, const char *name,
                        const struct tma_tensor_map *map) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    enum tma_architecture architecture = reader->scenario->machine.architecture;
    size_t count = tma_tensor_map_check(map, architecture, violations, TMA_MAX_VIOLATIONS);
    for (size_t i = 0; i < count; i++) {
        const struct tma_violation *violation = &violations[i];
        char path[TMA_PATH_BYTES], text[TMA_ERROR_TEXT_BYTES];
        const char *field = tma_field_info(violation->field)->name;
        snprintf(path, sizeof path, "tensor_maps.%.60s.%s.%d", name, field, violation->index);
        tma_violation_text(violation, text, sizeof text);
        tma_scenario_diagnose(reader, path, "tensor_maps.%s: %s", name, text);
    }
    return count == 0;
}

/* Checks that all tensors of a map's array lie below the highest address that the model of L2
 * supports. */
static void check_extent(struct tma_scenario_reader *reader, uint32_t index) {
    const struct tma_workload *workload = &reader->scenario->workload;
    const struct tma_map_array *array = &workload->arrays[index];
    uint64_t address = workload->maps[index].global_address, limit = TMA_L2_ADDRESS_LIMIT;
    const char *name = reader->scenario->map_names[index];
    char path[TMA_PATH_BYTES];
    if (array->count == 1 ||
        (address < limit && array->pitch_bytes <= (limit - address) / array->count))
        return;
    snprintf(path, sizeof path, "tensor_maps.%.60s.count", name);
    tma_scenario_diagnose(
        reader, path,
        "%s: %u tensors of %llu bytes from address 0x%llx exceed the highest address, "
        "0x%llx",
        path, array->count, (unsigned long long)array->pitch_bytes, (unsigned long long)address,
        (unsigned long long)limit);
}

/* Checks that all descriptors that are kernel parameters fit in there. */
static void check_parameters(struct tma_scenario_reader *reader) {
    const struct tma_workload *workload = &reader->scenario->workload;
    uint64_t maps = 0;
    for (uint32_t i = 0; i < workload->map_count; i++) {
        const char *name = reader->scenario->map_names[i];
        char path[TMA_PATH_BYTES];
        uint64_t before = maps;
        if (!workload->arrays[i].global)
            maps += workload->arrays[i].count;
        if (before > PARAMETER_MAPS || maps <= PARAMETER_MAPS)
            continue;
        snprintf(path, sizeof path, "tensor_maps.%.60s.count", name);
        tma_scenario_diagnose(
            reader, path,
            "tensor_maps: %s and the maps before it are %llu kernel parameters; allowed: %d "
            "(%d bytes of parameters); use descriptor: global for the others",
            name, (unsigned long long)maps, PARAMETER_MAPS, PARAMETER_BYTES);
    }
}

void tma_check_maps(struct tma_scenario_reader *reader) {
    const struct tma_scenario *scenario = reader->scenario;
    check_parameters(reader);
    for (uint32_t i = 0; i < scenario->workload.map_count && reader->machine_valid; i++)
        if (reader->map_valid[i])
            reader->map_valid[i] =
                check_rules(reader, scenario->map_names[i], &scenario->workload.maps[i]);
    for (uint32_t i = 0; i < scenario->workload.map_count; i++)
        if (reader->map_valid[i])
            check_extent(reader, i);
}
