#include "records/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocation.h"

static void keep_worst(struct tma_validation *validation, const struct tma_timed_row *row) {
    size_t at = validation->worst_count;
    while (at > 0 && validation->worst[at - 1].error < row->error)
        at--;
    if (at == TMA_WORST_ROWS)
        return;
    size_t last =
        validation->worst_count < TMA_WORST_ROWS ? validation->worst_count++ : TMA_WORST_ROWS - 1;
    for (size_t i = last; i > at; i--)
        validation->worst[i] = validation->worst[i - 1];
    validation->worst[at] = *row;
}

struct tma_timed_row tma_validation_add_row(struct tma_validation *validation, const char *name,
                                            const struct tma_record_outcome *outcome) {
    struct tma_timed_row row = {.measured = outcome->measured, .predicted = outcome->predicted};
    row.error = fabs(outcome->predicted / outcome->measured - 1);
    snprintf(row.name, sizeof row.name, "%s", name);
    keep_worst(validation, &row);
    return row;
}

static int compare_errors(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tma_summarise_errors(struct tma_validation *validation, double *errors, size_t count) {
    if (count == 0)
        return;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += errors[i];
    qsort(errors, count, sizeof *errors, compare_errors);
    validation->mape = sum / (double)count;
    validation->median = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
    validation->p95 = errors[(95 * count + 99) / 100 - 1];
    validation->max = errors[count - 1];
}

void tma_validation_free(struct tma_validation *validation) {
    tma_release(validation->rows);
    validation->rows = NULL;
    validation->row_count = 0;
}
