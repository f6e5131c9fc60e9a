/* The names of the files in a folder below configs/, such as the kernels of the library. */
#ifndef TMA_CLI_CONFIG_NAMES_H
#define TMA_CLI_CONFIG_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/options.h"

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

#endif
