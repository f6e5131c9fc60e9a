/* Replays records of what a real GPU did, and counts how many the model agrees with. A record file
 * is TSV with a header line. Its columns determine the kind of its records. */
#ifndef TMA_RECORDS_VALIDATE_H
#define TMA_RECORDS_VALIDATE_H

#include "memory/machine.h"
#include "records/summary.h"

/* Replays all records of a file on the machine. Fails only if the file cannot be read
 * (TMA_ERROR_FILE), is not TSV (TMA_ERROR_SYNTAX) or does not fit in memory (TMA_ERROR_MEMORY);
 * there is nothing to free then. */
enum tma_error_code tma_validate_file(const char *path, const struct tma_machine *machine,
                                      struct tma_validation *validation, struct tma_error *error);

#endif
