/* Replays records of what a real GPU did, and says how many agree. A record file is TSV with a
 * header line; its columns say of which kind it is. */
#ifndef TMA_RECORDS_VALIDATE_H
#define TMA_RECORDS_VALIDATE_H

#include "memory/machine.h"
#include "records/tsv.h"

enum { TMA_WORST_ROWS = 10, TMA_SHOWN_DIFFERENCES = 20 };

enum tma_record_verdict { TMA_RECORD_SKIPPED, TMA_RECORD_DIFFERS, TMA_RECORD_AGREES };

/* What one record gave. */
struct tma_record_outcome {
    enum tma_record_verdict verdict;
    double measured, predicted; /* timing kinds; 0 elsewhere */
    char reason[200];           /* why it differs or was skipped; empty where it agrees */
};

/* One kind of record file. A kind in a file of its own, registered in the table of validate.c. */
struct tma_record_kind {
    const char *name; /* "load_tile", "banks", "timing", ... */
    bool (*matches)(
        const struct tma_tsv *records); /* do these columns, and the first row, say this kind? */
    bool has_error;                     /* mape, median, p95 and max apply */
    void (*replay)(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                   struct tma_record_outcome *outcome);
};

/* One record of a kind that has errors: cycles, and the error as a fraction of the measured. */
struct tma_timed_row {
    char name[64]; /* the record's id or name */
    double measured, predicted, error;
};

struct tma_validation {
    const struct tma_record_kind *kind; /* NULL: no kind that is known, every record skipped */
    uint64_t records, skipped, agree;
    double mape, median, p95, max; /* fractions; NaN where they don't apply */
    struct tma_timed_row *rows;    /* owned; in the file's order, without those skipped */
    size_t row_count;              /* 0 for kinds without errors */
    struct tma_timed_row worst[TMA_WORST_ROWS];
    size_t worst_count;
    /* The first records that differ: each with its reason. */
    char differences[TMA_SHOWN_DIFFERENCES][300];
    size_t difference_count;
};

/* Fails only where the file can't be read (TMA_ERROR_FILE), is no TSV (TMA_ERROR_SYNTAX) or does
 * not fit in memory (TMA_ERROR_MEMORY); then there is nothing to free. */
enum tma_error_code tma_validate_file(const char *path, const struct tma_machine *machine,
                                      struct tma_validation *validation, struct tma_error *error);

/* Frees the rows; a zeroed validation has none. */
void tma_validation_free(struct tma_validation *validation);

#endif
