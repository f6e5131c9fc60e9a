/* Reads the list `workload.operations`: the TMA operations of each stage. */
#include <stdio.h>
#include <string.h>

#include "placement/operation_words.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/schema_describe.h"
#include "scenario/suggestion.h"

enum { AUTO_ACCESS = -1, NO_REDUCTION = -1, ALL_RANKS = UINT16_MAX };

static const struct tma_names auto_names = TMA_NAMES("size", {"auto", -1});
static const struct tma_names ranks_names = TMA_NAMES("CTAs of the cluster", {"all", ALL_RANKS});
static const struct tma_names order_names =
    TMA_NAMES("walk order", {"grid_strided", TMA_WALK_GRID_STRIDED}, {"blocked", TMA_WALK_BLOCKED},
              {"same", TMA_WALK_SAME}, {"fixed", TMA_WALK_FIXED});

static const struct tma_names access_words =
    TMA_NAMES("access", {"auto", AUTO_ACCESS}, {"tile", TMA_ACCESS_TILE},
              {"gather4", TMA_ACCESS_GATHER4}, {"im2col", TMA_ACCESS_IM2COL},
              {"im2col_w", TMA_ACCESS_IM2COL_W}, {"im2col_w128", TMA_ACCESS_IM2COL_W128});

static const struct tma_name reduction_items[] = {{"add", TMA_REDUCE_ADD}, {"min", TMA_REDUCE_MIN},
                                                  {"max", TMA_REDUCE_MAX}, {"inc", TMA_REDUCE_INC},
                                                  {"dec", TMA_REDUCE_DEC}, {"and", TMA_REDUCE_AND},
                                                  {"or", TMA_REDUCE_OR},   {"xor", TMA_REDUCE_XOR}};
const struct tma_names tma_reduction_words = {"reduction", reduction_items, 8};

/* The struct that the schema fills. */
struct operation_input {
    struct tma_stage_operation stage;
    int32_t access;                  /* or AUTO_ACCESS */
    int32_t reduction;               /* or NO_REDUCTION */
    uint16_t ranks[TMA_MAX_CLUSTER]; /* or ALL_RANKS alone */

    /* The name of the map, in the key that the operation has. */
    char load[TMA_MAX_NAME], store[TMA_MAX_NAME], reduce[TMA_MAX_NAME], prefetch[TMA_MAX_NAME];

    /* Lengths of the lists. */
    uint32_t start_count, tile_count, step_count, offset_count, rank_count;
};

#define IN(member) offsetof(struct operation_input, member)
#define DIRECTION(key, text)                                                                       \
    {                                                                                              \
        .path = #key, .kind = TMA_KEY_CHARS, .max = TMA_MAX_NAME - 1, .fallback = TMA_OPTIONAL,    \
        .offset = IN(key), .meaning = text                                                         \
    }

