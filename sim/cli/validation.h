/* The results of replayed record files, as text and as JSON. */
#ifndef TMA_CLI_VALIDATION_H
#define TMA_CLI_VALIDATION_H

#include <stdio.h>

#include "cli/options.h"
#include "records/validate.h"

/* The same file replayed with several seeds of the machine. All zero without --draws. */
struct cli_draws {
    uint32_t count;
    uint64_t least_agree, most_agree;
    double mean_agree;
    double least_error, most_error, mean_error; /* of the mean errors; NaN for kinds without them */
};

/* Adds the replay with one more seed. */
void cli_draws_add(struct cli_draws *draws, const struct tma_validation *validation);

/* Writes the results, and the digest of the machine's timing; validations[i] belongs to the file
 * paths[i]. Write errors stay with the stream. */
void cli_validation_write(const char *const *paths, const struct tma_validation *validations,
                          const struct cli_draws *draws, size_t count, const char *digest,
                          enum cli_format format, FILE *out);

#endif
