/* The results of replayed record files, as text and as JSON. */
#ifndef TMA_CLI_VALIDATION_H
#define TMA_CLI_VALIDATION_H

#include <stdio.h>

#include "cli/options.h"
#include "records/validate.h"

/* Writes the results; validations[i] belongs to the file paths[i]. Write errors stay with the
 * stream. */
void cli_validation_write(const char *const *paths, const struct tma_validation *validations,
                          size_t count, enum cli_format format, FILE *out);

#endif
