/* Consumers: what the SM does with a tile once it has arrived. */
#include <stdio.h>

#include "scenario/reading.h"

#define IN(member) offsetof(struct tma_consumer, member)

static const struct tma_key keys[] = {
    {.path = "operation",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 0,
     .max = TMA_MAX_STAGE_OPERATIONS - 1,
     .fallback = "0",
     .offset = IN(operation),
     .meaning = "which of the stage's operations brought the tile"},
    {.path = "instruction",
     .kind = TMA_KEY_ENUM,
     .names = &tma_shared_instruction_names,
     .offset = IN(instruction),
     .meaning = "that each warp executes"},
    {.path = "lanes",
     .kind = TMA_KEY_ENUM,
     .names = &tma_lane_map_names,
     .offset = IN(lanes),
     .meaning = "which lane touches which bytes"},
    {.path = "stride",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 1024,
     .fallback = "1",
     .offset = IN(stride),
     .meaning = "strided lanes: every how many vectors one is taken"},
    {.path = "transposed",
     .kind = TMA_KEY_BOOL,
     .fallback = "false",
     .offset = IN(transposed),
     .meaning = ".trans of ldmatrix and stmatrix"},
    {.path = "repeat",
     .kind = TMA_KEY_U32,
     .unit = &tma_unit_none,
     .min = 1,
     .max = 1000000,
     .fallback = "1",
     .offset = IN(repeat),
     .meaning = "passes over the tile"},
};

const struct tma_schema tma_consumer_schema = {keys, sizeof keys / sizeof keys[0]};

void tma_read_consumers(struct tma_reading *reading, const struct tma_yaml_node *list) {
    struct tma_workload *workload = &reading->scenario->workload;
    uint32_t index = 0;
    for (const struct tma_yaml_node *node = list->first; node != NULL; node = node->next) {
        if (index == TMA_MAX_CONSUMERS) {
            tma_diagnose(reading->list, TMA_ERROR_SYNTAX, node->at,
                         "workload.consumers has more than %d entries", TMA_MAX_CONSUMERS);
            break;
        }
        char context[TMA_PATH_BYTES];
        snprintf(context, sizeof context, "workload.consumers.%u", index);
        reading->consumer_good[index] = tma_schema_read(&tma_consumer_schema, node, context,
                                                        &workload->consumers[index], reading->list);
        index++;
    }
    workload->consumer_count = index;
}
