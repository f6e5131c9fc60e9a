/* Reads the tensor map of a record: the arguments of the driver's encoder, and what it wrote. */
#pragma once

#include "records/tsv.h"
#include "tensormap/descriptor.h"

/* True if the records have the columns that a map needs. */
bool tma_records_have_maps(const struct tma_tsv *records);

/* Reads the encoder's arguments as a map. Fails with TMA_ERROR_SYNTAX if a cell is malformed. */
enum tma_error_code tma_map_record_read(const struct tma_tsv *records, size_t row,
                                        struct tma_tensor_map *map, struct tma_error *error);

/* Reads the descriptor that the driver wrote. Fails with TMA_ERROR_SYNTAX if the record has none.
 */
enum tma_error_code tma_descriptor_record_read(const struct tma_tsv *records, size_t row,
                                               struct tma_descriptor *descriptor,
                                               struct tma_error *error);

/* True if the driver accepted the map. */
bool tma_record_is_accepted(const struct tma_tsv *records, size_t row);
