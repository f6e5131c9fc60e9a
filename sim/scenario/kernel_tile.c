/* Reads the operations of a kernel's program, and its accesses to shared memory. */
#include <stdio.h>
#include <string.h>

#include "engine/roles/statement_label.h"
#include "placement/operation_architecture.h"
#include "placement/operation_words.h"
#include "scenario/kernel_reader.h"
#include "tensormap/l2_policy.h"
#include "tensormap/types.h"

enum { NO_REDUCTION = -1, MAX_PLACE = 96 };

static const struct tma_names all_names = TMA_NAMES("CTAs of the cluster", {"all", 0});

static const struct tma_names mover_names =
    TMA_NAMES("mover", {"tma", TMA_BY_TMA}, {"warps", TMA_BY_WARPS});
static const struct tma_names order_names =
    TMA_NAMES("order of lanes", {"contiguous", TMA_PIECES_CONTIGUOUS},
              {"strided", TMA_PIECES_STRIDED}, {"same", TMA_PIECES_SAME});
static const struct tma_names caching_names =
    TMA_NAMES("use of L1", {"all", TMA_CACHING_ALL}, {"l2", TMA_CACHING_L2},
              {"no_allocate", TMA_CACHING_NO_ALLOCATE}, {"evict_first", TMA_CACHING_EVICT_FIRST},
              {"evict_last", TMA_CACHING_EVICT_LAST}, {"coherent", TMA_CACHING_COHERENT});
static const struct tma_names returns_names = TMA_NAMES("result", {"nothing", 0}, {"value", 1});

static const struct tma_name priority_items[] = {{"evict_unchanged", 0},
                                                 {"evict_first", TMA_L2_POLICY_FIRST},
                                                 {"evict_last", TMA_L2_POLICY_LAST},
                                                 {"evict_normal", TMA_L2_POLICY_NORMAL}};
static const struct tma_names priority_names = {"priority in L2", priority_items, 4};
static const struct tma_names others_names = {"priority in L2", priority_items, 2};

struct operation_keys_input {
    char map[TMA_MAX_NAME], table[TMA_KERNEL_NAME];
    enum tma_mover by;
    enum tma_piece_order order;
    enum tma_caching caching;
    bool returns;
    int32_t priority, others; /* bits of a policy */
    uint16_t percent;         /* 0: not given */
    uint32_t lane_bytes, active;
    const struct tma_yaml_node *entry;
    char into[MAX_PLACE], from[MAX_PLACE], access[24];
    int32_t reduction; /* or NO_REDUCTION */
    const struct tma_yaml_node *at[TMA_MAX_RANK], *im2col[3], *ranks[TMA_MAX_CLUSTER];
    const struct tma_yaml_node *index, *offset;
    uint32_t at_count, im2col_count, rank_count;
    uint16_t w_halo;
    int16_t w_offset;
};

#define IN(member) offsetof(struct operation_keys_input, member)

