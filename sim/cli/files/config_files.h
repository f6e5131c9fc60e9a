/* The files that belong to the command: machines, scenarios, and the library of kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/path.h"
#include "cli/options.h"
#include "memory/machine.h"

/* A path of such a file. */
struct cli_config_path {
    char text[TMA_PATH_TEXT_BYTES];
};

/* Finds a file or folder by its path below configs/ (scenario/config_path.h). Returns false if
 * there is none. */
bool cli_config_find(const char *name, struct cli_config_path *path);

/* Finds the file that an operand means: a path; or a word, the name of a file NAME.yaml in one of
 * the folders below configs/. A file of that name in the current folder comes first. The list of
 * folders ends with NULL. Returns false if there is no such file. */
bool cli_config_resolve(const char *operand, const char *const *folders,
                        struct cli_config_path *path);

/* Is an operand a layout of CuTe's, as "(8,64):(64,1)" or "Layout_K_SW128_Atom"? No file of the
 * command is named like that. */
bool cli_config_is_layout(const char *operand);

/* Returns false if an operand is a word that names no file, so that none can be read; then prints
 * an error with the name in these folders that may have been meant. `what`: "machine". */
bool cli_config_may_exist(const char *operand, const char *const *folders, const char *what);

/* The same for an operand that names a scenario. */
bool cli_scenario_may_exist(const char *operand);

/* Finds the scenario that a word means: a kernel of the library, or a scenario that belongs to the
 * command; see cli_config_resolve. */
bool cli_scenario_find(const char *operand, struct cli_config_path *path);

/* Finds the scenario of the same name as the one that cli_scenario_find has found, in another
 * folder. Returns false if there is none, or if the operand is a path. */
bool cli_scenario_find_other(const char *operand, const struct cli_config_path *found,
                             struct cli_config_path *other);

/* The names of the files in a folder below configs/, such as the kernels of the library. */

struct cli_config_names {
    char **items; /* owned, and each item: without the extension .yaml */
    size_t count, capacity;
};

/* Reads the names in the folder, in the order of the alphabet. On failure, prints the error and
 * returns false. The caller frees the names in either case. */
bool cli_config_names_read(const char *folder, struct cli_config_names *names);
void cli_config_names_free(struct cli_config_names *names);

/* What a verb says of the files NAME.yaml in `folder`. Prints errors and returns false on failure.
 */
typedef bool cli_config_lister(const struct cli_options *options, const char *folder,
                               const struct cli_config_names *names, FILE *out);

/* Lists the folder configs/NAME to the output that the options name. Returns the exit status. */
int cli_config_list(const struct cli_options *options, const char *name, cli_config_lister *list);

/* The machine that a verb reads. */

/* Reads the machine file at `path`, or the h200.yaml that belongs to the command where `path` is
 * NULL. On failure, prints every error and returns false. */
bool cli_machine_read(const char *path, struct tma_machine *machine);

/* The same, with values of it set: each is "KEY=VALUE". */
bool cli_machine_read_set(const char *path, char *const *settings, size_t count,
                          struct tma_machine *machine);