static const struct tma_key operation_keys[] = {
    DIRECTION(load, "loads a tile from global to shared memory; the name of its tensor map"),
    DIRECTION(store, "stores a tile from shared to global memory; the name of its tensor map"),
    DIRECTION(reduce,
              "combines a tile in shared memory with global memory; the name of its tensor map"),
    DIRECTION(prefetch, "prefetches a tile from global memory into L2; the name of its tensor map"),
    TMA_WORD_KEY("reduction", ENUM, tma_reduction_words, TMA_OPTIONAL, IN(reduction),
                 "operator of a reduce, which needs it"),
    TMA_WORD_KEY("access", ENUM, access_words, "auto", IN(access),
                 "mode of the access; auto: the mode of the map's kind; gather4: four rows of a "
                 "two-dimensional tiled map"),
    TMA_NUMBER_OR_WORD_KEY(
        "shared_offset", U32, bytes, 0, 1 << 20, auto_names, "auto",
        IN(stage.operation.shared_address),
        "offset of the tile in its stage; auto: behind the previous operation's tile, "
        "aligned to 1 KiB"),
    {.path = "multicast",
     .kind = TMA_KEY_U16,
     .unit = &tma_unit_none,
     .min = 0,
     .max = TMA_MAX_CLUSTER - 1,
     .names = &ranks_names,
     .fallback = TMA_OPTIONAL,
     .limit = TMA_MAX_CLUSTER,
     .offset = IN(ranks),
     .count_offset = IN(rank_count),
     .meaning = "loads: ranks of the CTAs in the cluster that receive the tile; the lowest rank "
                "issues the load; default: only the CTA itself"},
    TMA_NUMBERS_KEY("im2col_offsets", U16, none, 0, UINT16_MAX, 3, TMA_OPTIONAL,
                    IN(stage.operation.im2col_offsets), IN(offset_count),
                    "im2col loads: position in the filter, in pixels; W, H, D; default: 0"),
    TMA_NUMBER_KEY("w_halo", U16, none, 0, UINT16_MAX, TMA_OPTIONAL, IN(stage.operation.w_halo),
                   "im2col_w accesses: the halo along W (wHalo), in pixels; default: 0"),
    TMA_NUMBER_KEY("w_offset", I16, none, INT16_MIN, INT16_MAX, TMA_OPTIONAL,
                   IN(stage.operation.w_offset),
                   "im2col_w accesses: the offset along W (wOffset), in pixels; default: 0"),
    TMA_WORD_KEY(
        "walk.order", ENUM, order_names, "grid_strided", IN(stage.walk.order),
        "tile number of iteration i of CTA c; grid_strided: `i * ctas + c`; blocked: `c * "
        "iterations + i`; same: `i`; fixed: `c`; for multicast loads, c and ctas count clusters"),
    TMA_NUMBERS_KEY("walk.start", I32, none, INT32_MIN, INT32_MAX, TMA_MAX_RANK, TMA_OPTIONAL,
                    IN(stage.walk.start), IN(start_count),
                    "coordinates of tile 0, in elements; default: 0 in each dimension"),
    TMA_NUMBERS_KEY(
        "walk.tiles", U32, none, 1, UINT32_MAX, TMA_MAX_RANK, TMA_OPTIONAL, IN(stage.walk.tiles),
        IN(tile_count),
        "number of tiles in each dimension; the first dimension varies fastest; default: "
        "as many as cover the tensor"),
    TMA_NUMBERS_KEY(
        "walk.step", I32, none, INT32_MIN, INT32_MAX, TMA_MAX_RANK, TMA_OPTIONAL,
        IN(stage.walk.step), IN(step_count),
        "distance between neighbouring tiles in each dimension, in elements; default: the box"),
};

const struct tma_schema tma_operation_schema = TMA_SCHEMA(operation_keys);

/* An operation has exactly one of these keys, whose value names its map. In the order of the
 * enumeration. */
static const struct direction {
    const char *key;
    enum tma_direction direction;
    size_t map_offset;
} directions[] = {
    {"load", TMA_LOAD, IN(load)},
    {"store", TMA_STORE, IN(store)},
    {"reduce", TMA_REDUCE, IN(reduce)},
    {"prefetch", TMA_PREFETCH, IN(prefetch)},
};

/* The context of reading one operation. */
struct operation_reader {
    struct tma_scenario_reader *scenario_reader;
    const struct tma_yaml_node *node;
    uint32_t index;               /* in the list */
    char context[TMA_PATH_BYTES]; /* its path, for messages */
};

/* Appends "PATH.KEY TEXT" and returns false. */
static bool diagnose(struct operation_reader *reader, const char *key, const char *text) {
    return tma_diagnose(reader->scenario_reader->list, TMA_ERROR_SYNTAX,
                        tma_yaml_locate(reader->node, key), "%s%s%s %s", reader->context,
                        key[0] == '\0' ? "" : ".", key, text);
}

static const struct direction *find_direction(struct operation_reader *reader) {
    const struct direction *found = NULL;
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++) {
        if (tma_yaml_find(reader->node, directions[i].key) == NULL)
            continue;
        if (found != NULL) {
            diagnose(
                reader, directions[i].key,
                "is a second direction; expected only one of load, store, reduce and prefetch");
            return NULL;
        }
        found = &directions[i];
    }
    if (found == NULL)
        diagnose(reader, "", "has no direction; expected one of load, store, reduce and prefetch");
    return found;
}

bool tma_find_map(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                  const char *context, const char *name, uint32_t *index) {
    const struct tma_scenario *scenario = reader->scenario;
    struct tma_suggestion suggestion = {.wanted = name};
    for (*index = 0; *index < scenario->workload.map_count; ++*index) {
        if (strcmp(scenario->map_names[*index], name) == 0)
            return true;
        tma_suggest(&suggestion, scenario->map_names[*index]);
    }
    char text[TMA_ERROR_TEXT_BYTES];
    int used = snprintf(text, sizeof text, "is \"%s\"; %sexpected a name in tensor_maps:", name,
                        tma_hint_of(&suggestion).text);
    for (uint32_t i = 0; i < scenario->workload.map_count && used < (int)sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s", i == 0 ? "" : ",",
                         scenario->map_names[i]);
    return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at, "%s %s", context, text);
}

