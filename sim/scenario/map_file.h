/* The tensor maps of a document alone: of a scenario, or of a file that has nothing else. They are
 * not judged: that is what they are read for. */
#ifndef TMA_SCENARIO_MAPS_H
#define TMA_SCENARIO_MAPS_H

#include "scenario/document.h"
#include "scenario/scenario.h"
#include "tensormap/fields.h"

struct tma_map_file {
    struct tma_scenario *scenario; /* owned: its workload's maps, their names, and the machine */
    const struct tma_yaml_node *nodes[TMA_MAX_TENSOR_MAPS];
    struct tma_yaml_node single, around; /* stand for the mapping that one map alone lacks */
};

/* Reads them from YAML or JSON, with each setting ("tensor_maps.A.box_dim=[64,8]") applied: a
 * scenario (what is below tensor_maps), or one map as it stands there, at the root or below
 * tensor_map (then its name is "map"). `name` is the file's, and borrowed by every location. False
 * where anything is wrong, with every fault in the list. The file is to be freed in any case, after
 * the list was used. */
bool tma_map_file_read(const char *text, size_t length, const char *name,
                       const char *const *settings, size_t setting_count, struct tma_map_file *file,
                       struct tma_diagnostics *list);

void tma_map_file_free(struct tma_map_file *file);

/* Where a value of a map stands: the closest place that the document has. index is -1 for a field
 * that is a single value. */
struct tma_location tma_map_file_locate(const struct tma_map_file *file, uint32_t map,
                                        enum tma_field field, int index);

#endif
