#include "records/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const struct tma_errors tma_no_errors = {NAN, NAN, NAN, NAN};

struct tma_errors tma_errors_of(double *errors, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += errors[i];
    qsort(errors, count, sizeof *errors, compare_errors);
    return (struct tma_errors){.mean = sum / (double)count,
                               .median = (errors[(count - 1) / 2] + errors[count / 2]) / 2,
                               .p95 = errors[(95 * count + 99) / 100 - 1],
                               .most = errors[count - 1]};
}

uint32_t tma_validation_add_family(struct tma_validation *validation, const char *name,
                                   const struct tma_record_outcome *outcome) {
    uint32_t index = 0;
    while (index < validation->family_count && strcmp(validation->families[index].name, name) != 0)
        index++;
    if (index == TMA_MAX_FAMILIES)
        return index;
    struct tma_family *family = &validation->families[index];
    if (index == validation->family_count) {
        *family = (struct tma_family){.errors = tma_no_errors};
        snprintf(family->name, sizeof family->name, "%s", name);
        validation->family_count++;
    }
    family->records++;
    if (outcome == NULL || outcome->verdict == TMA_RECORD_SKIPPED) {
        family->skipped++;
        return index;
    }
    family->l2_measured += isnan(outcome->l2_error) ? 0 : 1;
    family->l2_close += outcome->l2_error <= validation->kind->close_traffic;
    family->dram_measured += isnan(outcome->dram_error) ? 0 : 1;
    family->dram_close += outcome->dram_error <= validation->kind->close_traffic;
    return index;
}

void tma_summarise_families(struct tma_validation *validation, double *errors) {
    for (uint32_t i = 0; i < validation->family_count; i++) {
        struct tma_family *family = &validation->families[i];
        size_t count = 0;
        for (size_t row = 0; row < validation->row_count; row++)
            if (validation->rows[row].family == i)
                errors[count++] = validation->rows[row].error;
        if (count > 0)
            family->errors = tma_errors_of(errors, count);
    }
}

void tma_validation_free(struct tma_validation *validation) {
    tma_release(validation->rows);
    validation->rows = NULL;
    validation->row_count = 0;
}
