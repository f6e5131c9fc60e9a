/* Reads one row of timing or counters records: its `scenario` column describes a kernel as
 * key=value words (format: tests/hardware/README.md). */
#pragma once

#include "engine/workload.h"
#include "records/record_kind.h"

/* Fills a workload that runs on all SMs of the machine. Fails with TMA_ERROR_SYNTAX if a word is
 * missing or malformed. */
enum tma_error_code tma_timing_record_read(const struct tma_tsv *records, size_t row,
                                           const struct tma_machine *machine,
                                           struct tma_workload *workload, struct tma_error *error);

/* Returns how long the simulation of a row takes compared with others: the rows and lines of its
 * tiles. 0 for rows that cannot be read. */
uint64_t tma_timing_record_cost(const struct tma_machine *machine, const struct tma_tsv *records,
                                size_t row);

/* Compares the cycles of an outcome: they agree within 10 %. */
void tma_timing_record_compare(struct tma_record_outcome *outcome);