static const struct tma_key keys[] = {
    TMA_TEXT_KEY("map", CHARS, TMA_MAX_NAME - 1, TMA_REQUIRED, IN(map), "name of the tensor map"),
    TMA_TEXT_KEY("into", CHARS, MAX_PLACE - 1, TMA_OPTIONAL, IN(into),
                 "load: where the tile goes: `RING.OPERAND`, in the acquired stage; or a ring with "
                 "one operand"),
    TMA_TEXT_KEY("from", CHARS, MAX_PLACE - 1, TMA_OPTIONAL, IN(from),
                 "store, reduce: where the tile comes from: a buffer, or `RING.OPERAND` in the "
                 "current stage"),
    {.path = "at",
     .kind = TMA_KEY_EXPRESSION,
     .limit = TMA_MAX_RANK,
     .offset = IN(at),
     .count_offset = IN(at_count),
     .meaning = "coordinates of the tile, innermost dimension first, in elements"},
    TMA_PLAIN_KEY("offset", EXPRESSION, TMA_OPTIONAL, IN(offset),
                  "bytes from the start of the operand or buffer to the tile; default: 0"),
    {.path = "multicast",
     .kind = TMA_KEY_EXPRESSION,
     .limit = TMA_MAX_CLUSTER,
     .names = &all_names,
     .fallback = TMA_OPTIONAL,
     .offset = IN(ranks),
     .count_offset = IN(rank_count),
     .meaning = "load: ranks of the CTAs of the cluster that receive the tile, at the same place; "
                "default: only the CTA itself"},
    {.path = "im2col_offsets",
     .kind = TMA_KEY_EXPRESSION,
     .limit = 3,
     .fallback = TMA_OPTIONAL,
     .offset = IN(im2col),
     .count_offset = IN(im2col_count),
     .meaning = "im2col loads: position in the filter, in pixels; W, H, D; default: 0"},
    TMA_PLAIN_KEY("index", EXPRESSION, TMA_OPTIONAL, IN(index),
                  "which map of the array, where the map has a `count`; default: 0"),
    TMA_TEXT_KEY("access", CHARS, 23, "auto", IN(access),
                 "mode of the access: auto, tile, gather4, im2col, im2col_w or im2col_w128; auto: "
                 "the mode of the map's kind"),
    TMA_WORD_KEY("reduction", ENUM, tma_reduction_words, TMA_OPTIONAL, IN(reduction),
                 "operator of a reduce, which needs it"),
    TMA_NUMBER_KEY("w_halo", U16, none, 0, UINT16_MAX, TMA_OPTIONAL, IN(w_halo),
                   "im2col_w accesses: the halo along W (wHalo), in pixels; default: 0"),
    TMA_NUMBER_KEY("w_offset", I16, none, INT16_MIN, INT16_MAX, TMA_OPTIONAL, IN(w_offset),
                   "im2col_w accesses: the offset along W (wOffset), in pixels; default: 0"),
    TMA_WORD_KEY(
        "by", ENUM, mover_names, "tma", IN(by),
        "load, store: who moves the tile; tma: the TMA unit; warps: the warps of the role, "
        "into and from registers, so that there is no `into` and `from`"),
    TMA_NUMBER_KEY(
        "lane_bytes", U32, driver_bytes, 1, 16, TMA_OPTIONAL, IN(lane_bytes),
        "by warps, cp_async, atomic: bytes that a lane accesses with an instruction: 1, 2, "
        "4, 8 or 16, cp_async: 4, 8 or 16; default: 16, atomic: those of an element"),
    TMA_WORD_KEY("lanes", ENUM, order_names, "contiguous", IN(order),
                 "by warps, cp_async, atomic: which part of the tile a lane has; contiguous: "
                 "neighbours along its rows, row after row; strided: neighbouring rows; same: all "
                 "lanes have its first one"),
    TMA_NUMBER_KEY(
        "active", U32, none, 1, 1 << 20, TMA_OPTIONAL, IN(active),
        "by warps, cp_async, atomic: number of lanes that access something, all warps and "
        "instructions together; default: what the tile needs; same: all lanes of the role"),
    TMA_WORD_KEY("cache", ENUM, caching_names, "all", IN(caching),
                 "load by warps, cp_async: what L1 does; all: `.ca`, the default; l2: `.cg`, which "
                 "passes by L1; no_allocate, evict_first, evict_last: the hints of these names; "
                 "coherent: `.relaxed`, which no other load is merged with"),
    TMA_WORD_KEY("l2", ENUM, priority_names, TMA_OPTIONAL, IN(priority),
                 "which lines stay in L2 (`.L2::cache_hint`); evict_first: these go before all "
                 "others; evict_last: others go before these; evict_normal: as without the key, "
                 "also of lines that were to stay; evict_unchanged: as without the key"),
    TMA_NUMBER_KEY("l2_percent", U16, none, 1, 100, TMA_OPTIONAL, IN(percent),
                   "part of the lines for which `l2` holds, in percent, rounded up to sixteenths: "
                   "`createpolicy.fractional`; default: 100"),
    TMA_WORD_KEY("l2_others", ENUM, others_names, TMA_OPTIONAL, IN(others),
                 "the same for the other lines: evict_unchanged, the default, or evict_first"),
    TMA_WORD_KEY("returns", BOOL, returns_names, "nothing", IN(returns),
                 "atomic; nothing: `red`; value: `atom`, which wait_loads waits for"),
    TMA_TEXT_KEY("table", CHARS, TMA_KERNEL_NAME - 1, TMA_OPTIONAL, IN(table),
                 "by warps, cp_async, bulk, atomic: table of the kernel that names the rows of the "
                 "tile: the coordinate of dimension 1 of each, in the place of that in `at`"),
    TMA_PLAIN_KEY(
        "entry", EXPRESSION, TMA_OPTIONAL, IN(entry),
        "entry of the table for the first row of the tile; the others follow; default: 0"),
};

