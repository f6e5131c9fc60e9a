/* The digest of what a sweep or a tuner is about: the version, files and settings. */
#ifndef TMA_CLI_INPUT_DIGEST_H
#define TMA_CLI_INPUT_DIGEST_H

#include "cli/variants.h"
#include "scenario/scenario.h"

/* Adds the files of a scenario: its own, those that it extends, and its machine's. A file that
 * cannot be read adds nothing: the rows say what is wrong with it. False when out of memory. */
bool cli_digest_scenario(uint64_t *digest, const char *path, const struct tma_scenario *scenario);

/* Returns the digest with what each row sets. */
uint64_t cli_digest_variants(uint64_t digest, const struct cli_variants *variants);

#endif
