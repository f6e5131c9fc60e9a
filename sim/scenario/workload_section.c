/* Reads the mapping `workload`, apart from its operations and consumers. */
#include <string.h>

#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/schema_describe.h"

static const struct tma_name cache_items[] = {{"cold", 1}, {"warm", 0}};
static const struct tma_names cache_names = {"initial cache", cache_items, 2};
static const struct tma_name all_items[] = {{"all", 0}};
static const struct tma_names all_names = {"SMs", all_items, 1};
static const struct tma_name cluster_items[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}};
static const struct tma_names cluster_names = {"CTAs of a cluster", cluster_items, 5};
static const struct tma_name auto_items[] = {{"auto", -1}};
static const struct tma_names auto_names = {"size", auto_items, 1};
static const struct tma_name auto_stage_items[] = {{"auto", TMA_AUTO_STAGE}};
static const struct tma_names auto_stage_names = {"size", auto_stage_items, 1};

struct workload_input {
    struct tma_workload workload;
    const struct tma_yaml_node *operations, *consumers;
};

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

const struct tma_schema tma_workload_schema = {workload_keys,
                                               sizeof workload_keys / sizeof workload_keys[0]};

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
        tma_read_consumers(reader, input.consumers);
}

void tma_workload_describe(const struct tma_workload *workload,
                           const struct tma_describer *describer) {
    struct workload_input input = {.workload = *workload};
    tma_schema_describe(&tma_workload_schema, &input, describer);
}
