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
    {.path = "ctas",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 1 << 20,
     .offset = IN(workload.cta_count),
     .meaning = "number of CTAs in the grid; an SM runs one at a time"},
    {.path = "cluster",
     .kind = TMA_KEY_ENUM,
     .names = &cluster_names,
     .fallback = TMA_OPTIONAL,
     .offset = IN(workload.cluster_ctas),
     .meaning =
         "number of CTAs in a cluster, which run on SMs of one GPC; default: 1, no clusters"},
    {.path = "sms",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = TMA_MAX_SMS,
     .names = &all_names,
     .fallback = "all",
     .offset = IN(workload.sm_count),
     .meaning = "number of SMs that the kernel may use"},
    {.path = "iterations",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 1 << 30,
     .offset = IN(workload.iterations),
     .meaning = "number of stages that each CTA fills, all its slots together"},
    {.path = "initial_cache",
     .kind = TMA_KEY_BOOL,
     .names = &cache_names,
     .fallback = "cold",
     .offset = IN(workload.cold),
     .meaning = "state of L2 at the start; cold: it holds nothing of the tensors; warm: it holds "
                "what a run of the same kernel left"},
    {.path = "pipeline.depth",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 64,
     .fallback = "1",
     .offset = IN(workload.depth),
     .meaning = "number of pipeline slots in a CTA; slot s does iterations s, s + depth, s + 2 "
                "depth, ..."},
    {.path = "pipeline.stage_bytes",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_bytes,
     .min = 16,
     .max = 1 << 20,
     .names = &auto_stage_names,
     .fallback = "auto",
     .offset = IN(workload.stage_bytes),
     .meaning = "shared memory of one slot, and so the distance between slots; auto: what the "
                "operations need"},
    {.path = "pipeline.expect_tx",
     .kind = TMA_KEY_U64,
     .unit = &tma_unit_bytes,
     .min = 0,
     .max = 1048575,
     .names = &auto_names,
     .fallback = "auto",
     .offset = IN(workload.expect_bytes),
     .meaning =
         "bytes that the mbarrier of a stage expects; auto: what the stage's loads complete"},
    {.path = "pipeline.shared_base",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_bytes,
     .min = 0,
     .max = 1 << 20,
     .fallback = "0 B",
     .offset = IN(workload.shared_base_bytes),
     .meaning = "shared-memory address of the first slot"},
    {.path = "operations",
     .kind = TMA_KEY_LIST,
     .offset = IN(operations),
     .meaning = "the TMA operations of each stage; keys below"},
    {.path = "consumers",
     .kind = TMA_KEY_LIST,
     .fallback = TMA_OPTIONAL,
     .offset = IN(consumers),
     .meaning = "how warps access the tiles that have arrived; keys below"},
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