const struct tma_schema tma_tile_operation_schema = TMA_SCHEMA(keys);

/* The context of reading one operation. */
struct operation_context {
    struct tma_kernel_reader *reader;
    const struct tma_yaml_node *node;
    const char *word; /* "load" */
    struct tma_statement *statement;
    struct tma_statement_note *note;
};

static bool fail_at(const struct operation_context *context, const char *key, const char *text) {
    return tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX,
                        tma_yaml_locate(context->node, key), "%s.%s %s", context->word, key, text);
}

/* Which operations have a key: by direction, and by who moves the tile. */
#define BY(mover)     (1u << TMA_BY_##mover)
#define OF(direction) (1u << TMA_##direction)

enum {
    ANY_MOVER = BY(TMA) | BY(BULK) | BY(CP_ASYNC) | BY(WARPS),
    ANY_DIRECTION = OF(LOAD) | OF(STORE) | OF(REDUCE) | OF(PREFETCH),
    IN_SHARED = BY(TMA) | BY(BULK) | BY(CP_ASYNC),
    OF_LANES = BY(CP_ASYNC) | BY(WARPS)
};

/* Checks that each key is one of this operation. */
static bool check_direction(const struct operation_context *context) {
    static const struct {
        const char *key;
        unsigned directions, movers; /* that have it, a bit each */
        bool needed;
        const char *only;
    } rules[] = {
        {"into", OF(LOAD), IN_SHARED, true,
         "is only for load by the TMA unit, bulk and cp_async: warps load into registers"},
        {"from", OF(STORE) | OF(REDUCE), BY(TMA) | BY(BULK), true,
         "is only for store and reduce by the TMA unit, and bulk: warps store registers"},
        {"multicast", OF(LOAD), BY(TMA) | BY(BULK), false, "is only for load and bulk"},
        {"reduction", OF(REDUCE), ANY_MOVER, true, "is only for reduce, bulk and atomic"},
        {"offset", OF(LOAD) | OF(STORE) | OF(REDUCE), IN_SHARED, false,
         "is not for prefetch, and not for warps"},
        {"im2col_offsets", ANY_DIRECTION, BY(TMA), false, "is only for the TMA unit"},
        {"w_halo", ANY_DIRECTION, BY(TMA), false, "is only for the TMA unit"},
        {"w_offset", ANY_DIRECTION, BY(TMA), false, "is only for the TMA unit"},
        {"access", ANY_DIRECTION, BY(TMA), false, "is only for the TMA unit"},
        {"lane_bytes", ANY_DIRECTION, OF_LANES, false, "is only for lanes of warps"},
        {"lanes", ANY_DIRECTION, OF_LANES, false, "is only for lanes of warps"},
        {"active", ANY_DIRECTION, OF_LANES, false, "is only for lanes of warps"},
        {"cache", OF(LOAD), OF_LANES, false, "is only for loads by warps and cp_async"},
        {"returns", OF(REDUCE), BY(WARPS), false, "is only for atomic"},
        {"table", ANY_DIRECTION, BY(BULK) | BY(CP_ASYNC) | BY(WARPS), false,
         "is not for the TMA unit: load its rows one by one, with `at: [0, TABLE(i)]`"},
        {"entry", ANY_DIRECTION, BY(BULK) | BY(CP_ASYNC) | BY(WARPS), false,
         "is not for the TMA unit"},
    };
    unsigned direction = 1u << context->statement->operation.direction;
    unsigned mover = 1u << context->statement->lanes.by;
    bool good = true;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        bool given = tma_yaml_find(context->node, rules[i].key) != NULL;
        bool has = (rules[i].directions & direction) != 0 && (rules[i].movers & mover) != 0;
        if (given && !has)
            good = fail_at(context, rules[i].key, rules[i].only);
        if (!given && has && rules[i].needed)
            good = fail_at(context, rules[i].key,
                           strcmp(rules[i].key, "reduction") == 0
                               ? "is missing; expected add, min, max, inc, dec, and, or or xor"
                               : "is missing; expected the name of a ring or buffer");
    }
    return good;
}

