/* The kinds of records that can be replayed. Each is in a file of its own, kind_*.c; the table in
 * record_file.c lists them all. */
#ifndef TMA_RECORDS_KINDS_H
#define TMA_RECORDS_KINDS_H

#include "records/record_kind.h"

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

#endif
