/* Where the values of a scenario come from: a line of a file, --set, or a default. */
#pragma once

#include "scenario/scenario.h"

/* Finds origins in one scenario. All zero is empty. */
struct tma_origins {
    const struct tma_scenario *scenario; /* borrowed */
    char *machine_text;                  /* owned: the machine's file, or NULL */
};

/* Prepares to find origins. False when out of memory. Where the machine's file cannot be read
 * again, the words of its comments are missing. Free the origins in any case. */
bool tma_origins_create(struct tma_origins *origins, const struct tma_scenario *scenario);
void tma_origins_free(struct tma_origins *origins);

/* The origin of a key of tma_scenario_describe: "gemm_tile.yaml:12", "h200.yaml:40 (fitted)" with
 * the first word of the comment beside the value, "--set 1", or "default". */
struct tma_origin {
    char text[160];
};
struct tma_origin tma_origin_of(const struct tma_origins *origins, const char *key);