/* Reads what lanes do, and checks it against the map. */
static bool read_lanes(const struct operation_context *context,
                       const struct operation_keys_input *input, const struct tma_tensor_map *map) {
    struct tma_lanes *lanes = &context->statement->lanes;
    const struct tma_kernel *kernel = context->reader->kernel;
    const struct tma_type_info *type = tma_type_info(map->data_type);
    char text[200], name[48];
    bool good = true, plain = map->kind == TMA_MAP_TILED && map->interleave == TMA_INTERLEAVE_NONE;
    uint32_t element_bytes = type->global_bits / 8, least = lanes->by == TMA_BY_CP_ASYNC ? 4 : 1;
    uint64_t row_bytes = (uint64_t)map->box_dim[0] * element_bytes;
    if (lanes->by == TMA_BY_TMA)
        return true;
    for (uint32_t d = 0; d < map->rank && plain; d++)
        plain = map->element_strides[d] == 1;
    if (!plain || type->global_bits % 8 != 0)
        return fail_at(context, "map",
                       "is not one of a plain tensor; expected a tiled map without interleave and "
                       "element strides, of a type of whole bytes");
    snprintf(name, sizeof name, "%s.entry", context->word);
    if (input->entry != NULL)
        good = tma_read_value(context->reader, input->entry, name, &context->statement->entry);
    for (uint32_t i = 0; i < kernel->table_count && input->table[0] != '\0'; i++)
        if (strcmp(kernel->tables[i].name, input->table) == 0)
            lanes->rows = &kernel->tables[i].numbers;
    if (input->table[0] != '\0' && lanes->rows == NULL)
        return fail_at(context, "table", "is not a table of the kernel (kernel.tables)");
    if (input->entry != NULL && lanes->rows == NULL)
        return fail_at(context, "entry", "needs a table");
    if (lanes->rows != NULL && map->rank != 2)
        return fail_at(context, "table", "names rows; expected a map of rank 2");
    if (lanes->by == TMA_BY_BULK) {
        if (map->swizzle != TMA_SWIZZLE_NONE)
            return fail_at(context, "map",
                           "has a swizzle mode, which copies without a map don't have; expected "
                           "swizzle: none");
        if (map->rank > 2)
            return fail_at(context, "map",
                           "has more than 2 dimensions; copies without a map are of rows");
        return good;
    }
    lanes->order = input->order;
    lanes->caching = input->caching;
    lanes->returns = input->returns;
    lanes->active = input->active;
    bool combines = context->statement->operation.direction == TMA_REDUCE;
    lanes->lane_bytes = input->lane_bytes != 0 ? input->lane_bytes
                        : combines             ? element_bytes
                        : row_bytes % 16 == 0  ? 16
                                               : element_bytes;
    if (lanes->order == TMA_PIECES_SAME && lanes->active == 0)
        lanes->active = 32 * kernel->roles[kernel->role_count - 1].warps;
    if ((lanes->lane_bytes & (lanes->lane_bytes - 1)) != 0 || lanes->lane_bytes < least ||
        lanes->lane_bytes % element_bytes != 0 || row_bytes % lanes->lane_bytes != 0) {
        snprintf(text, sizeof text,
                 "is %u B; expected a power of two from %u to 16 B that holds whole elements of %u "
                 "B, and of which the %llu B of a row of the box are a multiple",
                 lanes->lane_bytes, least, element_bytes, (unsigned long long)row_bytes);
        return fail_at(context, "lane_bytes", text);
    }
    return good;
}