static enum tma_access_mode access_of_kind(int32_t access, enum tma_map_kind kind) {
    return access == AUTO_ACCESS ? tma_access_of_kind(kind) : (enum tma_access_mode)access;
}

bool tma_parse_access(const char *word, enum tma_map_kind kind, enum tma_access_mode *access) {
    int value;
    if (!tma_value_of(&access_words, word, &value))
        return false;
    *access = access_of_kind(value, kind);
    return true;
}

static enum tma_access_mode access_of(const struct operation_input *input,
                                      const struct tma_tensor_map *map) {
    return access_of_kind(input->access, map->kind);
}

static bool check_reduction(struct operation_reader *reader, enum tma_direction direction) {
    bool given = tma_yaml_find(reader->node, "reduction") != NULL;
    if (direction == TMA_REDUCE && !given)
        return diagnose(reader, "reduction",
                        "is missing; expected add, min, max, inc, dec, and, or or "
                        "xor");
    if (direction != TMA_REDUCE && given)
        return diagnose(reader, "reduction", "is only for reduce");
    return true;
}

/* Converts the ranks to the instruction's ctaMask. In a cluster of one CTA the mask is 0: the load
 * is not multicast. */
static bool convert_ranks(struct operation_reader *reader, const struct operation_input *input,
                          struct tma_operation *operation) {
    uint32_t ctas = tma_cluster_ctas(&reader->scenario_reader->scenario->workload), mask = 0;
    char key[32], text[96];
    if (input->rank_count > 0 && operation->direction != TMA_LOAD)
        return diagnose(reader, "multicast", "is only for load");
    for (uint32_t i = 0; i < input->rank_count; i++) {
        mask |= input->ranks[i] == ALL_RANKS ? (1u << ctas) - 1 : 1u << input->ranks[i];
        if (mask >> ctas == 0)
            continue;
        snprintf(key, sizeof key, "multicast.%u", i);
        snprintf(text, sizeof text, "is %u; allowed: ranks 0 to %u, because workload.cluster is %u",
                 input->ranks[i], ctas - 1, ctas);
        return diagnose(reader, key, text);
    }
    operation->cta_mask = ctas == 1 ? 0 : (uint16_t)mask;
    return true;
}

static bool check_length(struct operation_reader *reader, const char *key, uint32_t length,
                         enum tma_access_mode access, uint32_t expected) {
    if (tma_yaml_find(reader->node, key) == NULL || length == expected)
        return true;
    char text[96];
    snprintf(text, sizeof text, "has length %u; expected %u, one for each coordinate%s", length,
             expected, access == TMA_ACCESS_GATHER4 ? ": the column and four rows" : "");
    return diagnose(reader, key, text);
}

static uint32_t coordinate_count(enum tma_access_mode access, const struct tma_tensor_map *map) {
    return access == TMA_ACCESS_GATHER4 ? TMA_MAX_RANK : map->rank;
}

/* Fills the keys of the walk that the file lacks, so that it covers the whole tensor box by box.
 * Only tile accesses have such a default. */
static bool default_walk(struct operation_reader *reader, const struct tma_tensor_map *map,
                         enum tma_access_mode access, struct tma_walk *walk) {
    bool tiles = tma_yaml_find(reader->node, "walk.tiles") != NULL;
    bool step = tma_yaml_find(reader->node, "walk.step") != NULL;
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++) {
        bool box = access == TMA_ACCESS_TILE && d < map->rank && map->box_dim[d] > 0;
        uint32_t stride = box ? map->box_dim[d] : 1;
        if (!step)
            walk->step[d] = box ? (int32_t)stride : 0;
        if (!tiles)
            walk->tiles[d] = box ? (uint32_t)((map->global_dim[d] + stride - 1) / stride) : 1;
        if (walk->tiles[d] == 0)
            walk->tiles[d] = 1;
    }
    if (access == TMA_ACCESS_TILE || (tiles && step))
        return true;
    return diagnose(
        reader, tiles ? "walk.step" : "walk.tiles",
        access == TMA_ACCESS_GATHER4
            ? "is missing; expected a value for the column and for each of four rows, as in "
              "walk: {start: [0, 3, 17, 5, 9], tiles: [4, 1, 1, 1, 1], step: [64, 0, 0, "
              "0, 0]}"
            : "is missing; only tile accesses have a default for it");
}

