/* The results of replayed record files, as text, as JSON, and as TSV of every predicted row. */
#pragma once

#include <stdio.h>

#include "cli/options.h"
#include "records/validate.h"

/* The same file replayed with several seeds of the machine. All zero without --draws. */
struct cli_draws {
    uint32_t count;
    uint64_t least_agree, most_agree;
    double mean_agree;
    double least_error, most_error, mean_error; /* of the mean errors; NaN for kinds without them */
    double *predicted;                          /* owned: cycles by seed, then by row */
    size_t row_count;
    double median_mape, median_p95; /* errors of each row's median; NaN for kinds without them */
};

/* Adds the replay with one more seed. False when out of memory. */
bool cli_draws_add(struct cli_draws *draws, const struct tma_validation *validation);

/* After the last seed: the errors of the median of all seeds, as `validation` has measured the
 * rows. A timing record is a median of several launches itself. False when out of memory. */
bool cli_draws_finish(struct cli_draws *draws, const struct tma_validation *validation);

void cli_draws_free(struct cli_draws *draws);

/* What cli_validation_write shows. All pointers are borrowed. */
struct cli_validation_report {
    const char *const *paths;
    const struct tma_validation *validations; /* by file */
    const struct cli_draws *draws;            /* by file */
    size_t count;                             /* of files */
    const char *digest;                       /* of the machine's timing */
    uint64_t replayed, total;                 /* records, with all seeds */
    bool partial;                             /* an interrupt ended the replay */
};

/* Formats of cli_validation_write; the first is the default. */
extern const struct tma_names cli_validation_format_names;

/* Writes the results in a format: a value of cli_validation_format_names. Write errors stay with
 * the stream. */
void cli_validation_write(const struct cli_validation_report *report, int format, FILE *out);
