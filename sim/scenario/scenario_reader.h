/* The context of reading one scenario, and the steps that share it. Internal to this folder.
 *
 * The steps run in this order: tensor maps are read, get their addresses and are checked; then the
 * workload is read, its operations are checked, get their offsets in the stage, and are checked
 * against the stage; consumers are checked last. A step skips parts that an earlier step found
 * invalid, so one error is not reported twice. */
#pragma once

#include "engine/workload.h"
#include "placement/rows.h"
#include "scenario/schema.h"
#include "scenario/schema_describe.h"

struct tma_scenario;

/* Size of a buffer for a path such as "workload.operations.0.walk.start.1". */
enum { TMA_PATH_BYTES = 128 };

/* How the schemas store "auto" until the value is computed. */
#define TMA_AUTO_ADDRESS UINT64_MAX
#define TMA_AUTO_OFFSET  UINT32_MAX
#define TMA_AUTO_STAGE   0u
#define TMA_AUTO_EXPECT  UINT64_MAX

struct tma_scenario_reader {
    struct tma_scenario *scenario;    /* what is being filled */
    const struct tma_yaml_node *root; /* of the scenario's document */
    struct tma_diagnostics *list;     /* collects the errors */
    const char *single_map;           /* path of a document's only map; NULL: tensor_maps.NAME */
    bool machine_valid;               /* the machine was read without errors */
    bool workload_valid;              /* the keys of `workload` were read without errors */

    /* Whether each map, operation and consumer has passed all checks so far. */
    bool map_valid[TMA_MAX_TENSOR_MAPS];
    bool operation_valid[TMA_MAX_STAGE_OPERATIONS];
    bool consumer_valid[TMA_MAX_CONSUMERS];

    /* Gets the errors of consumers that their tiles do not allow; NULL: those are in `list`. */
    struct tma_diagnostics *consumer_list;

    bool size_known[TMA_MAX_STAGE_OPERATIONS]; /* `sizes` has it: operation and map are valid */
    struct tma_operation_size sizes[TMA_MAX_STAGE_OPERATIONS]; /* where size_known */
};

extern const struct tma_schema tma_scenario_schema, tma_map_schema, tma_workload_schema,
    tma_operation_schema, tma_consumer_schema;

/* The words of an operation's reduction. */
extern const struct tma_names tma_reduction_words;

/* Appends one error, made as printf does, at the node closest to `path` from the document's root.
 */
void tma_scenario_diagnose(struct tma_scenario_reader *reader, const char *path, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

/* Allocates the names "--set 1", "--set 2", ... that locations borrow. False when out of memory. */
bool tma_scenario_name_settings(struct tma_scenario *scenario, size_t count);

/* Makes what the scenario needs to extend other files (extend.h). False when out of memory. */
bool tma_scenario_make_bases(struct tma_scenario *scenario, const char *folder);

/* Applies the settings for the machine ("gpu...."), or all others, to that document. Returns false,
 * with the errors appended to the list, if one does not fit. */
bool tma_scenario_apply_settings(struct tma_scenario *scenario, const char *const *settings,
                                 size_t count, bool to_machine, struct tma_diagnostics *list);

/* Reads the machine that `gpu` says, with its settings applied: NULL, the h200; a word, the name of
 * a machine or the path of its file, relative to the scenario's; a mapping, which leaves the
 * scenario's document, the keys of a machine. Returns false, with the errors appended to the list,
 * if the machine is invalid. */
bool tma_scenario_read_machine(struct tma_scenario_reader *reader, const struct tma_yaml_node *gpu,
                               const char *const *settings, size_t setting_count);

/* Reads the mapping `tensor_maps` into the workload. */
void tma_read_maps(struct tma_scenario_reader *reader, const struct tma_yaml_node *maps);

/* Reads the mapping `workload`, with its operations and consumers. */
void tma_read_workload(struct tma_scenario_reader *reader, const struct tma_yaml_node *workload);

/* Reads the list `workload.operations`. */
void tma_read_operations(struct tma_scenario_reader *reader, const struct tma_yaml_node *list);

/* Finds the map of that name. Returns false, with an error at the node, if there is none. */
bool tma_find_map(struct tma_scenario_reader *reader, const struct tma_yaml_node *node,
                  const char *context, const char *name, uint32_t *index);

/* Gives each map without an address its own, aligned to 2 MiB, one map behind the other. */
void tma_assign_map_addresses(struct tma_scenario_reader *reader);

/* Replaces "auto" in the stage: places the operations' tiles one behind the other, sets stage_bytes
 * to what they need, and expect_tx to the bytes that they complete. */
void tma_assign_stage_offsets(struct tma_scenario_reader *reader);

/* Checks what one key alone cannot show. All append every error to the list.
 * tma_check_maps needs the maps' addresses. tma_check_operations fills `sizes`, which the stage's
 * layout needs. tma_check_stage and tma_check_consumers need that layout. */
void tma_check_maps(struct tma_scenario_reader *reader);
void tma_check_operations(struct tma_scenario_reader *reader);
void tma_check_stage(struct tma_scenario_reader *reader);
void tma_check_consumers(struct tma_scenario_reader *reader);

/* Describe one section each, for tma_scenario_describe. */
void tma_map_describe(const struct tma_tensor_map *map, const struct tma_map_array *array,
                      const struct tma_describer *describer);
void tma_workload_describe(const struct tma_workload *workload,
                           const struct tma_describer *describer);
void tma_operation_describe(const struct tma_scenario *scenario, uint32_t index,
                            const struct tma_describer *describer);
void tma_consumer_describe(const struct tma_consumer *consumer,
                           const struct tma_describer *describer);

/* Parses the word of an operation's `access`, of which "auto" depends on the map's kind. False for
 * an unknown word. */
bool tma_parse_access(const char *word, enum tma_map_kind kind, enum tma_access_mode *access);

/* What a scenario requires of its parameters, such as "BM is a power of 2". */
extern const struct tma_schema tma_requirement_schema;

/* Reads the list `requires`. Appends an error for each condition that does not hold, with its
 * reason, and for each that is none. */
void tma_check_requirements(const struct tma_yaml_node *list, struct tma_diagnostics *errors);
