/* What the replay of record files gave, for people and for programs. */
#ifndef TMA_CLI_VALIDATION_H
#define TMA_CLI_VALIDATION_H

#include <stdio.h>

#include "cli/options.h"
#include "records/validate.h"

/* paths[i] is the file that validations[i] is of. Write errors stay with the stream. */
void cli_validation_write(const char *const *paths, const struct tma_validation *validations,
                          size_t count, enum cli_format format, FILE *out);

#endif
