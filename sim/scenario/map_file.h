/* Reads tensor maps alone, from a scenario or from a file that has nothing else. Does not check
 * them against the rules: the callers do that. */
#pragma once

#include "scenario/scenario.h"
#include "scenario/tree.h"
#include "tensormap/fields.h"

struct tma_map_file {
    struct tma_scenario *scenario; /* owned; holds the maps, their names, and the machine if any */
    const struct tma_yaml_node *nodes[TMA_MAX_TENSOR_MAPS]; /* where each map is in the document */
    struct tma_yaml_node single;  /* a copy of the node of a map without a name, named "map" */
    struct tma_yaml_node *origin; /* of this copy, in the document */
    bool mended;                  /* there are errors, but these maps are what was probably meant */
    struct tma_yaml_node around;  /* stands for the mapping `tensor_maps` around that map */
};

/* Reads the maps from YAML or JSON, with each setting ("tensor_maps.A.box_dim=[64,8]") applied. The
 * text is a scenario, whose `tensor_maps` are read, or one map, at the root or as `tensor_map`.
 * Such a map has the name "map". `name` is the file's name, which every location borrows.
 *
 * Returns false, with every error in the list, if anything is wrong. If it is only words that are
 * almost right, or unknown keys of maps, `mended` is true and the maps are those without them. Call
 * tma_map_file_free in either case, after the last use of the list. */
bool tma_map_file_read(const char *text, size_t length, const char *name,
                       const char *const *settings, size_t setting_count, struct tma_map_file *file,
                       struct tma_diagnostics *list);

/* Reads the keys of one map from a node of another document. `context` is the node's path, for
 * messages. Returns false, with every error in the list, if anything is wrong. The map's address is
 * the key's, or UINT64_MAX. */
bool tma_map_read_node(const struct tma_yaml_node *node, const char *context,
                       struct tma_tensor_map *map, struct tma_diagnostics *list);

void tma_map_file_free(struct tma_map_file *file);

/* Returns the location of a field of a map, or the closest one that the document has. `index` is
 * the index in a list, or -1 for a field with a single value. */
struct tma_location tma_map_file_locate(const struct tma_map_file *file, uint32_t map,
                                        enum tma_field field, int index);

/* Finds the first operation of the document on a map that the architecture does not have, such as
 * gather4 on sm_90, or that the map does not have, such as gather4 with boxes of several rows.
 * Returns false if there is none; else *at is the operation's place, and *error says what is
 * missing. Other errors of operations are left to tma_scenario_read. The map is legal. */
bool tma_map_file_refused(const struct tma_map_file *file, uint32_t map,
                          enum tma_architecture architecture, struct tma_location *at,
                          struct tma_error *error);

/* Are all operations of the document on a map gather4 or scatter4, and is there one? */
bool tma_map_file_gathers(const struct tma_map_file *file, uint32_t map);
