/* The scenario that a verb reads. */
#pragma once

#include "cli/options.h"
#include "scenario/scenario.h"

/* Reads the scenario that the first operand names, with the --set options applied. On failure,
 * prints every error and returns false. The caller frees the scenario in either case. */
bool cli_scenario_read(const struct cli_options *options, struct tma_scenario *scenario);

/* The same for a verb that looks at tiles: where the scenario has a kernel with roles, its workload
 * has the tiles of the first CTA. */
bool cli_tiles_read(const struct cli_options *options, struct tma_scenario *scenario);

/* The same for a verb that looks at tiles alone, of a scenario or of one tensor map alone: a note
 * says which consumers their tiles do not allow. */
bool cli_tiles_alone_read(const struct cli_options *options, struct tma_scenario *scenario);

/* Copies the options. With an access (--access), their first operand is a file with one tensor map,
 * and the copy's is a scenario that loads its tile and accesses it so. The copy stays until the
 * process ends. */
bool cli_put_access(const struct cli_options *options, const char *access,
                    struct cli_options *changed);

#define CLI_OPTION_ACCESS(where)                                                                   \
    CLI_VALUE_OPTION(                                                                              \
        "--access", "INSTRUCTION[:LANES]", TEXT, where,                                            \
        "of a file with one tensor map: how a warp accesses its tile, for example\n"               \
        "ldmatrix.x4, ldmatrix.x4.trans, ld.shared.b32:column or wgmma; tmasim help\n"             \
        "scenario lists instructions and lanes")

/* Has the scenario of this file something that reads tiles: consumers, or access statements of
 * roles? False too where it cannot be read. */
bool cli_has_consumers(const char *path);

/* Prints a note if these files, of which a table compares the times, name several machines. */
void cli_note_machines(const struct cli_list *settings, const char *const *paths, size_t count);

/* Prints a note if a kernel has matrix products, and its machine does not have the wgmma that they
 * are simulated as. */
void cli_note_products(const struct tma_scenario *scenario);

/* Prints a note for each tensor map with a tile that begins within its swizzle's pattern. */
void cli_note_swizzle_phases(const struct tma_scenario *scenario);

/* Returns false, and prints an error, if writing the output, which may be NULL, would replace the
 * machine's file or one that the scenario extends. */
bool cli_scenario_spared(const struct tma_scenario *scenario, const char *output);
