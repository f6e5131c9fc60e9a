#include "records/validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "records/kinds.h"

static const struct tma_record_kind *const kinds[] = {
    &tma_kind_load_tile, &tma_kind_load_im2col, &tma_kind_store,     &tma_kind_reduce,
    &tma_kind_convert,   &tma_kind_banks,       &tma_kind_pipelines, &tma_kind_timing,
    &tma_kind_counters,  &tma_kind_encode,
};

/* A record has up to so many figures with an error. */
enum { FIGURES_OF_A_RECORD = 2 };

static const struct tma_record_kind *find_kind(const struct tma_tsv *records) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (records->rows > 0 && kinds[i]->matches(records))
            return kinds[i];
    return NULL;
}

static const char *row_name(const struct tma_tsv *records, size_t row) {
    if (tma_tsv_column(records, "name") >= 0)
        return tma_tsv_cell(records, row, "name");
    return records->cells[(row + 1) * records->columns];
}

static void count_outcome(struct tma_validation *validation, const char *name,
                          const struct tma_record_outcome *outcome) {
    if (outcome->verdict == TMA_RECORD_SKIPPED)
        validation->skipped++;
    else if (outcome->verdict == TMA_RECORD_AGREES)
        validation->agree++;
    else if (validation->difference_count < TMA_SHOWN_DIFFERENCES)
        snprintf(validation->differences[validation->difference_count++],
                 sizeof validation->differences[0], "%s: %s", name, outcome->reason);
}

/* Adds a row for the most of the record's CTAs. */
static struct tma_timed_row add_most(struct tma_validation *validation, const char *name,
                                     const struct tma_record_outcome *outcome) {
    char most[72];
    snprintf(most, sizeof most, "%.55s.max", name);
    struct tma_record_outcome other = {.measured = outcome->most_measured,
                                       .predicted = outcome->most_predicted};
    return tma_validation_add_row(validation, most, &other);
}

/* Returns false when memory runs out. */
static bool replay_all(const struct tma_machine *machine, const struct tma_tsv *records,
                       struct tma_validation *validation, double *errors) {
    const struct tma_record_kind *kind = validation->kind;
    for (size_t row = 0; row < records->rows; row++) {
        struct tma_record_outcome outcome = {0};
        kind->replay(machine, records, row, &outcome);
        if (outcome.out_of_memory)
            return false;
        count_outcome(validation, row_name(records, row), &outcome);
        if (kind->has_error && outcome.verdict != TMA_RECORD_SKIPPED && outcome.measured > 0)
            validation->rows[validation->row_count++] =
                tma_validation_add_row(validation, row_name(records, row), &outcome);
        if (outcome.verdict != TMA_RECORD_SKIPPED && outcome.most_measured > 0)
            validation->rows[validation->row_count++] =
                add_most(validation, row_name(records, row), &outcome);
    }
    for (size_t i = 0; i < validation->row_count; i++)
        errors[i] = validation->rows[i].error;
    tma_summarise_errors(validation, errors, validation->row_count);
    return true;
}

/* Allocates the rows and their errors, and replays all records. */
static enum tma_error_code replay_file(const char *path, const struct tma_machine *machine,
                                       const struct tma_tsv *records,
                                       struct tma_validation *validation, struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    size_t rows = FIGURES_OF_A_RECORD * records->rows;
    double *errors = tma_allocate(rows, sizeof *errors);
    validation->rows = tma_allocate(rows, sizeof *validation->rows);
    validation->skipped = 0;
    if (errors == NULL || validation->rows == NULL ||
        !replay_all(machine, records, validation, errors)) {
        code = tma_fail(error, TMA_ERROR_MEMORY, "%s: %zu records do not fit in memory", path,
                        records->rows);
        tma_validation_free(validation);
    }
    tma_release(errors);
    return code;
}

/* Reads NAME_ranges.tsv beside NAME.tsv. Without such a file `ranges` stays empty. */
static enum tma_error_code read_ranges(const char *path, struct tma_tsv *ranges,
                                       struct tma_error *error) {
    static const char extension[] = ".tsv", suffix[] = "_ranges.tsv";
    size_t length = strlen(path), stem = length - (sizeof extension - 1);
    if (length < sizeof extension || strcmp(path + stem, extension) != 0)
        return TMA_OK;
    char *name = tma_allocate(stem + sizeof suffix, 1);
    if (name == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "%s: out of memory", path);
    memcpy(name, path, stem);
    memcpy(name + stem, suffix, sizeof suffix);
    enum tma_error_code code = TMA_OK;
    FILE *file = fopen(name, "r");
    if (file != NULL) {
        struct tma_tsv found;
        fclose(file);
        code = tma_tsv_read(name, &found, error);
        if (code == TMA_OK)
            *ranges = found;
    }
    tma_release(name);
    return code;
}

enum tma_error_code tma_validate_file(const char *path, const struct tma_machine *machine,
                                      struct tma_validation *validation, struct tma_error *error) {
    struct tma_tsv records;
    enum tma_error_code code = tma_tsv_read(path, &records, error);
    if (code != TMA_OK)
        return code;
    *validation = (struct tma_validation){
        .kind = find_kind(&records), .records = records.rows, .skipped = records.rows};
    validation->mape = validation->median = validation->p95 = validation->max = NAN;
    struct tma_tsv ranges = {0};
    if (validation->kind != NULL && validation->kind->has_ranges)
        code = read_ranges(path, &ranges, error);
    if (ranges.cells != NULL) {
        records.ranges = &ranges;
        validation->has_ranges = true;
    }
    if (code == TMA_OK && validation->kind != NULL)
        code = replay_file(path, machine, &records, validation, error);
    if (ranges.cells != NULL)
        tma_tsv_free(&ranges);
    tma_tsv_free(&records);
    return code;
}
