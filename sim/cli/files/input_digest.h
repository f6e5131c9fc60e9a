/* The digest of what a sweep or a tuner is about: the version, files and settings. */
#pragma once

#include "cli/options.h"
#include "scenario/scenario.h"
#include "search/variants.h"

/* Adds the bytes of a file; one that cannot be read, or NULL, adds nothing. False when out of
 * memory.
 */
bool cli_digest_file(uint64_t *digest, const char *path);

/* Adds the files of a scenario: its own, those that it extends, and its machine's. A file that
 * cannot be read adds nothing: the rows say what is wrong with it. False when out of memory. */
bool cli_digest_scenario(uint64_t *digest, const char *path, const struct tma_scenario *scenario);

/* Returns the digest with what each row sets. */
uint64_t cli_digest_variants(uint64_t digest, const struct tma_variants *variants);

/* Writes the key (cli/tasks.h) of the settings, the scenarios at `paths`, one for each operand, and
 * the variants, which may be NULL. A scenario may be wrong: each row says so. On failure, prints
 * the error and returns false. */
bool cli_digest_inputs(const struct cli_options *options, const char *const *paths,
                       const struct tma_variants *variants, char key[TMA_DIGEST_TEXT_BYTES]);
