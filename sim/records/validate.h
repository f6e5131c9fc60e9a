/* Replays a file of records, and counts how many the model agrees with. */
#pragma once

#include "records/record_file.h"
#include "records/summary.h"

/* Replays all records of a file on the machine. Fails only if the file cannot be read
 * or lacks what replays need (TMA_ERROR_FILE), is not TSV (TMA_ERROR_SYNTAX) or does not fit in
 * memory (TMA_ERROR_MEMORY); there is nothing to free then. */
enum tma_error_code tma_validate_file(const char *path, const struct tma_machine *machine,
                                      struct tma_validation *validation, struct tma_error *error);

/* The same in parts, for a caller that replays the records itself. First: a validation without
 * outcomes, in which every record is skipped. False when out of memory. */
bool tma_validation_begin(const struct tma_record_file *file, struct tma_validation *validation);

/* Adds the outcome of a record. Records come in the order of the file; those that are left out stay
 * skipped. */
void tma_validation_add(const struct tma_record_file *file, size_t row,
                        const struct tma_record_outcome *outcome,
                        struct tma_validation *validation);

/* Last: computes the distribution of the errors. False when out of memory. */
bool tma_validation_finish(struct tma_validation *validation);
