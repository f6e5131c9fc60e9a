/* A scenario: a machine, tensor maps and a workload, read from YAML and checked. */
#pragma once

#include "base/api.h"
#include "base/diagnostics.h"
#include "base/digest.h"
#include "engine/workload.h"

TMA_API_BEGIN

struct tma_yaml_node;
struct tma_parameters;
struct tma_bases;
struct tma_kernel;
struct tma_kernel_program;

struct tma_scenario {
    char name[TMA_MAX_NAME];
    char description[512];
    struct tma_machine machine;
    struct tma_workload workload;       /* only its tensor maps where `program` is not NULL */
    struct tma_kernel_program *program; /* owned; the kernel with roles; NULL: the workload runs */
    const char *map_names[TMA_MAX_TENSOR_MAPS]; /* by the workload's map index; borrowed */

    /* What map_names and the locations of diagnostics borrow. */
    struct tma_yaml_node *document;     /* owned; the scenario's file */
    struct tma_yaml_node *gpu_document; /* owned; the machine's file, or NULL */
    char *gpu_path;                     /* owned; path of the machine's file, or NULL */
    struct tma_bases *bases;            /* owned; the files that it extends, or NULL */
    struct tma_parameters *parameters;  /* owned; or NULL */
    char **setting_names;               /* owned; "--set 1", "--set 2", ... */
    size_t setting_count;
};

/* Reads the scenario file at `path` and checks that the machine can run it. Each setting
 * ("workload.pipeline.depth=8", "gpu.sm_count=66", "M=4096" for a parameter M) is applied as if it
 * were in the file. The path of the machine's file is relative to the scenario's; a word
 * names a machine that belongs to the project, or lies in a folder of TMASIM_PATH.
 *
 * Returns false, with every error and its location in the list, if anything is wrong. Call
 * tma_scenario_free in either case, after the last use of the list. The list borrows `path`. */
bool tma_scenario_read(const char *path, const char *const *settings, size_t setting_count,
                       struct tma_scenario *scenario, struct tma_diagnostics *list);

/* As tma_scenario_read, for those who look at tiles alone: consumers that their tiles do not allow
 * do not fail. Then the errors are in consumer_list, and the workload has no consumers. */
bool tma_scenario_read_tiles(const char *path, const char *const *settings, size_t setting_count,
                             struct tma_scenario *scenario, struct tma_diagnostics *list,
                             struct tma_diagnostics *consumer_list);

/* As tma_scenario_read, from `text`, YAML that ends with a NUL. The text is copied. `name` stands
 * for the path of a file: locations name and borrow it, and the path of the machine's file is
 * relative to its folder. */
bool tma_scenario_read_text(const char *text, const char *name, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list);

/* What a scenario is read from, where the caller does not trust who names the files. */
struct tma_scenario_source {
    const char *path;   /* of the file; of a text, what stands for it */
    const char *text;   /* NULL: the file is read */
    const char *folder; /* in which this file and all that it names have to lie, but for those that
                           belong to the project; "": no other file is read */
};

/* As tma_scenario_read, or with a text as tma_scenario_read_text. No error has a word of a file
 * that is no scenario or machine. */
bool tma_scenario_read_from(const struct tma_scenario_source *source, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list);

/* The kernel with roles of the scenario; NULL: its workload runs. */
const struct tma_kernel *tma_scenario_kernel(const struct tma_scenario *scenario);

/* Says whether the kernel may have more operations than anyone waits for usually
 * (tma_kernel_check_operations). */
void tma_scenario_allow_long_kernel(struct tma_scenario *scenario, bool allowed);

/* Digests the keys and values of a scenario, with every default and every setting applied:
 * comments, the order of keys, and whether a value is a default or a setting do not count. Returns
 * false when out of memory. */
bool tma_scenario_digest(const struct tma_scenario *scenario, struct tma_digests *digests);

/* Frees what the scenario owns and empties it. */
void tma_scenario_free(struct tma_scenario *scenario);

TMA_API_END
