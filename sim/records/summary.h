/* The result of validating one file of records: counts, differences, the worst rows, and the
 * distribution of the errors. */
#pragma once

#include "records/record_kind.h"

/* How many of the worst rows, and of the differing records, a validation keeps. */
enum { TMA_WORST_ROWS = 10, TMA_SHOWN_DIFFERENCES = 20, TMA_MAX_FAMILIES = 32 };

/* The distribution of errors, which are fractions. All NaN: there are none. */
struct tma_errors {
    double mean;
    double median; /* of an even number: the mean of the two in the middle */
    double p95;    /* the smallest error that at least 95 % of the errors do not exceed */
    double most;
};

/* Sorts `errors`, of which there is at least one. */
struct tma_errors tma_errors_of(double *errors, size_t count);

extern const struct tma_errors tma_no_errors;

/* One record of a kind with errors. */
struct tma_timed_row {
    char name[128];        /* of the record, or its id */
    double measured;       /* in cycles */
    double predicted;      /* in cycles */
    double error;          /* |predicted / measured - 1| */
    double left_out;       /* part of the predicted cycles that a sampled run left out; 0: none */
    double sampling_error; /* a fraction of the predicted cycles */
    uint32_t family;       /* index; of kinds with families */
};

/* The records of a family. */
struct tma_family {
    char name[40];
    uint64_t records, skipped;
    struct tma_errors errors;
    uint64_t l2_measured, l2_close;     /* records whose L2 traffic was compared; and is close */
    uint64_t dram_measured, dram_close; /* the same: DRAM traffic */
};

struct tma_validation {
    const struct tma_record_kind *kind; /* NULL: unknown, and every record is skipped */
    bool has_ranges; /* records agree where they lie in the range of several launches */
    uint64_t records;
    uint64_t skipped;
    uint64_t agree;
    uint64_t sampled; /* records that were not simulated whole */
    struct tma_errors errors;
    struct tma_timed_row *rows; /* owned; all rows that were not skipped, in file order */
    size_t row_count;           /* 0 for kinds without errors */
    struct tma_timed_row worst[TMA_WORST_ROWS]; /* the rows with the largest errors */
    size_t worst_count;
    struct tma_family families[TMA_MAX_FAMILIES]; /* in the order of the file */
    size_t
        family_count; /* 0 for kinds without families. Those behind the last one have no entry. */
    char differences[TMA_SHOWN_DIFFERENCES][300]; /* "NAME: REASON" of the first that differ */
    size_t difference_count;
    char first_skipped[300]; /* the same of the first that was skipped; "": none was replayed */
};

/* Returns a row with the error |predicted / measured - 1|, and adds it to the validation's worst
 * rows if it is one of them. Worst rows are sorted by error, the largest first; of equal errors,
 * the earlier row comes first. outcome->measured must not be 0. */
struct tma_timed_row tma_validation_add_row(struct tma_validation *validation, const char *name,
                                            const struct tma_record_outcome *outcome);

/* Counts a record of a family. Returns the family's index, or TMA_MAX_FAMILIES if there is no room.
 */
uint32_t tma_validation_add_family(struct tma_validation *validation, const char *name,
                                   const struct tma_record_outcome *outcome);

/* Computes the distribution of each family's errors from the rows. `errors` has room for all rows.
 */
void tma_summarise_families(struct tma_validation *validation, double *errors);

/* Frees the rows. A zeroed validation is allowed. */
void tma_validation_free(struct tma_validation *validation);
