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
    TMA_NUMBER_KEY("operation", U32, none, 0, TMA_MAX_STAGE_OPERATIONS - 1, "0", IN(operation),
                   "index of the operation of the stage whose tile is accessed"),
    TMA_WORD_KEY("instruction", ENUM, tma_shared_instruction_names, TMA_REQUIRED, IN(instruction),
                 "instruction that each warp executes"),
    TMA_WORD_KEY("lanes", ENUM, tma_lane_map_names, TMA_REQUIRED, IN(lanes),
                 "lane map: which lane accesses which bytes of the tile"),
    TMA_NUMBER_KEY("stride", U32, none, 1, 1024, "1", IN(stride),
                   "strided lanes: distance between the vectors that neighbouring lanes access, in "
                   "vectors; a vector is what one lane moves with one instruction"),
    TMA_PLAIN_KEY("transposed", BOOL, "false", IN(transposed),
                  "whether ldmatrix and stmatrix have .trans"),
    TMA_NUMBER_KEY("repeat", U32, none, 1, 1000000, "1", IN(repeat),
                   "number of passes over the tile"),
    TMA_WORD_KEY("distribution.raking", ENUM, tma_raking_names, "thread_raked",
                 IN(distribution.raking),
                 "distribution lanes: how warps and iterations divide the rows of the tile"),
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
    TMA_NUMBER_KEY(
        "descriptor.mn", U32, none, 8, TMA_WGMMA_MAX_MN, TMA_OPTIONAL, IN(wgmma.mn),
        "descriptor lanes: extent of the operand along M or N in one wgmma, in elements: "
        "64 for A, N for B; default: 64"),
    TMA_NUMBER_KEY("descriptor.panel_rows", U32, none, 8, 1 << 20, TMA_OPTIONAL,
                   IN(wgmma.panel_rows),
                   "descriptor lanes: rows of the tile in one panel; default: all rows"),
    TMA_WORD_KEY("descriptor.major", BOOL, major_names, "k", IN(wgmma.mn_major),
                 "descriptor lanes: the dimension that runs along a row of the tile"),
    TMA_WORD_KEY(
        "descriptor.swizzle", ENUM, tma_swizzle_names, "none", IN(wgmma.swizzle),
        "descriptor lanes: swizzle mode in the matrix descriptor; without this key and the "
        "next two, the descriptor fits the tile"),
    TMA_NUMBER_KEY("descriptor.leading_offset", U32, bytes, 0, 262128, TMA_OPTIONAL,
                   IN(wgmma.leading_bytes),
                   "descriptor lanes: leading dimension byte offset in the matrix descriptor"),
    TMA_NUMBER_KEY("descriptor.stride_offset", U32, bytes, 0, 262128, TMA_OPTIONAL,
                   IN(wgmma.stride_bytes),
                   "descriptor lanes: stride dimension byte offset in the matrix descriptor"),
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
