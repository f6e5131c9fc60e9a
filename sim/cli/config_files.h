/* The files that belong to the command: machines, scenarios, and the library of kernels. */
#ifndef TMA_CLI_CONFIG_FILES_H
#define TMA_CLI_CONFIG_FILES_H

#include <stdbool.h>

#include "base/own_folder.h"

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

/* Finds the scenario that a word means: a kernel of the library, or a scenario that belongs to the
 * command; see cli_config_resolve. */
bool cli_scenario_find(const char *operand, struct cli_config_path *path);

#endif
