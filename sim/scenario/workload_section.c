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

static const struct tma_names major_names = TMA_NAMES("major", {"k", 0}, {"mn", 1});

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

const struct tma_schema tma_consumer_schema = TMA_SCHEMA(keys);

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

static void read_consumers(struct tma_scenario_reader *reader, const struct tma_yaml_node *list) {
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

/* Reads the mapping `workload`, apart from its operations and consumers. */

static const struct tma_names cache_names = TMA_NAMES("initial cache", {"cold", 1}, {"warm", 0});
static const struct tma_names all_names = TMA_NAMES("SMs", {"all", 0});
static const struct tma_names cluster_names =
    TMA_NAMES("CTAs of a cluster", {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16});
static const struct tma_names auto_names = TMA_NAMES("size", {"auto", -1});
static const struct tma_names auto_stage_names = TMA_NAMES("size", {"auto", TMA_AUTO_STAGE});

struct workload_input {
    struct tma_workload workload;
    const struct tma_yaml_node *operations, *consumers;
};

#undef IN
#define IN(member) offsetof(struct workload_input, member)

static const struct tma_key workload_keys[] = {
    TMA_NUMBER_KEY("ctas", U32, none, 1, 1 << 20, TMA_REQUIRED, IN(workload.cta_count),
                   "number of CTAs in the grid; an SM runs one at a time"),
    TMA_WORD_KEY(
        "cluster", ENUM, cluster_names, TMA_OPTIONAL, IN(workload.cluster_ctas),
        "number of CTAs in a cluster, which run on SMs of one GPC; default: 1, no clusters"),
    TMA_NUMBER_OR_WORD_KEY("sms", U32, none, 1, TMA_MAX_SMS, all_names, "all",
                           IN(workload.sm_count), "number of SMs that the kernel may use"),
    TMA_NUMBER_KEY("iterations", U32, none, 1, 1 << 30, TMA_REQUIRED, IN(workload.iterations),
                   "number of stages that each CTA fills, all its slots together"),
    TMA_WORD_KEY("initial_cache", BOOL, cache_names, "cold", IN(workload.cold),
                 "state of L2 at the start; cold: it holds nothing of the tensors; warm: it holds "
                 "what a run of the same kernel left"),
    TMA_NUMBER_KEY("pipeline.depth", U32, none, 1, 64, "1", IN(workload.depth),
                   "number of pipeline slots in a CTA; slot s does iterations s, s + depth, s + 2 "
                   "depth, ..."),
    TMA_NUMBER_OR_WORD_KEY(
        "pipeline.stage_bytes", U32, bytes, 16, 1 << 20, auto_stage_names, "auto",
        IN(workload.stage_bytes),
        "shared memory of one slot, and so the distance between slots; auto: what the "
        "operations need"),
    TMA_NUMBER_OR_WORD_KEY(
        "pipeline.expect_tx", U64, bytes, 0, 1048575, auto_names, "auto", IN(workload.expect_bytes),
        "bytes that the mbarrier of a stage expects; auto: what the stage's loads complete"),
    TMA_NUMBER_KEY("pipeline.shared_base", U32, bytes, 0, 1 << 20, "0 B",
                   IN(workload.shared_base_bytes), "shared-memory address of the first slot"),
    TMA_PLAIN_KEY("operations", LIST, TMA_REQUIRED, IN(operations),
                  "the TMA operations of each stage; keys below"),
    TMA_PLAIN_KEY("consumers", LIST, TMA_OPTIONAL, IN(consumers),
                  "how warps access the tiles that have arrived; keys below"),
};

const struct tma_schema tma_workload_schema = TMA_SCHEMA(workload_keys);

void tma_read_workload(struct tma_scenario_reader *reader, const struct tma_yaml_node *node) {
    struct tma_workload *workload = &reader->scenario->workload;
    struct workload_input input = {.workload = *workload};
    bool good = tma_schema_read(&tma_workload_schema, node, "workload", &input, reader->list);
    *workload = input.workload;
    if (workload->sm_count == 0)
        workload->sm_count = reader->scenario->machine.sm_count;
    reader->workload_valid = good;
    if (input.operations != NULL)
        tma_read_operations(reader, input.operations);
    if (input.consumers != NULL)
        read_consumers(reader, input.consumers);
}

void tma_workload_describe(const struct tma_workload *workload,
                           const struct tma_describer *describer) {
    struct workload_input input = {.workload = *workload};
    tma_schema_describe(&tma_workload_schema, &input, describer);
}
