/* A file of records of what a real GPU did, and the replay of one of them. A record file is TSV
 * with a header line. Its columns determine the kind of its records. */
#pragma once

#include "records/record_kind.h"

/* Must stay where it is while it is open. */
struct tma_record_file {
    const struct tma_record_kind *kind; /* NULL: unknown; no record can be replayed */
    struct tma_tsv records;
    struct tma_tsv ranges; /* NAME_ranges.tsv beside it; no cells: there is none */
};

/* Reads a file of records, and the ranges that belong to it. Fails if a file cannot be read
 * (TMA_ERROR_FILE), is not TSV (TMA_ERROR_SYNTAX) or does not fit in memory (TMA_ERROR_MEMORY);
 * there is nothing to close then. */
enum tma_error_code tma_records_open(const char *path, struct tma_record_file *file,
                                     struct tma_error *error);
/* Fails (TMA_ERROR_FILE) where something that all replays of the file need is not there: the
 * engine, or the library of kernels, whose folder stands in file->records by then. */
enum tma_error_code tma_records_require(const struct tma_record_file *file,
                                        struct tma_error *error);
void tma_records_close(struct tma_record_file *file);

enum { TMA_RECORD_NAME_BYTES = 128 };
struct tma_record_name {
    char text[TMA_RECORD_NAME_BYTES];
};

/* Returns the name of a record, or its family and arguments, or its first cell where records have
 * no names. It is cut to fit. */
struct tma_record_name tma_record_name(const struct tma_record_file *file, size_t row);

/* Replays a record on the machine. Any number of records can be replayed in any order. */
void tma_record_replay(const struct tma_record_file *file, const struct tma_machine *machine,
                       size_t row, struct tma_record_outcome *outcome);

/* Returns how long the replay of a record takes compared with others: its global bytes for kinds
 * that simulate; 0 for kinds that do not, whose records take some microseconds each. */
uint64_t tma_record_cost(const struct tma_record_file *file, const struct tma_machine *machine,
                         size_t row);
