/* What the steps of reading a scenario hand to each other. Internal to this folder. */
#ifndef TMA_SCENARIO_READING_H
#define TMA_SCENARIO_READING_H

#include "placement/rows.h"
#include "scenario/scenario.h"
#include "scenario/schema.h"

enum { TMA_PATH_BYTES = 128 };

/* "auto" as the schemas store it, until the layout replaces it. */
#define TMA_AUTO_ADDRESS UINT64_MAX
#define TMA_AUTO_OFFSET  UINT32_MAX
#define TMA_AUTO_STAGE   0u
#define TMA_AUTO_EXPECT  UINT64_MAX

struct tma_reading {
    struct tma_scenario *scenario;
    const struct tma_yaml_node *root;
    struct tma_diagnostics *list;
    const char *single_map; /* path of the only map of a document; NULL: tensor_maps.NAME */
    bool machine_good, workload_good;
    bool map_good[TMA_MAX_TENSOR_MAPS];
    bool operation_good[TMA_MAX_STAGE_OPERATIONS];
    bool consumer_good[TMA_MAX_CONSUMERS];
    /* Operations whose size is known: their fields are good, and so is their map. */
    bool sized[TMA_MAX_STAGE_OPERATIONS];
    struct tma_operation_size sizes[TMA_MAX_STAGE_OPERATIONS];
};

/* Prepares the places of --set; false when out of memory. */
bool tma_name_places(struct tma_scenario *scenario, size_t count);

/* Applies those settings that are the scenario's document's, or those that are its machine's. */
bool tma_apply_settings(struct tma_scenario *scenario, const char *const *settings, size_t count,
                        bool to_machine, struct tma_diagnostics *list);

/* Reads the machine that `gpu` names, relative to the scenario's file. */
bool tma_read_gpu(struct tma_reading *reading, const char *gpu, const char *const *settings,
                  size_t setting_count);

/* One fault at the closest node to `path`, from the document's root. */
void tma_refuse_at(struct tma_reading *reading, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

extern const struct tma_schema tma_scenario_schema, tma_map_schema, tma_workload_schema,
    tma_operation_schema, tma_consumer_schema;

/* Reads every tensor map below `maps` into the workload. */
void tma_read_maps(struct tma_reading *reading, const struct tma_yaml_node *maps);

/* Reads everything below `workload`; its operations and its consumers are parts of that. */
void tma_read_workload(struct tma_reading *reading, const struct tma_yaml_node *workload);
void tma_read_operations(struct tma_reading *reading, const struct tma_yaml_node *list);
void tma_read_consumers(struct tma_reading *reading, const struct tma_yaml_node *list);

/* Global bytes of a whole row: elements of dimension 0, or with interleave pixels of one slice. */
uint64_t tma_map_row_bytes(const struct tma_tensor_map *map);

/* Gives every "auto" and every default address its value: maps lie apart, operations one after the
 * other in the stage, the stage as large as they need, expect_tx what they complete. */
void tma_lay_out_maps(struct tma_reading *reading);
void tma_lay_out_stage(struct tma_reading *reading);

/* What the schemas cannot see. Appends every fault to the list. */
void tma_check_maps(struct tma_reading *reading);       /* after their layout: addresses count */
void tma_check_operations(struct tma_reading *reading); /* before the layout: they fill `sizes` */
void tma_check_stage(struct tma_reading *reading);
void tma_check_consumers(struct tma_reading *reading);

#endif