/* Reads what becomes of the lines in L2. */
static bool read_policy(const struct operation_context *context,
                        const struct operation_keys_input *input) {
    bool given = tma_yaml_find(context->node, "l2") != NULL;
    uint32_t policy = TMA_L2_POLICY_BASE | (uint32_t)input->priority |
                      tma_l2_policy_part(input->percent == 0 ? 1 : input->percent / 100.0);
    if (!given && input->percent != 0)
        return fail_at(context, "l2_percent", "needs l2");
    if (!given && tma_yaml_find(context->node, "l2_others") != NULL)
        return fail_at(context, "l2_others", "needs l2");
    if (input->others == TMA_L2_POLICY_FIRST)
        policy |= TMA_L2_POLICY_OTHERS_FIRST;
    context->statement->lanes.policy = (uint16_t)(given ? policy : TMA_L2_POLICY_NONE);
    return true;
}

/* Finds the ring and operand, or the buffer, that the tile goes into or comes from. */
static bool find_place(const struct operation_context *context,
                       const struct operation_keys_input *input) {
    struct tma_statement *statement = context->statement;
    enum tma_direction direction = statement->operation.direction;
    if (direction == TMA_PREFETCH || statement->lanes.by == TMA_BY_WARPS)
        return true;
    const char *key = direction == TMA_LOAD ? "into" : "from";
    const char *name = direction == TMA_LOAD ? input->into : input->from;
    if (!tma_find_place(context->reader, tma_yaml_find(context->node, key), name, &statement->ring,
                        &context->note->operand, &statement->buffer))
        return false;
    if (direction == TMA_LOAD && statement->ring == TMA_NO_RING)
        return fail_at(context, key,
                       "is a buffer, which no mbarrier belongs to; expected a ring (one stage is "
                       "enough for a tile that is loaded once)");
    return true;
}

static bool read_lists(const struct operation_context *context,
                       const struct operation_keys_input *input) {
    struct tma_kernel_reader *reader = context->reader;
    struct tma_statement *statement = context->statement;
    char name[48];
    bool good = true;
    for (uint32_t i = 0; i < input->at_count; i++) {
        snprintf(name, sizeof name, "%s.at.%u", context->word, i);
        good = tma_read_value(reader, input->at[i], name, &statement->coordinates[i]) && good;
    }
    for (uint32_t i = 0; i < input->im2col_count; i++) {
        snprintf(name, sizeof name, "%s.im2col_offsets.%u", context->word, i);
        good =
            tma_read_value(reader, input->im2col[i], name, &statement->im2col_offsets[i]) && good;
    }
    snprintf(name, sizeof name, "%s.offset", context->word);
    if (input->offset != NULL)
        good = tma_read_value(reader, input->offset, name, &statement->shared_offset) && good;
    snprintf(name, sizeof name, "%s.index", context->word);
    if (input->index != NULL)
        good = tma_read_value(reader, input->index, name, &statement->map_index) && good;
    snprintf(name, sizeof name, "%s.multicast", context->word);
    if (input->rank_count > 0)
        good =
            tma_read_ranks(reader, input->ranks, input->rank_count, name, &statement->cta_mask) &&
            good;
    return good;
}

static bool check_coordinates(const struct operation_context *context,
                              const struct tma_tensor_map *map, const char *map_name,
                              uint32_t count) {
    uint32_t expected =
        context->statement->operation.access == TMA_ACCESS_GATHER4 ? TMA_MAX_RANK : map->rank;
    char text[160];
    if (count == expected)
        return true;
    snprintf(text, sizeof text, "has length %u; expected %u, one for each coordinate of map %.64s",
             count, expected, map_name);
    return fail_at(context, "at", text);
}

