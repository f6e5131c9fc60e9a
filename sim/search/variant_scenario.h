/* The scenario of one variant of a sweep: a file with the settings of the user and of the row. */
#ifndef TMA_SEARCH_VARIANT_SCENARIO_H
#define TMA_SEARCH_VARIANT_SCENARIO_H

#include "scenario/scenario.h"
#include "search/variants.h"

enum { CLI_REASON_BYTES = 1200 };

struct cli_variant_scenario {
    struct tma_scenario scenario;
    const char **settings; /* owned: those of the user, then those of the row */
    char **texts;          /* owned: "PATH=VALUE" of the row */
    size_t setting_count, user_count;
};

/* Reads the scenario at `path` with the settings of the user and of a row. Where that fails, writes
 * the first error to `reason`, with the setting of the row if it is in one, and returns false;
 * `name` stands for the path. Free the variant in either case. */
bool cli_variant_read(const char *path, const char *name, const struct cli_list *user,
                      const struct cli_variants *variants, size_t row,
                      struct cli_variant_scenario *variant, char reason[CLI_REASON_BYTES]);
void cli_variant_free(struct cli_variant_scenario *variant);

#endif
