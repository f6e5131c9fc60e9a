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

#endif
