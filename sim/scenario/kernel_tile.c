/* Reads the operations of a kernel's program, and its accesses to shared memory. */
#include <stdio.h>
#include <string.h>

#include "placement/operation_architecture.h"
#include "placement/operation_words.h"
#include "scenario/kernel_reader.h"

enum { NO_REDUCTION = -1, MAX_PLACE = 96 };

static const struct tma_name all_items[] = {{"all", 0}};
static const struct tma_names all_names = {"CTAs of the cluster", all_items, 1};

struct operation_keys_input {
    char map[TMA_MAX_NAME];
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
    {.path = "map",
     .kind = TMA_KEY_CHARS,
     .max = TMA_MAX_NAME - 1,
     .offset = IN(map),
     .meaning = "name of the tensor map"},
    {.path = "into",
     .kind = TMA_KEY_CHARS,
     .max = MAX_PLACE - 1,
     .fallback = TMA_OPTIONAL,
     .offset = IN(into),
     .meaning = "load: where the tile goes: `RING.OPERAND`, in the acquired stage; or a ring with "
                "one operand"},
    {.path = "from",
     .kind = TMA_KEY_CHARS,
     .max = MAX_PLACE - 1,
     .fallback = TMA_OPTIONAL,
     .offset = IN(from),
     .meaning = "store, reduce: where the tile comes from: a buffer, or `RING.OPERAND` in the "
                "current stage"},
    {.path = "at",
     .kind = TMA_KEY_EXPRESSION,
     .limit = TMA_MAX_RANK,
     .offset = IN(at),
     .count_offset = IN(at_count),
     .meaning = "coordinates of the tile, innermost dimension first, in elements"},
    {.path = "offset",
     .kind = TMA_KEY_EXPRESSION,
     .fallback = TMA_OPTIONAL,
     .offset = IN(offset),
     .meaning = "bytes from the start of the operand or buffer to the tile; default: 0"},
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
    {.path = "index",
     .kind = TMA_KEY_EXPRESSION,
     .fallback = TMA_OPTIONAL,
     .offset = IN(index),
     .meaning = "which map of the array, where the map has a `count`; default: 0"},
    {.path = "access",
     .kind = TMA_KEY_CHARS,
     .max = 23,
     .fallback = "auto",
     .offset = IN(access),
     .meaning = "mode of the access: auto, tile, gather4, im2col, im2col_w or im2col_w128; auto: "
                "the mode of the map's kind"},
    {.path = "reduction",
     .kind = TMA_KEY_ENUM,
     .names = &tma_reduction_words,
     .fallback = TMA_OPTIONAL,
     .offset = IN(reduction),
     .meaning = "operator of a reduce, which needs it"},
    {.path = "w_halo",
     .kind = TMA_KEY_U16,
     .unit = &tma_unit_none,
     .min = 0,
     .max = UINT16_MAX,
     .fallback = TMA_OPTIONAL,
     .offset = IN(w_halo),
     .meaning = "im2col_w accesses: the halo along W (wHalo), in pixels; default: 0"},
    {.path = "w_offset",
     .kind = TMA_KEY_I16,
     .unit = &tma_unit_none,
     .min = INT16_MIN,
     .max = INT16_MAX,
     .fallback = TMA_OPTIONAL,
     .offset = IN(w_offset),
     .meaning = "im2col_w accesses: the offset along W (wOffset), in pixels; default: 0"},
};

const struct tma_schema tma_tile_operation_schema = {keys, sizeof keys / sizeof keys[0]};

/* The context of reading one operation. */
struct operation_context {
    struct tma_kernel_reader *reader;
    const struct tma_yaml_node *node;
    const char *word; /* "load" */
    struct tma_statement *statement;
    struct tma_statement_note *note;
};

static bool fail_at(const struct operation_context *context, const char *key, const char *text) {
    tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(context->node, key),
                 "%s.%s %s", context->word, key, text);
    return false;
}

/* Checks that each key is one of this direction. */
static bool check_direction(const struct operation_context *context) {
    static const struct {
        const char *key;
        unsigned directions; /* that have it, a bit each */
        bool needed;
        const char *only;
    } rules[] = {
        {"into", 1u << TMA_LOAD, true, "is only for load"},
        {"from", 1u << TMA_STORE | 1u << TMA_REDUCE, true, "is only for store and reduce"},
        {"multicast", 1u << TMA_LOAD, false, "is only for load"},
        {"reduction", 1u << TMA_REDUCE, true, "is only for reduce"},
        {"offset", 1u << TMA_LOAD | 1u << TMA_STORE | 1u << TMA_REDUCE, false,
         "is not for prefetch"},
    };
    unsigned direction = 1u << context->statement->operation.direction;
    bool good = true;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        bool given = tma_yaml_find(context->node, rules[i].key) != NULL;
        bool has = (rules[i].directions & direction) != 0;
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

/* Finds the ring and operand, or the buffer, that the tile goes into or comes from. */
static bool find_place(const struct operation_context *context,
                       const struct operation_keys_input *input) {
    struct tma_statement *statement = context->statement;
    enum tma_direction direction = statement->operation.direction;
    if (direction == TMA_PREFETCH)
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
    if (code == TMA_OK && reader->machine_valid)
        code = tma_operation_architecture_check(map, &operation,
                                                reader->scenario->machine.architecture, &error);
    if (code == TMA_OK)
        context->note->footprint_bytes = size.shared_footprint_bytes;
    else
        tma_diagnose(context->reader->list, code, context->node->at, "%s: %s", context->word,
                     error.text);
}

bool tma_read_operation(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                        enum tma_direction direction, struct tma_statement *statement,
                        struct tma_statement_note *note) {
    struct tma_scenario *scenario = reader->scenario_reader->scenario;
    struct operation_keys_input input = {.reduction = NO_REDUCTION};
    struct operation_context context = {
        reader, node, tma_name_of(&tma_direction_names, (int)direction), statement, note};
    char name[48];
    statement->operation.direction = direction;
    if (!tma_schema_read(&tma_tile_operation_schema, node, context.word, &input, reader->list))
        return false;
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
    const char *word = tma_name_of(&tma_direction_names, (int)statement->operation.direction);
    if (operand == NULL && statement->buffer == TMA_NO_RING)
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
        if (statement->kind != TMA_STATEMENT_OPERATION)
            continue;
        if (reader->notes[i].operand != TMA_NO_OPERAND)
            statement->operation.shared_address = reader->operands[reader->notes[i].operand].offset;
        check_fits(reader, i);
    }
}