/* Checks the operation as far as its constant parts show, and finds the size of its tile. */
static void check_operation(const struct operation_context *context,
                            const struct tma_tensor_map *map) {
    const struct tma_scenario_reader *reader = context->reader->scenario_reader;
    struct tma_operation operation = context->statement->operation;
    struct tma_row_stream stream;
    struct tma_operation_size size;
    struct tma_error error;
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++) {
        const struct tma_value *coordinate = &context->statement->coordinates[d];
        if (coordinate->expression == NULL && coordinate->constant >= INT32_MIN &&
            coordinate->constant <= INT32_MAX)
            operation.coordinates[d] = (int32_t)coordinate->constant;
        else if (coordinate->expression == NULL) {
            fail_at(context, "at", "is outside -2147483648 to 2147483647");
            return;
        }
    }
    const struct tma_value *mask = &context->statement->cta_mask;
    operation.cta_mask = mask->expression != NULL || mask->constant != 0;
    for (uint32_t d = 0; d < 3; d++)
        if (context->statement->im2col_offsets[d].expression == NULL)
            operation.im2col_offsets[d] = (uint16_t)context->statement->im2col_offsets[d].constant;
    enum tma_error_code code = tma_rows_begin(&stream, map, &operation, &size, &error);
    if (code == TMA_OK && reader->machine_valid && !context->reader->never)
        code = tma_operation_architecture_check(map, &operation,
                                                reader->scenario->machine.architecture, &error);
    if (code == TMA_OK)
        context->note->footprint_bytes = size.shared_footprint_bytes;
    else
        tma_diagnose(context->reader->list, code, context->node->at, "%s: %s", context->word,
                     error.text);
}

bool tma_read_operation(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                        const char *word, enum tma_direction direction, enum tma_mover mover,
                        struct tma_statement *statement, struct tma_statement_note *note) {
    struct tma_scenario *scenario = reader->scenario_reader->scenario;
    struct operation_keys_input input = {.reduction = NO_REDUCTION};
    struct operation_context context = {reader, node, word, statement, note};
    char name[48];
    statement->operation.direction = direction;
    if (!tma_schema_read(&tma_tile_operation_schema, node, context.word, &input, reader->list))
        return false;
    if (tma_yaml_find(node, "by") != NULL && mover != TMA_BY_TMA)
        return fail_at(&context, "by", "is only for load and store");
    statement->lanes.by = input.by == TMA_BY_WARPS ? TMA_BY_WARPS : mover;
    if (input.by == TMA_BY_WARPS && direction != TMA_LOAD && direction != TMA_STORE)
        return fail_at(&context, "by", "is warps, which only load and store take");
    bool good = check_direction(&context);
    good = good && find_place(&context, &input);
    good = read_lists(&context, &input) && good;
    snprintf(name, sizeof name, "%s.map", context.word);
    if (!tma_find_map(reader->scenario_reader, tma_yaml_find(node, "map"), name, input.map,
                      &statement->map) ||
        !reader->scenario_reader->map_valid[statement->map])
        return false;
    const struct tma_tensor_map *map = &scenario->workload.maps[statement->map];
    statement->operation.w_halo = input.w_halo;
    statement->operation.w_offset = input.w_offset;
    if (input.reduction != NO_REDUCTION)
        statement->operation.reduction = (enum tma_reduction)input.reduction;
    if (!tma_parse_access(input.access, map->kind, &statement->operation.access))
        return fail_at(&context, "access",
                       "is not a mode; expected auto, tile, gather4, im2col, im2col_w or "
                       "im2col_w128");
    good = read_lanes(&context, &input, map) && good;
    good = read_policy(&context, &input) && good;
    if (!check_coordinates(&context, map, input.map, input.at_count) || !good)
        return false;
    check_operation(&context, map);
    return true;
}

struct access_input {
    struct tma_consumer consumer; /* first: the keys of a consumer write here */
    char tile[MAX_PLACE];
};

size_t tma_access_keys(struct tma_key access_keys[TMA_MAX_ACCESS_KEYS]) {
    static const struct tma_key tile = {.path = "tile",
                                        .kind = TMA_KEY_CHARS,
                                        .max = MAX_PLACE - 1,
                                        .offset = offsetof(struct access_input, tile),
                                        .meaning = "the tile: `RING.OPERAND` in the current "
                                                   "stage, or a buffer, whose tile is that of the "
                                                   "first store from it"};
    size_t count = 0;
    access_keys[count++] = tile;
    for (size_t i = 0; i < tma_consumer_schema.count; i++)
        if (strcmp(tma_consumer_schema.keys[i].path, "operation") != 0)
            access_keys[count++] = tma_consumer_schema.keys[i];
    return count;
}

