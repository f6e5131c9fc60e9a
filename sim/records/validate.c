#include "records/validate.h"

#include <math.h>
#include <stdio.h>

#include "base/allocation.h"

/* A record has up to so many figures with an error. */
enum { FIGURES_OF_A_RECORD = 2 };

bool tma_validation_begin(const struct tma_record_file *file, struct tma_validation *validation) {
    size_t rows = file->records.rows;
    *validation = (struct tma_validation){
        .kind = file->kind,
        .has_ranges = file->records.ranges != NULL,
        .records = rows,
        .skipped = rows,
    };
    validation->errors = tma_no_errors;
    if (file->kind == NULL)
        return true;
    validation->rows = tma_allocate(FIGURES_OF_A_RECORD * rows, sizeof *validation->rows);
    return validation->rows != NULL;
}

/* Adds a row for the CTA of the record that takes longest. */
static struct tma_timed_row row_of_most(struct tma_validation *validation, const char *name,
                                        const struct tma_record_outcome *outcome) {
    char most[TMA_RECORD_NAME_BYTES];
    snprintf(most, sizeof most, "%.120s.max", name);
    struct tma_record_outcome other = {.measured = outcome->most_measured,
                                       .predicted = outcome->most_predicted};
    return tma_validation_add_row(validation, most, &other);
}

/* Returns the index of the family. */
static uint32_t add_to_family(const struct tma_record_file *file, size_t row,
                              const struct tma_record_outcome *outcome,
                              struct tma_validation *validation) {
    char name[sizeof validation->families[0].name];
    if (file->kind->family != NULL)
        file->kind->family(&file->records, row, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", tma_tsv_cell(&file->records, row, "family"));
    return tma_validation_add_family(validation, name, outcome);
}

void tma_validation_add(const struct tma_record_file *file, size_t row,
                        const struct tma_record_outcome *outcome,
                        struct tma_validation *validation) {
    struct tma_record_name named = tma_record_name(file, row);
    const char *name = named.text;
    uint32_t family = 0;
    if (file->kind->has_families)
        family = add_to_family(file, row, outcome, validation);
    if (outcome->verdict == TMA_RECORD_SKIPPED) {
        if (validation->first_skipped[0] == '\0')
            snprintf(validation->first_skipped, sizeof validation->first_skipped, "%.90s: %s", name,
                     outcome->reason);
        return;
    }
    validation->skipped--;
    if (outcome->verdict == TMA_RECORD_AGREES)
        validation->agree++;
    else if (validation->difference_count < TMA_SHOWN_DIFFERENCES)
        snprintf(validation->differences[validation->difference_count++],
                 sizeof validation->differences[0], "%.90s: %s", name, outcome->reason);
    if (file->kind->has_error && outcome->measured > 0) {
        struct tma_timed_row timed = tma_validation_add_row(validation, name, outcome);
        timed.family = family;
        timed.left_out = outcome->left_out;
        timed.sampling_error = outcome->sampling_error;
        validation->sampled += outcome->left_out > 0;
        validation->rows[validation->row_count++] = timed;
    }
    if (outcome->most_measured > 0) {
        struct tma_timed_row most = row_of_most(validation, name, outcome);
        most.family = family;
        validation->rows[validation->row_count++] = most;
    }
}

bool tma_validation_finish(struct tma_validation *validation) {
    size_t count = validation->row_count;
    double *errors = count == 0 ? NULL : tma_allocate(count, sizeof *errors);
    if (count > 0 && errors == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        errors[i] = validation->rows[i].error;
    if (count > 0) {
        validation->errors = tma_errors_of(errors, count);
        tma_summarise_families(validation, errors);
    }
    tma_release(errors);
    return true;
}

/* Returns false when memory runs out. */
static bool replay_all(const struct tma_record_file *file, const struct tma_machine *machine,
                       struct tma_validation *validation) {
    if (!tma_validation_begin(file, validation))
        return false;
    for (size_t row = 0; file->kind != NULL && row < file->records.rows; row++) {
        struct tma_record_outcome outcome;
        tma_record_replay(file, machine, row, &outcome);
        if (outcome.out_of_memory)
            return false;
        tma_validation_add(file, row, &outcome, validation);
    }
    return tma_validation_finish(validation);
}

enum tma_error_code tma_validate_file(const char *path, const struct tma_machine *machine,
                                      struct tma_validation *validation, struct tma_error *error) {
    struct tma_record_file file;
    enum tma_error_code code = tma_records_open(path, &file, error);
    if (code != TMA_OK)
        return code;
    code = tma_records_require(&file, error);
    if (code == TMA_OK && !replay_all(&file, machine, validation)) {
        code = tma_fail(error, TMA_ERROR_MEMORY, "%s: %zu records do not fit in memory", path,
                        file.records.rows);
        tma_validation_free(validation);
    }
    tma_records_close(&file);
    return code;
}