/* Derives what the schema leaves open: map, access, ctaMask and walk. */
static bool complete(struct operation_reader *reader, struct operation_input *input,
                     const struct direction *direction) {
    const char *name = (const char *)input + direction->map_offset;
    struct tma_stage_operation *stage = &input->stage;
    stage->operation.direction = direction->direction;
    bool good = check_reduction(reader, direction->direction);
    good = convert_ranks(reader, input, &stage->operation) && good;
    char context[2 * TMA_PATH_BYTES];
    snprintf(context, sizeof context, "%s.%s", reader->context, direction->key);
    if (!tma_find_map(reader->scenario_reader, tma_yaml_find(reader->node, direction->key), context,
                      name, &stage->map) ||
        !reader->scenario_reader->map_valid[stage->map])
        return false;
    const struct tma_tensor_map *map =
        &reader->scenario_reader->scenario->workload.maps[stage->map];
    stage->operation.access = access_of(input, map);
    if (input->reduction != NO_REDUCTION)
        stage->operation.reduction = (enum tma_reduction)input->reduction;
    enum tma_access_mode access = stage->operation.access;
    uint32_t coordinates = coordinate_count(access, map);
    good = check_length(reader, "walk.start", input->start_count, access, coordinates) && good;
    good = check_length(reader, "walk.tiles", input->tile_count, access, coordinates) && good;
    good = check_length(reader, "walk.step", input->step_count, access, coordinates) && good;
    return default_walk(reader, map, access, &stage->walk) && good;
}

static bool read_operation(struct operation_reader *reader, struct tma_stage_operation *stage) {
    struct operation_input input = {.reduction = NO_REDUCTION};
    snprintf(reader->context, sizeof reader->context, "workload.operations.%u", reader->index);
    bool good = tma_schema_read(&tma_operation_schema, reader->node, reader->context, &input,
                                reader->scenario_reader->list);
    if (reader->node->kind != TMA_YAML_MAPPING)
        return false;
    const struct direction *direction = find_direction(reader);
    if (!good || direction == NULL)
        return false;
    good = complete(reader, &input, direction);
    *stage = input.stage;
    return good;
}

void tma_read_operations(struct tma_scenario_reader *reader, const struct tma_yaml_node *list) {
    struct tma_workload *workload = &reader->scenario->workload;
    uint32_t index = 0;
    for (const struct tma_yaml_node *node = list->first; node != NULL; node = node->next) {
        if (index == TMA_MAX_STAGE_OPERATIONS) {
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                         "workload.operations has too many entries; allowed: %d",
                         TMA_MAX_STAGE_OPERATIONS);
            break;
        }
        struct operation_reader operation = {
            .scenario_reader = reader, .node = node, .index = index};
        reader->operation_valid[index] = read_operation(&operation, &workload->operations[index]);
        index++;
    }
    workload->operation_count = index;
}

void tma_operation_describe(const struct tma_scenario *scenario, uint32_t index,
                            const struct tma_describer *describer) {
    const struct tma_stage_operation *stage = &scenario->workload.operations[index];
    const struct tma_tensor_map *map = &scenario->workload.maps[stage->map];
    uint32_t coordinates = coordinate_count(stage->operation.access, map);
    struct operation_input input = {
        .stage = *stage,
        .access = (int32_t)stage->operation.access,
        .reduction = stage->operation.direction == TMA_REDUCE ? (int32_t)stage->operation.reduction
                                                              : NO_REDUCTION,
        .start_count = coordinates,
        .tile_count = coordinates,
        .step_count = coordinates,
    };
    for (uint32_t rank = 0; rank < TMA_MAX_CLUSTER; rank++)
        if ((stage->operation.cta_mask & 1u << rank) != 0)
            input.ranks[input.rank_count++] = (uint16_t)rank;
    if (input.rank_count == tma_cluster_ctas(&scenario->workload)) {
        input.ranks[0] = ALL_RANKS;
        input.rank_count = 1;
    }
    size_t map_offset = directions[stage->operation.direction].map_offset;
    snprintf((char *)&input + map_offset, TMA_MAX_NAME, "%s", scenario->map_names[stage->map]);
    tma_schema_describe(&tma_operation_schema, &input, describer);
    /* The first word of an optional key counts as no value, but a reduction has to have one. */
    if (input.reduction == TMA_REDUCE_ADD) {
        char path[192];
        snprintf(path, sizeof path, "%s.reduction", describer->prefix);
        describer->visit(describer->context, path, reduction_items[TMA_REDUCE_ADD].name);
    }
}
