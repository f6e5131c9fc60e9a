/* What a validation says of its errors: the worst rows, and their distribution. */
#ifndef TMA_RECORDS_SUMMARY_H
#define TMA_RECORDS_SUMMARY_H

#include "records/validate.h"

/* Gives the row, whose error is |predicted / measured - 1|, and keeps it among the ten worst if it
 * is one of them: worst first, of equal errors the earlier row. measured is not 0. */
struct tma_timed_row tma_validation_add_row(struct tma_validation *validation, const char *name,
                                  const struct tma_record_outcome *outcome);

/* Sets mape, median, p95 and max; leaves them where there is no error. Sorts `errors`. The median
 * is the mean of the two middle errors where their number is even; the 95th percentile is the
 * smallest error that at least 95 % of them don't exceed. */
void tma_summarise_errors(struct tma_validation *validation, double *errors, size_t count);

#endif
