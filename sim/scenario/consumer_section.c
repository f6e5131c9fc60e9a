/* Reads the list `workload.consumers`: how the SM's warps access the tiles that have arrived. */
#include <stdio.h>
#include <string.h>

#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/schema_describe.h"

#define IN(member) offsetof(struct tma_consumer, member)

#define DISTRIBUTION(key, most, text)                                                              \
    {                                                                                              \
        .path = "distribution." #key, .kind = TMA_KEY_U32, .unit = &tma_unit_none, .min = 1,       \
        .max = most, .fallback = TMA_OPTIONAL, .offset = IN(distribution.key), .meaning = text     \
    }

static const struct tma_name major_items[] = {{"k", 0}, {"mn", 1}};
static const struct tma_names major_names = {"major", major_items, 2};

static const struct tma_key keys[] = {
    {.path = "operation",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 0,
     .max = TMA_MAX_STAGE_OPERATIONS - 1,
     .fallback = "0",
     .offset = IN(operation),
     .meaning = "index of the operation of the stage whose tile is accessed"},
    {.path = "instruction",
     .kind = TMA_KEY_ENUM,
     .names = &tma_shared_instruction_names,
     .offset = IN(instruction),
     .meaning = "instruction that each warp executes"},
    {.path = "lanes",
     .kind = TMA_KEY_ENUM,
     .names = &tma_lane_map_names,
     .offset = IN(lanes),
     .meaning = "lane map: which lane accesses which bytes of the tile"},
    {.path = "stride",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 1024,
     .fallback = "1",
     .offset = IN(stride),
     .meaning = "strided lanes: distance between the vectors that neighbouring lanes access, in "
                "vectors; a vector is what one lane moves with one instruction"},
    {.path = "transposed",
     .kind = TMA_KEY_BOOL,
     .fallback = "false",
     .offset = IN(transposed),
     .meaning = "whether ldmatrix and stmatrix have .trans"},
    {.path = "repeat",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 1000000,
     .fallback = "1",
     .offset = IN(repeat),
     .meaning = "number of passes over the tile"},
    {.path = "distribution.raking",
     .kind = TMA_KEY_ENUM,
     .names = &tma_raking_names,
     .fallback = "thread_raked",
     .offset = IN(distribution.raking),
     .meaning = "distribution lanes: how warps and iterations divide the rows of the tile"},
    DISTRIBUTION(block_size, 1024, "distribution lanes, which need it: threads of the block"),
    DISTRIBUTION(y_per_tile, 1 << 20,
                 "distribution lanes: rows that the block covers; default: the tile's rows"),
    DISTRIBUTION(x_per_tile, 1 << 20,
                 "distribution lanes: elements of a row; default: those of the tile's row"),
    DISTRIBUTION(vec_size, 1024,
                 "distribution lanes: elements that a thread accesses at once; default: what the "
                 "instruction moves"),
    DISTRIBUTION(warp_size, 64, "distribution lanes: threads of a warp, 32 or 64; default: 32"),
    DISTRIBUTION(wave_groups, 32,
                 "distribution lanes: number of groups into which the warps are divided; each "
                 "covers the whole tile; default: 1"),
    {.path = "descriptor.mn",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 8,
     .max = TMA_WGMMA_MAX_MN,
     .fallback = TMA_OPTIONAL,
     .offset = IN(wgmma.mn),
     .meaning = "descriptor lanes: extent of the operand along M or N in one wgmma, in elements: "
                "64 for A, N for B; default: 64"},
    {.path = "descriptor.panel_rows",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 8,
     .max = 1 << 20,
     .fallback = TMA_OPTIONAL,
     .offset = IN(wgmma.panel_rows),
     .meaning = "descriptor lanes: rows of the tile in one panel; default: all rows"},
    {.path = "descriptor.major",
     .kind = TMA_KEY_BOOL,
     .names = &major_names,
     .fallback = "k",
     .offset = IN(wgmma.mn_major),
     .meaning = "descriptor lanes: the dimension that runs along a row of the tile"},
    {.path = "descriptor.swizzle",
     .kind = TMA_KEY_ENUM,
     .names = &tma_swizzle_names,
     .fallback = "none",
     .offset = IN(wgmma.claims),
     .meaning = "descriptor lanes: swizzle mode in the matrix descriptor; without this key and the "
                "next two, the descriptor fits the tile"},
    {.path = "descriptor.leading_offset",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_bytes,
     .min = 0,
     .max = 262128,
     .fallback = TMA_OPTIONAL,
     .offset = IN(wgmma.leading_bytes),
     .meaning = "descriptor lanes: leading dimension byte offset in the matrix descriptor"},
    {.path = "descriptor.stride_offset",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_bytes,
     .min = 0,
     .max = 262128,
     .fallback = TMA_OPTIONAL,
     .offset = IN(wgmma.stride_bytes),
     .meaning = "descriptor lanes: stride dimension byte offset in the matrix descriptor"},
};

const struct tma_schema tma_consumer_schema = {keys, sizeof keys / sizeof keys[0]};

/* True if the file gives a matrix descriptor. Otherwise the consumer uses the one that fits the
 * tile. */
static bool gives_descriptor(const struct tma_yaml_node *node) {
    return tma_yaml_find(node, "descriptor.swizzle") != NULL ||
           tma_yaml_find(node, "descriptor.leading_offset") != NULL ||
           tma_yaml_find(node, "descriptor.stride_offset") != NULL;
}

static bool read_consumer(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                          uint32_t index) {
    struct tma_consumer *consumer = &reader->scenario->workload.consumers[index];
    char context[TMA_PATH_BYTES];
    snprintf(context, sizeof context, "workload.consumers.%u", index);
    if (!tma_schema_read(&tma_consumer_schema, node, context, consumer, reader->list))
        return false;
    consumer->wgmma.descriptor_given = gives_descriptor(node);
    return true;
}

void tma_read_consumers(struct tma_scenario_reader *reader, const struct tma_yaml_node *list) {
    struct tma_workload *workload = &reader->scenario->workload;
    uint32_t index = 0;
    for (const struct tma_yaml_node *node = list->first; node != NULL; node = node->next) {
        if (index == TMA_MAX_CONSUMERS) {
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                         "workload.consumers has too many entries; allowed: %d", TMA_MAX_CONSUMERS);
            break;
        }
        reader->consumer_valid[index] = read_consumer(reader, node, index);
        index++;
    }
    workload->consumer_count = index;
}

struct filter {
    const struct tma_consumer *consumer;
    const struct tma_describer *describer;
};

/* Passes on only the keys that apply to the consumer's lane map. */
static void visit_applicable(void *context, const char *key, const char *value) {
    const struct filter *filter = context;
    const struct tma_consumer *consumer = filter->consumer;
    bool distributed = consumer->lanes == TMA_LANES_DISTRIBUTION;
    bool described = consumer->lanes == TMA_LANES_DESCRIPTOR && consumer->wgmma.descriptor_given;
    if ((strstr(key, ".distribution.") == NULL || distributed) &&
        (strstr(key, ".descriptor.") == NULL || described))
        filter->describer->visit(filter->describer->context, key, value);
}

void tma_consumer_describe(const struct tma_consumer *consumer,
                           const struct tma_describer *describer) {
    struct filter filter = {consumer, describer};
    struct tma_describer filtered = {visit_applicable, &filter, describer->prefix};
    tma_schema_describe(&tma_consumer_schema, consumer, &filtered);
}