/* The first load into an operand, or store from a buffer, whose tile an access has. Returns
 * UINT32_MAX if there is none. */
static uint32_t find_transfer(const struct tma_kernel_reader *reader, uint32_t access) {
    const struct tma_kernel *kernel = reader->kernel;
    const struct tma_shared_place *place = &kernel->statements[access].touched;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind != TMA_STATEMENT_OPERATION)
            continue;
        enum tma_direction direction = statement->operation.direction;
        if (place->kind == TMA_PLACE_RING
                ? direction == TMA_LOAD && reader->notes[i].operand == reader->notes[access].operand
                : tma_writes_tensor(direction) && statement->ring == TMA_NO_RING &&
                      statement->buffer == place->index)
            return i;
    }
    return UINT32_MAX;
}

bool tma_read_access(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                     struct tma_statement *statement, struct tma_statement_note *note) {
    struct tma_key access_keys[TMA_MAX_ACCESS_KEYS];
    struct tma_schema schema = {access_keys, tma_access_keys(access_keys)};
    struct access_input input = {.tile = ""};
    uint8_t buffer;
    if (!tma_schema_read(&schema, node, "access", &input, reader->list))
        return false;
    statement->consumer = input.consumer;
    statement->consumer.wgmma.descriptor_given =
        tma_yaml_find(node, "descriptor.swizzle") != NULL ||
        tma_yaml_find(node, "descriptor.leading_offset") != NULL ||
        tma_yaml_find(node, "descriptor.stride_offset") != NULL;
    const struct tma_yaml_node *tile = tma_yaml_find(node, "tile");
    if (!tma_find_place(reader, tile, input.tile, &statement->ring, &note->operand, &buffer))
        return false;
    bool in_ring = statement->ring != TMA_NO_RING;
    statement->touched.kind = in_ring ? TMA_PLACE_RING : TMA_PLACE_BUFFER;
    statement->touched.index = in_ring ? statement->ring : buffer;
    statement->writes = tma_shared_instruction_writes(statement->consumer.instruction);
    return true;
}

/* The tile of an access is known when all operations are. */
static void resolve_access(struct tma_kernel_reader *reader, uint32_t index) {
    struct tma_statement *statement = &reader->kernel->statements[index];
    if (statement->touched.kind == TMA_PLACE_UNNAMED)
        return; /* an error that is in the list */
    uint32_t transfer = find_transfer(reader, index);
    if (transfer != UINT32_MAX)
        statement->consumer.operation = transfer;
    else if (statement->touched.kind == TMA_PLACE_RING)
        tma_statement_diagnose(reader, index, "access: no load fills this operand of ring %s",
                               reader->kernel->rings[statement->ring].name);
    else
        tma_statement_diagnose(reader, index,
                               "access: no store or reduce takes a tile from buffer %s, so that "
                               "its tile has no rows",
                               reader->kernel->buffers[statement->touched.index].name);
}

/* The bytes of a place that a compute statement names. */
static void resolve_place(struct tma_kernel_reader *reader, uint8_t operand,
                          struct tma_shared_place *place) {
    if (place->kind == TMA_PLACE_BUFFER) {
        place->bytes = reader->kernel->buffers[place->index].bytes;
    } else if (place->kind == TMA_PLACE_RING && operand != TMA_NO_OPERAND) {
        place->offset_bytes = reader->operands[operand].offset;
        place->bytes = reader->operands[operand].bytes;
    }
}

/* Gives each operand its place in the stage, and each stage its size. */
static void lay_out_stages(struct tma_kernel_reader *reader) {
    struct tma_kernel *kernel = reader->kernel;
    for (uint32_t i = 0; i < reader->operand_count; i++) {
        struct tma_ring_operand *operand = &reader->operands[i];
        struct tma_ring *ring = &kernel->rings[operand->ring];
        operand->offset = ring->stage_bytes;
        ring->stage_bytes += (operand->bytes + TMA_OPERAND_ALIGNMENT_BYTES - 1) /
                             TMA_OPERAND_ALIGNMENT_BYTES * TMA_OPERAND_ALIGNMENT_BYTES;
    }
}

