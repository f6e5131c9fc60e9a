/* Summarises the errors of a validation: the worst rows, and the distribution of the errors. */
#ifndef TMA_RECORDS_SUMMARY_H
#define TMA_RECORDS_SUMMARY_H

#include "records/validate.h"

/* Returns a row with the error |predicted / measured - 1|, and adds it to the validation's worst
 * rows if it is one of them. Worst rows are sorted by error, the largest first; of equal errors,
 * the earlier row comes first. outcome->measured must not be 0. */
struct tma_timed_row tma_validation_add_row(struct tma_validation *validation, const char *name,
                                            const struct tma_record_outcome *outcome);

/* Sets mape, median, p95 and max, unless `count` is 0. Sorts `errors`. The median of an even number
 * of errors is the mean of the two middle ones. The 95th percentile is the smallest error that at
 * least 95 % of the errors do not exceed. */
void tma_summarise_errors(struct tma_validation *validation, double *errors, size_t count);

#endif
