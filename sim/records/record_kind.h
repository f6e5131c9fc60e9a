/* A kind of records, and the result of replaying one of them. */
#pragma once

#include "memory/machine.h"
#include "records/tsv.h"

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
    /* The same for the CTA that takes longest; 0: the record does not have it. */
    double most_measured, most_predicted;
    /* Of kinds with families: errors of what L2 is asked for and of DRAM traffic, as the kind
     * counts them; NaN: not measured, or not compared. */
    double l2_error, dram_error;
    /* Of a run that was sampled: the part of its cycles that it left out, and the error of all of
     * them, as fractions. 0: it was simulated whole. */
    double left_out, sampling_error;
    uint64_t simulated_cycles; /* of the whole run; 0 where nothing was simulated */
    char reason[200];          /* why the record differs or was skipped; "" if it agrees */
    bool out_of_memory;        /* the record could not be replayed; the other fields say nothing */
};

/* One kind of records: an entry of the table in record_file.c. */
struct tma_record_kind {
    const char *name;     /* "load_tile", "banks", "timing", ... */
    bool has_error;       /* predicts cycles, so that relative errors are computed */
    bool has_families;    /* records belong to families, which are summed up each */
    double close_traffic; /* of kinds with families: traffic is close within this fraction */
    bool samples;         /* long records are sampled, unless the caller wants them exact */
    bool needs_library;   /* replays kernels of the library */
    bool has_ranges;      /* NAME_ranges.tsv beside NAME.tsv belongs to the records, if it exists */

    /* True if the columns and the first row are those of this kind. There is at least one row. */
    bool (*matches)(const struct tma_tsv *records);

    /* Replays one row on the machine. *outcome is zeroed before the call. Where this fails, the
     * error is the reason of the verdict: of a record that was skipped if nothing else is said. */
    enum tma_error_code (*replay)(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error);

    /* Writes the family of a record. NULL: it stands in the column "family". */
    void (*family)(const struct tma_tsv *records, size_t row, char *name, size_t bytes);

    /* Returns how long a replay takes compared with others (record_file.h). NULL: no time worth
     * telling. */
    uint64_t (*cost)(const struct tma_machine *machine, const struct tma_tsv *records, size_t row);
};

/* The kinds, each in a file kind_*.c; record_file.c has the table of them. */

extern const struct tma_record_kind tma_kind_load_tile;
extern const struct tma_record_kind tma_kind_load_im2col;
extern const struct tma_record_kind tma_kind_store;
extern const struct tma_record_kind tma_kind_reduce;
extern const struct tma_record_kind tma_kind_convert;
extern const struct tma_record_kind tma_kind_banks;
extern const struct tma_record_kind tma_kind_timing;
extern const struct tma_record_kind tma_kind_pipelines;
extern const struct tma_record_kind tma_kind_kernels;
extern const struct tma_record_kind tma_kind_counters;
extern const struct tma_record_kind tma_kind_encode;
