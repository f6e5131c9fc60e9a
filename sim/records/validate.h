/* Replays records of what a real GPU did, and counts how many the model agrees with. A record file
 * is TSV with a header line. Its columns determine the kind of its records. */
#ifndef TMA_RECORDS_VALIDATE_H
#define TMA_RECORDS_VALIDATE_H

#include "memory/machine.h"
#include "records/tsv.h"

/* How many of the worst rows, and of the differing records, a validation keeps. */
enum { TMA_WORST_ROWS = 10, TMA_SHOWN_DIFFERENCES = 20 };

/* Whether the model agrees with a record. */
enum tma_record_verdict {
    TMA_RECORD_SKIPPED, /* the record cannot be replayed, so nothing was compared */
    TMA_RECORD_DIFFERS,
    TMA_RECORD_AGREES,
};

/* The result of replaying one record. */
struct tma_record_outcome {
    enum tma_record_verdict verdict;
    double measured;  /* in cycles, for kinds with errors; else 0 */
    double predicted; /* in cycles, for kinds with errors; else 0 */
    char reason[200]; /* why the record differs or was skipped; "" if it agrees */
};

/* One kind of records: an entry of the table in validate.c. */
struct tma_record_kind {
    const char *name; /* "load_tile", "banks", "timing", ... */
    bool has_error;   /* predicts cycles, so that relative errors are computed */

    /* True if the columns and the first row are those of this kind. There is at least one row. */
    bool (*matches)(const struct tma_tsv *records);

    /* Replays one row on the machine. *outcome is zeroed before the call. */
    void (*replay)(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                   struct tma_record_outcome *outcome);
};

/* One record of a kind with errors. */
struct tma_timed_row {
    char name[64];    /* of the record, or its id */
    double measured;  /* in cycles */
    double predicted; /* in cycles */
    double error;     /* |predicted / measured - 1| */
};

struct tma_validation {
    const struct tma_record_kind *kind; /* NULL: unknown, and every record is skipped */
    uint64_t records;
    uint64_t skipped;
    uint64_t agree;
    double mape;                /* mean error, a fraction; NaN for kinds without errors */
    double median;              /* of the errors, likewise */
    double p95;                 /* 95th percentile of the errors, likewise */
    double max;                 /* largest error, likewise */
    struct tma_timed_row *rows; /* owned; all rows that were not skipped, in file order */
    size_t row_count;           /* 0 for kinds without errors */
    struct tma_timed_row worst[TMA_WORST_ROWS]; /* the rows with the largest errors */
    size_t worst_count;
    char differences[TMA_SHOWN_DIFFERENCES][300]; /* "NAME: REASON" of the first that differ */
    size_t difference_count;
};

/* Replays all records of a file on the machine. Fails only if the file cannot be read
 * (TMA_ERROR_FILE), is not TSV (TMA_ERROR_SYNTAX) or does not fit in memory (TMA_ERROR_MEMORY);
 * there is nothing to free then. */
enum tma_error_code tma_validate_file(const char *path, const struct tma_machine *machine,
                                      struct tma_validation *validation, struct tma_error *error);

/* Frees the rows. A zeroed validation is allowed. */
void tma_validation_free(struct tma_validation *validation);

#endif