/* The bytes of an automatic operand are those of its largest tile. */
static void size_operands(struct tma_kernel_reader *reader) {
    for (uint32_t i = 0; i < reader->kernel->statement_count; i++) {
        const struct tma_statement_note *note = &reader->notes[i];
        const struct tma_value *offset = &reader->kernel->statements[i].shared_offset;
        if (note->operand == TMA_NO_OPERAND || !reader->operands[note->operand].automatic ||
            reader->kernel->statements[i].kind != TMA_STATEMENT_OPERATION)
            continue;
        struct tma_ring_operand *operand = &reader->operands[note->operand];
        uint64_t end =
            note->footprint_bytes + (offset->expression == NULL ? (uint64_t)offset->constant : 0);
        if (offset->expression != NULL)
            tma_statement_diagnose(reader, i,
                                   "an offset that varies needs the operand's size; write "
                                   "operands: {%s: BYTES} in ring %s",
                                   operand->name[0] == '\0' ? "NAME" : operand->name,
                                   reader->kernel->rings[operand->ring].name);
        if (end > operand->bytes && end < UINT32_MAX / 2)
            operand->bytes = (uint32_t)end;
    }
}

static void check_fits(struct tma_kernel_reader *reader, uint32_t index) {
    const struct tma_statement *statement = &reader->kernel->statements[index];
    const struct tma_statement_note *note = &reader->notes[index];
    const struct tma_ring_operand *operand =
        note->operand == TMA_NO_OPERAND ? NULL : &reader->operands[note->operand];
    const struct tma_value *offset = &statement->shared_offset;
    const char *word = tma_statement_word(statement);
    if ((operand == NULL && statement->buffer == TMA_NO_RING) ||
        statement->lanes.by == TMA_BY_WARPS)
        return;
    uint32_t bytes =
        operand != NULL ? operand->bytes : reader->kernel->buffers[statement->buffer].bytes;
    const char *name = operand != NULL ? reader->kernel->rings[operand->ring].name
                                       : reader->kernel->buffers[statement->buffer].name;
    uint64_t from = offset->expression == NULL ? (uint64_t)offset->constant : 0;
    if (from > bytes || note->footprint_bytes > bytes - from)
        tma_statement_diagnose(reader, index,
                               "%s: the tile takes %u B from offset %lld B, but %s%s%s has %u B",
                               word, note->footprint_bytes, (long long)from, name,
                               operand != NULL && operand->name[0] != '\0' ? "." : "",
                               operand != NULL ? operand->name : "", bytes);
    else if (from % 128 != 0)
        tma_statement_diagnose(reader, index,
                               "%s.offset is %lld B; expected a multiple of 128 B, as TMA requires "
                               "of shared-memory addresses",
                               word, (long long)from);
}

void tma_place_operands(struct tma_kernel_reader *reader) {
    struct tma_kernel *kernel = reader->kernel;
    size_operands(reader);
    lay_out_stages(reader);
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_COMPUTE && statement->work == TMA_WORK_CONSUMER)
            resolve_access(reader, i);
        resolve_place(reader, reader->notes[i].operand, &statement->touched);
        for (int o = 0; o < TMA_MMA_OPERANDS; o++)
            resolve_place(reader, reader->notes[i].mma_operands[o], &statement->operands[o].place);
        resolve_place(reader, reader->notes[i].source, &statement->source);
        if (statement->kind == TMA_STATEMENT_EXCHANGE &&
            statement->touched.kind != TMA_PLACE_UNNAMED && statement->touched.bytes == 0)
            tma_statement_diagnose(reader, i,
                                   "no load says how large the operand of ring %s is; write "
                                   "operands: {NAME: BYTES} there",
                                   kernel->rings[statement->touched.index].name);
        if (statement->kind != TMA_STATEMENT_OPERATION)
            continue;
        if (reader->notes[i].operand != TMA_NO_OPERAND)
            statement->operation.shared_address = reader->operands[reader->notes[i].operand].offset;
        check_fits(reader, i);
    }
}
