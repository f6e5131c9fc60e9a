/* The tensor maps that check and encode read. */
#pragma once

#include "cli/options.h"
#include "report/access_findings.h"
#include "scenario/map_file.h"
#include "tensormap/advice.h"

/* What is costly about the accesses of a statement whose lanes carry a tile. */
struct cli_access_check {
    uint32_t line, column;
    enum tma_access_finding finding;
    struct tma_access_figures figures; /* of a tile at the origin of its tensor */
    char text[TMA_ACCESS_FINDING_BYTES];
};

struct cli_map_input {
    const char *name; /* of the file, for messages */
    char *text;       /* owned */
    struct tma_map_file file;
    struct tma_map_use uses[TMA_MAX_TENSOR_MAPS]; /* what the file says of each map's use */
    struct cli_access_check *accesses;            /* owned: in the order of the statements */
    size_t access_count;
    char *phases[TMA_MAX_TENSOR_MAPS]; /* owned; of a tile within its swizzle's pattern, or NULL */
};

/* Reads a file. On failure, adds the errors to the list and returns false. The caller frees the
 * input in either case. */
bool cli_map_input_load(const struct cli_options *options, const char *path,
                        struct cli_map_input *input, struct tma_diagnostics *list);

/* Reads the file that the first operand names; standard input where there is none. On failure,
 * prints every error and returns false; with `mends`, only if not all of them are words that are
 * almost right. The caller frees the input in either case. */
bool cli_map_input_read(const struct cli_options *options, bool mends, struct cli_map_input *input);

/* Finds out what the scenario reads by each map, where tiles lie, and what is costly about accesses
 * of warps, if the file is one that runs.
 * Returns false when out of memory. */
bool cli_map_input_find_uses(const struct cli_options *options, struct cli_map_input *input);

void cli_map_input_free(struct cli_map_input *input);

/* The number of tensor maps, and each map with its name. */
uint32_t cli_map_count(const struct cli_map_input *input);
const struct tma_tensor_map *cli_map(const struct cli_map_input *input, uint32_t index);
const char *cli_map_name(const struct cli_map_input *input, uint32_t index);

/* The architecture whose rules apply: the one of --arch, else the one of the scenario's machine,
 * else sm_90. `input` may be NULL. */
enum tma_architecture cli_architecture(const struct cli_options *options,
                                       const struct cli_map_input *input);
